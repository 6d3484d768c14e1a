"""The SDK's connection to a server, with everything that goes over it noted in a history."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Final, Self, cast

from grpc import aio

from spades import Reason
from spades_agents import Server
from spades_proto import wire
from spades_proto.channel import CLIENT_OPTIONS
from spades_proto.status import error_of
from spades_proto.v1 import agents_pb2, agents_pb2_grpc, frame_pb2, tables_pb2, tables_pb2_grpc
from tests.faults.history import Deed, History, Stream

Metadata = Sequence[tuple[str, str]]
WatchCall = aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse]
AgentCall = aio.StreamStreamCall[agents_pb2.ConnectRequest, agents_pb2.ConnectResponse]


OWN_LINE: Final = ("grpc.use_local_subchannel_pool", 1)
"""Without it all clients of a process share one TCP connection, and fail together."""


class RecordingServer(Server):
    """A connection, over a line of its own, whose feeds and commands are noted."""

    history: History
    name: str

    @classmethod
    def to(cls, target: str, history: History, token: str = "") -> RecordingServer:
        """Makes a connection that notes what goes over it; it is opened like any other."""
        made = cls(target, token)
        made.history, made.name = history, ""
        return made

    async def __aenter__(self) -> Self:
        self._channel = aio.insecure_channel(self.target, options=(*CLIENT_OPTIONS, OWN_LINE))
        return self

    async def register(self, name: str) -> str:
        """Takes a name."""
        self.name = await super().register(name)
        return self.name

    def tables(self) -> tables_pb2_grpc.TablesStub:
        """The service for watching and acting."""
        return cast("tables_pb2_grpc.TablesStub", _Tables(self, super().tables()))

    def agents(self) -> agents_pb2_grpc.AgentsStub:
        """The service for agents."""
        return cast("agents_pb2_grpc.AgentsStub", _Agents(self, super().agents()))


class _Tables:
    def __init__(self, server: RecordingServer, stub: tables_pb2_grpc.TablesStub) -> None:
        self._server = server
        self._stub = stub

    def Watch(self, request: tables_pb2.WatchRequest, *, metadata: Metadata) -> _Watching:  # noqa: N802
        call = self._stub.Watch(request, metadata=tuple(metadata))
        seat = wire.optional_seat(request.seat)
        stream = Stream(request.table, seat, request.epoch, request.after)
        return _Watching(call, self._server.history.open(stream))

    async def Act(  # noqa: N802
        self,
        request: tables_pb2.ActRequest,
        *,
        metadata: Metadata,
        timeout: float,  # noqa: ASYNC109
    ) -> tables_pb2.ActResponse:
        deed = self._server.history.send(self._server.name, request.command)
        call = self._stub.Act(request, metadata=tuple(metadata), timeout=timeout)
        return await _answered(deed, call)


async def _answered(deed: Deed, call: Awaitable[tables_pb2.ActResponse]) -> tables_pb2.ActResponse:
    try:
        response = await call
    except aio.AioRpcError as error:
        refusal = error_of(error)
        if refusal is not None and refusal.reason is not Reason.DRAINING:
            # A server that stops answers nothing: the same request is sent again to the next.
            deed.refusals.append(refusal.reason.name)
        raise
    deed.answers.append(response.seq)
    return response


class _Watching:
    """A call of Watch whose frames are noted as they are read."""

    def __init__(self, call: WatchCall, stream: Stream) -> None:
        self._call = call
        self._stream = stream

    async def read(self) -> object:
        response = await self._call.read()
        if isinstance(response, tables_pb2.WatchResponse):
            self._stream.frames += response.frames
        return response

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)


class _Agents:
    def __init__(self, server: RecordingServer, stub: agents_pb2_grpc.AgentsStub) -> None:
        self._server = server
        self._stub = stub

    def Connect(self, *, metadata: Metadata) -> _Lane:  # noqa: N802
        return _Lane(self._stub.Connect(metadata=tuple(metadata)), self._server)


class _Lane:
    """A call of Connect whose frames and commands are noted."""

    def __init__(self, call: AgentCall, server: RecordingServer) -> None:
        self._call = call
        self._server = server
        self._streams: dict[tuple[str, int], Stream] = {}
        self._points: dict[tuple[str, int], agents_pb2.ResumePoint] = {}

    async def write(self, request: agents_pb2.ConnectRequest) -> None:
        for point in request.hello.resume:
            self._points[point.table, point.seat] = point
        for command in request.commands:
            self._server.history.send(self._server.name, command)
        await self._call.write(request)

    async def read(self) -> object:
        response = await self._call.read()
        if isinstance(response, agents_pb2.ConnectResponse):
            for some in response.frames:
                self._take(some.table, some.seat, some.frames)
            for answered in response.answered:
                deed = self._server.history.deeds[self._server.name, answered.request_id]
                if answered.HasField("refusal"):
                    deed.refusals.append(wire.refusal_from_wire(answered.refusal).reason.name)
                else:
                    deed.answers.append(answered.seq)
        return response

    def _take(self, table: str, seat: Any, frames: Sequence[frame_pb2.Frame]) -> None:
        stream = self._streams.get((table, seat))
        if stream is None:
            point = self._points.get((table, seat))
            epoch, after = (point.epoch, point.after) if point else (0, 0)
            stream = Stream(table, wire.SEAT.from_wire(seat), epoch, after)
            self._streams[table, seat] = self._server.history.open(stream)
        stream.frames += frames

    def __getattr__(self, name: str) -> Any:
        return getattr(self._call, name)
