"""Nobody hears of what a table did before it is safe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from spades import Bid, MakeBid, Seat
from spades_agents import Server
from spades_proto.frames import Command
from spades_proto.v1 import tables_pb2
from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.journal import Batch, Done, MemoryJournal

NEVER_MS = 3_600_000


class LateJournal(MemoryJournal):
    """Takes its time: nothing is safe until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.late = False
        self._held: list[tuple[Batch, Done]] = []
        self.taken = asyncio.Event()

    def commit(self, batch: Batch, done: Done) -> None:
        if self.late:
            self._held.append((batch, done))
            self.taken.set()
        else:
            super().commit(batch, done)

    def release(self) -> None:
        """Everything that was held is safe."""
        self.late = False
        held, self._held = self._held, []
        for batch, done in held:
            super().commit(batch, done)


@pytest.fixture
async def journal() -> LateJournal:
    return LateJournal()


@pytest.fixture
async def server(journal: LateJournal) -> AsyncIterator[SpadesServer]:
    server = SpadesServer(ServerConfig(port=0, tempo_ms=NEVER_MS), journal)
    await server.start()
    yield server
    await server.stop()


async def watched(player: Server, code: str) -> list[tables_pb2.WatchResponse]:
    """Collects what a spectator is told, for as long as it is let."""
    told: list[tables_pb2.WatchResponse] = []

    async def follow() -> None:
        call = player.tables().Watch(tables_pb2.WatchRequest(table=code), metadata=player.metadata)
        while isinstance(response := await call.read(), tables_pb2.WatchResponse):
            told.append(response)

    following.append(asyncio.create_task(follow()))
    return told


following: list[asyncio.Task[None]] = []


async def settled() -> None:
    """Lets everything through that is under way on loopback."""
    for _ in range(20):
        await asyncio.sleep(0.01)


async def test_answers_events_and_snapshots_wait_for_the_journal(
    server: SpadesServer, journal: LateJournal
) -> None:
    where = f"127.0.0.1:{server.port}"
    async with Server(where) as ann, Server(where) as bob:
        await ann.register("Ann")
        await bob.register("Bob")
        bots = [(seat, "gentle") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
        made = await ann.create_table("", seats=(Seat.SOUTH,), bots=bots, start=True)
        host = server.lobby.find(made.code)
        early = await watched(bob, made.code)
        await settled()
        before = sum(len(one.frames) for one in early)
        journal.late = True
        table = host.table
        bid = Command(made.code, MakeBid(Bid(5)), Seat.SOUTH, "r", table.decision_id, table.epoch)
        answer = asyncio.create_task(ann.act(bid))
        await journal.taken.wait()
        late = await watched(bob, made.code)
        repeated = asyncio.create_task(ann.act(bid))
        await settled()
        assert table.match is not None and table.match.state.bids[Seat.SOUTH] == Bid(5)
        assert not answer.done() and not repeated.done()
        assert sum(len(one.frames) for one in early) == before
        assert late == []
        journal.release()
        assert await answer == await repeated == table.seq
        await settled()
        assert sum(len(one.frames) for one in early) > before
        assert late
        for task in following:
            task.cancel()


async def test_a_seat_is_not_given_before_it_is_safe(
    server: SpadesServer, journal: LateJournal
) -> None:
    async with Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        made = await ann.create_table("")
        journal.late = True
        sitting = asyncio.create_task(ann.sit(made.code, Seat.WEST))
        await journal.taken.wait()
        await settled()
        assert not sitting.done()
        journal.release()
        assert await sitting is Seat.WEST
