"""The faults of one table while it is played: what is booked, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping

from spades import Seat, Side
from spades_arena.faults import Cause, Discipline, Evidence, Fault, cause_of
from spades_arena.limits import TimeLimits
from spades_proto.records import Note
from spades_proto.table import NoteKind


class FaultBook:
    """Faults, strikes and forfeits of both sides, wherever the table is played."""

    def __init__(self, limits: TimeLimits, discipline: Discipline) -> None:
        self._limits = limits
        self._discipline = discipline
        self._strikes = [0, 0]
        self.faults: list[Fault] = []
        """What went wrong so far."""
        self.notes: list[Note] = []
        """What the record says of it."""
        self.forfeited: list[Side] = []
        """The sides whose game is over for them."""

    def book(
        self, seat: Seat, hand: int, decision: int, evidence: Evidence, *, hopeless: bool = False
    ) -> Cause:
        """Books a fault in a decision, with its strike, and names its cause.

        ``hopeless`` says that nothing more can come of the game: its side forfeits it, whatever the fault.
        """
        cause = self._note(seat, hand, decision, evidence)
        side = seat.side
        self._strikes[side] += 1
        over = hopeless or bool(evidence.ended)
        if over or self._discipline.forfeits(cause, self._strikes[side]):
            self.forfeited.append(side)
        return cause

    def did_not_start(self, missing: Mapping[Seat, Evidence]) -> None:
        """Books the seats whose agents are not there: one fault for each side, which has forfeited."""
        absent: set[Side] = set()
        for seat, evidence in missing.items():
            if seat.side not in absent:
                absent.add(seat.side)
                self._note(seat, 0, 0, evidence)
        self.forfeited += sorted(absent)

    def overdue(self, allowed_ms: int) -> Evidence:
        """What an answer is that took longer than it might: late by a clock, and else no sign of life."""
        seconds = f"{allowed_ms / 1000:g} s"
        if self._limits.control:
            return Evidence(late=f"It took longer than the {seconds} that it had.")
        return Evidence(stalled=f"It gave no answer within {seconds}.")

    @property
    def too_long_in_all(self) -> str:
        """What is said of a side whose time for the game is over."""
        seconds = self._limits.game_ms / 1000
        return f"The side has thought for more than {seconds:g} s in the game."

    def _note(self, seat: Seat, hand: int, decision: int, evidence: Evidence) -> Cause:
        found = cause_of(evidence)
        assert found is not None, "a fault has a cause"
        cause, said = found
        self.faults.append(Fault(cause, seat, hand, decision, said))
        if cause is Cause.TIMEOUT:
            self.notes.append(Note(NoteKind.TIMED_OUT, seat, hand, max(0, decision - 1)))
        return cause
