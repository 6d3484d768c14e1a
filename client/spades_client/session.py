"""The client's line to one table: frames in, deeds out, and back again after the line was lost."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Final

import grpc
from grpc import aio

from spades import Reason, Seat, SpadesError, TableError
from spades_agents import Server
from spades_agents.caller import explained
from spades_agents.reconnection import back_off
from spades_client.state import ClientState, FrameMissing, reduce
from spades_proto import wire
from spades_proto.frames import Command, Deed, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.status import error_of
from spades_proto.v1 import tables_pb2

SILENCE_S: Final = 25.0
"""After how long without a frame the line counts as lost: two and a half times the heartbeat."""

RETRY_MOST_S: Final = 1.0
"""How long a person waits at most between two tries: the hand is on the screen."""

LOST_AFTER_S: Final = 120.0
"""After how long without an answer the session gives up."""


_GONE: Final = frozenset((Reason.TOKEN_INVALID, Reason.TABLE_NOT_FOUND))

_GOODBYE_CODES: Final = {
    grpc.StatusCode.ABORTED: Reason.REPLACED,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Reason.SLOW_CONSUMER,
}
"""What a feed's status says where there is nothing beside it."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A frame arrived and made a new state."""

    old: ClientState
    frame: Frame
    new: ClientState


@dataclass(frozen=True, slots=True)
class LineLost:
    """The server does not answer; the session goes on trying."""

    sentence: str


@dataclass(frozen=True, slots=True)
class LineBack:
    """The server answers again."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over and does not come back."""

    sentence: str
    refusal: SpadesError | None = None
    """Why, where it was not to be expected."""


Update = Changed | LineLost | LineBack | Ended


class TableSession:
    """One viewer's feed of one table. The state is in :attr:`state`, and only frames change it."""

    def __init__(self, server: Server, table: str, seat: Seat | None) -> None:
        self.server = server
        self.table = table
        self.state = ClientState(seat)
        self._news = asyncio.Event()
        self._skew_us = 0.0
        """How far the server's clock is ahead of the event loop's."""
        self._echoes: set[asyncio.Task[None]] = set()

    @property
    def server_now_us(self) -> int:
        """What the server's clock shows now, in microseconds since the Unix epoch."""
        return round(asyncio.get_running_loop().time() * 1_000_000 + self._skew_us)

    async def updates(self) -> AsyncGenerator[Update]:
        """Yields what happens until the session ends; a lost line is found again by itself."""
        attempt = 0
        lost_since: float | None = None
        loop = asyncio.get_running_loop()
        while True:
            try:
                async for update in self._stream():
                    if lost_since is not None:
                        lost_since = None
                        yield LineBack()
                    attempt = 0
                    yield update
                    if isinstance(update, Ended):
                        return
            except FrameMissing:
                # What is missing is asked for at once, from the last position that was seen.
                continue
            except _Again as again:
                if again.sentence and lost_since is None:
                    lost_since = loop.time()
                    yield LineLost(again.sentence)
                await asyncio.sleep(again.after_s)
                continue
            except aio.AioRpcError as error:
                refusal = _why_ended(error, self.server.target)
                if refusal.reason is Reason.SLOW_CONSUMER:
                    await asyncio.sleep(back_off(1))
                    continue
                if not _may_pass(error):
                    if self.state.table is not None and refusal.reason in _GONE:
                        # Whoever sat here had a token and a table a moment ago.
                        refusal = TableError(
                            f"The server at {self.server.target} was started anew, and table"
                            f" {self.table} is gone.",
                            refusal.reason,
                        )
                    yield Ended(refusal.sentence, refusal)
                    return
                attempt += 1
                now = loop.time()
                if lost_since is None:
                    lost_since = now
                    sentence = f"The line to {self.server.target} is lost; trying to come back."
                    if error_of(error) is not None:
                        sentence = refusal.sentence
                    yield LineLost(sentence)
                elif now - lost_since > LOST_AFTER_S:
                    yield Ended(f"The server at {self.server.target} did not come back.", refusal)
                    return
                await asyncio.sleep(min(back_off(attempt), RETRY_MOST_S))

    async def act(self, deed: Deed, seen: ClientState, decision: int = 0) -> None:
        """Does something at the table; sent again over a broken line until it is answered.

        ``seen`` is the state that the player acts on, which may be older than :attr:`state`.

        It is over when :attr:`state` shows it. The request id stays the same, so that it is done once
        however often it is sent.

        :raises SpadesError: if it is refused, or the server does not answer for long.
        """
        command = Command(
            self.table,
            deed,
            seen.seat,
            request_id=uuid.uuid4().hex,
            decision=decision,
            epoch=seen.epoch,
            hand_number=0 if decision else seen.hand_number,
        )
        loop = asyncio.get_running_loop()
        give_up = loop.time() + LOST_AFTER_S
        attempt = 0
        while True:
            try:
                seq = await self.server.act(command)
            except SpadesError as refusal:
                # A server that is stopping, or is not there, has not done it; the one that comes back will.
                attempt += 1
                if refusal.reason is not Reason.DRAINING or loop.time() > give_up:
                    raise
                await asyncio.sleep(min(back_off(attempt), RETRY_MOST_S))
            else:
                await self._follow(command.epoch, seq)
                return

    async def _follow(self, epoch: int, seq: int) -> None:
        """Waits for an event: until it is there the decision that it answers looks open."""
        await self.until(lambda: self.state.epoch != epoch or self.state.seq >= seq)

    async def until(self, seen: Callable[[], bool]) -> None:
        """Waits until the state shows something."""
        while not seen():
            self._news.clear()
            await self._news.wait()

    async def _stream(self) -> AsyncGenerator[Update]:
        request = tables_pb2.WatchRequest(
            table=self.table,
            seat=wire.optional_seat_to_wire(self.state.seat),
            epoch=self.state.epoch,
            after=self.state.seq,
        )
        call = self.server.tables().Watch(request, metadata=self.server.metadata)
        try:
            while True:
                response = await _read(call)
                for message in response.frames:
                    frame = wire.frame_from_wire(message, self.state.seat, self.state.deck)
                    if frame is None:
                        # A kind that is not known here is counted; a snapshot makes up for it.
                        self.state = ClientState(self.state.seat)
                        raise FrameMissing("something unknown happened")
                    if isinstance(frame.payload, Goodbye):
                        yield _ended(frame.payload)
                        return
                    if isinstance(frame.payload, Heartbeat) and frame.payload.echo:
                        self._echo(frame.payload.echo)
                    now_us = asyncio.get_running_loop().time() * 1_000_000
                    self._skew_us = frame.server_time_us - now_us
                    old = self.state
                    self.state = reduce(old, frame)
                    self._news.set()
                    # A heartbeat changes nothing, and shows that the line is there.
                    yield Changed(old, frame, self.state)
        finally:
            call.cancel()

    def _echo(self, number: int) -> None:
        """Sends an echo back, so that the way to the server is not counted as thinking."""
        if self.state.seat is None:
            return

        async def echo(seat: Seat) -> None:
            with contextlib.suppress(SpadesError):
                await self.server.echo(self.table, seat, number)

        task = asyncio.create_task(echo(self.state.seat))
        self._echoes.add(task)
        task.add_done_callback(self._echoes.discard)


