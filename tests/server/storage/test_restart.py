"""A server that was killed and started again: the same tables, players and records, at the same card."""

from __future__ import annotations

import asyncio
import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from spades import Bid, Card, MakeBid, Phase, Play, Reason, Seat, SeatView, SpadesError, TableError
from spades_agents import Agent, Server, play
from spades_proto import wire
from spades_proto.frames import Command, Frame
from spades_proto.table import OccupantKind
from spades_proto.timing import TimeControl
from spades_proto.v1 import tables_pb2
from spades_proto.verification import verify
from spades_server.app import SpadesServer, running
from spades_server.commands import Presence
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.journal import StoredTable
from spades_server.lobby import made_again
from spades_server.storage.engine import engine_of
from spades_server.storage.journal import SqlJournal
from spades_server.storage.place import NAME, place_of
from spades_server.table import Table
from spades_server.table_log import SECOND
from spades_server.wall_clock import wall_clock
from tests.server.storage.killing import Killed


def config(folder: Path, **more: object) -> ServerConfig:
    return ServerConfig(port=0, allow_seeds=True, tempo_ms=0, data=folder, **more)  # type: ignore[arg-type]


def told(table: Table) -> list[bytes]:
    """All that is known of a table, viewer by viewer, as bytes."""
    frames = [
        Frame(table.epoch, table.seq, 0, table.state.snapshot(viewer), table.decision_for(viewer))
        for viewer in (*Seat, None)
    ]
    return [wire.frame_to_wire(frame).SerializeToString() for frame in frames]


