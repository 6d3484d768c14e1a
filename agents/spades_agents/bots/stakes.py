"""What a trick is worth to a side, in points: for its contract, as a bag, and against the other side."""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, exp, pi, sqrt
from typing import Final

from spades import Rules, Seat, SeatView, Side

SPREAD: Final = 0.42
"""How far the tricks of a hand stray from what was expected: the standard deviation over the root of the
tricks that are left."""

CLOSING: Final = 150.0
"""What it adds to a contract, in points, that the match hangs on it."""

BAG: Final = 1.3
LAST_BAG: Final = 1.5
"""How much dearer the bag is that brings the penalty, and all of them, than its bare share."""

UNKNOWN_BID: Final = 3.0
"""The tricks of a seat that has not bid yet: a little more than a quarter of what tables bid."""


@dataclass(frozen=True, slots=True)
class Account:
    """How one side stands in the hand."""

    contract: int
    won: int
    """Tricks that count for the contract (rules.md 4.1)."""
    bags: int
    """Bags on the count, with those that this hand has brought so far."""
    stake: float
    """The points between the contract made and set, and more if the match hangs on it."""
    closes: bool
    """Whether the contract, made, ends the match in the side's favour."""

    @property
    def needed(self) -> int:
        """Tricks still needed; 0 once the contract is made."""
        return max(0, self.contract - self.won)


@dataclass(frozen=True, slots=True)
class Stakes:
    """What it is worth, in points, that a trick goes to this side rather than to the other, and why."""

    ours: Account
    theirs: Account
    left: int
    """Tricks still to be won, the one on the table with them."""
    contract: float
    """What it adds to the side's own contract."""
    bag: float
    """What it costs as a bag, by the chance that it is one."""
    defeat: float
    """What it takes off the other side's contract."""
    feed: float
    """What the trick would cost the other side as a bag, by the chance that it is one."""

    @property
    def trick(self) -> float:
        """All of it."""
        return self.contract - self.bag + self.stray

    @property
    def stray(self) -> float:
        """What a trick is worth that counts for no contract of the side: that the others lack it."""
        return self.defeat - self.feed


def account(view: SeatView, side: Side) -> Account:
    """Reads a side's account off the table."""
    rules = view.rules
    standing, other = view.standings[side], view.standings[side.other]
    contract = won = bags = 0
    for seat in side.seats:
        bid = view.bids[seat]
        if bid is None or bid.is_nil:
            bags += view.taken[seat]
        else:
            contract += bid.tricks
            won += view.taken[seat]
    made, lost = standing.total + 10 * contract, standing.total - 10 * contract
    closes = bool(contract) and made >= rules.target and made > other.total
    ruins = bool(contract) and rules.floor is not None and lost <= rules.floor
    stake = 20.0 * contract + CLOSING * (closes + ruins)
    if contract:
        bags += max(0, won - contract)
    return Account(contract, won, standing.bags + bags, stake, closes)


def bag_cost(rules: Rules, bags: int) -> float:
    """What one more bag costs a side that has so many, in points.

    Its share of the penalty (rules.md 4.4) and no more, less the point that it pays: nine bags are a debt of
    nine tenths of the penalty already. Only the last one is dearer, since debts lapse with the match.
    """
    if not rules.bag_penalty:
        return -1.0
    share = rules.bag_penalty / rules.bag_limit
    last = bags % rules.bag_limit == rules.bag_limit - 1
    return BAG * share * (LAST_BAG if last else 1.0) - 1.0


def stakes(view: SeatView, own: float) -> Stakes:
    """Weighs the next trick for a seat whose own cards promise so many of those that are left."""
    me, left = view.seat, 13 - len(view.tricks)
    ours, theirs = account(view, me.side), account(view, me.side.other)
    expected = own + _still_wants(view, me.partner)
    against = _still_wants(view, me.left) + _still_wants(view, me.right)
    expected = min(max(expected + (left - expected - against) / 2.0, 0.0), float(left))
    contract, surplus = _weigh(ours, expected, left)
    defeat, their_surplus = _weigh(theirs, left - expected, left)
    bag, feed = bag_cost(view.rules, ours.bags), bag_cost(view.rules, theirs.bags)
    return Stakes(ours, theirs, left, contract, surplus * bag, defeat, their_surplus * feed)


def _still_wants(view: SeatView, seat: Seat) -> float:
    """How many of the tricks left a seat means to win, by its bid."""
    bid = view.bids[seat]
    if bid is None:
        return UNKNOWN_BID
    return 0.0 if bid.is_nil else max(bid.tricks - view.taken[seat], 0.25)


def _weigh(account: Account, expected: float, left: int) -> tuple[float, float]:
    """What one trick more is worth for a contract, and the chance that it would be a bag.

    The tricks to come are taken for normally distributed around what is expected, so a trick decides the
    contract with the density at what is still needed.
    """
    needed = account.needed
    if not account.contract:
        return 0.0, 1.0
    if needed > left:  # set already: no overtricks, no bags (rules.md 4.1)
        return 0.0, 0.0
    if needed == 0:
        return 0.0, 1.0
    spread = SPREAD * sqrt(left)
    margin = (expected - needed) / spread
    decides = min(1.0, exp(-margin * margin / 2.0) / sqrt(2.0 * pi) / spread)
    surplus = 0.5 * (1.0 + erf((margin - 0.5 / spread) / sqrt(2.0)))
    return account.stake * decides, surplus
