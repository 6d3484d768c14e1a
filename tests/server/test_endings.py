"""Streams that are not read: they end all the same, and nobody acts on them any more."""

from __future__ import annotations

import asyncio

import grpc
import pytest
from grpc import aio

from spades import Bid, MakeBid, Seat
from spades_agents import Server
from spades_proto import wire
from spades_proto.frames import Command, GoodbyeReason
from spades_proto.v1 import agents_pb2, agents_pb2_grpc, tables_pb2
from spades_proto.version import PROTOCOL
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.mailbox import WatchSink

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spades_server.streams.LAST_WORD_S", 0.05)


async def a_match(server: SpadesServer, ann: Server) -> TableHost:
    """Ann at South with three bots that take for ever, hers to bid."""
    await ann.register("Ann")
    bots = [(seat, "random") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
    made = await ann.create_table("", seats=(Seat.SOUTH,), bots=bots)
    return server.lobby.find(made.code)


async def ended(server: SpadesServer) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(server.streams):  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.01)


async def test_a_watcher_that_does_not_read_is_ended_and_its_seat_is_away() -> None:
    """S17: the stream is gone, counted, and others see that nobody listens."""
    async with running(ServerConfig(port=0)) as server, Server(f"127.0.0.1:{server.port}") as ann:
        host = await a_match(server, ann)
        request = tables_pb2.WatchRequest(
            table=host.table.config.code, seat=wire.SEAT.to_wire(Seat.SOUTH)
        )
        call = ann.tables().Watch(request, metadata=ann.metadata)
        async with asyncio.timeout(PATIENCE):
            while not isinstance(sink := host.feeds.seats[Seat.SOUTH], WatchSink):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            # More than the line takes in while nobody reads.
            snapshot = host.feeds.heartbeat() * 200
            while sink.goodbye is None:
                sink.push(snapshot, 200, flush=True)
                await asyncio.sleep(0)
        assert sink.goodbye.reason is GoodbyeReason.SLOW_CONSUMER
        await ended(server)
        assert server.streams.slow == 1
        assert host.feeds.seats[Seat.SOUTH] is None
        assert host.table.state.seats[Seat.SOUTH].away
        call.cancel()


async def test_on_a_stream_whose_token_was_replaced_nobody_acts_though_it_is_not_read() -> None:
    async with running(ServerConfig(port=0)) as server, Server(f"127.0.0.1:{server.port}") as ann:
        host = await a_match(server, ann)
        await ann.start(host.table.config.code)
        stub = agents_pb2_grpc.AgentsStub(ann.channel)
        thief = stub.Connect(metadata=ann.metadata)
        await thief.write(agents_pb2.ConnectRequest(hello=agents_pb2.Hello(protocol=PROTOCOL)))
        async with asyncio.timeout(PATIENCE):
            while not len(server.streams):  # noqa: ASYNC110  # nothing is read, so nothing is heard
                await asyncio.sleep(0.01)
        await ann.replace_token()
        table = host.table
        before = table.seq
        for number in range(20):
            deed = MakeBid(Bid(3))
            bid = Command(
                table.config.code, deed, Seat.SOUTH, f"r{number}", table.decision_id, table.epoch
            )
            request = agents_pb2.ConnectRequest(commands=[wire.command_to_wire(bid)])
            try:
                await thief.write(request)
            except (aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
                break
        await ended(server)
        assert table.match is not None and table.match.state.bids[Seat.SOUTH] is None
        assert table.seq <= before + 4
        assert await thief.code() is not grpc.StatusCode.OK
