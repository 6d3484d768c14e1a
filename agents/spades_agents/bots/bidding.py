"""Bidding: what a hand is worth, and what the table makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from spades import NIL, Bid, Card, DoubleNil, SeatView
from spades_agents.bots.judgement import nearest_legal
from spades_agents.bots.knowledge import Knowledge, bits_of
from spades_agents.bots.nil import nil_chance
from spades_agents.bots.promise import Promises
from spades_agents.grounds import Ground, Why

HIDDEN_TRICKS: Final = 0.45
HIDDEN_SLOPE: Final = 0.92
"""The tricks that a hand takes beyond what its cards promise one by one: a line through 10,000 hands."""

ROUND_UP: Final = 0.75
"""The part of a trick from which a bid is rounded up: a set costs far more than a bag."""

NIL_WANTED: Final = 0.6
"""The chance from which sharp bids nil."""
NIL_CERTAIN: Final = 0.76
"""The chance from which steady does: a hand that cannot win anything."""
NIL_IN_NEED: Final = 0.45
"""The chance from which it is bid when nothing else saves the match, or the least legal bid is too high."""

LEAST_NIL: Final = 50
"""The points that a nil must be worth at a table to be bid at all."""

HIGH_TABLE: Final = 11.7
LOW_TABLE: Final = 9.5
"""The sum of all bids from which a bid is shaded, and below which it is stretched: tables bid 10 to 12."""
MODESTY: Final = 0.85
LEAST_BID: Final = 1.5
"""What is bid of the tricks that nobody has bid yet, and at least by each seat."""

LIKELY: Final = 0.75
"""The promise from which a card is counted on."""

SHADE: Final = 0.45
STRETCH: Final = 0.25
"""By how much of a trick for each trick that the table is too high or too low, two of them at most."""

MANY_BAGS: Final = 7
"""With so many bags a side bids a trick more rather than collect spare ones (the third source's tip)."""
BAG_STRETCH: Final = 0.5
FREE_BAGS: Final = 0.2
"""What is taken off the bid where bags cost nothing."""

USUAL_SCORE: Final = 40
"""The points that an opponent who has not bid yet is taken to make."""
OUT_OF_REACH: Final = 70
"""How far ahead of the own total the others must come to for a usual hand not to catch up."""

FAR_BEHIND: Final = 100
"""How far behind a side is before sharp bids nil blind. With two cards exchanged it held in 79 of 100 random
hands among sharp players, without an exchange in 23: then it is for those alone who lose otherwise."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """What a hand is worth before the first card."""

    tricks: float
    solid: float
    """The part of them that no other bid makes doubtful."""
    nil: float
    """The chance that a nil would be made."""
    best: tuple[Ground, ...]
    """The cards that the tricks come from."""


@dataclass(frozen=True, slots=True)
class BidChoice:
    """A bid and why."""

    bid: Bid
    reasons: tuple[Ground, ...]


def value_hand(view: SeatView) -> Valuation:
    """Values a hand trick by trick, and as a nil."""
    knowledge = Knowledge(view)
    promises = Promises(view, knowledge)
    bits, by_bit = knowledge.deck.bits, promises.by_bit
    sure = tuple(card for card in reversed(view.hand) if by_bit[bits[card]] >= LIKELY)
    solid = sum(by_bit[bits[card]] for card in sure)
    certain = sum(knowledge.is_master(bit) for bit in bits_of(knowledge.hand & knowledge.spades))
    tricks = max(HIDDEN_TRICKS + HIDDEN_SLOPE * promises.total, certain)
    return Valuation(tricks, max(solid, certain), nil_chance(knowledge), _best(sure))


def _best(sure: tuple[Card, ...]) -> tuple[Ground, ...]:
    if len(sure) > 1:
        return (Ground(Why.BEST_CARDS, cards=sure),)
    return tuple(Ground(Why.BEST_CARD, card=card) for card in sure)


def steady_bids(view: SeatView) -> list[BidChoice]:
    """What the hand is worth by itself; nil with a hand that cannot win anything."""
    value = value_hand(view)
    partner = view.bids[view.seat.partner]
    count = _number(view, value.tricks, (_worth(value), *value.best))
    if value.nil >= NIL_CERTAIN and not (partner is not None and partner.is_nil):
        return [BidChoice(NIL, (_holds(value),)), count]
    return [count]


def sharp_bids(view: SeatView) -> list[BidChoice]:
    """What the hand is worth at this table, and nil, the better first."""
    value = value_hand(view)
    tricks, why = _adjust(view, value)
    reasons = (_worth(value), *value.best, *why)
    number = _close(view, _number(view, tricks, reasons))
    nil = _nil(view, value, number)
    if nil is None:
        return [number, BidChoice(NIL, (_doubt(view, value),))]
    return [nil, number]


def wants_blind_nil(view: SeatView) -> tuple[bool, Ground]:
    """Whether a seat that has not looked should bid nil blind: far behind, never opposite a nil."""
    side = view.seat.side
    behind = view.standings[side.other].total - view.standings[side].total
    partner = view.bids[view.seat.partner]
    likely = view.rules.blind_exchange > 0 or _others_about_to_win(view)
    if behind < FAR_BEHIND or not likely or (partner is not None and partner.is_nil):
        return False, Ground(Why.LOOK_FIRST)
    return True, Ground(Why.FAR_BEHIND, number=behind)


def _worth(value: Valuation) -> Ground:
    return Ground(Why.HAND_IS_WORTH, number=round(value.tricks * 2) / 2)


def _holds(value: Valuation) -> Ground:
    return Ground(Why.NIL_HOLDS, number=round(value.nil * 20) * 5)


def _doubt(view: SeatView, value: Valuation) -> Ground:
    """Why a nil is not the first choice."""
    partner = view.bids[view.seat.partner]
    if partner is not None and partner.is_nil:
        return Ground(Why.NO_SECOND_NIL)
    if value.nil == 0.0:
        return Ground(Why.SURE_TRICK, card=view.hand[-1])
    return Ground(Why.NIL_TOO_RISKY, number=round(value.nil * 20) * 5)


def _adjust(view: SeatView, value: Valuation) -> tuple[float, list[Ground]]:
    """Takes the partner, the table and the bags into the count; only what changes the bid is a reason."""
    tricks = value.tricks
    why: list[Ground] = []
    partner = view.bids[view.seat.partner]
    if partner is not None and partner.is_nil:
        why.append(Ground(Why.PARTNER_BID_NIL))
    for change, ground in (_for_the_table(view, value), _for_the_bags(view)):
        if _rounded(tricks + change) != _rounded(tricks):
            why.append(ground)
        tricks += change
    return tricks, why


def _for_the_table(view: SeatView, value: Valuation) -> tuple[float, Ground]:
    """Shades a bid at a high table, but for the tricks that are solid, and stretches it at a low one."""
    table = _table(view, value.tricks)
    high, low = table - HIGH_TABLE, LOW_TABLE - table
    if high > 0.0:
        doubtful = max(value.tricks - value.solid, 0.0)
        shade = min(SHADE * min(high, 2.0), doubtful)
        return -shade, Ground(Why.TABLE_IS_HIGH, number=round(table))
    stretch = STRETCH * min(max(low, 0.0), 2.0)
    return stretch, Ground(Why.TABLE_IS_LOW, number=round(table))


def _for_the_bags(view: SeatView) -> tuple[float, Ground]:
    """Bids more when the penalty is near, less when there is none."""
    rules, bags = view.rules, view.standings[view.seat.side].bags
    if not rules.bag_penalty:
        return -FREE_BAGS, Ground(Why.BAGS_ARE_FREE)
    near = bags % rules.bag_limit >= min(MANY_BAGS, rules.bag_limit - 3)
    return BAG_STRETCH if near else 0.0, Ground(Why.BAGS_ARE_HIGH, number=bags)


def _table(view: SeatView, tricks: float) -> float:
    """What all four bids should come to: those who are still to bid hold what the others don't."""
    said = tricks + sum(bid.tricks for bid in view.bids if bid is not None)
    silent = sum(bid is None for bid in view.bids) - 1
    return said + max(MODESTY * (13.0 - said), LEAST_BID * silent) if silent else said


def _number(view: SeatView, tricks: float, reasons: tuple[Ground, ...]) -> BidChoice:
    """The legal bid for a count of tricks, never nil."""
    wanted = _rounded(tricks)
    bid = nearest_legal(view, wanted)
    if bid.tricks > wanted:
        reasons = (*reasons, Ground(Why.TEAM_MINIMUM, number=view.rules.min_team_bid))
    return BidChoice(bid, reasons)


def _rounded(tricks: float) -> int:
    return max(1, floor(tricks + 1.0 - ROUND_UP))


def _close(view: SeatView, choice: BidChoice) -> BidChoice:
    """Bids no more than wins the match, where that is less than the hand is worth."""
    side = view.seat.side
    ours = view.standings[side].total
    theirs = view.standings[side.other].total + _most(view)
    partner = view.bids[view.seat.partner]
    if partner is None:
        return choice
    enough = ceil((max(view.rules.target, theirs + 1) - ours) / 10) - partner.tricks
    bid = nearest_legal(view, max(enough, 1))
    if enough >= choice.bid.tricks or bid.tricks >= choice.bid.tricks or ours >= view.rules.target:
        return choice
    return BidChoice(bid, (Ground(Why.ENOUGH_TO_WIN, number=partner.tricks + bid.tricks),))


def _most(view: SeatView) -> int:
    """The most that the other side is likely to score in this hand."""
    most = 0
    for seat in (view.seat.left, view.seat.right):
        bid = view.bids[seat]
        if bid is None:
            most += USUAL_SCORE
        elif bid.is_nil:
            most += view.rules.blind_nil_value if bid.blind else view.rules.nil_value
        else:
            most += 10 * bid.tricks + 2
    return most


def _others_about_to_win(view: SeatView) -> bool:
    """Whether the other side is likely to win the match with this hand."""
    side = view.seat.side
    theirs = view.standings[side.other].total + _most(view)
    return theirs >= view.rules.target and theirs > view.standings[side].total + OUT_OF_REACH


def _nil(view: SeatView, value: Valuation, number: BidChoice) -> BidChoice | None:
    """A nil, if the hand allows it."""
    rules = view.rules
    partner = view.bids[view.seat.partner]
    needs: tuple[Ground, ...] = ()
    least = NIL_WANTED
    if partner is not None and partner.is_nil:
        # Neither could cover the other, unless that alone wins the match.
        desperate = rules.double_nil is DoubleNil.WINS and _others_about_to_win(view)
        if not desperate:
            return None
        needs = (Ground(Why.DOUBLE_NIL_PAYS),)
    elif _others_about_to_win(view):
        least = NIL_IN_NEED
        needs = (Ground(Why.OTHERS_ABOUT_TO_WIN),)
    elif number.bid.tricks >= value.tricks + 1.5:
        least = NIL_IN_NEED
        needs = (Ground(Why.TEAM_MINIMUM, number=rules.min_team_bid),)
    if rules.nil_value < LEAST_NIL or value.nil < least:
        return None
    return BidChoice(NIL, (_holds(value), *needs))
