"""A worker: a process that plays units and says at any moment for whom it waits."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from typing import Any, Final

from spades import Seat
from spades_agents.collector import settle
from spades_arena.cast import Cast
from spades_arena.stderr import StderrFiles
from spades_arena.unit import UnitWork, play_unit

CALLS: Final = 0
"""The place of the counter of calls in what a worker shares."""
SEAT: Final = 1
"""The place of the seat that is being asked; -1 for none."""
TABLE: Final = 2
ALLOWED_MS: Final = 3
STARTING: Final = 4
"""1 while the agent is being started."""
PLACES: Final = 5


class SharedWatch:
    """Writes into memory that the parent reads, also when this process is no more."""

    def __init__(self, shared: Any) -> None:
        self._cells = memoryview(shared).cast("B").cast("q")

    def begin(self, table: int, seat: Seat, allowed_ms: int, *, starting: bool = False) -> None:
        """Tells who is asked, and then that a new call began."""
        cells = self._cells
        cells[TABLE] = table
        cells[ALLOWED_MS] = allowed_ms
        cells[STARTING] = starting
        cells[SEAT] = seat
        cells[CALLS] += 1

    def end(self) -> None:
        """Tells that nobody is asked."""
        self._cells[SEAT] = -1


def work_on(pipe: Connection, shared: Any, stderr: StderrFiles | None) -> None:
    """Plays what comes through the pipe until it is closed."""
    # Ctrl-C reaches the whole group: it is the parent that decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    watch, cast = SharedWatch(shared), Cast(stderr)
    settle()
    with asyncio.Runner() as runner:
        while (work := _next_work(pipe)) is not None:
            pipe.send(runner.run(play_unit(work, cast, watch)))
        # A thread in which an agent still computes would be waited for.
        os._exit(0)


def _next_work(pipe: Connection) -> UnitWork | None:
    try:
        work = pipe.recv()
    except EOFError:
        return None
    assert isinstance(work, UnitWork) or work is None, "a worker is sent work"
    return work


def _end_with(sentinel: int) -> None:
    """Ends this process when its parent has ended, whatever an agent is doing."""
    wait([sentinel])
    os._exit(1)
