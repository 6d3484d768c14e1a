"""The clock of a table: the time of the decision that is open, and the banks of the four seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spades import SEATS, Seat
from spades_proto.timing import SeatClock, TimeControl

MOST_CREDIT_US: Final = 300_000
"""How much of a round trip is not counted as thinking; a slower line is the player's affair."""

STRIKES: Final = 2
"""After so many time-outs in a row a player counts as absent, until it shows itself."""


@dataclass(frozen=True, slots=True)
class ClockMemo:
    """A clock as it stands; each field is what the attribute of that name holds."""

    seat: Seat | None
    banks_us: tuple[int, ...]
    strikes: tuple[int, ...]
    round_trips_us: tuple[int | None, ...]
    frozen: bool
    spent_us: int
    since_us: int | None


class DecisionClock:
    """Counts the time of one decision after the other. The time is an argument, in microseconds."""

    __slots__ = (
        "_bank_us",
        "_decision_us",
        "_margin_us",
        "_since_us",
        "_spent_us",
        "banks_us",
        "frozen",
        "round_trips_us",
        "seat",
        "strikes",
    )

    def __init__(self, control: TimeControl, margin_us: int = 0) -> None:
        """``margin_us`` is forgiven beyond the limit of each decision."""
        self._margin_us = margin_us
        self._decision_us = control.decision_ms * 1_000
        self._bank_us = control.bank_ms * 1_000
        self.seat: Seat | None = None
        """Whose decision is counted; ``None`` while none is."""
        self.banks_us = [self._bank_us for _ in SEATS]
        self.strikes = [0 for _ in SEATS]
        """How often each seat's time ran out in a row."""
        self.round_trips_us: list[int | None] = [None for _ in SEATS]
        """The last round trip that was measured to each seat's client."""
        self.frozen = False
        """Whether the clock waits for its player to come back after a restart."""
        self._spent_us = 0
        self._since_us: int | None = None
        """Since when it runs; ``None`` while it stands still."""

    def memo(self) -> ClockMemo:
        """All that is needed to make this clock again."""
        return ClockMemo(
            self.seat,
            tuple(self.banks_us),
            tuple(self.strikes),
            tuple(self.round_trips_us),
            self.frozen,
            self._spent_us,
            self._since_us,
        )

    def recall(self, memo: ClockMemo) -> None:
        """Stands as a memo says."""
        self.seat = memo.seat
        self.banks_us = list(memo.banks_us)
        self.strikes = list(memo.strikes)
        self.round_trips_us = list(memo.round_trips_us)
        self.frozen = memo.frozen
        self._spent_us = memo.spent_us
        self._since_us = memo.since_us

    def start_match(self) -> None:
        """Fills all banks."""
        self.stop()
        self.banks_us = [self._bank_us for _ in SEATS]
        self.strikes = [0 for _ in SEATS]

    def open(self, seat: Seat, now_us: int, *, runs: bool, spent: bool = False) -> None:
        """Begins to count a decision: ``runs``, if somebody waits; ``spent``, if its time is over."""
        if not self._decision_us:
            return
        self.seat = seat
        self.frozen = False
        self._spent_us = self._decision_us + self.banks_us[seat] if spent else 0
        self._since_us = now_us if runs else None

    def run(self, now_us: int, *, runs: bool) -> None:
        """Goes on, or stands still, from now on."""
        if self.seat is None or self.frozen or runs == (self._since_us is not None):
            return
        self._spent_us = self._elapsed_us(now_us)
        self._since_us = now_us if runs else None

    def freeze(self, now_us: int) -> None:
        """Stands still until the player is back."""
        self.run(now_us, runs=False)
        self.frozen = True

    def answered(self, now_us: int) -> int:
        """Ends a decision that its player has taken; what it took beyond its time is the bank's.

        Returns how long it took, in microseconds.
        """
        seat = self.seat
        if seat is None:
            return 0
        thought = self.thought_us(now_us)
        over = thought - self._margin_us - self._decision_us
        if over > 0:
            self.banks_us[seat] = max(self.banks_us[seat] - over, 0)
        self.strikes[seat] = 0
        self.stop()
        return thought

    def thought_us(self, now_us: int) -> int:
        """How long the open decision has been thought about: without the round trip."""
        if self.seat is None:
            return 0
        return max(self._elapsed_us(now_us) - self._credit_us, 0)

    def timed_out(self) -> None:
        """Ends a decision whose time is over."""
        assert self.seat is not None, "a clock runs for somebody"
        self.banks_us[self.seat] = 0
        self.strikes[self.seat] += 1
        self.stop()

    def stop(self) -> None:
        """Counts nothing until the next decision."""
        self.seat = self._since_us = None
        self._spent_us = 0
        self.frozen = False

    @property
    def limit_us(self) -> int | None:
        """From when on an answer is too late: the round trip is no thinking, so it is added."""
        deadline = self._deadline_us
        return None if deadline is None else deadline + self._credit_us + self._margin_us

    @property
    def reading(self) -> SeatClock | None:
        """What everybody sees of it."""
        if self.seat is None:
            return None
        return SeatClock(self.seat, self._deadline_us, self.banks_us[self.seat] // 1_000)

    @property
    def _deadline_us(self) -> int | None:
        if self.seat is None or self._since_us is None:
            return None
        return self._since_us + self._decision_us + self.banks_us[self.seat] - self._spent_us

    @property
    def _credit_us(self) -> int:
        trip = None if self.seat is None else self.round_trips_us[self.seat]
        return min(trip or 0, MOST_CREDIT_US)

    def _elapsed_us(self, now_us: int) -> int:
        running = 0 if self._since_us is None else now_us - self._since_us
        return self._spent_us + running
