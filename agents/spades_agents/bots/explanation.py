"""Why a card is played: the grounds behind its prospect."""

from __future__ import annotations

from spades import Card, Suit
from spades_agents.bots.cardplay import Prospect
from spades_agents.bots.knowledge import bits_of
from spades_agents.bots.situation import Situation
from spades_agents.grounds import Ground, Why

SURE = 0.95
UNLIKELY = 0.05


def explain(situation: Situation, choice: Prospect) -> tuple[Ground, ...]:
    """The grounds of a card, the weightiest first."""
    if len(situation.view.legal_plays) == 1:
        return (Ground(Why.ONLY_CHOICE),)
    if situation.my_nil:
        return (_own_nil(situation, choice),)
    found = _nils(situation, choice)
    if situation.wanted:
        found += [_wanted(situation, choice), *_needs(situation)]
    else:
        found += [*_safe(situation), _unwanted(situation, choice)]
    return tuple(found)


def _table_card(situation: Situation) -> Card | None:
    """The card that wins the trick as it lies."""
    best = situation.outlook.best
    return situation.knowledge.deck.unmask(best)[0] if best else None


def _suit(situation: Situation, bit: int) -> Suit:
    masks = situation.knowledge.deck.suit_masks
    return Suit(masks.index(situation.knowledge.suit_of(bit)))


def _own_nil(situation: Situation, choice: Prospect) -> Ground:
    card, bit, outlook = choice.card, choice.bit, situation.outlook
    mine = choice.chances[situation.me]
    if not outlook.led:
        return Ground(Why.NIL_LEADS_LOW, card=card)
    if mine >= SURE:
        return Ground(Why.NIL_IS_LOST)
    if outlook.wins_now(bit):
        return Ground(Why.NIL_HOPES, card=card)
    if bit & outlook.led:
        return Ground(Why.NIL_STAYS_UNDER, card=card, other=_table_card(situation))
    return Ground(Why.NIL_SHEDS, card=card)


def _nils(situation: Situation, choice: Prospect) -> list[Ground]:
    """What the nils of the partner and of the others have to do with it."""
    outlook, view, card = situation.outlook, situation.view, choice.card
    winner = outlook.winner
    found: list[Ground] = []
    if situation.partner_nil:
        partner = situation.me.partner
        if winner is partner:
            if outlook.wins_now(choice.bit):
                found.append(Ground(Why.COVER_OVERTAKES, card=card))
        elif partner in outlook.to_come:
            if choice.chances[partner] <= UNLIKELY:
                found.append(Ground(Why.COVER_PLAYS_HIGH, card=card))
        elif not outlook.wins_now(choice.bit):
            found.append(Ground(Why.COVER_KEEPS))
    for seat in situation.foe_nils:
        if situation.worth[seat] <= abs(situation.stakes.trick):
            continue
        if winner is seat and not outlook.wins_now(choice.bit):
            found.append(Ground(Why.NIL_BREAKS, seat=seat, other=_table_card(situation)))
        elif choice.chances[seat] > UNLIKELY and view.taken[seat] == 0:
            found.append(Ground(Why.NIL_HUNT, seat=seat))
    return found


def _wanted(situation: Situation, choice: Prospect) -> Ground:
    """The ground of a card where the trick is wanted."""
    outlook, card, bit = situation.outlook, choice.card, choice.bit
    if not outlook.led:
        return _lead(situation, choice)
    table = _table_card(situation)
    partner_wins = outlook.winner is situation.me.partner
    if outlook.wins_now(bit):
        if not bit & outlook.led:
            return Ground(Why.RUFFS, card=card)
        if not outlook.to_come:
            return Ground(Why.CHEAPEST_WINNER, card=card)
        if len(outlook.to_come) == 1 and choice.chances[situation.me] < SURE:
            return Ground(Why.THIRD_HAND_HIGH, card=card)
        return Ground(Why.WINS_NOW, card=card, other=table)
    if partner_wins:
        return Ground(Why.PARTNER_WINS, other=table)
    able = any(
        outlook.wins_now(situation.knowledge.deck.bits[c]) for c in situation.view.legal_plays
    )
    if not able:
        return Ground(Why.CANNOT_WIN, card=card)
    if len(outlook.to_come) == 2 and bit & outlook.led:
        return Ground(Why.SECOND_HAND_LOW)
    return Ground(Why.NOT_WORTH_IT, card=card)


def _lead(situation: Situation, choice: Prospect) -> Ground:
    knowledge, card, bit = situation.knowledge, choice.card, choice.bit
    suit = knowledge.suit_of(bit)
    outside = (knowledge.out & suit).bit_count()
    if suit == knowledge.spades and outside and knowledge.is_master(bit):
        return Ground(Why.DRAWS_SPADES, card=card, number=outside)
    if knowledge.is_master(bit):
        return Ground(Why.CASHES, card=card)
    if knowledge.voids[situation.me.partner] & suit:
        return Ground(Why.LEADS_FOR_PARTNER, suit=_suit(situation, bit))
    held = (knowledge.hand & suit).bit_count()
    if suit != knowledge.spades and held <= 2 and knowledge.hand & knowledge.spades:
        return Ground(Why.SHORT_SUIT, suit=_suit(situation, bit))
    if bit == bits_of(knowledge.hand & suit)[-1] and choice.chances[situation.me] > 0.4:
        return Ground(Why.TOP_CARD, card=card)
    return Ground(Why.LEADS_LOW, card=card)


def _needs(situation: Situation) -> list[Ground]:
    """Why the trick is wanted."""
    if not situation.skill.weighs:
        return []
    at = situation.stakes
    found: list[Ground] = []
    if 0 < at.ours.needed <= at.left and at.contract >= at.defeat:
        found.append(Ground(Why.NEEDS_TRICKS, number=at.ours.needed, left=at.left))
        if at.ours.closes:
            found.append(Ground(Why.WINS_MATCH))
    elif 0 < at.theirs.needed <= at.left and at.defeat > 0:
        found.append(Ground(Why.CAN_SET, number=at.theirs.needed, left=at.left))
        if at.theirs.closes:
            found.append(Ground(Why.LOSES_MATCH))
    return found


def _safe(situation: Situation) -> list[Ground]:
    """Why the trick is not wanted."""
    at, rules = situation.stakes, situation.view.rules
    if not rules.bag_penalty or at.ours.needed:
        return []
    bags = at.ours.bags
    last = bags % rules.bag_limit == rules.bag_limit - 1
    return [Ground(Why.LAST_BAG if last else Why.CONTRACT_SAFE, number=bags)]


def _unwanted(situation: Situation, choice: Prospect) -> Ground:
    outlook, card = situation.outlook, choice.card
    if not outlook.led:
        return Ground(Why.LEADS_TO_LOSE, card=card)
    if choice.chances[situation.me] >= SURE:
        return Ground(Why.BIG_ONE)
    return Ground(Why.DUCKS, card=card)
