"""The one timer of a table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

LONGEST_S: Final = 60.0
"""After so long a timer looks at the clock again, whatever it waits for: the clock may have jumped."""

LATE_S: Final = 0.001
"""How much later than its time a timer goes off: a deadline is never met early."""


class Handle(Protocol):
    """A timer of an event loop."""

    def cancel(self) -> None:
        """Has it not go off."""
        ...


CallLater = Callable[[float, Callable[[], None]], Handle]
"""Has something called after so many seconds."""


def _on_this_loop(delay_s: float, then: Callable[[], None]) -> Handle:
    return asyncio.get_running_loop().call_later(delay_s, then)


class Deadline:
    """Calls back at a time that may be set anew at every moment.

    The deadline of a table moves on with every card, and setting a timer is dear: so one that goes off before
    the deadline is left as it is, and looks anew then.
    """

    def __init__(
        self,
        clock: Callable[[], int],
        reached: Callable[[], None],
        call_later: CallLater = _on_this_loop,
    ) -> None:
        """``clock`` is in microseconds; ``reached`` is called when the deadline is."""
        self._clock = clock
        self._reached = reached
        self._call_later = call_later
        self._due_us: int | None = None
        self._handle: Handle | None = None
        self._goes_off_us = 0

    def set(self, due_us: int | None) -> None:
        """Sets the deadline; ``None``: there is none."""
        self._due_us = due_us
        if self._handle is not None:
            if due_us is not None and self._goes_off_us <= due_us:
                return
            self._handle.cancel()
            self._handle = None
        if due_us is not None:
            delay_s = min(max(due_us - self._clock(), 0) / 1_000_000 + LATE_S, LONGEST_S)
            self._goes_off_us = due_us
            self._handle = self._call_later(delay_s, self._look)

    def _look(self) -> None:
        self._handle = None
        assert self._due_us is not None, "without a deadline no timer goes off"
        if self._clock() < self._due_us:
            self.set(self._due_us)
        else:
            self._due_us = None
            self._reached()
