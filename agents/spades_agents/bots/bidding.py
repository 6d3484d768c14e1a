"""Bidding: what a hand is worth, and what the table makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from spades import NIL, Bid, BlindNil, DoubleNil, SeatView
from spades_agents.bots.judgement import nearest_legal
from spades_agents.bots.knowledge import Knowledge
from spades_agents.bots.nil import nil_chance
from spades_agents.bots.promise import Promises
from spades_agents.bots.stakes import UNKNOWN_BID
from spades_agents.grounds import Ground, Why

HIDDEN_TRICKS: Final = 0.45
HIDDEN_SLOPE: Final = 0.92
"""The tricks that a hand takes beyond what its cards promise one by one: a line through 10,000 hands."""

ROUND_UP: Final = 0.75
"""The part of a trick from which a bid is rounded up: a set costs far more than a bag."""

NIL_WANTED: Final = 0.64
"""The chance from which sharp bids nil."""
NIL_CERTAIN: Final = 0.76
"""The chance from which steady does: a hand that cannot win anything."""
NIL_IN_NEED: Final = 0.45
"""The chance from which it is bid when nothing else saves the match, or the least legal bid is too high."""

HIGH_TABLE: Final = 11.7
LOW_TABLE: Final = 9.5
"""The sum of all bids from which a bid is shaded, and below which it is stretched: tables bid 10 to 12."""
SHADE: Final = 0.45
STRETCH: Final = 0.25
"""By how much of a trick for each trick that the table is too high or too low, two of them at most."""

MANY_BAGS: Final = 7
"""With so many bags a side bids a trick more rather than collect spare ones (the third source's tip)."""
BAG_STRETCH: Final = 0.5
FREE_BAGS: Final = 0.2
"""What is taken off the bid where bags cost nothing."""

BLIND_DEFICIT: Final = 200
"""How far behind a side is before sharp bids nil blind: it holds once in three or four times."""


@dataclass(frozen=True, slots=True)
class Valuation:
    """What a hand is worth before the first card."""

    tricks: float
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
    sure = [card for card in view.hand if promises.by_bit[knowledge.deck.bits[card]] >= 0.75]
    best = (Ground(Why.BEST_CARDS, cards=tuple(reversed(sure))),) if sure else ()
    tricks = HIDDEN_TRICKS + HIDDEN_SLOPE * promises.total
    return Valuation(tricks, nil_chance(knowledge), best)


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
    tricks, why = _adjust(view, value.tricks)
    reasons = (_worth(value), *value.best, *why)
    number = _close(view, _number(view, tricks, reasons))
    nil = _nil(view, value, number)
    if nil is None:
        return [number, BidChoice(NIL, (_doubt(view, value),))]
    return [nil, number]


def wants_blind_nil(view: SeatView) -> tuple[bool, Ground]:
    """Whether a seat that has not looked should bid nil blind: far behind, or with nothing to lose."""
    side = view.seat.side
    behind = view.standings[side.other].total - view.standings[side].total
    partner = view.bids[view.seat.partner]
    risk = behind >= BLIND_DEFICIT or _others_about_to_win(view)
    if view.rules.blind_nil is BlindNil.OFF or not risk or (partner is not None and partner.is_nil):
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


def _adjust(view: SeatView, tricks: float) -> tuple[float, list[Ground]]:
    """Takes the partner, the table and the bags into the count."""
    why: list[Ground] = []
    rules, side = view.rules, view.seat.side
    partner = view.bids[view.seat.partner]
    if partner is not None and partner.is_nil:
        why.append(Ground(Why.PARTNER_BID_NIL))
    table = tricks + sum(
        UNKNOWN_BID if bid is None else bid.tricks
        for seat, bid in enumerate(view.bids)
        if seat != view.seat
    )
    if table > HIGH_TABLE:
        tricks -= SHADE * min(table - HIGH_TABLE, 2.0)
        why.append(Ground(Why.TABLE_IS_HIGH, number=round(table)))
    elif table < LOW_TABLE:
        tricks += STRETCH * min(LOW_TABLE - table, 2.0)
        why.append(Ground(Why.TABLE_IS_LOW, number=round(table)))
    bags = view.standings[side].bags % rules.bag_limit
    if not rules.bag_penalty:
        tricks -= FREE_BAGS
        why.append(Ground(Why.BAGS_ARE_FREE))
    elif bags >= min(MANY_BAGS, rules.bag_limit - 3):
        tricks += BAG_STRETCH
        why.append(Ground(Why.BAGS_ARE_HIGH, number=view.standings[side].bags))
    return tricks, why


def _number(view: SeatView, tricks: float, reasons: tuple[Ground, ...]) -> BidChoice:
    """The legal bid for a count of tricks, never nil."""
    wanted = max(1, floor(tricks + 1.0 - ROUND_UP))
    bid = nearest_legal(view, wanted)
    if bid.tricks > wanted:
        reasons = (*reasons, Ground(Why.TEAM_MINIMUM, number=view.rules.min_team_bid))
    return BidChoice(bid, reasons)


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
            most += 40
        elif bid.is_nil:
            most += view.rules.blind_nil_value if bid.blind else view.rules.nil_value
        else:
            most += 10 * bid.tricks + 2
    return most


def _others_about_to_win(view: SeatView) -> bool:
    """Whether the other side is likely to win the match with this hand."""
    side = view.seat.side
    theirs = view.standings[side.other].total + _most(view)
    return theirs >= view.rules.target and theirs > view.standings[side].total + 70


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
    if rules.nil_value < 50 or value.nil < least:
        return None
    return BidChoice(NIL, (_holds(value), *needs))
