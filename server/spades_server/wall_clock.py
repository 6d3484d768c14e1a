"""The time by which a server counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

_STARTED_US: Final = time.time_ns() // 1_000 - time.monotonic_ns() // 1_000


def wall_clock() -> int:
    """The time in microseconds since the Unix epoch, as it was at the start and steady since then.

    A clock that is set while matches are played, or a machine that sleeps, hurries nobody.
    """
    return _STARTED_US + time.monotonic_ns() // 1_000


class ServerClock:
    """The time of a server, which is never before what its tables have seen already."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._ahead_us = 0

    def __call__(self) -> int:
        """The time in microseconds."""
        return self._clock() + self._ahead_us

    def begin_after(self, latest_us: int) -> None:
        """Goes on from a time, where the machine's clock is behind it: else the tables would wait."""
        self._ahead_us = max(latest_us - self._clock(), 0)
