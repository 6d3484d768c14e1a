"""Lines from standard input, without ever blocking the event loop or the end of the program."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable


class LineInput:
    """Reads a file descriptor in a thread of its own and hands out whole lines.

    The descriptor is read directly: a thread that waits inside ``sys.stdin`` holds a lock that the end of
    the program would stumble over.
    """

    def __init__(self, descriptor: int, arrived: Callable[[], None]) -> None:
        """``arrived`` is called on the event loop whenever there is something to take."""
        self.is_terminal = os.isatty(descriptor)
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._ends = 0
        self._arrived = arrived
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._read, name="input", daemon=True)
        self._thread.start()

    @property
    def ended(self) -> bool:
        """Whether the input is at its end and every line of it was taken."""
        return not self._lines and self._ends > 0

    def take_end(self) -> None:
        """Notes an end of input as seen; on a terminal more may follow."""
        self._ends = 0

    def take(self) -> str | None:
        """The next line that has arrived, if there is one."""
        return self._lines.popleft() if self._lines else None

    def _read(self) -> None:
        data = b""
        while True:
            try:
                chunk = os.read(self._descriptor, 65_536)
            except OSError:
                # A terminal that has hung up does not come back: this end is the last.
                self.is_terminal = False
                chunk = b""
            *lines, data = (data + chunk).split(b"\n")
            if not chunk and data:
                lines.append(data)
                data = b""
            self._tell([line.decode(errors="replace") for line in lines], ended=not chunk)
            if not chunk and not self.is_terminal:
                return

    def _tell(self, lines: list[str], *, ended: bool) -> None:
        def arrive() -> None:
            self._lines.extend(lines)
            self._ends += ended
            self._arrived()

        # The loop may be gone when the program ends.
        if not self._loop.is_closed():
            try:
                self._loop.call_soon_threadsafe(arrive)
            except RuntimeError:
                return
