"""The clock of a table: time for a decision, a bank, and what happens when both are used up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import spades
from spades import CardPlayed, MakeBid, Phase, Play, Reason, Seat, SeatView, parse_seed
from spades.actions import Action
from spades_proto.frames import Command
from spades_proto.table import (
    Courtesy,
    NoteKind,
    OccupantKind,
    StandInChanged,
    TableStage,
    TakeSeatBack,
)
from spades_proto.timing import SeatClock
from spades_server.commands import (
    AddBot,
    BotDeed,
    Deed,
    Leave,
    Measured,
    Player,
    Presence,
    Resume,
    Sit,
    Start,
    Tick,
)
from spades_server.table import Table
from spades_server.table_log import Entry

OpenTable = Callable[..., Table]
SOUTH, WEST, NORTH, EAST = Seat
NAMES = {SOUTH: "Ann", WEST: "Bob", NORTH: "Cleo", EAST: "Dan"}
PLAYERS = {seat: Player(name.lower(), name) for seat, name in NAMES.items()}


class Game:
    """A table with a clock, played in virtual time; whoever is to act may always say something legal."""

    def __init__(self, table: Table, *people: Seat) -> None:
        self.table = table
        self.now = 0
        self.entries: list[Entry] = []
        self._sent = 0
        for seat in people:
            self.do(Sit(PLAYERS[seat], OccupantKind.PERSON, seat))
            self.do(Presence(seat, listening=True))
        if len(people) < 4:
            self.do(AddBot(PLAYERS[SOUTH], "gentle"))
        self.do(Start(PLAYERS[SOUTH], parse_seed("clock")))

    def do(self, command: object) -> tuple[Entry, ...]:
        entries, answer = self.table.handle(command, self.now)  # type: ignore[arg-type]
        self.entries += entries
        if answer.refusal is not None:
            raise answer.refusal
        return entries

    def at(self, seconds: float) -> None:
        """The time is so many seconds later, and the table's timer has rung if it was due."""
        end = self.now + round(seconds * 1_000_000)
        while True:
            due = self.table.next_deadline()
            task = self.table.bot_task()
            if task is not None and (due is None or task.due_us < due):
                due = task.due_us
            if due is None or due > end:
                break
            self.now = max(due, self.now)
            if task is not None and task.due_us <= self.now:
                self.do(BotDeed(task.seat, task.decision, self.legal(task.seat)))
            else:
                self.do(Tick())
        self.now = end

    @property
    def turn(self) -> Seat:
        assert self.table.match is not None and self.table.match.turn is not None
        return self.table.match.turn

    def legal(self, seat: Seat) -> Action:
        assert self.table.match is not None
        view: SeatView = spades.view(self.table.match, seat)
        if view.legal_plays:
            return Play(view.legal_plays[0])
        return MakeBid(next(bid for bid in view.legal_bids if not bid.is_nil))

    def act(self, seat: Seat | None = None, deed: Action | TakeSeatBack | None = None) -> None:
        """The player at a seat, the one to act unless it is named, does something."""
        seat = self.turn if seat is None else seat
        self._sent += 1
        command = Command(
            "TABLE",
            deed or self.legal(seat),
            seat,
            f"r{self._sent}",
            0 if isinstance(deed, TakeSeatBack) else self.table.decision_id,
        )
        self.do(Deed(PLAYERS[seat], command))

    @property
    def left_s(self) -> float | None:
        """What is left on the clock; ``None`` while it stands still."""
        reading = self.table.clock.reading
        assert reading is not None
        return None if reading.deadline_us is None else (reading.deadline_us - self.now) / 1_000_000

    def stand_ins(self) -> list[tuple[Seat, bool]]:
        """When a house bot took a seat or left it."""
        changes = (one.event for one in self.entries)
        return [(one.seat, one.active) for one in changes if isinstance(one, StandInChanged)]


@pytest.fixture
def four(open_table: OpenTable) -> Game:
    """Four people with half a minute each and no bank, South to bid."""
    game = Game(open_table(clock="30"), SOUTH, WEST, NORTH, EAST)
    while game.turn is not SOUTH:
        game.act()
    return game


def test_s12_a_turn_timer_dies_with_its_turn(four: Game) -> None:
    """Two plays in the last moment bring nothing about; the third is late, and one card is played."""
    while four.table.match is None or four.table.match.phase is not Phase.PLAYING:
        four.act()
    first = four.turn
    before = len(four.stand_ins())
    for _ in range(2):
        four.at(29.999)
        assert four.left_s == pytest.approx(0.001)
        four.act()
    assert len(four.stand_ins()) == before
    late = four.turn
    four.at(29.999)
    assert len(four.stand_ins()) == before
    opened = four.now - 29_999_000
    four.at(0.001)
    assert four.stand_ins()[before:] == [(late, True), (late, False)]
    played = [one for one in four.entries if isinstance(one.event, CardPlayed)]
    assert [one.event.seat for one in played if isinstance(one.event, CardPlayed)] == [
        first, first.left, late,
    ]  # fmt: skip
    assert played[-1].time_us == opened + 30_000_000


