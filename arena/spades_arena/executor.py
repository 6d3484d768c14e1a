"""Where units are played: a seam of four methods, and the way that stays in this process."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Protocol

from spades_arena.cast import Cast
from spades_arena.stderr import StderrFiles
from spades_arena.unit import PlayedUnit, UnitWork, play_unit
from spades_arena.watch import Unwatched


class Executor(Protocol):
    """Plays units, several at once perhaps; each comes back once, in whatever order."""

    @property
    def slots(self) -> int:
        """How many units it can play at once."""
        ...

    def submit(self, work: UnitWork) -> None:
        """Takes a unit; never more than :attr:`slots` that have not come back."""
        ...

    def next_finished(self, timeout_s: float) -> PlayedUnit | None:
        """Waits for a unit and gives it, or ``None`` when the time is over."""
        ...

    def close(self) -> None:
        """Drops what is being played and gives up all it holds."""
        ...


class InProcess:
    """Plays one unit at a time in this process, whose agents cannot be ended: for those one trusts."""

    def __init__(self, stderr: StderrFiles | None = None) -> None:
        self._runner = asyncio.Runner()
        self._cast = Cast(stderr)
        self._waiting: deque[UnitWork] = deque()

    @property
    def slots(self) -> int:
        """One."""
        return 1

    def submit(self, work: UnitWork) -> None:
        """Keeps a unit until it is asked for."""
        self._waiting.append(work)

    def next_finished(self, timeout_s: float) -> PlayedUnit | None:
        """Plays the unit that waits, however long that takes."""
        del timeout_s
        if not self._waiting:
            return None
        work = self._waiting.popleft()
        return self._runner.run(play_unit(work, self._cast, Unwatched()))

    def close(self) -> None:
        """Closes the loop."""
        self._runner.close()
