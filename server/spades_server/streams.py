"""All open streams of a server: their number is limited, and the idle ones get heartbeats."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

from spades import Reason, TableError
from spades_proto.frames import Goodbye, GoodbyeReason
from spades_server.feeds import HEARTBEAT_S
from spades_server.round_trips import RoundTrip


class Mailbox(Protocol):
    """What a stream writes from."""

    goodbye: Goodbye | None
    """Why the stream ends, once it does."""

    @property
    def round_trip(self) -> RoundTrip | None:
        """Measures the stream's round trip, if that is of use."""
        ...

    def beat(self, chunk: bytes, *, always: bool = False) -> None:
        """Takes a heartbeat, unless something was sent since the last one, or ``always``."""
        ...


class Streams:
    """Counts open streams and keeps the idle ones alive."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.slow = 0
        """How many streams were ended since they were not read."""
        self._open: dict[Mailbox, Callable[[int], bytes]] = {}

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
    def open(self, mailbox: Mailbox, heartbeat: Callable[[int], bytes]) -> Generator[None]:
        """Counts a stream while it is open; ``heartbeat`` encodes what it gets when it is idle.

        Its argument is the number to be echoed, or 0.
        """
        self._open[mailbox] = heartbeat
        try:
            yield
        finally:
            del self._open[mailbox]
            goodbye = mailbox.goodbye
            self.slow += goodbye is not None and goodbye.reason is GoodbyeReason.SLOW_CONSUMER

    async def keep_alive(self) -> None:
        """Sends heartbeats for ever: one task for all streams, not a timer for each."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            now_s = asyncio.get_running_loop().time()
            for mailbox, heartbeat in list(self._open.items()):
                trip = mailbox.round_trip
                echo = 0 if trip is None else trip.ask(now_s)
                mailbox.beat(heartbeat(echo), always=bool(echo))
