"""A table of a competition in virtual time: who is late, who is away, who never comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import pytest

from spades import (
    Bid,
    BidMade,
    CardPlayed,
    EndReason,
    Event,
    Look,
    MakeBid,
    MatchEnded,
    Play,
    Reason,
    Seat,
    SeededDeals,
    Side,
    Surrender,
    TableError,
    Undo,
    has_secret,
    parse_rules,
    parse_seed,
    redact,
)
from spades.actions import Action
from spades_agents.bots import HOUSE_BOTS
from spades_agents.fallback import fallback
from spades_arena.faults import Cause, Discipline
from spades_arena.limits import TimeLimits
from spades_arena.spec import competition_rules
from spades_arena.table import TableSetting
from spades_proto import wire
from spades_proto.frames import Answer, Command, Failure, FailureKind
from spades_proto.table import TableClosed, TableStage
from spades_proto.timing import UNLIMITED, TimeControl
from spades_proto.verification import verify
from spades_server.commands import BotDeed, Deed, Leave, Player, Presence, Tick, Unreadable
from spades_server.competitions.sides import SideEntry
from spades_server.competitions.table import CompetitionTable
from spades_server.host import think
from spades_server.table_log import SECOND, Entry

SOUTH, WEST, NORTH, EAST = Seat
ANN = Player("ann", "Ann")
SEED = parse_seed("a table of a competition")
HOUSE = SideEntry("gentle", None, "gentle")
LENIENT = Discipline()
RULES = "quick,target=100,floor=-100,max_hands=2"
BLIND = "max_hands=1,floor=none,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
LIMITS = TimeLimits(control=TimeControl(2_000, 10_000), margin_ms=500)


class Played:
    """A table with its clock: Ann's agent has South and North, a house bot the rest."""

    def __init__(
        self,
        limits: TimeLimits = LIMITS,
        discipline: Discipline = LENIENT,
        second: SideEntry = HOUSE,
        rules: str = RULES,
    ) -> None:
        setting = TableSetting(
            id="m0001-u00001-t1",
            place=0,
            rules=competition_rules(parse_rules(rules)),
            deals=SeededDeals(SEED),
            names=("Ann", second.name),
            limits=limits,
            discipline=discipline,
        )
        self.now_us = SECOND
        sides = (SideEntry("Ann", ANN), second)
        self.table = CompetitionTable("TABLE", setting, sides, "CUP-m0001-u00001-t1", self.now_us)
        self.entries: list[Entry] = []
        self.requests: Iterator[int] = iter(range(1_000_000))

    def come(self, *seats: Seat) -> None:
        for seat in seats:
            self.do(Presence(seat, listening=True))

    def go(self, *seats: Seat) -> None:
        for seat in seats:
            self.do(Presence(seat, listening=False))

    def do(self, command: Presence | Tick | BotDeed | Deed | Unreadable) -> Answer:
        entries, answer = self.table.handle(command, self.now_us)
        self.entries += entries
        return answer

    def wait(self, seconds: float) -> None:
        self.now_us += round(seconds * SECOND)
        self.do(Tick())

    def act(self, seat: Seat, action: Action, failure: Failure | None = None) -> Answer:
        looks = isinstance(action, Look)
        command = Command(
            "TABLE",
            action,
            seat=seat,
            request_id=f"request-{next(self.requests)}",
            decision=0 if looks else self.table.decision_id,
            epoch=self.table.epoch,
            hand_number=1 if looks else 0,
        )
        return self.do(Deed(ANN, command, failure))

    def bots_act(self) -> None:
        """Has the house bot act while it is its turn."""
        while (task := self.table.bot_task()) is not None:
            action = think(HOUSE_BOTS[task.bot](), self.table.bot_view(task.seat))
            self.do(BotDeed(task.seat, task.decision, action))

    @property
    def turn(self) -> Seat:
        self.bots_act()
        match = self.table.match
        assert match is not None and match.turn is not None
        return match.turn

    @property
    def faults(self) -> list[tuple[Cause, Seat]]:
        return [(one.cause, one.seat) for one in self.table.fault_book.faults]

    def finish(self) -> None:
        """Plays the rest, Ann's agent with what is always legal."""
        while self.table.state.stage is TableStage.PLAYING:
            self.bots_act()
            match = self.table.match
            assert match is not None
            if match.turn is not None:
                view = self.table.bot_view(match.turn)
                self.act(match.turn, fallback(view))


