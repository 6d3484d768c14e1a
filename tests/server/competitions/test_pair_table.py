"""A table at which two players have the two seats of a side: whose seat is whose, and whose absence."""

from __future__ import annotations

import pytest

from spades import Reason, Seat, SeededDeals, Side, TableError, parse_rules, parse_seed
from spades_agents.bots import HOUSE_BOTS
from spades_agents.fallback import fallback
from spades_arena.faults import Cause, Discipline
from spades_arena.limits import TimeLimits
from spades_arena.spec import competition_rules
from spades_arena.table import TableSetting
from spades_proto.frames import Answer, Command
from spades_proto.timing import TimeControl
from spades_proto.verification import verify
from spades_server.commands import BotDeed, Deed, Player, Presence, TableCommand, Tick
from spades_server.competitions.sides import SideEntry
from spades_server.competitions.table import CompetitionTable
from spades_server.host import think
from spades_server.table_log import SECOND

SOUTH, WEST, NORTH, EAST = Seat
ANN, BOB = Player("ann", "The pair"), Player("bob", "The pair")
PAIR = SideEntry("The pair", ANN, partner=BOB)
HOUSE = SideEntry("gentle", None, "gentle")
LIMITS = TimeLimits(control=TimeControl(2_000, 10_000), margin_ms=500)


class Pairs:
    """A table with its clock, at which Ann and Bob have a side."""

    def __init__(self, first: SideEntry = PAIR, second: SideEntry = HOUSE) -> None:
        setting = TableSetting(
            id="m0001-u00001-t1",
            place=0,
            rules=competition_rules(parse_rules("quick,max_hands=1")),
            deals=SeededDeals(parse_seed("a table of pairs")),
            names=(first.name, second.name),
            limits=LIMITS,
            discipline=Discipline(strikes=9),
        )
        self.now_us = SECOND
        self.table = CompetitionTable("TABLE", setting, (first, second), "CUP", self.now_us)
        self.sent = 0

    def do(self, command: TableCommand) -> Answer:
        return self.table.handle(command, self.now_us)[1]

    def come(self, *seats: Seat) -> None:
        for seat in seats:
            self.do(Presence(seat, listening=True))

    def go(self, *seats: Seat) -> None:
        for seat in seats:
            self.do(Presence(seat, listening=False))

    def act(self, player: Player, seat: Seat) -> None:
        """Does in a seat what is always legal there."""
        self.sent += 1
        action = fallback(self.table.bot_view(seat))
        ids = (f"request-{self.sent}", self.table.decision_id, self.table.epoch)
        answer = self.do(Deed(player, Command("TABLE", action, seat, *ids)))
        assert answer.refusal is None

    def wait(self, seconds: float) -> None:
        self.now_us += round(seconds * SECOND)
        self.do(Tick())

    @property
    def turn(self) -> Seat:
        """Who is asked, once the house bots have acted."""
        while (task := self.table.bot_task()) is not None:
            action = think(HOUSE_BOTS[task.bot](), self.table.bot_view(task.seat))
            self.do(BotDeed(task.seat, task.decision, action))
        assert self.table.match is not None and self.table.match.turn is not None
        return self.table.match.turn

    @property
    def faults(self) -> list[tuple[Cause, Seat]]:
        return [(one.cause, one.seat) for one in self.table.fault_book.faults]


@pytest.mark.parametrize("sides", [(PAIR, HOUSE), (HOUSE, PAIR), (PAIR, PAIR)])
def test_who_entered_first_has_south_or_west_and_the_other_player_north_or_east(
    sides: tuple[SideEntry, SideEntry],
) -> None:
    owners = Pairs(*sides).table.owners
    for side in Side:
        first, second = (owners[seat] for seat in side.seats)
        assert (first, second) == (("ann", "bob") if sides[side] is PAIR else (None, None))


def test_a_player_cannot_act_in_the_seat_of_the_other_and_is_not_blamed_for_trying() -> None:
    pairs = Pairs()
    pairs.come(SOUTH, NORTH)
    seat = pairs.turn
    assert seat in (SOUTH, NORTH)
    mine, other = (ANN, BOB) if seat is SOUTH else (BOB, ANN)
    with pytest.raises(TableError) as refused:
        pairs.act(other, seat)
    assert refused.value.reason is Reason.NOT_YOUR_SEAT
    assert pairs.faults == []
    pairs.act(mine, seat)


def test_it_waits_for_both_and_books_the_seat_that_nobody_came_to() -> None:
    pairs = Pairs()
    pairs.come(SOUTH)
    assert pairs.table.match is None
    pairs.wait(30)
    assert pairs.faults == [(Cause.NO_START, NORTH)]
    result = pairs.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_the_absence_of_one_costs_its_strike_once_whatever_the_other_does() -> None:
    pairs = Pairs()
    pairs.come(SOUTH, NORTH)
    pairs.go(SOUTH)
    while pairs.turn is NORTH:
        pairs.act(BOB, NORTH)
    pairs.wait(12.5)
    assert pairs.faults == [(Cause.DISCONNECT, SOUTH)]
    # The other's line breaks and is back: that ends nobody else's absence, so South is not waited for again.
    pairs.go(NORTH)
    pairs.come(NORTH)
    for _ in range(8):
        assert pairs.turn is NORTH
        pairs.act(BOB, NORTH)
    assert pairs.faults == [(Cause.DISCONNECT, SOUTH)]


def test_when_both_are_away_each_has_its_own_strike() -> None:
    pairs = Pairs()
    pairs.come(SOUTH, NORTH)
    pairs.go(SOUTH, NORTH)
    first = pairs.turn
    pairs.wait(12.5)
    assert pairs.turn is first.partner
    pairs.wait(12.5)
    assert pairs.faults == [(Cause.DISCONNECT, first), (Cause.DISCONNECT, first.partner)]


def test_the_record_calls_both_seats_by_the_name_of_the_entry() -> None:
    pairs = Pairs()
    pairs.come(SOUTH, NORTH)
    pairs.go(SOUTH)
    pairs.wait(31)
    result = pairs.table.result
    assert result is not None
    players = dict(verify(result.record).circumstances.players)
    assert [players[seat].name for seat in Seat] == ["The pair", "gentle", "The pair", "gentle"]
