"""Cases from other people's servers, each by its id; the rest of them are where their subject is tested.

S01 S02 S03 S07 S14: test_streams.py. S15: test_stopping.py. S16: tests/proto/test_channel.py. S18 S21:
test_services.py. S22: tests/agents. Under faults S06 S07 S14 S15 S17 S18 S20 S21 once more: tests/faults.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import grpc
import pytest
from grpc import aio

from spades import Bid, MakeBid, Phase, Reason, Seat, SeatView, SpadesError
from spades_agents import Delivery, Server, play
from spades_agents.bots import RandomBot
from spades_agents.connection import Connection
from spades_agents.feed import Feed
from spades_agents.reconnection import ConnectionLost
from spades_client.session import Changed, Ended, TableSession, Update
from spades_proto import wire
from spades_proto.channel import SERVER_OPTIONS
from spades_proto.frames import Command
from spades_proto.table import OccupantKind, TableStage
from spades_proto.v1 import agents_pb2_grpc, frame_pb2, tables_pb2
from spades_server import app
from spades_server.app import SpadesServer, running
from spades_server.commands import Tick
from spades_server.config import ServerConfig
from spades_server.table import Table
from spades_server.table_log import SECOND
from tests.faults.history import History
from tests.faults.proxy import Proxy
from tests.faults.recording import RecordingServer

SOUTH, WEST, NORTH, EAST = Seat
PATIENCE = 30.0
Watching = aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse]


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  # nothing tells of what is counted here
            await asyncio.sleep(0.005)


class Wall:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 1_000 * SECOND

    def __call__(self) -> int:
        return self.now


class Four:
    """Ann, Bob, Cid and Dee at a table; each does what is told here."""

    def __init__(self, server: SpadesServer, clients: list[Server], code: str) -> None:
        self.server = server
        self.clients = clients
        self.code = code
        self.feeds: dict[Seat, Watching] = {}

    @property
    def table(self) -> Table:
        return self.server.lobby.find(self.code).table

    @property
    def turn(self) -> Seat | None:
        return self.table.match.turn if self.table.match else None

    def listen(self, seat: Seat) -> Watching:
        """Opens a feed of a seat."""
        client = self.clients[seat]
        request = tables_pb2.WatchRequest(table=self.code, seat=wire.SEAT.to_wire(seat))
        feed = self.feeds[seat] = client.tables().Watch(request, metadata=client.metadata)
        return feed

    async def sees(self, seat: Seat) -> SeatView:
        """What a seat is shown when it comes (back)."""
        response = await asyncio.wait_for(self.listen(seat).read(), PATIENCE)
        assert isinstance(response, tables_pb2.WatchResponse)
        feed = Feed(seat)
        feed.take(response.frames[0])
        return feed.view()

    async def act(self) -> None:
        """Has the seat that is to act do something."""
        seat, match, table = self.turn, self.table.match, self.table
        assert seat is not None and match is not None
        legal = match.legal(seat)
        deed = MakeBid(Bid(3)) if match.phase is Phase.BIDDING else legal[0]
        name = f"at {table.decision_id}"
        await self.clients[seat].act(Command(self.code, deed, seat, name, table.decision_id))

    async def act_until(self, there: Callable[[], bool]) -> None:
        while not there():
            await self.act()


async def four_at(
    server: SpadesServer,
    stack: AsyncExitStack,
    *,
    target: str = "",
    through: Seat | None = None,
    seed: str = "",
) -> Four:
    """Seats four and starts; ``through`` is the seat whose line goes by way of ``target``."""
    clients: list[Server] = []
    for name, seat in zip(("Ann", "Bob", "Cid", "Dee"), Seat, strict=True):
        where = target if seat is through else f"127.0.0.1:{server.port}"
        clients.append(await stack.enter_async_context(Server(where)))
        await clients[-1].register(name)
    code = (await clients[0].create_table("target=10000,floor=none", seed=seed)).code
    for client, seat in zip(clients, Seat, strict=True):
        await client.sit(code, seat)
    four = Four(server, clients, code)
    for seat in Seat:
        await asyncio.wait_for(four.listen(seat).read(), PATIENCE)
    await clients[0].start(code)
    return four


def played(table: Table, seat: Seat) -> int:
    """How many cards a seat has played of the hand."""
    match = table.match
    assert match is not None
    return 0 if match.phase is Phase.BIDDING else 13 - len(_hand(table, seat))


def _hand(table: Table, seat: Seat) -> tuple[object, ...]:
    return table.bot_view(seat).hand


# S06


async def test_s06_leaving_and_coming_back_gives_the_same_hand(tmp_path: Path) -> None:
    """North has bid 3 and played two cards; it leaves, hangs up, and the server is started anew."""
    config = ServerConfig(port=0, tempo_ms=0, data=tmp_path / "data", allow_seeds=True)
    async with running(config) as server, AsyncExitStack() as stack:
        four = await four_at(server, stack, seed="S06")
        await four.act_until(lambda: played(four.table, NORTH) == 2 and four.turn is not NORTH)
        before = await four.sees(NORTH)
        assert len(before.hand) == 11
        assert before.bids[NORTH] == Bid(3)
        four.feeds[NORTH].cancel()
        await eventually(lambda: four.table.state.seats[NORTH].away)
        await refuses_a_stranger(four, stack)
        assert await four.sees(NORTH) == before
        await four.clients[NORTH].leave(four.code)
        await refuses_a_stranger(four, stack)
        assert await four.clients[NORTH].sit(four.code) is NORTH
        assert await four.sees(NORTH) == before
        tokens = [client.token for client in four.clients]
    async with running(config) as server, AsyncExitStack() as stack:
        target = f"127.0.0.1:{server.port}"
        clients = [await stack.enter_async_context(Server(target, token)) for token in tokens]
        four = Four(server, clients, four.code)
        await refuses_a_stranger(four, stack)
        assert await four.sees(NORTH) == before
        await four.act_until(lambda: played(four.table, NORTH) == 3)


async def refuses_a_stranger(four: Four, stack: AsyncExitStack) -> None:
    stranger = await stack.enter_async_context(Server(f"127.0.0.1:{four.server.port}"))
    await stranger.register(f"Stranger {four.table.seq}")
    with pytest.raises(SpadesError) as caught:
        await stranger.sit(four.code, NORTH)
    assert caught.value.reason in (Reason.TABLE_STATE, Reason.SEAT_TAKEN)


# S08


@pytest.fixture
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that notices a silent line sooner than the one that is shipped."""
    sooner = {
        "grpc.keepalive_time_ms": 200,
        "grpc.keepalive_timeout_ms": 300,
        "grpc.http2.ping_timeout_ms": 300,
    }
    options = tuple((key, sooner.get(key, value)) for key, value in SERVER_OPTIONS)
    monkeypatch.setattr(app, "SERVER_OPTIONS", options)