def test_it_begins_when_everybody_is_there_and_closes_with_its_game() -> None:
    played = Played()
    assert played.table.state.stage is TableStage.OPEN
    played.come(SOUTH)
    assert played.table.match is None
    played.come(NORTH)
    played.finish()
    result = played.table.result
    assert result is not None and result.result.faults == () and result.result.forfeited == ()
    assert isinstance(played.entries[-1].event, TableClosed)
    assert verify(result.record).circumstances.match == "m0001-u00001-t1"


def test_the_seed_is_in_nothing_that_it_says() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    played.finish()
    (ended,) = [one.event for one in played.entries if isinstance(one.event, MatchEnded)]
    assert ended.opening is None
    for viewer in (*Seat, None):
        for entry in played.entries:
            event = entry.event
            if has_secret(event):
                event = redact(cast("Event", event), viewer)
            message = wire.event_to_wire(event).SerializeToString()
            assert SEED.hex().encode() not in message and SEED not in message
        snapshot = played.table.state.snapshot(viewer)
        assert all(one.opening is None for one in snapshot.match if isinstance(one, MatchEnded))


def test_a_side_that_never_comes_did_not_start_and_nobody_sees_a_card() -> None:
    """T04: no loss for whoever waited."""
    played = Played()
    played.come(SOUTH)
    deadline = played.table.next_deadline()
    assert deadline == SECOND + 30 * SECOND
    played.wait(29.9)
    before = played.table.result
    assert before is None
    played.wait(0.1)
    result = played.table.result
    assert result is not None
    assert result.result.forfeited == (Side.SOUTH_NORTH,)
    assert result.result.winner is Side.WEST_EAST
    assert [one.cause for one in result.result.faults] == [Cause.NO_START]
    assert played.table.match is None
    assert played.table.state.stage is TableStage.CLOSED


def test_where_nobody_comes_nobody_wins() -> None:
    played = Played(second=SideEntry("Bob", Player("bob", "Bob")))
    played.wait(30)
    result = played.table.result
    assert result is not None and result.record == ""
    assert result.result.forfeited == (Side.SOUTH_NORTH, Side.WEST_EAST)


def test_a_late_answer_is_played_for_at_its_limit_and_the_third_forfeits_the_game() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    played.wait(2 + 10 + 0.4)
    assert not played.faults
    played.wait(0.1)
    assert played.faults == [(Cause.TIMEOUT, seat)]
    assert played.table.clock.banks_us[seat] == 0
    late = played.act(seat, MakeBid(Bid(3)))
    assert late.refusal is not None
    assert played.faults == [(Cause.TIMEOUT, seat)]
    for count in (2, 3):
        other = played.turn
        played.wait(12.5)
        assert len(played.faults) == count and played.faults[-1] == (Cause.TIMEOUT, other)
    result = played.table.result
    assert result is not None
    assert result.result.forfeited == (Side.SOUTH_NORTH,)
    record = verify(result.record)
    assert record.match.outcome is not None
    assert record.match.outcome.reason is EndReason.SURRENDER


def test_what_is_answered_within_the_margin_costs_no_bank() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    played.now_us += round(2.4 * SECOND)
    played.act(seat, fallback(played.table.bot_view(seat)))
    assert played.table.clock.banks_us[seat] == 10 * SECOND


def test_an_illegal_answer_is_refused_with_its_reason_costs_a_strike_and_is_played_over() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    while True:
        seat = played.turn
        match = played.table.match
        assert match is not None
        if match.state.decision is not None and match.state.decision.name == "PLAY":
            break
        played.act(seat, fallback(played.table.bot_view(seat)))
    view = played.table.bot_view(seat)
    wrong = next(card for card in view.rules.deck if card not in view.hand)
    answer = played.act(seat, Play(wrong))
    assert answer.refusal is not None and answer.refusal.reason is Reason.CARD_NOT_HELD
    assert played.faults == [(Cause.ILLEGAL, seat)]
    assert any(
        isinstance(one.event, CardPlayed) and one.event.seat is seat for one in played.entries
    )
    played.finish()
    assert played.table.result is not None
    assert played.table.result.result.forfeited == ()