def test_s12_at_the_same_instant_exactly_one_of_move_and_time_out_wins(four: Game) -> None:
    decision = four.table.decision_id
    four.now += 30_000_000
    four.act(SOUTH)
    assert four.stand_ins() == []
    with pytest.raises(spades.SpadesError) as caught:
        four.do(BotDeed(SOUTH, decision, four.legal(WEST)))
    assert caught.value.reason is Reason.STALE_DECISION

    four.now += 30_000_000
    four.do(Tick())
    task = four.table.bot_task()
    assert task is not None and task.seat is WEST and task.due_us <= four.now
    decision = four.table.decision_id
    late = Command("TABLE", four.legal(WEST), WEST, "late", decision)
    four.do(BotDeed(WEST, decision, four.legal(WEST)))
    with pytest.raises(spades.SpadesError) as caught:
        four.do(Deed(PLAYERS[WEST], late))
    assert caught.value.reason in (Reason.NOT_YOUR_TURN, Reason.STALE_DECISION)


def test_s13_a_connected_player_who_does_nothing_does_not_stop_the_table(four: Game) -> None:
    silent = four.turn
    for _ in range(40):
        if four.table.state.stage is not TableStage.PLAYING:
            break
        if four.turn is silent:
            four.at(30)
        else:
            four.act()
    assert four.table.match is not None and len(four.table.match.state.tricks) >= 8
    # The first time it was the bot's for one decision, from the second on until the player is back.
    assert four.stand_ins() == [(silent, True), (silent, False), (silent, True)]


def test_a_bank_is_used_after_the_decisions_own_time_and_is_for_the_whole_match(
    open_table: OpenTable,
) -> None:
    game = Game(open_table(clock="10+60"), SOUTH, WEST, NORTH, EAST)
    seat = game.turn
    assert game.left_s == 70
    game.at(25)
    game.act()
    assert game.table.clock.banks_us[seat] == 45_000_000
    while game.turn is not seat:
        game.at(9)
        game.act()
    assert game.left_s == 55
    assert game.table.clock.banks_us == [45_000_000 if one is seat else 60_000_000 for one in Seat]


def test_the_round_trip_is_no_thinking(open_table: OpenTable) -> None:
    game = Game(open_table(clock="10"), SOUTH, WEST, NORTH, EAST)
    seat = game.turn
    game.do(Measured(seat, 200_000))
    game.do(Measured(seat.left, 5_000_000))
    decision = game.table.decision_for(seat)
    assert decision is not None and decision.round_trip_us == 200_000
    assert decision.deadline_us == game.now + 10_000_000
    game.at(10.199)
    game.act()
    assert game.stand_ins() == []
    # No more than three tenths of a second are credited, however slow the line is said to be.
    game.at(10.299)
    assert game.stand_ins() == []
    game.at(0.001)
    assert game.stand_ins()[:1] == [(seat.left, True)]


@pytest.mark.parametrize("deed", [None, TakeSeatBack()])
def test_a_player_takes_the_seat_back_by_acting_or_by_saying_so(
    four: Game, deed: TakeSeatBack | None
) -> None:
    silent = four.turn
    while four.stand_ins()[-1:] != [(silent, True)] or len(four.stand_ins()) < 3:
        if four.turn is silent:
            four.at(30)
        else:
            four.act()
    while four.turn is not silent:
        four.act()
    # The bot has the seat and takes its time; the player is quicker.
    four.act(silent, deed)
    assert four.stand_ins()[-1] == (silent, False)
    if deed is not None:
        assert four.turn is silent and four.left_s == 30
        four.act(silent)
    assert four.table.clock.strikes[silent] == 0


def test_what_a_bot_did_for_a_late_player_is_noted_in_the_record(four: Game) -> None:
    silent = four.turn
    four.at(30)
    for seat in (silent, silent.partner):
        give_up = Command("TABLE", spades.Surrender(), seat, f"give up {seat}", 0, 0, 1)
        four.do(Deed(PLAYERS[seat], give_up))
    finished = four.table.take_finished()
    assert finished is not None
    kinds = [note.kind for note in finished[1].notes if note.seat is silent]
    assert kinds == [NoteKind.TIMED_OUT, NoteKind.STAND_IN, NoteKind.STAND_IN_ENDED]


def test_nobody_is_hurried_who_plays_alone_with_bots(open_table: OpenTable) -> None:
    game = Game(open_table(clock="10"), SOUTH)
    while game.turn is not SOUTH:
        game.at(1)
    assert game.table.clock.reading is None
    game.at(3_000)
    assert game.turn is SOUTH and game.stand_ins() == []


