"""All open streams of a server: their number is limited, and the idle ones get heartbeats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from spades import Reason, TableError
from spades_server.feeds import HEARTBEAT_S


class Mailbox(Protocol):
    """What a stream writes from."""

    def beat(self, chunk: bytes) -> None:
        """Takes a heartbeat, unless something was sent since the last one."""
        ...


class Streams:
    """Counts open streams and keeps the idle ones alive."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[Mailbox, Callable[[], bytes]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def require_room(self) -> None:
        """Refuses a stream too many.

        :raises TableError: if as many are open as may be.
        """
        if len(self._open) >= self._most:
            raise TableError(
                f"This server feeds {self._most} streams and opens no more.", Reason.TOO_MANY
            )

    @contextmanager
    def open(self, mailbox: Mailbox, heartbeat: Callable[[], bytes]) -> Generator[None]:
        """Counts a stream while it is open; ``heartbeat`` encodes what it gets when it is idle."""
        self._open[mailbox] = heartbeat
        try:
            yield
        finally:
            del self._open[mailbox]

    async def keep_alive(self) -> None:
        """Sends heartbeats for ever: one task for all streams, not a timer for each."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            for mailbox, heartbeat in list(self._open.items()):
                mailbox.beat(heartbeat())
