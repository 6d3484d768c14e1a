"""Scoring a hand in named parts, and when a match is over (rules.md 4 and 5)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from spades.bids import Bid
from spades.rules import DoubleNil, Rules
from spades.seats import Seat, Side

TRICK_VALUE: Final = 10
"""Points for each trick of a contract, won or lost (rules.md 4.1)."""


class Part(Enum):
    """What a part of a hand's score is for."""

    CONTRACT = "contract"
    OVERTRICKS = "overtricks"
    NIL = "nil"
    BLIND_NIL = "blind nil"
    NIL_TRICKS = "tricks of a failed nil"
    DOUBLE_NIL = "double nil"
    BAG_PENALTY = "bag penalty"


class ScorePart(NamedTuple):
    """One line of a score card; the parts of a side add up to its change."""

    part: Part
    points: int
    seat: Seat | None = None
    """Whose nil it is; ``None`` where the part is the side's."""


class Standing(NamedTuple):
    """A side's total and its running count of bags."""

    total: int = 0
    bags: int = 0


@dataclass(frozen=True, slots=True)
class SideScore:
    """What one side scored in one hand."""

    contract: int
    """The sum of the bids that are not nil."""
    taken: int
    """The tricks of both partners."""
    parts: tuple[ScorePart, ...]
    change: int
    """The sum of the parts, in points."""
    bags: int
    """The bags that the hand brought."""
    before: Standing
    after: Standing
    double_nil: bool
    """Whether both partners bid nil, blind or not, and both made it (4.3)."""


class EndReason(Enum):
    """Why a match is over."""

    TARGET = "a side reached the target"
    FLOOR = "a side fell to the floor"
    DOUBLE_NIL = "a side made a double nil"
    MAX_HANDS = "the last hand was played"
    SURRENDER = "a side surrendered"


class Outcome(NamedTuple):
    """How a match ended."""

    winner: Side | None
    """``None`` for a draw, which only ``max_hands`` allows (5.7)."""
    reason: EndReason
    totals: tuple[int, int]
    """Both totals, indexed by :class:`~spades.seats.Side`."""

    def __str__(self) -> str:
        high, low = max(self.totals), min(self.totals)
        if self.winner is None:
            return f"The match is a draw at {high}: {self.reason.value}."
        mine, theirs = self.totals[self.winner], self.totals[self.winner.other]
        if self.reason is EndReason.SURRENDER:
            return f"{self.winner} win: the other side surrendered at {theirs} to {mine}."
        if mine == high and self.reason is not EndReason.DOUBLE_NIL:
            return f"{self.winner} win {high} to {low}: {self.reason.value}."
        return f"{self.winner} win at {mine} to {theirs}: {self.reason.value}."


def score_side(
    rules: Rules,
    bids: tuple[tuple[Seat, Bid], tuple[Seat, Bid]],
    taken: tuple[int, int],
    before: Standing,
) -> SideScore:
    """Scores one side after 13 tricks, in the order of rules.md 4.

    ``bids`` and ``taken`` (tricks) belong to the same two partners, in the same order.
    """
    (first, bid), (second, other) = bids
    parts: list[ScorePart] = []
    goal = bid.tricks + other.tricks
    counted = (taken[0] if bid.tricks else 0) + (taken[1] if other.tricks else 0)
    bags = 0
    if goal:
        made = counted >= goal
        parts.append(ScorePart(Part.CONTRACT, TRICK_VALUE * goal * (1 if made else -1)))
        if made and counted > goal:
            bags += counted - goal
            parts.append(ScorePart(Part.OVERTRICKS, counted - goal))
    if bid.is_nil:
        bags += _score_nil(rules, parts, first, bid, taken[0])
    if other.is_nil:
        bags += _score_nil(rules, parts, second, other, taken[1])
    double = bid.is_nil and other.is_nil and not (taken[0] or taken[1])
    if double and rules.double_nil is DoubleNil.BONUS and not (bid.blind or other.blind):
        extra = rules.double_nil_value - 2 * rules.nil_value
        parts.append(ScorePart(Part.DOUBLE_NIL, extra))
    count = before.bags + bags
    if rules.bag_penalty and count >= rules.bag_limit:
        penalties, count = divmod(count, rules.bag_limit)
        parts.append(ScorePart(Part.BAG_PENALTY, -rules.bag_penalty * penalties))
    change = sum(part.points for part in parts)
    return SideScore(
        contract=goal,
        taken=taken[0] + taken[1],
        parts=tuple(parts),
        change=change,
        bags=bags,
        before=before,
        after=Standing(before.total + change, count),
        double_nil=double,
    )


def _score_nil(rules: Rules, parts: list[ScorePart], seat: Seat, bid: Bid, tricks: int) -> int:
    """Scores one nil (rules.md 4.2) and returns the bags that it brought."""
    value = rules.blind_nil_value if bid.blind else rules.nil_value
    part = Part.BLIND_NIL if bid.blind else Part.NIL
    parts.append(ScorePart(part, -value if tricks else value, seat))
    if tricks:
        parts.append(ScorePart(Part.NIL_TRICKS, tricks, seat))
    return tricks


def outcome_after(rules: Rules, hands: int, scores: tuple[SideScore, SideScore]) -> Outcome | None:
    """Says how the match ended with this hand, or ``None`` if another one is played.

    ``hands`` is the number of hands played (rules.md 4.3, 5.1, 5.2, 5.7).
    """
    totals = (scores[0].after.total, scores[1].after.total)
    doubles = [side for side in Side if scores[side].double_nil]
    if rules.double_nil is DoubleNil.WINS and len(doubles) == 1:
        return Outcome(doubles[0], EndReason.DOUBLE_NIL, totals)
    leader = None if totals[0] == totals[1] else Side(totals[1] > totals[0])
    if leader is not None:
        if rules.double_nil is DoubleNil.WINS and doubles:
            return Outcome(leader, EndReason.DOUBLE_NIL, totals)
        if max(totals) >= rules.target:
            return Outcome(leader, EndReason.TARGET, totals)
        if rules.floor is not None and min(totals) <= rules.floor:
            return Outcome(leader, EndReason.FLOOR, totals)
    if rules.max_hands and hands >= rules.max_hands:
        return Outcome(leader, EndReason.MAX_HANDS, totals)
    return None
