"""All that bears on a decision, gathered once from the view of a seat."""

from __future__ import annotations

from dataclasses import dataclass

from spades import Seat, SeatView
from spades.seats import SEATS
from spades_agents.bots.knowledge import Knowledge
from spades_agents.bots.outlook import Outlook
from spades_agents.bots.promise import Promises
from spades_agents.bots.stakes import Stakes, stakes


@dataclass(frozen=True, slots=True)
class Skill:
    """What a level looks at beyond its own hand and the trick on the table."""

    remembers: bool
    """Counts every card and every void."""
    weighs: bool
    """Weighs what a trick is worth: bags, sets and the match."""
    hunts: bool
    """Plays to break an opponent's nil before it is winning a trick."""


class Situation:
    """One decision about a card: what is known, who has bid nil, and what a trick is worth."""

    __slots__ = (
        "foe_nils", "knowledge", "me", "my_nil", "outlook", "partner_nil", "promises", "skill",
        "stakes", "view", "worth",
    )  # fmt: skip

    def __init__(self, view: SeatView, skill: Skill) -> None:
        self.view = view
        self.skill = skill
        self.me: Seat = view.seat
        self.knowledge = Knowledge(view, remembers=skill.remembers)
        nils = live_nils(view)
        self.my_nil: bool = view.seat in nils
        self.partner_nil: bool = view.seat.partner in nils
        self.foe_nils = nils - {view.seat, view.seat.partner}
        self.outlook = Outlook(view, self.knowledge, nils)
        self.promises = Promises(view, self.knowledge)
        self.stakes: Stakes = stakes(view, 0.0 if self.my_nil else self.promises.total)
        self.worth: tuple[float, float, float, float] = worth_by_seat(self)
        """For each seat, what it is worth in points that it wins the trick."""

    @property
    def wanted(self) -> bool:
        """Whether the seat would rather win the trick than not."""
        return self.worth[self.me] > 0


def live_nils(view: SeatView) -> frozenset[Seat]:
    """The seats that have bid nil and taken no trick yet."""
    return frozenset(
        seat
        for seat in SEATS
        if (bid := view.bids[seat]) is not None and bid.is_nil and not view.taken[seat]
    )


GREED = 20.0
"""What every trick is worth to a level that doesn't weigh it."""


def worth_by_seat(situation: Situation) -> tuple[float, float, float, float]:
    """For each seat, what it is worth in points that it wins the trick."""
    view, me = situation.view, situation.me
    at, skill = situation.stakes, situation.skill
    trick, stray = (at.trick, at.stray - at.bag) if skill.weighs else (GREED, GREED)
    worth = [0.0, 0.0, 0.0, 0.0]
    for seat in SEATS:
        bid = view.bids[seat]
        broken = bid is not None and bid.is_nil
        if seat.side is me.side:
            worth[seat] = stray if broken else trick
        elif broken and skill.weighs:
            worth[seat] = at.stray
    if situation.my_nil:
        worth[me] = -_nil_stake(view, me)
    if situation.partner_nil:
        worth[me.partner] = -_nil_stake(view, me.partner)
    for seat in situation.foe_nils:
        if skill.hunts or situation.outlook.winner is seat:
            # Once the contract wins the match, their nil is beside the point.
            settled = skill.weighs and at.ours.closes and at.ours.needed <= at.left
            worth[seat] = _nil_stake(view, seat) * (0.1 if settled else 1.0)
    south, west, north, east = worth
    return south, west, north, east


def _nil_stake(view: SeatView, seat: Seat) -> float:
    """The points between a seat's nil made and lost (rules.md 4.2)."""
    bid = view.bids[seat]
    rules = view.rules
    blind = bid is not None and bid.blind
    return 2.0 * (rules.blind_nil_value if blind else rules.nil_value)
