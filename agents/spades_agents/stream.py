"""The one stream of a player's agents: what is written, what is read, and opened again when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Protocol

import grpc
from grpc import aio

from spades_agents.reconnection import Reconnection, StreamEnded
from spades_agents.server import Server
from spades_proto.v1 import action_pb2, agents_pb2


class Call(Protocol):
    """The part of a bidirectional call that is written to."""

    async def write(self, request: agents_pb2.ConnectRequest) -> None:
        """Sends a request."""
        ...

    async def done_writing(self) -> None:
        """Says that nothing more is sent."""
        ...


class Talk(Protocol):
    """What is said on a stream; the stream itself knows nothing of tables."""

    def hello(self) -> agents_pb2.Hello:
        """What a stream begins with, each time that it is opened."""
        ...

    def check_on(self) -> None:
        """Looks whether there is anything more to say.

        :raises AgentFailure: if the agent is given up.
        """
        ...

    def unanswered(self) -> Sequence[action_pb2.Command]:
        """What is sent again after the hello."""
        ...

    def take(self, response: agents_pb2.ConnectResponse) -> Sequence[action_pb2.Command]:
        """Takes in a response, and gives back what is sent at once."""
        ...


class AgentStream:
    """A bidirectional call to a server, and the next one after its line was lost."""

    def __init__(self, server: Server, report: Callable[[str], None]) -> None:
        self._server = server
        self._reconnection = Reconnection(server.target, report)
        self._writing = asyncio.Lock()
        self._call: Call | None = None
        """The open call, once the hello is out."""

    async def keep_open(self, talk: Talk) -> None:
        """Talks until the server wants no more of it.

        :raises SpadesError: if the connection is lost for good, or refused.
        :raises AgentFailure: if the agent is given up.
        """
        while True:
            talk.check_on()
            try:
                await self._open(talk)
            except StreamEnded as ended:
                await asyncio.sleep(ended.after_ms / 1000)
            except aio.AioRpcError as error:
                await asyncio.sleep(self._reconnection.pause_after(error))

    async def send(self, command: action_pb2.Command) -> None:
        """Sends a command, if the line is there; if not, what is unanswered is sent with the next one."""
        call = self._call
        if call is None:
            return
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await self._write(call, agents_pb2.ConnectRequest(commands=[command]))

    async def finish(self) -> None:
        """Says that nothing more is sent, after whoever is writing; the server ends the stream then."""
        async with self._writing:
            if self._call is not None:
                with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
                    await self._call.done_writing()

    async def _open(self, talk: Talk) -> None:
        call = self._server.agents().Connect(metadata=self._server.metadata)
        try:
            await self._write(call, agents_pb2.ConnectRequest(hello=talk.hello()))
            self._call = call
            if unanswered := talk.unanswered():
                await self._write(call, agents_pb2.ConnectRequest(commands=unanswered))
            # The agent may have been given up while there was no line, so that nobody ended this one.
            talk.check_on()
            while True:
                response = await call.read()
                if not isinstance(response, agents_pb2.ConnectResponse):
                    # The end of the stream: an error if the status says so, a short break if not.
                    if await call.code() is grpc.StatusCode.OK:
                        raise StreamEnded("the server ended the stream", 200)
                    raise await _error_of(call)
                await self._respond(call, talk, response)
        except asyncio.InvalidStateError as error:
            # The call ended between two writes.
            raise StreamEnded("the call ended") from error
        finally:
            self._call = None
            call.cancel()

    async def _respond(self, call: Call, talk: Talk, response: agents_pb2.ConnectResponse) -> None:
        if response.HasField("welcome"):
            self._reconnection.welcomed()
        echo = response.heartbeat.echo
        commands = talk.take(response)
        if commands or echo:
            echoes = (echo,) if echo else ()
            await self._write(call, agents_pb2.ConnectRequest(commands=commands, echoes=echoes))

    async def _write(self, call: Call, request: agents_pb2.ConnectRequest) -> None:
        """Writes to a call, after whoever is writing: gRPC ends a call that is written to twice at once."""
        async with self._writing:
            await call.write(request)


async def _error_of(
    call: aio.StreamStreamCall[agents_pb2.ConnectRequest, agents_pb2.ConnectResponse],
) -> aio.AioRpcError:
    return aio.AioRpcError(
        await call.code(),
        aio.Metadata(*(await call.initial_metadata() or ())),
        aio.Metadata(*(await call.trailing_metadata() or ())),
        details=await call.details(),
    )
