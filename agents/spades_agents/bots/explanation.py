"""Why a card is played: the grounds behind its prospect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spades import Card, Suit
from spades_agents.bots.cardplay import Prospect
from spades_agents.bots.knowledge import bits_of
from spades_agents.bots.situation import Situation
from spades_agents.grounds import Ground, Why

SURE: Final = 0.95
"""A chance from which something is taken for certain."""
LIKELY: Final = 0.75
"""A chance from which a card is said to hold the trick."""
UNLIKELY: Final = 0.05
"""A chance below which something is not spoken of."""
WORTH_SAYING: Final = 10.0
"""The points from which it is said what a trick means for a contract."""


def explain(
    situation: Situation, choice: Prospect, ranked: Sequence[Prospect]
) -> tuple[Ground, ...]:
    """The grounds of one card among all that may be played, the weightiest first."""
    if len(ranked) == 1:
        return (Ground(Why.ONLY_CHOICE),)
    if situation.my_nil:
        return (_own_nil(situation, choice),)
    found = [*_partners_nil(situation, choice), *_others_nils(situation, choice, ranked)]
    if situation.wanted:
        if not found or situation.outlook.led:
            found.append(_wanted(situation, choice))
        found += _needs(situation)
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


def _partners_nil(situation: Situation, choice: Prospect) -> list[Ground]:
    """What a live nil of the partner has to do with it."""
    if not situation.partner_nil:
        return []
    outlook, partner, bit = situation.outlook, situation.me.partner, choice.bit
    wins = outlook.wins_now(bit)
    if outlook.winner is partner:
        return [Ground(Why.COVER_OVERTAKES, card=choice.card)] if wins else []
    if partner not in outlook.to_come:
        return [] if wins else [Ground(Why.COVER_KEEPS)]
    knowledge = situation.knowledge
    suit = knowledge.suit_of(bit)
    below = knowledge.lower(bit, suit).bit_count()
    high = 2 * below > (knowledge.out & suit).bit_count()
    if wins and high and choice.chances[partner] <= UNLIKELY:
        return [Ground(Why.COVER_PLAYS_HIGH, card=choice.card)]
    return []


def _others_nils(
    situation: Situation, choice: Prospect, ranked: Sequence[Prospect]
) -> list[Ground]:
    """What a live nil of an opponent has to do with it."""
    outlook = situation.outlook
    found: list[Ground] = []
    for seat in situation.foe_nils:
        if situation.worth[seat] <= abs(situation.stakes.trick):
            continue
        chance = choice.chances[seat]
        if outlook.winner is seat and not outlook.wins_now(choice.bit):
            found.append(Ground(Why.NIL_BREAKS, seat=seat, other=_table_card(situation)))
        elif chance > min(one.chances[seat] for one in ranked) + UNLIKELY:
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
        holds = choice.chances[situation.me] >= LIKELY
        return Ground(Why.WINS_NOW if holds else Why.BEATS_FOR_NOW, card=card, other=table)
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
    if suit != knowledge.spades and knowledge.voids[situation.me.partner] & suit:
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
    if at.contract >= max(at.defeat, WORTH_SAYING):
        found.append(Ground(Why.NEEDS_TRICKS, number=at.ours.needed, left=at.left))
        if at.ours.closes:
            found.append(Ground(Why.WINS_MATCH))
    elif at.defeat > WORTH_SAYING:
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