class _Again(Exception):
    """The server asks to come back after some seconds; not an error."""

    def __init__(self, after_s: float, sentence: str = "") -> None:
        super().__init__(after_s)
        self.after_s = after_s
        self.sentence = sentence
        """What to tell the player; nothing where coming back takes no time."""


async def _read(
    call: aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse],
) -> tables_pb2.WatchResponse:
    # Waiting with a limit would cancel the whole call, so the read is waited for beside a limit.
    reading = asyncio.ensure_future(call.read())
    # Whoever leaves waits for no answer, and a feed that ends just then is nobody's failure.
    reading.add_done_callback(lambda read: read.cancelled() or read.exception())
    done, _ = await asyncio.wait({reading}, timeout=SILENCE_S)
    if not done:
        reading.cancel()
        raise _Again(0.0)
    response = reading.result()
    if isinstance(response, tables_pb2.WatchResponse):
        return response
    if await call.code() is grpc.StatusCode.OK:
        raise _Again(0.5)
    raise aio.AioRpcError(
        await call.code(),
        aio.Metadata(*(await call.initial_metadata() or ())),
        aio.Metadata(*(await call.trailing_metadata() or ())),
        await call.details(),
        None,
    )


def _ended(goodbye: Goodbye) -> Ended:
    if goodbye.reason is GoodbyeReason.TABLE_CLOSED:
        return Ended(goodbye.sentence)
    if goodbye.retry_after_ms is not None:
        stopping = goodbye.reason is GoodbyeReason.DRAINING
        raise _Again(goodbye.retry_after_ms / 1000, goodbye.sentence if stopping else "")
    return Ended(goodbye.sentence, TableError(goodbye.sentence, Reason.REPLACED))


def _why_ended(error: aio.AioRpcError, target: str) -> SpadesError:
    """Reads the end of a feed from its status.

    gRPC may drop a last message that is followed by an error at once, so the goodbye can be missing.
    """
    reason = _GOODBYE_CODES.get(error.code())
    if reason is not None and error_of(error) is None:
        return TableError(error.details() or reason.value, reason)
    return explained(error, target)


def _may_pass(error: aio.AioRpcError) -> bool:
    """Whether a failed call is one that another try may mend."""
    return error.code() in (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
    )
