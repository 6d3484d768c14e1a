"""A line to a server that misbehaves: what a server or a network may do, and a bot must bear."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from enum import Enum
from typing import Any, Final, TypeVar

import grpc
from grpc import aio

from spades import Reason
from spades_proto import wire
from spades_proto.channel import CLIENT_OPTIONS, SERVER_OPTIONS
from spades_proto.v1 import agents_pb2

CONNECT: Final = "/spades.v1.Agents/Connect"

EVERY: Final = 4
"""After so many messages with frames a line breaks, or frames come in the wrong order."""

_NEWER: Final = bytes((0xC2, 0x3E, 0x03)) + b"new"
"""A field that no version has yet: number 1000, three bytes of text."""

_PASSED_ON: Final = frozenset({"authorization", "spades-protocol", "spades-software"})

Metadata = tuple[tuple[str, str | bytes], ...]
Call = aio.StreamStreamCall[bytes, bytes]
T = TypeVar("T")
Context = aio.ServicerContext[bytes, bytes]


class Trick(Enum):
    """What the line does; the value says how a bot must take it."""

    NONE = "plays on a server"
    REPEATED = "takes a message that comes twice for one"
    LATE = "is not led astray by an old message that comes again"
    REORDERED = "asks again when frames come in the wrong order"
    DROPPED = "comes back when the line breaks"
    NEWER = "passes over fields that it does not know"


class CrookedLine(grpc.GenericRpcHandler):
    """Passes all calls on to a server, and plays a trick on what agents receive."""

    def __init__(self, channel: aio.Channel, trick: Trick) -> None:
        self._channel = channel
        self._trick = trick
        self._count = 0
        """How many messages with frames have come."""
        self._former = b""
        self.played = 0
        """How often the trick was played."""
        self.refusals: list[str] = []
        """Why commands of the bot were refused, but for those that only came too late."""

    def service(
        self, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """Finds who answers a call: for all calls the server behind, and no message is looked at."""
        method = str(handler_call_details.method)
        if method == CONNECT:
            return grpc.stream_stream_rpc_method_handler(self._connect)

        async def forward(request: bytes, context: Context) -> bytes:
            call: aio.UnaryUnaryMultiCallable[bytes, bytes] = self._channel.unary_unary(method)
            answer = call(request, metadata=_metadata(context), timeout=context.time_remaining())
            return await _passed_on(context, answer)

        return grpc.unary_unary_rpc_method_handler(forward)

    async def _connect(
        self, requests: AsyncIterator[bytes], context: Context
    ) -> AsyncIterator[bytes]:
        connect: aio.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(CONNECT)
        call = connect(metadata=_metadata(context))
        pump = asyncio.create_task(_pump(requests, call))
        try:
            while True:
                data = await _passed_on(context, call.read())
                if not isinstance(data, bytes):
                    return
                async for crooked in self._twisted(data, context):
                    yield crooked
        finally:
            pump.cancel()
            call.cancel()
            with contextlib.suppress(asyncio.CancelledError, aio.AioRpcError):
                await pump

    async def _twisted(self, data: bytes, context: Context) -> AsyncGenerator[bytes]:
        response = agents_pb2.ConnectResponse.FromString(data)
        self._note(response)
        if not response.frames:
            yield data
            return
        self._count += 1
        former, self._former = self._former, data
        # Each trick is played anew on what comes when a bot asks again, or it would never come through.
        due = self._count % EVERY == 0
        match self._trick:
            case Trick.REPEATED:
                self.played += 1
                yield data
                yield data
            case Trick.LATE if former:
                self.played += 1
                yield data
                yield former
            case Trick.REORDERED if due and _reverse(response):
                self.played += 1
                yield response.SerializeToString()
            case Trick.DROPPED if due:
                self.played += 1
                await context.abort(grpc.StatusCode.UNAVAILABLE, "the line broke")
            case Trick.NEWER:
                self.played += 1
                yield data + _NEWER
            case _:
                yield data

    def _note(self, response: agents_pb2.ConnectResponse) -> None:
        for answered in response.answered:
            if answered.HasField("refusal"):
                refusal = wire.refusal_from_wire(answered.refusal)
                if refusal.reason is not Reason.STALE_DECISION:
                    self.refusals.append(refusal.sentence)


def _reverse(response: agents_pb2.ConnectResponse) -> bool:
    """Turns the frames of each seat round; says whether that makes a difference."""
    turned = False
    for some in response.frames:
        frames = list(some.frames)
        if len(frames) > 1:
            turned = True
            del some.frames[:]
            some.frames.extend(reversed(frames))
    return turned


@asynccontextmanager
async def crooked_line(target: str, trick: Trick) -> AsyncGenerator[tuple[str, CrookedLine]]:
    """Opens a line to an unencrypted server of this machine; gives its address."""
    server = aio.server(options=SERVER_OPTIONS)
    async with aio.insecure_channel(target, options=CLIENT_OPTIONS) as channel:
        line = CrookedLine(channel, trick)
        server.add_generic_rpc_handlers((line,))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}", line
        finally:
            await server.stop(0)


async def _pump(requests: AsyncIterator[bytes], call: Call) -> None:
    with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
        async for request in requests:
            await call.write(request)
        await call.done_writing()


async def _passed_on(context: Context, answer: Awaitable[T]) -> T:
    """Waits for an answer of the server behind; its refusals are this line's."""
    try:
        return await answer
    except aio.AioRpcError as error:
        trailing = tuple(error.trailing_metadata() or ())
        await context.abort(error.code(), error.details() or "", trailing)
        raise AssertionError("an abort raises") from error


def _metadata(context: Context) -> Metadata:
    return tuple(
        (key, value) for key, value in context.invocation_metadata() or () if key in _PASSED_ON
    )