@pytest.fixture
async def slow_server() -> AsyncIterator[tuple[SpadesServer, Wall]]:
    """A server whose time passes when the test says so."""
    wall = Wall()
    server = SpadesServer(ServerConfig(port=0, tempo_ms=0), clock=wall)
    await server.start()
    yield server, wall
    await server.stop()


@pytest.mark.usefixtures("watchful")
async def test_s08_a_line_that_is_silent_for_a_while_changes_nothing_of_the_game(
    slow_server: tuple[SpadesServer, Wall],
) -> None:
    """Ten seconds on somebody else's turn, then seventy on one's own; the grace is sixty."""
    server, wall = slow_server
    proxy = Proxy(server.port)
    await proxy.start()
    async with AsyncExitStack() as stack:
        four = await four_at(server, stack, target=proxy.target, through=NORTH)
        await four.act_until(lambda: played(four.table, WEST) == 1)
        await four.act_until(lambda: four.turn is SOUTH)
        host, hand = server.lobby.find(four.code), _hand(four.table, NORTH)

        proxy.black_hole()
        await eventually(lambda: four.table.state.seats[NORTH].away)
        wall.now += 10 * SECOND
        host.submit(Tick())
        assert not four.table.state.seats[NORTH].stand_in
        proxy.heal()
        await four.sees(NORTH)
        assert not four.table.state.seats[NORTH].away
        assert _hand(four.table, NORTH) == hand

        await four.act_until(lambda: four.turn is NORTH)
        proxy.black_hole()
        await eventually(lambda: four.table.state.seats[NORTH].away)
        assert _hand(four.table, NORTH) == hand
        wall.now += 70 * SECOND
        host.submit(Tick())
        await eventually(lambda: four.turn is not NORTH)
        assert len(_hand(four.table, NORTH)) < len(hand)
        assert four.table.state.seats[NORTH].stand_in
        proxy.heal()
        await four.sees(NORTH)
        assert not four.table.state.seats[NORTH].stand_in
        left = len(_hand(four.table, NORTH))
        await four.act_until(lambda: four.turn is NORTH)
        await four.act()
        assert len(_hand(four.table, NORTH)) == left - 1
    await proxy.stop()


# S10


