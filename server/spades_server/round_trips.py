"""How long a message takes to a client and back: measured by an echo now and then."""

from __future__ import annotations

from typing import Final

EVERY_S: Final = 30.0
"""How often a stream's round trip is measured."""


class RoundTrip:
    """The echoes of one stream. The time is that of the event loop, in seconds."""

    def __init__(self) -> None:
        self._number = 0
        self._asked_s: float | None = None
        self._open = False

    def ask(self, now_s: float) -> int:
        """The number to be echoed, or 0 while there is no need to measure."""
        if self._asked_s is not None and now_s < self._asked_s + EVERY_S:
            return 0
        self._number += 1
        self._asked_s = now_s
        self._open = True
        return self._number

    def echoed(self, number: int, now_s: float) -> int | None:
        """The round trip in microseconds; ``None`` for an echo that nobody waits for."""
        if not self._open or number != self._number or self._asked_s is None:
            return None
        self._open = False
        return round((now_s - self._asked_s) * 1_000_000)
