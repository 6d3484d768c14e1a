"""How often one may ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
from grpc import aio

from spades import Reason, Seat, TableError
from spades_agents import Server
from spades_proto.channel import CLIENT_OPTIONS
from spades_proto.frames import GoodbyeReason
from spades_proto.status import error_of
from spades_proto.v1 import (
    action_pb2,
    agents_pb2,
    agents_pb2_grpc,
    card_pb2,
    error_pb2,
    lobby_pb2,
    lobby_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
)
from spades_proto.version import PROTOCOL
from spades_proto.wire import goodbye_from_wire
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig
from spades_server.limits import BURST, REMEMBERED, Limits


class Clock:
    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


def allowed(limits: Limits, who: str) -> int:
    """How many requests are taken at once."""
    taken = 0
    while True:
        try:
            limits.spend(who)
        except TableError:
            return taken
        taken += 1


def test_a_burst_is_taken_and_then_so_many_a_second() -> None:
    clock = Clock()
    limits = Limits(5.0, clock)
    assert allowed(limits, "ann") == 5 * BURST
    clock.s += 1.0
    assert allowed(limits, "ann") == 5
    clock.s += 1_000.0
    assert allowed(limits, "ann") == 5 * BURST


def test_one_players_haste_is_not_anothers() -> None:
    limits = Limits(5.0, Clock())
    allowed(limits, "ann")
    assert allowed(limits, "bob") == 5 * BURST


def test_a_refusal_says_when_the_next_request_is_taken() -> None:
    clock = Clock()
    limits = Limits(2.0, clock)
    allowed(limits, "ann")
    with pytest.raises(TableError) as caught:
        limits.spend("ann")
    error = caught.value
    assert error.reason is Reason.RATE_LIMITED
    assert error.retry_after_s == pytest.approx(0.5)
    assert "2 requests a second" in error.sentence
    clock.s += error.retry_after_s or 0.0
    limits.spend("ann")
    assert limits.refused == 2


def test_no_more_than_so_many_are_remembered() -> None:
    limits = Limits(1.0, Clock())
    for number in range(REMEMBERED + 50):
        limits.spend(str(number))
    assert len(limits._buckets) == REMEMBERED  # pyright: ignore[reportPrivateUsage]


def test_no_limit_is_none() -> None:
    limits = Limits(0.0, Clock())
    for _ in range(10_000):
        limits.spend("ann")


@pytest.fixture
async def strict() -> AsyncIterator[SpadesServer]:
    """A server that takes five requests a second."""
    async with running(ServerConfig(port=0, rate=5.0)) as server:
        yield server


async def test_a_client_in_a_hurry_is_refused_with_the_time_to_come_back(
    strict: SpadesServer,
) -> None:
    async with aio.insecure_channel(f"127.0.0.1:{strict.port}", options=CLIENT_OPTIONS) as channel:
        lobby = lobby_pb2_grpc.LobbyStub(channel)

        async def hurry() -> None:
            for _ in range(100):
                await lobby.GetServer(lobby_pb2.GetServerRequest())

        with pytest.raises(aio.AioRpcError) as caught:
            await hurry()
        error = error_of(caught.value)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert isinstance(error, TableError) and error.reason is Reason.RATE_LIMITED
        assert error.retry_after_s is not None and 0 < error.retry_after_s <= 0.2


async def test_the_sdk_waits_as_long_as_it_is_told(strict: SpadesServer) -> None:
    async with Server(f"127.0.0.1:{strict.port}") as client:
        await client.register("Ann")
        for _ in range(25):
            await client.me()
    assert strict.limits.refused > 0


async def test_a_stream_of_nonsense_is_ended(strict: SpadesServer) -> None:
    async with Server(f"127.0.0.1:{strict.port}") as client:
        await client.register("Ann")
        call = agents_pb2_grpc.AgentsStub(client.channel).Connect(metadata=client.metadata)
        hello = agents_pb2.Hello(protocol=PROTOCOL)
        nonsense = [action_pb2.Command(table="NONE", request_id=str(n)) for n in range(100)]
        await call.write(agents_pb2.ConnectRequest(hello=hello, commands=nonsense))
        goodbye = None
        async with asyncio.timeout(20):
            while goodbye is None:
                response = await call.read()
                assert isinstance(response, agents_pb2.ConnectResponse)
                if response.HasField("goodbye"):
                    goodbye = goodbye_from_wire(response.goodbye)
        assert goodbye.reason is GoodbyeReason.RATE_LIMITED
        assert goodbye.retry_after_ms
        call.cancel()


async def test_whoever_guesses_tokens_is_slowed_down(strict: SpadesServer) -> None:
    async with Server(f"127.0.0.1:{strict.port}", token="guess") as client:
        reasons: set[Reason] = set()
        for _ in range(40):
            try:
                await players_pb2_grpc.PlayersStub(client.channel).GetMe(
                    players_pb2.GetMeRequest(), metadata=client.metadata
                )
            except aio.AioRpcError as failed:
                error = error_of(failed)
                assert error is not None
                reasons.add(error.reason)
    assert reasons == {Reason.TOKEN_INVALID, Reason.RATE_LIMITED}


async def test_courtesies_of_an_agent_are_counted(strict: SpadesServer) -> None:
    async with Server(f"127.0.0.1:{strict.port}") as client:
        await client.register("Ann")
        made = await client.create_table("", seats=(Seat.SOUTH,))
        call = agents_pb2_grpc.AgentsStub(client.channel).Connect(metadata=client.metadata)
        kind = [
            action_pb2.Command(
                table=made.code, seat=card_pb2.SEAT_SOUTH, request_id=str(n),
                courtesy=action_pb2.COURTESY_SORRY,
            )
            for n in range(100)
        ]  # fmt: skip
        hello = agents_pb2.Hello(protocol=PROTOCOL)
        await call.write(agents_pb2.ConnectRequest(hello=hello, commands=kind))
        refused: list[int] = []
        async with asyncio.timeout(20):
            while not refused or refused[-1] != error_pb2.REASON_RATE_LIMITED:
                response = await call.read()
                assert isinstance(response, agents_pb2.ConnectResponse)
                refused += [one.refusal.reason for one in response.answered]
        call.cancel()
        assert error_pb2.REASON_ALREADY_ASKED in refused
        assert strict.lobby.find(made.code).table.seq < 10


async def test_one_player_opens_so_many_tables() -> None:
    config = ServerConfig(port=0, max_tables_per_player=2)
    async with running(config) as server, Server(f"127.0.0.1:{server.port}") as client:
        await client.register("Ann")
        for _ in range(2):
            await client.create_table("")
        with pytest.raises(TableError, match="Ann has 2 tables open"):
            await client.create_table("")
        await client.register("Bob")
        await client.create_table("")
