"""What a fault costs, wherever the table is played."""

from __future__ import annotations

import pytest

from spades import Seat, Side
from spades_arena.fault_book import FaultBook
from spades_arena.faults import Cause, Discipline, Evidence, Fault
from spades_arena.limits import TimeLimits
from spades_proto.records import Note
from spades_proto.table import NoteKind
from spades_proto.timing import UNLIMITED

SOUTH, WEST, NORTH, EAST = Seat
LATE = Evidence(late="It was late.")
ILLEGAL = Evidence(illegal="It had a spade.")


def fault_book(strikes: int = 3, *, strict: bool = False) -> FaultBook:
    return FaultBook(TimeLimits(), Discipline(strikes, strict))


def test_the_strikes_of_partners_add_up_and_those_of_opponents_do_not() -> None:
    book = fault_book()
    for seat in (SOUTH, WEST, NORTH):
        book.book(seat, 1, 2, ILLEGAL)
    assert book.forfeited == []
    book.book(SOUTH, 1, 3, ILLEGAL)
    assert book.forfeited == [Side.SOUTH_NORTH]


def test_every_fault_stands_with_its_seat_hand_decision_and_sentence() -> None:
    book = fault_book()
    assert book.book(WEST, 2, 5, ILLEGAL) is Cause.ILLEGAL
    assert book.book(EAST, 3, 1, LATE) is Cause.TIMEOUT
    assert book.faults == [
        Fault(Cause.ILLEGAL, WEST, 2, 5, "It had a spade."),
        Fault(Cause.TIMEOUT, EAST, 3, 1, "It was late."),
    ]


def test_only_a_time_that_ran_out_is_noted_in_the_record_and_after_the_actions_before_it() -> None:
    book = fault_book()
    book.book(WEST, 2, 5, ILLEGAL)
    book.book(EAST, 3, 4, LATE)
    assert book.notes == [Note(NoteKind.TIMED_OUT, EAST, 3, 3)]


@pytest.mark.parametrize(
    ("evidence", "hopeless"),
    [(ILLEGAL, True), (Evidence(ended="It ended."), False), (Evidence(resigned="Enough."), False)],
)
def test_a_game_of_which_nothing_more_can_come_is_forfeited_with_the_first_fault(
    evidence: Evidence, hopeless: bool
) -> None:
    book = fault_book()
    book.book(EAST, 1, 1, evidence, hopeless=hopeless)
    assert book.forfeited == [Side.WEST_EAST]


def test_a_side_that_is_not_there_has_one_fault_and_has_forfeited() -> None:
    book = fault_book()
    book.did_not_start(
        {SOUTH: Evidence(no_start="Not there."), NORTH: Evidence(no_start="Nor he.")}
    )
    assert book.faults == [Fault(Cause.NO_START, SOUTH, 0, 0, "Not there.")]
    assert book.forfeited == [Side.SOUTH_NORTH]


def test_both_sides_can_have_stayed_away() -> None:
    book = fault_book()
    book.did_not_start({EAST: Evidence(no_start="No."), NORTH: Evidence(no_start="No.")})
    assert [fault.seat for fault in book.faults] == [EAST, NORTH]
    assert book.forfeited == [Side.SOUTH_NORTH, Side.WEST_EAST]


def test_whoever_is_there_has_no_fault() -> None:
    book = fault_book()
    book.did_not_start({})
    assert (book.faults, book.forfeited) == ([], [])


def test_too_long_is_late_by_a_clock_and_without_one_a_stall() -> None:
    assert fault_book().overdue(2_500) == Evidence(
        late="It took longer than the 2.5 s that it had."
    )
    book = FaultBook(TimeLimits(control=UNLIMITED), Discipline())
    assert book.overdue(30_000) == Evidence(stalled="It gave no answer within 30 s.")


def test_the_time_for_a_game_is_named() -> None:
    book = FaultBook(TimeLimits(game_ms=90_000), Discipline())
    assert book.too_long_in_all == "The side has thought for more than 90 s in the game."
