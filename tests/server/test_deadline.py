"""A deadline that is set anew again and again is met, and never before its time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from spades_server.deadline import Deadline

SECOND = 1_000_000


@dataclass
class Timer:
    """A timer of a loop in which time passes when it is told to."""

    at_us: int
    then: Callable[[], None]
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


class Loop:
    """A loop and a clock; the clock can be set ahead of what has passed for the loop."""

    def __init__(self) -> None:
        self.passed_us = 0
        self.ahead_us = 0
        self.timers: list[Timer] = []
        self.set_count = 0

    def now(self) -> int:
        return self.passed_us + self.ahead_us

    def call_later(self, delay_s: float, then: Callable[[], None]) -> Timer:
        timer = Timer(self.passed_us + round(delay_s * SECOND), then)
        self.timers.append(timer)
        self.set_count += 1
        return timer

    @property
    def waiting(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.is_cancelled]

    def let_pass(self, us: int) -> None:
        end = self.passed_us + us
        while ready := [timer for timer in self.waiting if timer.at_us <= end]:
            first = min(ready, key=lambda timer: timer.at_us)
            self.timers.remove(first)
            self.passed_us = max(self.passed_us, first.at_us)
            first.then()
        self.passed_us = end


steps = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 200 * SECOND)),
        st.integers(0, 100 * SECOND),
    ),
    max_size=30,
)


@given(steps)
def test_it_is_met_within_two_milliseconds_and_never_early(
    moves: list[tuple[int | None, int]],
) -> None:
    loop = Loop()
    reached: list[int] = []
    deadline = Deadline(loop.now, lambda: reached.append(loop.now()), loop.call_later)
    for due_in, passes in moves:
        due = None if due_in is None else loop.now() + due_in
        deadline.set(due)
        assert len(loop.waiting) <= 1
        before = len(reached)
        loop.let_pass(passes)
        if due is None or due > loop.now():
            assert len(reached) == before
        elif due + 2_000 <= loop.now():
            (at,) = reached[before:]
            assert due <= at <= due + 2_000


def test_one_that_comes_nearer_is_not_missed() -> None:
    loop, reached = Loop(), list[int]()
    deadline = Deadline(loop.now, lambda: reached.append(loop.now()), loop.call_later)
    deadline.set(50 * SECOND)
    deadline.set(2 * SECOND)
    loop.let_pass(3 * SECOND)
    assert len(reached) == 1


def test_one_that_moves_on_needs_no_timer_of_its_own() -> None:
    loop, reached = Loop(), list[int]()
    deadline = Deadline(loop.now, lambda: reached.append(loop.now()), loop.call_later)
    for _ in range(100):
        deadline.set(loop.now() + 30 * SECOND)
        loop.let_pass(SECOND)
    assert loop.set_count < 10
    assert not reached
    loop.let_pass(30 * SECOND)
    assert len(reached) == 1


def test_a_clock_that_jumps_is_looked_at_within_a_minute() -> None:
    loop, reached = Loop(), list[int]()
    deadline = Deadline(loop.now, lambda: reached.append(loop.now()), loop.call_later)
    deadline.set(3_600 * SECOND)
    loop.ahead_us = 3_600 * SECOND
    loop.let_pass(61 * SECOND)
    assert len(reached) == 1