def test_the_clock_stands_still_while_nobody_waits_and_goes_on_when_somebody_does(
    open_table: OpenTable,
) -> None:
    game = Game(open_table(clock="30"), SOUTH, WEST)
    while game.turn is not SOUTH:
        game.at(0.5)
        if game.turn is WEST:
            game.act()
    game.at(10)
    assert game.left_s == 20
    game.do(Presence(WEST, listening=False))
    game.at(100)
    assert game.left_s is None
    game.do(Presence(WEST, listening=True))
    assert game.left_s == 20


def test_the_clock_of_an_absent_player_runs_on(four: Game) -> None:
    """S08: liveness is one thing and the clock another; the shorter of the two decides."""
    silent = four.turn
    four.do(Presence(silent, listening=False))
    four.at(29.999)
    assert four.stand_ins() == []
    four.at(0.001)
    assert four.stand_ins() == [(silent, True)]
    four.do(Presence(silent, listening=True))
    assert four.stand_ins() == [(silent, True), (silent, False)]


def test_after_a_restart_the_clock_stands_until_its_player_is_back(four: Game) -> None:
    silent = four.turn
    four.at(12)
    four.do(Tick())
    four.now += 3_600_000_000
    four.do(Resume())
    assert four.left_s is None
    four.at(15)
    four.do(Presence(silent.left, listening=True))
    assert four.left_s is None
    four.do(Presence(silent, listening=True))
    assert four.left_s == 18


def test_after_a_restart_a_player_who_does_not_come_back_is_away_and_the_clock_runs(
    four: Game,
) -> None:
    silent = four.turn
    four.do(Resume())
    for seat in Seat:
        if seat is not silent:
            four.do(Presence(seat, listening=True))
    four.at(60)
    assert four.table.state.seats[silent].away
    assert (silent, True) in four.stand_ins()


def test_an_undo_gives_the_time_of_a_fresh_decision(open_table: OpenTable) -> None:
    game = Game(open_table("undo=on", clock="30"), SOUTH, WEST, NORTH, EAST)
    while game.table.match is None or game.table.match.phase is not Phase.PLAYING:
        game.act()
    seat = game.turn
    game.at(20)
    game.act()
    game.at(5)
    assert game.left_s == 25
    assert game.table.match is not None
    undo = Command("TABLE", spades.Undo(), seat, "undo", 0, 0, 1)
    game.do(Deed(PLAYERS[seat], undo))
    assert game.turn is seat and game.left_s == 30


def test_everybody_sees_the_same_clock_and_nobody_one_where_nothing_is_timed(
    open_table: OpenTable,
) -> None:
    timed = Game(open_table(clock="30+5"), SOUTH, WEST, NORTH, EAST)
    assert timed.table.clock.reading == SeatClock(timed.turn, timed.now + 35_000_000, 5_000)
    untimed = Game(open_table(), SOUTH, WEST, NORTH, EAST)
    assert untimed.table.clock.reading is None
    decision = untimed.table.decision_for(untimed.turn)
    assert decision is not None and decision.deadline_us is None and decision.bank_ms is None


def test_taking_a_seat_back_that_nobody_has_taken_changes_nothing(four: Game) -> None:
    before = four.table.seq
    four.act(four.turn, TakeSeatBack())
    assert four.table.seq == before
    four.do(Leave(PLAYERS[WEST]))
    assert four.table.state.seats[WEST].stand_in


def test_a_courtesy_is_no_answer(four: Game) -> None:
    command = Command("TABLE", Courtesy.SORRY, SOUTH, "c")
    with pytest.raises(spades.SpadesError):
        four.do(Deed(PLAYERS[SOUTH], command))
    assert four.left_s == 30


def test_leaving_and_coming_back_gives_no_time_without_end(open_table: OpenTable) -> None:
    game = Game(open_table(clock="30+60"), SOUTH, WEST, NORTH, EAST)
    seat, decision, begun = game.turn, game.table.decision_id, game.now
    for _ in range(20):
        if game.table.decision_id != decision:
            break
        game.at(25)
        game.do(Leave(PLAYERS[seat]))
        game.do(Presence(seat, listening=True))
    # Its own time, the bank, and its own time once more: then a bot has taken the decision.
    assert game.table.decision_id != decision
    assert game.now - begun <= (30 + 60 + 30) * 1_000_000
    assert game.table.clock.banks_us[seat] == 0


def test_what_a_leaver_had_used_of_the_bank_stays_used(open_table: OpenTable) -> None:
    game = Game(open_table(clock="30+60"), SOUTH, WEST, NORTH, EAST)
    seat = game.turn
    game.at(50)
    game.do(Leave(PLAYERS[seat]))
    game.do(Presence(seat, listening=True))
    assert game.table.clock.banks_us[seat] == 40_000_000
    assert game.left_s == 70