def test_what_is_stale_or_out_of_turn_is_no_fault() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    other = seat.partner
    assert played.act(other, fallback(played.table.bot_view(seat))).refusal is not None
    played.act(seat, fallback(played.table.bot_view(seat)))
    stale = Command("TABLE", MakeBid(Bid(3)), seat=seat, request_id="again", decision=1)
    assert played.do(Deed(ANN, stale)).refusal is not None
    assert played.faults == []


@pytest.mark.parametrize(
    ("kind", "cause"),
    [(FailureKind.CRASHED, Cause.CRASH), (FailureKind.MALFORMED, Cause.PROTOCOL)],
)
def test_what_failed_on_the_agents_side_costs_a_strike_and_is_played_over_by_the_table(
    kind: FailureKind, cause: Cause
) -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    # Whatever stands beside the failure, the table's own fallback is played.
    answer = played.act(seat, MakeBid(Bid(9)), Failure(kind, "It\x1b is\nso."))
    assert answer.refusal is None
    (fault,) = played.table.fault_book.faults
    assert (fault.cause, fault.seat, fault.detail) == (cause, seat, "It is so.")
    bids = [one.event for one in played.entries if isinstance(one.event, BidMade)]
    assert [one.bid for one in bids if one.seat is seat] == [Bid(1)]
    for strike in (2, 3):
        played.act(played.turn, MakeBid(Bid(9)), Failure(kind, ""))
        assert played.faults[-1][0] is cause and len(played.faults) == strike
    result = played.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_a_program_that_ended_forfeits_the_game_at_once() -> None:
    """T03."""
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    played.act(seat, MakeBid(Bid(3)), Failure(FailureKind.ENDED, "It ended with exit code 1."))
    assert played.faults == [(Cause.CRASH, seat)]
    result = played.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_a_failure_in_what_is_not_open_is_refused_as_anything_is_and_no_fault() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    failure = Failure(FailureKind.CRASHED, "It raised.")
    early = played.act(seat.partner, MakeBid(Bid(3)), failure)
    assert early.refusal is not None and early.refusal.reason is Reason.NOT_YOUR_TURN
    stale = Command("TABLE", MakeBid(Bid(3)), seat=seat, request_id="stale", decision=1)
    assert played.do(Deed(ANN, stale, failure)).refusal is not None
    look = Command("TABLE", Look(), seat=seat, request_id="look", hand_number=1)
    assert played.do(Deed(ANN, look, failure)).refusal is not None
    assert played.faults == []


def test_a_failure_that_is_sent_again_costs_one_strike() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat = played.turn
    command = Command("TABLE", MakeBid(Bid(3)), seat, "same", played.table.decision_id)
    deed = Deed(ANN, command, Failure(FailureKind.CRASHED, "It raised."))
    first, again = played.do(deed), played.do(deed)
    assert first.refusal is again.refusal is None
    assert again.replayed
    assert played.faults == [(Cause.CRASH, seat)]


@pytest.mark.parametrize("cause", [Cause.CRASH, Cause.PROTOCOL, Cause.ILLEGAL])
def test_whoever_fails_before_it_has_looked_is_shown_its_cards_and_bids_by_itself(
    cause: Cause,
) -> None:
    played = Played(rules=BLIND)
    played.come(SOUTH, NORTH)
    seat = played.turn
    match = played.table.match
    assert match is not None and played.table.bot_view(seat).may_look
    if cause is Cause.CRASH:
        played.act(seat, Look(), Failure(FailureKind.CRASHED, "It raised."))
    elif cause is Cause.PROTOCOL:
        played.do(Unreadable(ANN, seat, played.table.decision_id, "The action is missing."))
    else:
        played.act(seat, MakeBid(Bid(20)))
    assert played.faults == [(cause, seat)]
    assert match.turn is seat and not played.table.bot_view(seat).may_look
    played.act(seat, MakeBid(Bid(4)))
    assert match.state.bids[seat] == Bid(4)


