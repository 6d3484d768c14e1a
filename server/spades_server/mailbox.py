"""A stream's end for what it is sent: one mailbox for each seat or spectator."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, Protocol

from spades_proto.frames import Goodbye
from spades_server.goodbyes import SLOW_CONSUMER
from spades_server.round_trips import RoundTrip

MAILBOX: Final = 256
"""How many frames a reader may be behind before its stream is ended."""


class Sink(Protocol):
    """A stream's end for one seat or one spectator."""

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        """Takes encoded frames; ``flush`` says that they should not wait for a decision."""
        ...

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        """Takes the last frame and the reason of the end."""
        ...


def nothing() -> None:
    """What is done at the end of a stream that nobody looks after."""


class WatchSink:
    """The mailbox of one stream of ``Tables.Watch``."""

    def __init__(self, round_trip: RoundTrip | None = None) -> None:
        """``round_trip`` measures it, where the table has a clock."""
        self._chunks: list[bytes] = []
        self._frames = 0
        self._wake = asyncio.Event()
        self._quiet = False
        self.round_trip = round_trip
        self.on_end: Callable[[], object] = nothing
        self.goodbye: Goodbye | None = None
        """Why the stream ends, once it does."""

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        """Queues frames, or gives the reader up when it is too far behind."""
        del flush
        if self.goodbye is not None:
            return
        self._frames += frames
        if self._frames > MAILBOX:
            self._chunks.clear()
            self.goodbye = SLOW_CONSUMER
            self.on_end()
        else:
            self._chunks.append(chunk)
        self._wake.set()

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        """Queues the last frame."""
        if self.goodbye is None:
            self.goodbye = goodbye
            self._chunks.append(chunk)
            self.on_end()
        self._wake.set()

    def greet(self, chunk: bytes) -> None:
        """Queues a heartbeat where a feed begins with nothing else: whoever comes back sees that it has."""
        if not self._chunks:
            self._chunks.append(chunk)
            self._wake.set()

    def beat(self, chunk: bytes, *, always: bool = False) -> None:
        """Queues a heartbeat if nothing was sent since the last, or ``always``."""
        if always or (self._quiet and not self._chunks):
            self._chunks.append(chunk)
            self._wake.set()
        self._quiet = True

    async def drain(self) -> bytes:
        """Waits for frames and returns all of them, as one encoded WatchResponse."""
        if not self._chunks and self.goodbye is None:
            self._wake.clear()
            await self._wake.wait()
        data = b"".join(self._chunks)
        self._chunks.clear()
        self._frames = 0
        self._quiet = False
        return data