async def test_s10_of_two_clients_with_one_token_the_newer_wins_and_the_older_does_not_come_back(
    server: SpadesServer,
) -> None:
    history = History()
    async with AsyncExitStack() as stack:
        ann = RecordingServer.to(f"127.0.0.1:{server.port}", history)
        await stack.enter_async_context(ann)
        await ann.register("Ann")
        bots = tuple((seat, "random") for seat in (WEST, NORTH, EAST))
        code = (await ann.create_table(seats=(SOUTH,), bots=bots)).code
        again = RecordingServer.to(ann.target, history, ann.token)
        await stack.enter_async_context(again)
        older, newer = TableSession(ann, code, SOUTH), TableSession(again, code, SOUTH)
        first, second = older.updates(), newer.updates()
        assert isinstance(await anext(first), Changed)
        assert isinstance(await anext(second), Changed)
        told = [update async for update in first]
        assert _is_replaced(told)
        await ann.start(code)
        while newer.state.decision is None:
            assert isinstance(await asyncio.wait_for(anext(second), PATIENCE), Changed)
        await second.aclose()
    assert [stream.seat for stream in history.streams] == [SOUTH, SOUTH]
    seqs = [frame.seq for frame in history.streams[1].frames]
    assert seqs == list(range(seqs[0], seqs[-1] + 1))


def _is_replaced(told: list[Update]) -> bool:
    last = told[-1]
    return isinstance(last, Ended) and getattr(last.refusal, "reason", None) is Reason.REPLACED


class Counting(Server):
    """Counts how often the agents' stream is opened."""

    opened = 0

    def agents(self) -> agents_pb2_grpc.AgentsStub:
        self.opened += 1
        return super().agents()


async def test_s10_of_two_agents_with_one_token_the_newer_plays_and_the_older_does_not_come_back(
    server: SpadesServer,
) -> None:
    target = f"127.0.0.1:{server.port}"
    async with Counting(target) as ann, AsyncExitStack() as stack:
        await ann.register("Ann")
        bots = tuple((seat, "random") for seat in (WEST, NORTH, EAST))
        made = await ann.create_table(
            "max_hands=1", seats=(SOUTH,), bots=bots, kind=OccupantKind.AGENT
        )
        again = await stack.enter_async_context(Counting(target, ann.token))
        older, newer = (
            Connection(one, RandomBot(), bytes(32), Delivery.IMMEDIATE, [made.code], lambda _: None)
            for one in (ann, again)
        )
        await stack.enter_async_context(older.listening())
        await stack.enter_async_context(newer.listening())
        with pytest.raises(ConnectionLost) as caught:
            await asyncio.wait_for(older.next_over(), PATIENCE)
        assert caught.value.reason is Reason.REPLACED
        await again.start(made.code)
        over = await asyncio.wait_for(newer.next_over(), PATIENCE)
        assert over.outcome is not None
        assert (ann.opened, again.opened) == (1, 1)


# S13; an answer that is late is tested with the clocks.


async def test_s13_bots_are_asked_to_bid_after_a_person(
    join: Callable[[str], Awaitable[Server]], server: SpadesServer
) -> None:
    """(b) The person is the first to bid (South, in a first hand); nothing more is done, and all have bid."""
    ann = await join("Ann")
    bots = tuple((seat, "random") for seat in (WEST, NORTH, EAST))
    made = await ann.create_table(seats=(SOUTH,), bots=bots, start=True)
    table = server.lobby.find(made.code).table
    match = table.match
    assert match is not None
    assert match.turn is SOUTH and list(match.state.bids) == [None] * 4
    await ann.act(Command(made.code, MakeBid(Bid(3)), SOUTH, "bid", table.decision_id))
    await eventually(lambda: None not in match.state.bids)


async def test_s13_a_table_whose_four_players_have_vanished_is_closed_and_freed(
    slow_server: tuple[SpadesServer, Wall],
) -> None:
    """(c), and S20: after ten minutes, as it is documented."""
    server, wall = slow_server
    async with AsyncExitStack() as stack:
        four = await four_at(server, stack)
        table, host = four.table, server.lobby.find(four.code)
        for feed in four.feeds.values():
            feed.cancel()
        await eventually(lambda: all(status.away for status in table.state.seats))
        wall.now += 599 * SECOND
        host.submit(Tick())
        assert len(server.lobby) == 1
        wall.now += 2 * SECOND
        host.submit(Tick())
        assert table.state.stage is TableStage.CLOSED
        assert table.next_deadline() is None
        assert len(server.lobby) == 0


# S17


