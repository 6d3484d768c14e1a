"""One function decides what went wrong, in one order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spades_arena.faults import Cause, Discipline, Evidence, cause_of

FIELDS = {
    Cause.INFRA: "infrastructure",
    Cause.NO_START: "no_start",
    Cause.CRASH: "crashed",
    Cause.DISCONNECT: "disconnected",
    Cause.STALL: "stalled",
    Cause.TIMEOUT: "late",
    Cause.PROTOCOL: "malformed",
    Cause.ILLEGAL: "illegal",
    Cause.RESIGN: "resigned",
}


@given(st.sets(st.sampled_from(list(Cause))))
def test_the_first_cause_in_the_order_is_the_cause_whatever_else_is_true(found: set[Cause]) -> None:
    evidence = Evidence(**{FIELDS[cause]: cause.value for cause in found})
    order = list(Cause)

    decided = cause_of(evidence)
    if not found:
        assert decided is None
        return
    first = min(found, key=order.index)
    assert decided == (first, first.value)


def test_t03_a_crash_is_not_recorded_as_the_silence_that_follows_it() -> None:
    evidence = Evidence(late="It was late.", stalled="It was silent.", crashed="It ended.")

    assert cause_of(evidence) == (Cause.CRASH, "It ended.")


def test_only_what_leaves_nothing_to_expect_forfeits_at_once() -> None:
    lenient = Discipline(strikes=3)
    at_once = {cause for cause in Cause if lenient.forfeits(cause, 1)}

    assert at_once == {Cause.NO_START, Cause.STALL, Cause.RESIGN}
    assert all(lenient.forfeits(cause, 3) for cause in Cause)
    assert all(Discipline(strict=True).forfeits(cause, 1) for cause in Cause)
