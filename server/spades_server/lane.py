"""The mailbox of one agent's stream: the frames of all its seats in as few messages as possible."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from spades import Seat
from spades_proto import wire
from spades_proto.frames import Goodbye
from spades_proto.v1 import agents_pb2
from spades_server.goodbyes import SLOW_CONSUMER
from spades_server.mailbox import MAILBOX, nothing
from spades_server.round_trips import RoundTrip

READER_TURNS: Final = 2
"""How often the loop goes round before a message is written: once to notice an arrival, once to read it."""

SEATS_PER_MESSAGE: Final = 32
"""How many seats share a message at most, so that the agent thinks about some while others are served."""

MOST_BYTES: Final = 1 << 20
"""So many bytes of answers an agent may leave unread."""

_FRAMES: Final = agents_pb2.ConnectResponse.FRAMES_FIELD_NUMBER


class Lane:
    """Gathers what is due for one stream; whatever has gathered when the writer is free is one message."""

    def __init__(self, *, on_decision: bool) -> None:
        self.on_decision = on_decision
        """Whether events wait until the seat must act."""
        self.goodbye: Goodbye | None = None
        """Why the stream ends, once it does."""
        self.round_trip = RoundTrip()
        self.on_end: Callable[[], object] = nothing
        self._due: list[bytes] = []
        self._bytes = 0
        """How many bytes are due beside the frames of the seats, which are counted there."""
        self._ready: list[LaneSink] = []
        self._wake = asyncio.Event()
        self._quiet = False

    def sink(self, table: str, seat: Seat, ended: Callable[[], object]) -> LaneSink:
        """The end of the lane for one seat; ``ended`` is called when the seat is fed no more."""
        return LaneSink(self, table, seat, ended)

    def add(self, response: bytes) -> None:
        """Queues an encoded ConnectResponse, which others are joined to."""
        if self.goodbye is not None:
            return
        self._due.append(response)
        self._bytes += len(response)
        if self._bytes > MOST_BYTES:
            self.end(SLOW_CONSUMER)
        self._wake.set()

    def ready(self, sink: LaneSink) -> None:
        """Notes that a seat's frames are due."""
        self._ready.append(sink)
        self._wake.set()

    def end(self, goodbye: Goodbye) -> None:
        """Queues the end of the stream."""
        if self.goodbye is None:
            message = agents_pb2.ConnectResponse(goodbye=wire.goodbye_to_wire(goodbye))
            self._due.append(message.SerializeToString())
            self.goodbye = goodbye
            self._wake.set()
            self.on_end()

    def beat(self, chunk: bytes, *, always: bool = False) -> None:
        """Queues a heartbeat if nothing was sent since the last, or ``always``."""
        if always or (self._quiet and not self._due and not self._ready):
            self.add(chunk)
        self._quiet = True

    async def drain(self) -> bytes:
        """Waits until something is due and returns all of it as one encoded ConnectResponse."""
        if not self._due and not self._ready and self.goodbye is None:
            self._wake.clear()
            await self._wake.wait()
            # Answers that have arrived meanwhile are taken first: what they cause goes into this message too.
            for _ in range(READER_TURNS):
                await asyncio.sleep(0)
        due = self._due
        due += [sink.take() for sink in self._ready[:SEATS_PER_MESSAGE]]
        data = b"".join(due)
        due.clear()
        self._bytes = 0
        del self._ready[:SEATS_PER_MESSAGE]
        self._quiet = False
        return data


class LaneSink:
    """One seat's end of a lane."""

    __slots__ = ("_chunks", "_ended", "_frames", "_is_over", "_is_ready", "_lane", "_tail")

    def __init__(self, lane: Lane, table: str, seat: Seat, ended: Callable[[], object]) -> None:
        self._lane = lane
        self._chunks: list[bytes] = []
        self._frames = 0
        self._is_ready = False
        self._is_over = False
        self._ended = ended
        address = agents_pb2.SeatFrames(table=table, seat=wire.SEAT.to_wire(seat))
        self._tail = address.SerializeToString()

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        """Queues frames until the seat must act, or at once if they are to be flushed."""
        if self._is_over:
            return
        self._chunks.append(chunk)
        self._frames += frames
        if self._frames > MAILBOX:
            self._chunks.clear()
            self._lane.end(SLOW_CONSUMER)
            return
        if not self._is_ready and (flush or not self._lane.on_decision):
            self._is_ready = True
            self._lane.ready(self)

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        """Queues the last frame of the seat; the stream goes on for the others."""
        del goodbye
        self.push(chunk, 1, flush=True)
        # What is written down only now is told to whoever comes back.
        self._is_over = True
        self._ended()

    def take(self) -> bytes:
        """Hands the queued frames over, as an encoded field of a ConnectResponse."""
        self._chunks.append(self._tail)
        data = wire.field_bytes(_FRAMES, b"".join(self._chunks))
        self._chunks.clear()
        self._frames = 0
        self._is_ready = False
        return data