class Patient(Agent):
    """Plays the first card that it may, and tells how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self._news = asyncio.Event()

    async def until(self, asked: int) -> None:
        """Waits until it was asked so often."""
        while self.asked < asked:
            self._news.clear()
            await self._news.wait()

    def _count(self) -> None:
        self.asked += 1
        self._news.set()

    async def bid(self, view: SeatView) -> Bid:
        self._count()
        return Bid(3)

    async def play(self, view: SeatView) -> Card:
        self._count()
        return view.legal_plays[0]


async def test_after_a_restart_everything_is_as_it_was(kept: ServerConfig) -> None:
    """S06, S08: the same cards, scores and decision, and the same numbers on the events."""
    async with running(kept) as server:
        async with Server(f"127.0.0.1:{server.port}") as ann:
            await ann.register("Ann")
            rules = "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
            bots = [(seat, "random") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
            made = await ann.create_table(
                rules,
                seats=(Seat.SOUTH,),
                bots=bots,
                start=True,
                seed="7",
                private=True,
                hints=False,
            )
            token = ann.token
        table = server.lobby.find(made.code).table
        before, log = told(table), list(table.log)
        owners, host = list(table.owners), table.host
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        again = server.lobby.find(made.code).table
        assert told(again) == before
        assert list(again.log)[: len(log)] == log
        assert (again.owners, again.host) == (owners, host)
        assert again.config.private and again.config.seed == "7"
        assert not again.config.hints
        ann.token = token
        name, held = await ann.me()
        assert (name, held) == ("Ann", ((made.code, Seat.SOUTH),))
        with pytest.raises(SpadesError, match="is taken"):
            await ann.register("ANN")


@pytest.mark.parametrize("memo_every", [1, 5, 128])
async def test_a_table_is_the_same_after_a_restart_at_any_moment(
    tmp_path: Path, memo_every: int
) -> None:
    """A copy of the database at any moment makes the table that there was."""
    folder = tmp_path / "data"
    moments: list[tuple[Path, list[bytes], int]] = []
    async with (
        running(config(folder, memo_every=memo_every)) as server,
        Server(f"127.0.0.1:{server.port}") as ann,
    ):
        await ann.register("Ann")
        bots = [(seat, "random") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
        made = await ann.create_table(
            "max_hands=1", seats=(Seat.SOUTH,), bots=bots, start=True, kind=OccupantKind.AGENT
        )
        host = server.lobby.find(made.code)
        match = host.table.match
        assert match is not None
        while match.phase is not Phase.MATCH_OVER:
            await host.safe()
            copy = tmp_path / str(len(moments))
            copy.mkdir()
            for part in (NAME, f"{NAME}-wal", f"{NAME}-shm"):
                if (folder / part).exists():
                    shutil.copy(folder / part, copy / part)
            moments.append((copy, told(host.table), host.table.seq))
            if match.turn is Seat.SOUTH:
                view = host.table.bot_view(Seat.SOUTH)
                deed = Patient()
                answer = await deed.bid(view) if view.legal_bids else await deed.play(view)
                await ann.act(_command(host.table, answer))
            else:
                await asyncio.sleep(0)
    assert len(moments) > 14
    for copy, before, seq in moments[:: max(len(moments) // 12, 1)]:
        journal_config = config(copy, max_streams=10)
        server = SpadesServer(journal_config)
        stored = server._journal.restore()  # pyright: ignore[reportPrivateUsage]
        (one,) = stored.tables
        assert len(one.commands) <= max(memo_every, seq // 8)
        table = made_again(one)
        assert table.seq == seq
        assert told(table) == before
        server._journal.close()  # pyright: ignore[reportPrivateUsage]


def _command(table: Table, answer: Bid | Card) -> Command:
    deed = MakeBid(answer) if isinstance(answer, Bid) else Play(answer)
    return Command(
        table.config.code, deed, Seat.SOUTH, f"{table.seq}", table.decision_id, table.epoch
    )


async def test_a_repeated_request_is_answered_once_after_a_restart_too(kept: ServerConfig) -> None:
    """S22: what was acknowledged is not done again."""
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        bots = [(seat, "random") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
        made = await ann.create_table("", seats=(Seat.SOUTH,), bots=bots, start=True)
        command = _command(server.lobby.find(made.code).table, Bid(3))
        seq = await ann.act(command)
        token = ann.token
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        assert await ann.act(command) == seq
        match = server.lobby.find(made.code).table.match
        assert match is not None and match.state.bids[Seat.SOUTH] == Bid(3)


async def test_who_has_missed_what_a_memo_left_out_gets_a_snapshot(kept: ServerConfig) -> None:
    kept = replace(kept, memo_every=1)
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        made = await ann.create_table("", seats=(Seat.SOUTH,))
        await ann.add_bot(made.code, "random", Seat.WEST)
        seq, token = server.lobby.find(made.code).table.seq, ann.token
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        again = server.lobby.find(made.code).table
        assert again.seq == seq
        request = tables_pb2.WatchRequest(table=made.code, epoch=again.epoch, after=seq - 1)
        call = ann.tables().Watch(request, metadata=ann.metadata)
        response = await call.read()
        assert isinstance(response, tables_pb2.WatchResponse)
        call.cancel()
        (frame,) = response.frames
        assert frame.WhichOneof("payload") == "snapshot"
        assert (frame.epoch, frame.seq) == (again.epoch, seq)


async def test_a_table_with_many_matches_does_not_grow(kept: ServerConfig) -> None:
    """What is done again after a restart is bounded, however long a table has been open."""
    kept = replace(kept, memo_every=20)
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        bots = [(seat, "random") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
        made = await ann.create_table(
            "max_hands=1", seats=(Seat.SOUTH,), bots=bots, kind=OccupantKind.AGENT
        )
        host = server.lobby.find(made.code)
        for number in range(1, 4):
            await ann.start(made.code)
            await _play_match(ann, host)
            await host.safe()
            (one,) = server._journal.restore().tables  # pyright: ignore[reportPrivateUsage]
            assert one.memo is not None
            assert len(one.commands) <= 20
            again = made_again(one)
            assert again.match_number == number
            assert told(again) == told(host.table)


async def _play_match(ann: Server, host: TableHost) -> None:
    """Plays South's cards until the match is over."""
    match = host.table.match
    assert match is not None
    while match.phase is not Phase.MATCH_OVER:
        if match.turn is not Seat.SOUTH:
            await asyncio.sleep(0)
            continue
        view = host.table.bot_view(Seat.SOUTH)
        answer = Bid(3) if view.legal_bids else view.legal_plays[0]
        await ann.act(_command(host.table, answer))


