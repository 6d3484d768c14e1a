"""Units in processes of their own, with somebody who looks after them from outside."""

from __future__ import annotations

import multiprocessing
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from typing import Any, Final

from spades import Seat
from spades_arena.faults import Cause, Evidence, Fault, cause_of
from spades_arena.results import TableResult
from spades_arena.stderr import StderrFiles
from spades_arena.unit import PlayedUnit, UnitWork, score_unit, void_unit
from spades_arena.worker import ALLOWED_MS, CALLS, PLACES, SEAT, STARTING, TABLE, work_on

GRACE_S: Final = 2.0
"""How long beyond its limit an agent may compute before its process is ended."""

ATTEMPTS: Final = 3
"""How often a unit is tried that the organiser's side broke off."""

LOOK_S: Final = 0.1
"""How often the open decisions are looked at."""


@dataclass
class _Worker:
    """A process and what is known of it."""

    process: BaseProcess
    pipe: Connection
    shared: Any
    work: UnitWork | None = None
    calls: int = -1
    """The call that was open when it was last looked at."""
    since: float = 0.0
    """When that call was first seen."""


class Workers:
    """A pool of processes; an agent that kills its process, or never comes back, costs its own game only."""

    def __init__(
        self, jobs: int, grace_s: float = GRACE_S, stderr: StderrFiles | None = None
    ) -> None:
        assert jobs >= 1, "somebody has to play"
        self._context = multiprocessing.get_context("spawn")
        self._grace_s = grace_s
        self._stderr = stderr
        self._workers: list[_Worker] = []
        self._ready: list[PlayedUnit] = []
        self._jobs = jobs

    @property
    def slots(self) -> int:
        """The number of processes."""
        return self._jobs

    def submit(self, work: UnitWork) -> None:
        """Gives a unit to a process that is free, or to a new one."""
        worker = next((one for one in self._workers if one.work is None), None)
        if worker is None:
            assert len(self._workers) < self._jobs, "no more units than slots"
            worker = self._start()
        worker.work = work
        worker.calls = -1
        try:
            worker.pipe.send(work)
        except OSError:
            # It died while it was idle: `next_finished` finds that out and replays the unit.
            return

    def next_finished(self, timeout_s: float) -> PlayedUnit | None:
        """Waits for a result, the end of a process, or a decision that has been open for too long."""
        until = time.monotonic() + timeout_s
        while not self._ready:
            left = until - time.monotonic()
            if left <= 0:
                return None
            self._wait(min(left, LOOK_S))
        return self._ready.pop(0)

    def close(self) -> None:
        """Ends all processes."""
        for worker in self._workers:
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    def _start(self) -> _Worker:
        here, there = self._context.Pipe()
        shared = RawArray("q", PLACES)
        shared[SEAT] = -1
        process = self._context.Process(
            target=work_on, args=(there, shared, self._stderr), daemon=True
        )
        process.start()
        there.close()
        worker = _Worker(process, here, shared)
        self._workers.append(worker)
        return worker

    def _wait(self, timeout_s: float) -> None:
        busy = [worker for worker in self._workers if worker.work is not None]
        wait([*(one.pipe for one in busy), *(one.process.sentinel for one in busy)], timeout_s)
        for worker in busy:
            if worker.pipe.poll():
                self._receive(worker)
            elif not worker.process.is_alive():
                self._bury(worker)
            elif self._is_overdue(worker):
                self._end_overdue(worker)

    def _receive(self, worker: _Worker) -> None:
        try:
            done = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join()
            self._bury(worker)
            return
        assert isinstance(done, PlayedUnit), "a worker answers with a unit"
        worker.work = None
        self._ready.append(done)

    def _is_overdue(self, worker: _Worker) -> bool:
        """Whether the same call has been open for longer than it may, seen by this process's clock."""
        shared, now = worker.shared, time.monotonic()
        if shared[SEAT] < 0 or shared[CALLS] != worker.calls:
            worker.calls, worker.since = shared[CALLS], now
            return False
        return bool(now - worker.since > shared[ALLOWED_MS] / 1000 + self._grace_s)

    def _end_overdue(self, worker: _Worker) -> None:
        work = worker.work
        assert work is not None, "only a busy worker is looked at"
        allowed = worker.shared[ALLOWED_MS] / 1000
        said = f"It did not come back within {allowed:g} s, and its process was ended."
        if worker.shared[STARTING]:
            evidence = Evidence(no_start=said)
        elif work.limits.control:
            evidence = Evidence(late=said)
        else:
            evidence = Evidence(stalled=said)
        worker.process.kill()
        worker.process.join()
        self._forfeit(worker, evidence)

    def _bury(self, worker: _Worker) -> None:
        """Finds out why a process ended: the agent that was being asked is to blame, unless it was killed."""
        worker.process.join()
        code = worker.process.exitcode
        said = f"The process ended with exit status {code}"
        ours = worker.shared[SEAT] < 0 or code in _FROM_OUTSIDE
        starting = bool(worker.shared[STARTING])
        evidence = Evidence(
            infrastructure=f"{said}, and no agent was at fault." if ours else "",
            no_start=f"{said} while the agent was started." if starting else "",
            ended=f"{said} while the agent was asked.",
        )
        self._forfeit(worker, evidence)

    def _forfeit(self, worker: _Worker, evidence: Evidence) -> None:
        """Ends a unit by what is known of it; one that broke down on this side is played again."""
        work = worker.work
        assert work is not None, "only a busy worker has a unit"
        seat, place = worker.shared[SEAT], worker.shared[TABLE]
        self._drop(worker)
        found = cause_of(evidence)
        assert found is not None, "a unit ends for a cause"
        cause, said = found
        if cause is not Cause.INFRA:
            self._ready.append(forfeited_by(work, place, Seat(seat), cause, said))
        elif work.attempt < ATTEMPTS:
            self.submit(replace(work, attempt=work.attempt + 1))
        else:
            self._ready.append(void_unit(work.unit, work.attempt, said))

    def _drop(self, worker: _Worker) -> None:
        worker.pipe.close()
        self._workers.remove(worker)


_FROM_OUTSIDE: Final = (-9, -15)
"""What a process ends with that somebody killed: the system, for want of memory, or its owner."""


def forfeited_by(work: UnitWork, place: int, seat: Seat, cause: Cause, said: str) -> PlayedUnit:
    """A unit that a seat has broken off, so that nothing is left of the game but who was asked."""
    table = TableResult(
        place=place,
        winner=seat.side.other,
        totals=(0, 0),
        bags=(0, 0),
        hands=0,
        faults=(Fault(cause, seat, 0, 0, said),),
        forfeited=(seat.side,),
    )
    return PlayedUnit(score_unit(work, (table,)))