async def test_s17_a_reader_that_does_not_read_is_ended_and_disturbs_nobody(
    server: SpadesServer,
) -> None:
    """Events flow, 2,000 and as many again since the network holds the first; who reads hears every one."""
    target = f"127.0.0.1:{server.port}"
    async with AsyncExitStack() as stack:
        ann, eve, xen = [await stack.enter_async_context(Server(target)) for _ in range(3)]
        for client, name in ((ann, "Ann"), (eve, "Eve"), (xen, "Xen")):
            await client.register(name)
        bots = tuple((seat, "random") for seat in (WEST, NORTH, EAST))
        rules = "target=10000,floor=none,max_hands=60"
        made = await ann.create_table(rules, seats=(SOUTH,), bots=bots, kind=OccupantKind.AGENT)
        asked = tables_pb2.WatchRequest(table=made.code)
        idle = xen.tables().Watch(asked, metadata=xen.metadata)
        await idle.read()
        attentive = TableSession(eve, made.code, None)
        heard: list[int] = []
        listening = asyncio.create_task(hear(attentive, heard))
        agent = Connection(
            ann, RandomBot(), bytes(32), Delivery.ON_DECISION, [made.code], lambda _: None
        )
        await stack.enter_async_context(agent.listening())
        host = server.lobby.find(made.code)
        await eventually(lambda: len(host.feeds.spectators) == 2)
        first = host.table.seq
        await ann.start(made.code)
        await asyncio.wait_for(agent.next_over(), PATIENCE)
        assert host.table.seq - first > 4_000
        await asyncio.wait_for(listening, PATIENCE)
        assert heard == list(range(heard[0], host.table.seq + 1))
        # Only now it reads: what came before it was given up, without a gap, and then the reason.
        frames: list[frame_pb2.Frame] = []
        with pytest.raises(aio.AioRpcError) as caught:
            await read_all(idle, frames)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        seqs = [frame.seq for frame in frames if not frame.HasField("goodbye")]
        assert seqs == list(range(first + 1, first + 1 + len(seqs)))
        asked = tables_pb2.WatchRequest(table=made.code, epoch=1, after=seqs[-1] if seqs else first)
        back = await xen.tables().Watch(asked, metadata=xen.metadata).read()
        assert isinstance(back, tables_pb2.WatchResponse)
        assert back.frames[0].HasField("snapshot")
        assert back.frames[0].seq == host.table.seq


async def hear(session: TableSession, heard: list[int]) -> None:
    """Follows a table as a spectator until the record of its match is kept."""
    async for update in session.updates():
        assert isinstance(update, Changed)
        heard.append(update.frame.seq)
        if update.new.table is not None and update.new.table.record:
            return


async def read_all(call: Watching, frames: list[frame_pb2.Frame]) -> None:
    while isinstance(response := await call.read(), tables_pb2.WatchResponse):
        frames += response.frames


# S20


async def test_s20_finished_matches_stay_finished_and_abandoned_tables_are_freed(
    tmp_path: Path,
) -> None:
    """Three matches to the end, two tables abandoned, a restart; `make soak` plays the 500 matches."""
    wall = Wall()
    config = ServerConfig(port=0, tempo_ms=0, data=tmp_path / "data")
    server = SpadesServer(config, clock=wall)
    await server.start()
    target = f"127.0.0.1:{server.port}"
    results = await play(
        "random", target, tables=3, rules="quick,max_hands=1", report=lambda _: None
    )
    async with Server(target) as ann:
        await ann.register("Ann")
        bots = tuple((seat, "random") for seat in (WEST, NORTH, EAST))
        abandoned = {
            (await ann.create_table(seats=(SOUTH,), bots=bots, start=True)).code for _ in range(2)
        }
        token = ann.token
    await server.stop()
    server = SpadesServer(config, clock=wall)
    await server.start()
    async with Server(f"127.0.0.1:{server.port}", token) as ann:
        listed = await ann.list_tables()
        assert {table.code for table in listed} == abandoned
        assert {table.stage for table in listed} == {TableStage.PLAYING}
        for result in results:
            assert result.record in await ann.record(result.record)
    # The grace to come back, then the time that an abandoned table is waited for.
    for wait in (61, 601):
        wall.now += wait * SECOND
        for host in server.lobby:
            host.submit(Tick())
    await eventually(lambda: len(server.lobby) == 0)
    await server.stop()
    server = SpadesServer(config, clock=wall)
    await server.start()
    assert len(server.lobby) == 0
    await server.stop()


async def test_s20_a_table_that_was_opened_and_never_touched_is_freed() -> None:
    async with (
        running(ServerConfig(port=0, abandoned_s=0.01)) as server,
        Server(f"127.0.0.1:{server.port}") as ann,
    ):
        await ann.register("Ann")
        made = await ann.create_table()
        await eventually(lambda: len(server.lobby) == 0)
        with pytest.raises(SpadesError) as caught:
            await ann.sit(made.code)
        assert caught.value.reason is Reason.TABLE_NOT_FOUND
