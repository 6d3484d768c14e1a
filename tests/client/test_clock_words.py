"""What is said of the clock, in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spades import Seat, parse_rules
from spades_client.answers import clock_sentence
from spades_client.narrate import event_sentences
from spades_client.phrases import minutes
from spades_client.state import ClientState, reduce
from spades_client.words import understand
from spades_proto.frames import Frame, Heartbeat
from spades_proto.table import (
    Occupant,
    OccupantKind,
    PresenceChanged,
    SeatTaken,
    StandInChanged,
    TableOpened,
    TableState,
    TakeSeatBack,
)
from spades_proto.timing import UNLIMITED, SeatClock, TimeControl


def state_of(control: TimeControl, clock: SeatClock | None = None) -> ClientState:
    """South's view of a table where Ann and Bob sit."""
    table = TableState(TableOpened("TABLE", "Ann", parse_rules(""), False, False, control))
    for seat, name in ((Seat.SOUTH, "Ann"), (Seat.WEST, "Bob")):
        table.apply(SeatTaken(seat, Occupant(OccupantKind.PERSON, name)))
    return ClientState(Seat.SOUTH, 1, 3, table, clock=clock)


GIVEN = "A decision has 60 seconds, and a seat 180 more for the whole match."
TIMED = TimeControl(60_000, 180_000)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (ClientState(), "Nothing is known of the table yet."),
        (state_of(UNLIMITED), "This table has no clock."),
        (state_of(TIMED), f"No clock runs. {GIVEN}"),
        (
            state_of(TIMED, SeatClock(Seat.SOUTH, 82_500_000, 0)),
            f"You have 1:21 left. {GIVEN}",
        ),
        (
            state_of(TIMED, SeatClock(Seat.WEST, 500_000, 0)),
            f"Bob has 0:00 left. {GIVEN}",
        ),
        (
            state_of(TIMED, SeatClock(Seat.WEST, None, 0)),
            f"The clock stands still, since nobody waits. {GIVEN}",
        ),
    ],
)
def test_the_word_clock_tells_whose_time_it_is_and_how_much_there_is(
    state: ClientState, said: str
) -> None:
    assert clock_sentence(state, 1_000_000) == said


def test_a_time_is_shown_in_minutes_and_never_below_nothing() -> None:
    assert [minutes(s) for s in (-3, 0, 9.99, 60, 3_661)] == [
        "0:00",
        "0:00",
        "0:09",
        "1:00",
        "61:01",
    ]


def test_back_takes_the_seat_back() -> None:
    assert understand("back").deed == understand("ba").deed == TakeSeatBack()


def test_why_a_bot_plays_is_told() -> None:
    state = state_of(TIMED)
    assert state.table is not None
    late = StandInChanged(Seat.SOUTH, active=True)
    assert event_sentences(late, state.table, Seat.SOUTH) == [
        "Your time has run out: a house bot plays for you."
    ]
    assert event_sentences(late, state.table, Seat.WEST) == [
        "Ann's time has run out: a house bot plays for Ann."
    ]
    state.table.apply(PresenceChanged(Seat.SOUTH, away=True))
    assert event_sentences(late, state.table, Seat.WEST) == ["A house bot plays for Ann."]


def test_a_heartbeat_brings_the_clock_where_no_event_tells_of_it() -> None:
    state = state_of(TIMED)
    clock = SeatClock(Seat.WEST, 5, 0)
    beat = Frame(1, 3, 9, Heartbeat(10_000), clock=clock)
    assert reduce(state, beat) == replace(state, clock=clock)
    assert reduce(replace(state, clock=clock), replace(beat, clock=None)).clock == clock