async def test_records_outlive_the_server_and_finished_matches_stay_finished(
    kept: ServerConfig,
) -> None:
    """S20."""
    async with running(kept) as server:
        results = await play(
            "random", f"127.0.0.1:{server.port}", rules="quick,max_hands=1", report=lambda _: None
        )
        line = server._journal.record(results[0].record)  # pyright: ignore[reportPrivateUsage]
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        assert await ann.record(results[0].record) == line
        assert verify(line).match.outcome == results[0].outcome
        listed = server._journal.records()  # pyright: ignore[reportPrivateUsage]
        assert [one.match for one in listed] == [results[0].record]
        assert len(server.lobby) == 0


async def test_downtime_is_free_and_a_grace_follows(kept: ServerConfig) -> None:
    now = [1_000_000_000]
    first = SpadesServer(replace(kept, grace_s=60.0), clock=lambda: now[0])
    await first.start()
    async with Server(f"127.0.0.1:{first.port}") as ann:
        await ann.register("Ann")
        made = await ann.create_table("")
        await ann.sit(made.code, Seat.SOUTH)
        first.lobby.find(made.code).submit(Presence(Seat.SOUTH, listening=True))
    await first.stop()
    now[0] += 7 * 24 * 3_600 * 1_000_000
    second = SpadesServer(replace(kept, grace_s=60.0), clock=lambda: now[0])
    await second.start()
    table = second.lobby.find(made.code).table
    assert not table.state.seats[Seat.SOUTH].away
    due = table.next_deadline()
    assert due is not None and now[0] < due <= now[0] + 60_000_000
    await second.stop()


def _forget_nothing(_journal: SqlJournal, _table: str) -> None:
    """What a server does that is killed a moment before."""


