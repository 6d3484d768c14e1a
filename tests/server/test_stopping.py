"""A server process that is told to stop, with streams open and a hand running."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import grpc
import pytest
from grpc import aio

from spades import Reason, Seat
from spades_agents import Server
from spades_agents.trust import ServerUnreachable
from spades_proto import wire
from spades_proto.frames import Goodbye
from spades_proto.status import error_of
from spades_proto.v1 import agents_pb2, card_pb2, tables_pb2
from spades_proto.version import PROTOCOL
from spades_server.goodbyes import DRAINING

Watching = aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse]
Connected = aio.StreamStreamCall[agents_pb2.ConnectRequest, agents_pb2.ConnectResponse]
Spawn = Callable[[], Awaitable[tuple[asyncio.subprocess.Process, str]]]

SCRIPT = Path(__file__).with_name("a_server.py")
GRACE = 5.0
"""Within how many seconds a server ends that was told to stop."""


@pytest.fixture
async def spawn() -> AsyncIterator[Spawn]:
    """Starts a server process; gives it with its address."""
    started: list[asyncio.subprocess.Process] = []

    async def spawned() -> tuple[asyncio.subprocess.Process, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(SCRIPT),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        started.append(process)
        assert process.stdout is not None
        async with asyncio.timeout(60):
            # The server's log comes on the same stream.
            while not (line := (await process.stdout.readline()).strip()).isdigit():
                assert process.returncode is None
        return process, f"127.0.0.1:{int(line)}"

    yield spawned
    for process in started:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def a_running_hand(stack: AsyncExitStack, target: str) -> tuple[list[Server], list[Watching]]:
    """Four players and four spectators at a table whose match has begun."""
    clients: list[Server] = []
    for name in ("Ann", "Bob", "Cid", "Dee"):
        client = await stack.enter_async_context(Server(target))
        await client.register(name)
        clients.append(client)
    code = (await clients[0].create_table()).code
    calls: list[Watching] = []
    for client, seat in zip(clients, Seat, strict=True):
        await client.sit(code, seat)
        for viewer in (wire.SEAT.to_wire(seat), card_pb2.SEAT_UNSPECIFIED):
            request = tables_pb2.WatchRequest(table=code, seat=viewer)
            calls.append(client.tables().Watch(request, metadata=client.metadata))
    for call in calls:
        assert await call.read() is not aio.EOF
    await clients[0].start(code)
    return clients, calls


async def goodbye_of(call: Watching | Connected) -> Goodbye | None:
    """Reads to the end of a stream, which must be told that the server stops.

    The status says the same as the goodbye: gRPC drops what was not read before a status that is no
    success, and with it the goodbye of a reader who was busy. Then this is ``None``.
    """
    last: Goodbye | None = None

    async def read_on() -> None:
        nonlocal last
        while (response := await call.read()) is not aio.EOF:
            last = goodbye_in(response)

    with pytest.raises(aio.AioRpcError) as caught:
        await read_on()
    assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
    assert caught.value.details() == DRAINING.sentence
    refusal = error_of(caught.value)
    assert refusal is not None
    assert refusal.reason is Reason.DRAINING
    return last


def goodbye_in(response: object) -> Goodbye | None:
    if isinstance(response, tables_pb2.WatchResponse):
        frame = response.frames[-1]
        return wire.goodbye_from_wire(frame.goodbye) if frame.HasField("goodbye") else None
    assert isinstance(response, agents_pb2.ConnectResponse)
    return wire.goodbye_from_wire(response.goodbye) if response.HasField("goodbye") else None


async def test_s15_a_stopping_server_says_goodbye_to_all_and_ends_in_time(spawn: Spawn) -> None:
    process, target = await spawn()
    async with AsyncExitStack() as stack:
        clients, calls = await a_running_hand(stack, target)
        lane = clients[0].agents().Connect(metadata=clients[0].metadata)
        await lane.write(agents_pb2.ConnectRequest(hello=agents_pb2.Hello(protocol=PROTOCOL)))
        assert cast("agents_pb2.ConnectResponse", await lane.read()).HasField("welcome")
        streams: list[Watching | Connected] = [*calls[1:], lane]  # Ann's lane took her seat over.
        reading = [asyncio.create_task(goodbye_of(call)) for call in streams]
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(GRACE):
            goodbyes = await asyncio.gather(*reading)
            status = await process.wait()
        assert status == 0
        assert set(goodbyes) <= {DRAINING, None}
        with pytest.raises(ServerUnreachable):
            await clients[1].me()
    _, errors = await process.communicate()
    assert b"Traceback" not in errors


async def test_s15_a_server_without_streams_ends_at_once_with_status_0(spawn: Spawn) -> None:
    process, _ = await spawn()
    process.send_signal(signal.SIGTERM)
    assert await asyncio.wait_for(process.wait(), GRACE) == 0


async def test_s15_one_interrupt_is_enough(spawn: Spawn) -> None:
    process, target = await spawn()
    async with AsyncExitStack() as stack:
        _, calls = await a_running_hand(stack, target)
        reading = [asyncio.create_task(goodbye_of(call)) for call in calls]
        process.send_signal(signal.SIGINT)
        assert await asyncio.wait_for(process.wait(), GRACE) == 0
        assert set(await asyncio.gather(*reading)) <= {DRAINING, None}


async def test_s15_a_second_interrupt_never_leaves_the_process_running(spawn: Spawn) -> None:
    process, target = await spawn()
    async with AsyncExitStack() as stack:
        await a_running_hand(stack, target)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        status = await asyncio.wait_for(process.wait(), GRACE)
        # It had stopped in good order before the second came, or ended by it.
        assert status in (0, -signal.SIGTERM, -signal.SIGINT)