def test_what_cannot_be_read_costs_a_strike_where_it_answers_an_open_decision() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    seat, decision = played.turn, played.table.decision_id
    stranger = Player("eve", "Eve")
    played.do(Unreadable(stranger, seat, decision, "Nonsense."))
    played.do(Unreadable(ANN, seat.partner, decision, "Nonsense."))
    played.do(Unreadable(ANN, seat, decision + 1, "Nonsense."))
    assert played.faults == []
    # The seat may be the field that cannot be read.
    played.do(Unreadable(ANN, None, decision, "7 is no seat."))
    (fault,) = played.table.fault_book.faults
    assert (fault.cause, fault.seat, fault.detail) == (Cause.PROTOCOL, seat, "7 is no seat.")
    assert played.turn is not seat
    played.do(Unreadable(ANN, seat, decision, "7 is no seat."))
    assert len(played.faults) == 1
    played.finish()
    played.do(Unreadable(ANN, seat, played.table.decision_id, "Nonsense."))
    assert len(played.faults) == 1


def test_strictly_any_fault_forfeits_the_game() -> None:
    played = Played(discipline=Discipline(strict=True))
    played.come(SOUTH, NORTH)
    seat = played.turn
    played.wait(12.5)
    assert played.faults == [(Cause.TIMEOUT, seat)]
    assert played.table.result is not None
    assert played.table.result.result.forfeited == (Side.SOUTH_NORTH,)


def test_an_absence_costs_one_strike_however_many_decisions_fall_into_it() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    assert played.turn in (SOUTH, NORTH)
    played.go(SOUTH, NORTH)
    played.wait(12.5)
    played.bots_act()
    assert [cause for cause, _ in played.faults] == [Cause.DISCONNECT]
    bids = [one.event for one in played.entries if isinstance(one.event, BidMade)]
    assert {one.seat for one in bids} == {*Seat}
    result = played.table.result
    assert result is not None and result.result.forfeited == ()


def test_who_stays_away_forfeits_the_game() -> None:
    played = Played(limits=TimeLimits(control=TimeControl(600_000, 0), silence_ms=30_000))
    played.come(SOUTH, NORTH)
    assert played.turn in (SOUTH, NORTH)
    played.go(SOUTH)
    played.wait(29.9)
    assert played.table.result is None
    played.wait(0.1)
    assert played.faults == [(Cause.DISCONNECT, SOUTH)]
    result = played.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_without_a_clock_silence_is_a_stall_and_forfeits_the_game() -> None:
    """T03: what never answers is not waited for, even where nothing is timed."""
    played = Played(limits=TimeLimits(control=UNLIMITED, silence_ms=10_000))
    played.come(SOUTH, NORTH)
    seat = played.turn
    played.wait(10.1)
    assert played.faults == [(Cause.STALL, seat)]
    result = played.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_a_side_that_thinks_too_long_in_all_forfeits_the_game() -> None:
    """T10: a cap for each game bounds its end."""
    played = Played(limits=TimeLimits(control=TimeControl(5_000, 0), game_ms=8_000))
    played.come(SOUTH, NORTH)
    for _ in range(2):
        seat = played.turn
        played.now_us += round(4.5 * SECOND)
        played.act(seat, fallback(played.table.bot_view(seat)))
    assert [cause for cause, _ in played.faults] == [Cause.TIMEOUT]
    result = played.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_one_seat_gives_a_game_up_for_its_entry() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    assert played.turn in (SOUTH, NORTH)
    early = Command("TABLE", Surrender(), seat=SOUTH, request_id="early", hand_number=2)
    assert played.do(Deed(ANN, early)).refusal is not None
    before = played.table.result
    assert before is None
    command = Command("TABLE", Surrender(), seat=SOUTH, request_id="one", hand_number=1)
    assert played.do(Deed(ANN, command)).refusal is None
    assert played.faults == [(Cause.RESIGN, SOUTH)]
    result = played.table.result
    assert result is not None and result.result.forfeited == (Side.SOUTH_NORTH,)


def test_no_card_is_taken_back() -> None:
    played = Played()
    played.come(SOUTH, NORTH)
    assert played.turn in (SOUTH, NORTH)
    command = Command("TABLE", Undo(), seat=SOUTH, request_id="one", hand_number=1)
    refusal = played.do(Deed(ANN, command)).refusal
    assert refusal is not None and refusal.reason is Reason.UNDO_NOT_ALLOWED
    assert played.faults == []


def test_nobody_leaves_the_table() -> None:
    played = Played()
    with pytest.raises(TableError, match="withdraw the entry instead"):
        played.table.handle(Leave(ANN), played.now_us)
