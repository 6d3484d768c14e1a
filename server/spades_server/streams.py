"""All open streams of a server: whose they are, how many there may be, and heartbeats for the idle ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from spades import Reason, TableError
from spades_proto.frames import Goodbye
from spades_server.feeds import HEARTBEAT_S


class Mailbox(Protocol):
    """What a stream writes from."""

    def beat(self, chunk: bytes) -> None:
        """Takes a heartbeat, unless something was sent since the last one."""
        ...


@dataclass(frozen=True, slots=True)
class Stream:
    """What is known of an open stream."""

    player: str
    """The id of whoever opened it."""
    heartbeat: Callable[[], bytes]
    """Encodes what it gets when it is idle."""
    end: Callable[[Goodbye], object]
    """Has it end."""


class Streams:
    """Counts open streams, keeps the idle ones alive, and ends those of one player."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: dict[Mailbox, Stream] = {}

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
    def open(self, mailbox: Mailbox, stream: Stream) -> Generator[None]:
        """Counts a stream while it is open."""
        self._open[mailbox] = stream
        try:
            yield
        finally:
            del self._open[mailbox]

    def end_of(self, player: str, goodbye: Goodbye) -> None:
        """Ends all streams of a player."""
        for stream in list(self._open.values()):
            if stream.player == player:
                stream.end(goodbye)

    async def keep_alive(self) -> None:
        """Sends heartbeats for ever: one task for all streams, not a timer for each."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            for mailbox, stream in list(self._open.items()):
                mailbox.beat(stream.heartbeat())
