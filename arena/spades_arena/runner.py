"""Runs what is missing of an event: nothing is known here but the journal and what is being played."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import FrameType, TracebackType
from typing import Final

from spades_arena.events import EventFolder
from spades_arena.executor import Executor
from spades_arena.journal import Journal
from spades_arena.lines import closing_line
from spades_arena.schedule import Unit
from spades_arena.state import EventState
from spades_arena.unit import PlayedUnit, unit_work

LOOK_S: Final = 0.2
"""How often it is asked whether somebody wants to stop."""

AHEAD: Final = 1_000
"""How far ahead in the schedule a unit is looked for whose entries are not playing."""

OFTEN: Final = 50
"""A test is asked for its answer whenever it has grown by one in so many units."""


class Ending(Enum):
    """How a run ended."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is."""

    done: int
    """Units that count so far, with those of earlier runs."""
    planned: int
    """Units that count and that are missing; a test may end before."""
    played: int
    """Units played by this run."""
    seconds: float
    """How long this run has taken."""

    @property
    def left_s(self) -> float | None:
        """How many seconds the rest will take at this pace; ``None`` before there is one."""
        if not self.played:
            return None
        return (self.planned - self.done) * self.seconds / self.played


Report = Callable[[Progress], None]


class Interrupts:
    """Counts Ctrl-C: the first finishes what is being played, the second drops it."""

    def __init__(self, tell: Callable[[], None] = lambda: None) -> None:
        self.count = 0
        self._tell = tell
        self._former: object = None

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            self._former = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)  # type: ignore[arg-type]

    def _heard(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.count += 1
        if self.count > 1:
            raise KeyboardInterrupt
        self._tell()


class Run:
    """One run of an event; :meth:`play` may be called once."""

    def __init__(
        self,
        folder: EventFolder,
        executor: Executor,
        report: Report,
        interrupts: Interrupts | None = None,
    ) -> None:
        self._folder = folder
        self._executor = executor
        self._report = report
        self._interrupts = interrupts or Interrupts()
        self._running: dict[str, Unit] = {}
        self._played = 0
        self._seed = folder.seed

    def play(self) -> Ending:
        """Plays until nothing is missing or somebody stops it.

        :raises ArenaError: if another program runs the event, or its journal was changed.
        """
        with self._folder.journal() as journal, self._interrupts:
            try:
                return self._play(journal)
            except KeyboardInterrupt:
                return Ending.INTERRUPTED
            finally:
                self._executor.close()

    def _play(self, journal: Journal) -> Ending:
        began = time.monotonic()
        self._folder.forget_unfinished(journal)
        state = self._folder.state_of(journal.lines)
        waiting, counted, since = list(state.missing), state.done, 0
        while True:
            if not self._interrupts.count:
                self._fill(waiting)
            if not self._running:
                break
            done = self._executor.next_finished(LOOK_S)
            if done is None:
                continue
            del self._running[done.result.unit.id]
            self._folder.keep(journal, done)
            self._played += 1
            counted, since = counted + 1, since + 1
            if self._may_change(done, since, counted):
                state, since = self._folder.state_of(journal.lines), 0
                waiting, counted = self._still(state), state.done
            planned = counted + len(waiting) + len(self._running)
            self._report(Progress(counted, planned, self._played, time.monotonic() - began))
        state = self._folder.state_of(journal.lines)
        if not state.finished:
            return Ending.INTERRUPTED
        if not state.closed:
            journal.append(closing_line(state))
        journal.finished = True
        return Ending.FINISHED

    def _may_change(self, done: PlayedUnit, since: int, counted: int) -> bool:
        """Whether a result may change what is missing: a forfeit, or now and then one of a test."""
        test = self._folder.spec.bounds is not None
        return bool(done.result.losers) or (test and since * OFTEN >= counted)

    def _still(self, state: EventState) -> list[Unit]:
        return [unit for unit in state.missing if unit.id not in self._running]

    def _fill(self, waiting: list[Unit]) -> None:
        while waiting and len(self._running) < self._executor.slots:
            unit = waiting.pop(pick(waiting, list(self._running.values())))
            self._running[unit.id] = unit
            self._executor.submit(unit_work(self._folder.spec, unit, self._seed))


def pick(waiting: Sequence[Unit], running: Sequence[Unit]) -> int:
    """The place of the unit to play next: the first whose entries are not playing, else the first.

    So an entry that takes all its time holds up its own units only, while there are others.
    """
    busy = {entry for unit in running for entry in (unit.a, unit.b)}
    for place, unit in enumerate(waiting[:AHEAD]):
        if unit.a not in busy and unit.b not in busy:
            return place
    return 0
