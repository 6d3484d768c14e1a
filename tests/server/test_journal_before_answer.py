"""Nobody hears of what a table did before it is safe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from spades import Bid, MakeBid, Seat, parse_rules
from spades_agents import Server
from spades_proto.frames import Command, Goodbye, GoodbyeReason
from spades_proto.table import OccupantKind
from spades_proto.v1 import tables_pb2
from spades_server.app import SpadesServer
from spades_server.commands import Leave, Player, Presence, Sit
from spades_server.config import ServerConfig
from spades_server.host import TableHost
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

    def release_one(self) -> None:
        """The oldest of what was held is safe; the rest is not."""
        batch, done = self._held.pop(0)
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


class Ear:
    """A feed that only listens."""

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.goodbye: Goodbye | None = None

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        self.chunks.append(chunk)

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        self.goodbye = goodbye

    @property
    def seqs(self) -> list[int]:
        frames = (tables_pb2.WatchResponse.FromString(chunk).frames for chunk in self.chunks)
        return [frame.seq for one in frames for frame in one]


class Watching:
    """What a spectator is told."""

    def __init__(self, player: Server, code: str) -> None:
        self.frames = 0
        self._player = player
        self._code = code
        self._news = asyncio.Event()
        self._following = asyncio.create_task(self._follow())

    async def _follow(self) -> None:
        request = tables_pb2.WatchRequest(table=self._code)
        call = self._player.tables().Watch(request, metadata=self._player.metadata)
        while isinstance(response := await call.read(), tables_pb2.WatchResponse):
            self.frames += len(response.frames)
            self._news.set()

    async def until(self, frames: int) -> None:
        """Waits for so many frames."""
        while self.frames < frames:
            self._news.clear()
            await self._news.wait()

    def end(self) -> None:
        self._following.cancel()


async def round_trips(*players: Server) -> None:
    """Whatever was sent before on the same connections has come through when these have been answered."""
    for _ in range(5):
        for player in players:
            await player.me()


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
        early = Watching(bob, made.code)
        await early.until(1)
        before = early.frames
        journal.late = True
        table = host.table
        bid = Command(made.code, MakeBid(Bid(5)), Seat.SOUTH, "r", table.decision_id, table.epoch)
        answer = asyncio.create_task(ann.act(bid))
        await journal.taken.wait()
        late = Watching(bob, made.code)
        repeated = asyncio.create_task(ann.act(bid))
        await round_trips(ann, bob)
        assert table.match is not None and table.match.state.bids[Seat.SOUTH] == Bid(5)
        assert not answer.done() and not repeated.done()
        assert (early.frames, late.frames) == (before, 0)
        journal.release()
        assert await answer == await repeated == table.seq
        await early.until(before + 1)
        await late.until(1)
        early.end()
        late.end()


async def test_a_seat_is_not_given_before_it_is_safe(
    server: SpadesServer, journal: LateJournal
) -> None:
    async with Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        made = await ann.create_table("")
        journal.late = True
        sitting = asyncio.create_task(ann.sit(made.code, Seat.WEST))
        await journal.taken.wait()
        await round_trips(ann)
        assert not sitting.done()
        journal.release()
        assert await sitting is Seat.WEST


async def seated(server: SpadesServer) -> tuple[TableHost, dict[Seat, Player]]:
    """A table of two, with one player at West and one at North, who do not listen."""
    ann, bob = Player("ann", "Ann"), Player("bob", "Bob")
    host = server.lobby.create(ann, parse_rules(""))
    for player, seat in ((ann, Seat.WEST), (bob, Seat.NORTH)):
        host.submit(Sit(player, OccupantKind.PERSON, seat))
    await host.safe()
    return host, {Seat.WEST: ann, Seat.NORTH: bob}


async def test_of_two_feeds_that_wait_the_second_waits_for_what_the_first_did(
    server: SpadesServer, journal: LateJournal
) -> None:
    host, players = await seated(server)
    for seat, player in players.items():
        host.submit(Presence(seat, listening=False))
        host.attach(player.id, seat, Ear(), 0, 0)
    await host.safe()
    journal.late = True
    host.submit(Presence(Seat.WEST, listening=False))
    ears = {seat: Ear() for seat in players}
    for seat, player in players.items():
        host.attach(player.id, seat, ears[seat], 0, 0)
    safe = host.table.seq
    journal.release_one()
    # West's return is an event that is not safe yet, so North hears nothing that knows of it.
    assert ears[Seat.WEST].seqs == [safe]
    assert ears[Seat.NORTH].seqs == []
    assert host.table.seq > safe
    journal.release()
    assert ears[Seat.NORTH].seqs[0] == ears[Seat.WEST].seqs[-1] == host.table.seq


async def test_a_feed_that_waited_while_its_seat_changed_hands_sees_nothing(
    server: SpadesServer, journal: LateJournal
) -> None:
    host, players = await seated(server)
    journal.late = True
    host.submit(Presence(Seat.NORTH, listening=False))
    ear = Ear()
    host.attach(players[Seat.WEST].id, Seat.WEST, ear, 0, 0)
    host.submit(Leave(players[Seat.WEST]))
    host.submit(Sit(Player("cid", "Cid"), OccupantKind.PERSON, Seat.WEST))
    journal.release()
    await host.safe()
    assert ear.chunks == []
    assert ear.goodbye is not None and ear.goodbye.reason is GoodbyeReason.REPLACED
    assert host.feeds.seats[Seat.WEST] is None