async def test_a_table_that_had_closed_is_not_opened_again(
    kept: ServerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the end of the table and the end of its rows."""
    with monkeypatch.context() as killed_before_the_rows_went:
        killed_before_the_rows_went.setattr(SqlJournal, "forget", _forget_nothing)
        async with (
            running(kept) as server,
            Server(f"127.0.0.1:{server.port}") as ann,
        ):
            await ann.register("Ann")
            made = await ann.create_table("", seats=(Seat.SOUTH,))
            await ann.leave(made.code)
    async with running(kept) as server:
        assert len(server.lobby) == 0
    async with running(kept) as server:
        assert server._journal.restore().tables == []  # pyright: ignore[reportPrivateUsage]


async def test_a_server_that_cannot_write_stops_and_says_so(kept: ServerConfig) -> None:
    server = SpadesServer(kept)
    await server.start()
    # As if the disk had lost it behind the server's back.
    engine = engine_of(place_of(kept))
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE commands"))
    engine.dispose()
    async with Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        asking = asyncio.create_task(ann.create_table("", seats=(Seat.SOUTH,)))
        await asyncio.wait_for(server.broken.wait(), 60)
        assert not asking.done()
        asking.cancel()
    assert "The database cannot be written" in server.why_broken
    await server.stop()


# Killed


@pytest.mark.once
async def test_a_match_goes_on_through_kills_at_random_moments(killed: Killed) -> None:
    """Nothing that was acknowledged is lost or doubled: the record of the whole match verifies."""
    dice = random.Random(7)
    agent = Patient()
    playing = asyncio.create_task(
        play(
            agent,
            f"127.0.0.1:{killed.port}",
            rules="target=10000,max_hands=6,floor=none,next_hand_wait=0",
            all_seats=True,
            report=lambda _: None,
        )
    )
    for _ in range(5):
        # A hand has 56 decisions, so all five kills are within the six hands.
        await agent.until(agent.asked + dice.randint(20, 55))
        killed.kill()
        await asyncio.to_thread(killed.start)
    (result,) = await asyncio.wait_for(playing, 100)
    async with Server(f"127.0.0.1:{killed.port}") as ann:
        await ann.register("reader")
        verified = verify(await ann.record(result.record))
    assert verified.match.hand_number == 6
    assert verified.match.outcome == result.outcome


class Later:
    """A clock that runs with the wall's, and is set forward between two starts."""

    def __init__(self) -> None:
        self.shift_us = 0

    def __call__(self) -> int:
        return wall_clock() + self.shift_us


async def test_the_time_in_which_the_server_was_down_is_nobodys_and_all_other_time_was_thought(
    kept: ServerConfig,
) -> None:
    """Clocks stand where they stood when the server was last known to run, not when a card was played."""
    clock = Later()

    async def started() -> SpadesServer:
        server = SpadesServer(kept, clock=clock)
        await server.start()
        return server

    server = await started()
    async with Server(f"127.0.0.1:{server.port}") as ann, Server(f"127.0.0.1:{server.port}") as bob:
        await ann.register("Ann")
        await bob.register("Bob")
        made = await ann.create_table(
            "", seats=(Seat.SOUTH,), bots=[(Seat.NORTH, "random"), (Seat.EAST, "random")],
            time_control=TimeControl(3_600_000, 0),
        )  # fmt: skip
        await bob.sit(made.code, Seat.WEST)
        await ann.start(made.code)
        table = server.lobby.find(made.code).table
        while table.clock.reading is None or table.bot_task() is not None:  # noqa: ASYNC110  # bots say nothing here
            await asyncio.sleep(0)
        before = table.clock.reading.deadline_us
        assert before is not None
        clock.shift_us += 600 * SECOND
        journal = server._journal  # pyright: ignore[reportPrivateUsage]
        assert isinstance(journal, SqlJournal)
        journal.seen(clock())
    await server.stop()
    clock.shift_us += 86_400 * SECOND
    server = await started()
    table = server.lobby.find(made.code).table
    assert table.clock.reading is not None and table.clock.reading.deadline_us is None
    seat = table.clock.seat
    assert seat is not None
    resumed = clock()
    table.handle(Presence(seat, listening=True), resumed)
    after = table.clock.reading.deadline_us
    assert after is not None
    thought = 3_600 * SECOND - (after - resumed)
    assert 600 * SECOND <= thought < 660 * SECOND
    await server.stop()


@pytest.mark.parametrize(("power_safe", "same"), [(False, False), (True, True)])
async def test_after_a_crash_of_the_machine_a_new_epoch_begins_where_commits_may_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, power_safe: bool, same: bool
) -> None:
    kept = config(tmp_path, power_safe=power_safe)
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        code = (await ann.create_table("")).code
        epoch = server.lobby.find(code).table.epoch
        server._journal.seen(1)  # pyright: ignore[reportPrivateUsage]
    async with running(kept) as server:
        assert server.lobby.find(code).table.epoch == epoch
    boot = tmp_path / "boot_id"
    boot.write_text("another")
    monkeypatch.setattr("spades_server.storage.database._BOOT", boot)
    async with running(kept) as server:
        assert (server.lobby.find(code).table.epoch == epoch) is same


async def test_a_machine_whose_clock_is_behind_after_a_restart_keeps_nobody_waiting(
    kept: ServerConfig,
) -> None:
    clock = Later()
    server = SpadesServer(kept, clock=clock)
    await server.start()
    async with Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        code = (await ann.create_table("", seats=(Seat.SOUTH,))).code
    before = server.lobby.find(code).table.now_us
    await server.stop()
    clock.shift_us -= 3_600 * SECOND
    server = SpadesServer(kept, clock=clock)
    await server.start()
    host = server.lobby.find(code)
    assert host.table.now_us >= before
    due = host.table.next_deadline()
    assert due is not None
    now = server._clock()  # pyright: ignore[reportPrivateUsage]
    assert before <= now and due - now <= kept.abandoned_s * SECOND
    await server.stop()


async def test_a_table_that_cannot_be_made_again_is_set_aside_and_the_others_are_there(
    kept: ServerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        codes = [(await ann.create_table("")).code for _ in range(2)]
        await ann.sit(codes[0])
        await ann.sit(codes[1])

    def spoilt(stored: StoredTable) -> Table:
        if stored.config.code == codes[0]:
            raise TableError("What was written makes no sense.", Reason.TABLE_STATE)
        return made_again(stored)

    with monkeypatch.context() as broken:
        broken.setattr("spades_server.lobby.made_again", spoilt)
        async with running(kept) as server:
            assert [host.table.config.code for host in server.lobby] == codes[1:]
    async with running(kept) as server:
        assert {host.table.config.code for host in server.lobby} == set(codes)
