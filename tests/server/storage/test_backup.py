"""Backup and restore: everything at one moment in one file, and back into either database in a new epoch."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from spades import Bid, MakeBid, Reason, Seat, SpadesError
from spades_agents import Server, play
from spades_proto.frames import Answer, Command
from spades_proto.table import Snapshot
from spades_proto.v1 import frame_pb2, tables_pb2
from spades_proto.verification import verify
from spades_proto.wire.enums import SEAT
from spades_server.app import running
from spades_server.commands import TableCommand
from spades_server.config import ServerConfig
from spades_server.storage.backup import APPLICATION_ID, Holding, back_up, closing_engine
from spades_server.storage.database import Database
from spades_server.storage.engine import engine_of
from spades_server.storage.errors import StorageError
from spades_server.storage.place import Place, place_in, place_of
from spades_server.storage.restoration import restore
from spades_server.storage.schema import metadata, players
from spades_server.storage.version import Version, upgrade, version_of
from spades_server.table import Table
from spades_server.table_log import Entry

BOTS = [(seat, "random") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]


@pytest.fixture(params=["sqlite", "postgresql"])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> ServerConfig:
    """A second place for data, in each of the databases."""
    config = ServerConfig(port=0, allow_seeds=True, tempo_ms=0)
    if request.param == "sqlite":
        return replace(config, data=tmp_path / "other")
    return replace(config, database=str(request.getfixturevalue("postgresql_too")))


async def first_frame(player: Server, request: tables_pb2.WatchRequest) -> frame_pb2.Frame:
    """What a feed begins with."""
    call = player.tables().Watch(request, metadata=player.metadata)
    response = await call.read()
    assert isinstance(response, tables_pb2.WatchResponse)
    call.cancel()
    return response.frames[0]


def bid_of(table: Table, request_id: str = "r") -> Command:
    code, decision, epoch = table.config.code, table.decision_id, table.epoch
    return Command(code, MakeBid(Bid(3)), Seat.SOUTH, request_id, decision, epoch)


def emptied(place: Place) -> None:
    Database(place).close()


# There and back


async def test_a_backup_of_a_running_server_is_restored_into_either_database(
    kept: ServerConfig, other: ServerConfig, tmp_path: Path
) -> None:
    """Who watched before gets a snapshot in the new epoch, and an answer in the old one is refused."""
    file = tmp_path / "backup"
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        (result,) = await play(
            "random", ann.target, rules="quick,max_hands=1", report=lambda _: None
        )
        line = await ann.record(result.record)
        made = await ann.create_table("", seats=(Seat.SOUTH,), bots=BOTS, start=True, seed="7")
        before = server.lobby.find(made.code).table
        old_bid = bid_of(before)
        held = await asyncio.to_thread(back_up, place_of(kept), file)
        assert (held.tables, held.records) == (1, 1)
        # What happens after the backup is gone after the restore.
        await ann.act(old_bid)
        seen = (before.epoch, before.seq)
        cards = before.bot_view(Seat.SOUTH).hand
        token = ann.token
    assert restore(file, place_of(other)) == held
    async with (
        running(other) as server,
        Server(f"127.0.0.1:{server.port}", token) as ann,
    ):
        again = server.lobby.find(made.code).table
        assert await ann.record(result.record) == line
        assert verify(line).match.outcome == result.outcome
        assert again.bot_view(Seat.SOUTH).hand == cards
        assert again.epoch > seen[0]
        request = tables_pb2.WatchRequest(
            table=made.code,
            seat=SEAT.to_wire(Seat.SOUTH),
            epoch=seen[0],
            after=min(seen[1], again.seq),
        )
        frame = await first_frame(ann, request)
        assert frame.WhichOneof("payload") == "snapshot"
        assert frame.epoch == again.epoch
        with pytest.raises(SpadesError) as refused:
            await ann.act(old_bid)
        assert refused.value.reason is Reason.EPOCH_CHANGED
        await ann.act(bid_of(again, "new"))
        match = again.match
        assert match is not None and match.state.bids[Seat.SOUTH] == Bid(3)
        bids, epoch = match.state.bids, again.epoch
    # And what was answered in either epoch is the same after one more restart.
    async with running(other) as server:
        again = server.lobby.find(made.code).table
        assert again.match is not None and again.match.state.bids[Seat.SOUTH] == bids[Seat.SOUTH]
        assert again.epoch == epoch


@pytest.mark.parametrize("memo_every", [1, 128])
async def test_what_was_answered_before_a_backup_is_not_done_again(
    kept: ServerConfig, tmp_path: Path, memo_every: int
) -> None:
    """S22: a request of the old epoch that was answered before the backup has its answer still."""
    kept = replace(kept, memo_every=memo_every)
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        made = await ann.create_table("", seats=(Seat.SOUTH,), bots=BOTS, start=True, seed="7")
        bid = bid_of(server.lobby.find(made.code).table)
        seq = await ann.act(bid)
        token = ann.token
    back_up(place_of(kept), tmp_path / "backup")
    restore(tmp_path / "backup", place_of(kept), force=True)
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        assert await ann.act(bid) == seq


async def test_every_restore_begins_another_epoch(kept: ServerConfig, tmp_path: Path) -> None:
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        made = await ann.create_table("", seats=(Seat.SOUTH,))
    back_up(place_of(kept), tmp_path / "backup")
    epochs: set[int] = set()
    for _ in range(3):
        restore(tmp_path / "backup", place_of(kept), force=True)
        async with running(kept) as server:
            epochs.add(server.lobby.find(made.code).table.epoch)
    assert len(epochs) == 3


async def test_a_backup_is_of_one_moment(
    kept: ServerConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a match is played: each copy makes a table that there was after one of its commands."""
    was: dict[int, Snapshot] = {}
    playing_has_begun = asyncio.Event()
    really = Table.handle

    def noted(table: Table, command: TableCommand, now_us: int) -> tuple[tuple[Entry, ...], Answer]:
        done = really(table, command, now_us)
        was[table.seq] = table.state.snapshot(None)
        if table.match is not None:
            playing_has_begun.set()
        return done

    monkeypatch.setattr(Table, "handle", noted)
    copies: list[Path] = []
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        rules = "target=10000,max_hands=1000,floor=none,next_hand_wait=0"
        playing = asyncio.create_task(
            play("random", ann.target, rules=rules, all_seats=True, report=lambda _: None)
        )
        await playing_has_begun.wait()
        for _ in range(4):
            copies.append(tmp_path / f"{len(copies)}")
            await asyncio.to_thread(back_up, place_of(kept), copies[-1])
        playing.cancel()
    monkeypatch.undo()
    found: set[int] = set()
    for number, copy in enumerate(copies):
        folder = tmp_path / f"place-{number}"
        restore(copy, place_in(folder))
        async with running(ServerConfig(port=0, data=folder)) as server:
            for host in server.lobby:
                assert host.table.state.snapshot(None) == was[host.table.seq]
                found.add(host.table.seq)
    assert len(found) > 1


# The file


def test_a_backup_is_readable_by_its_owner_only_and_replaces_an_older_one(
    kept: ServerConfig, tmp_path: Path
) -> None:
    emptied(place_of(kept))
    file = tmp_path / "backups" / "today"
    file.parent.mkdir()
    for _ in range(2):
        assert back_up(place_of(kept), file) == Holding(0, 0, 0)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert list(file.parent.iterdir()) == [file]


def test_the_data_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    place = place_in(tmp_path)
    database = Database(place)
    assert place.file is not None
    assert stat.S_IMODE(place.file.stat().st_mode) == 0o600
    database.close()


def test_nothing_but_a_backup_is_replaced(tmp_path: Path) -> None:
    place = place_in(tmp_path)
    emptied(place)
    assert place.file is not None
    before = place.file.read_bytes()
    with pytest.raises(StorageError, match="is there already and is no backup"):
        back_up(place, place.file)
    assert place.file.read_bytes() == before


def test_a_backup_that_fails_leaves_nothing_behind_and_keeps_the_older_one(tmp_path: Path) -> None:
    place = place_in(tmp_path / "data")
    emptied(place)
    file = tmp_path / "backup"
    back_up(place, file)
    before = file.read_bytes()
    engine = engine_of(place)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE records"))
    engine.dispose()
    with pytest.raises(StorageError, match=r"The backup of .* failed: no such table: records"):
        back_up(place, file)
    assert file.read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "data"]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    emptied(place_in(tmp_path))
    with pytest.raises(StorageError, match=r"cannot be written: No such file or directory"):
        back_up(place_in(tmp_path), tmp_path / "nowhere" / "backup")


def test_where_there_is_no_data_there_is_nothing_to_back_up(
    tmp_path: Path, kept: ServerConfig
) -> None:
    with pytest.raises(StorageError, match="There is no data"):
        back_up(place_of(kept), tmp_path / "backup")
    assert not (tmp_path / "backup").exists()
    assert not (tmp_path / "data").exists()


def test_a_backup_of_an_older_version_is_brought_up_to_date(tmp_path: Path) -> None:
    file = tmp_path / "backup"
    with closing_engine(file) as engine, engine.begin() as connection:
        upgrade(connection, "0001")
        digest = players.insert().values(id="ann", name="Ann", digest=b"x" * 32)
        connection.execute(digest)
        connection.execute(text(f"PRAGMA application_id = {APPLICATION_ID}"))
    before = file.read_bytes()
    assert restore(file, place_in(tmp_path / "data")) == Holding(0, 1, 0)
    assert file.read_bytes() == before
    database = Database(place_in(tmp_path / "data"))
    assert version_of(database.writing) is Version.CURRENT
    database.close()


# What is not restored


def test_nothing_is_restored_while_a_server_uses_the_data(
    kept: ServerConfig, tmp_path: Path
) -> None:
    database = Database(place_of(kept))
    back_up(place_of(kept), tmp_path / "backup")
    with pytest.raises(StorageError, match=r"Another server uses .*: stop it"):
        restore(tmp_path / "backup", place_of(kept), force=True)
    database.close()


async def test_what_is_there_is_replaced_only_by_force(kept: ServerConfig, tmp_path: Path) -> None:
    emptied(place_of(kept))
    back_up(place_of(kept), tmp_path / "backup")
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        for _ in range(2):
            await ann.create_table("")
    with pytest.raises(
        StorageError, match=r"holds 2 open tables, 1 player and 0 records: add --force"
    ):
        restore(tmp_path / "backup", place_of(kept))
    async with running(kept) as server:
        assert len(server.lobby) == 2
    assert restore(tmp_path / "backup", place_of(kept), force=True) == Holding(0, 0, 0)
    async with running(kept) as server:
        assert len(server.lobby) == 0


def test_a_file_that_is_no_backup_is_said(tmp_path: Path) -> None:
    place = place_in(tmp_path / "data")
    emptied(place)
    text_file = tmp_path / "text"
    text_file.write_text("nothing of the kind")
    assert place.file is not None
    for file in (text_file, place.file):
        with pytest.raises(StorageError, match="is no backup of Spades"):
            restore(file, place)
    with pytest.raises(StorageError, match="cannot be read: No such file"):
        restore(tmp_path / "nowhere", place)


@pytest.mark.parametrize("damage", ["torn", "spoilt"])
async def test_a_damaged_backup_changes_nothing(tmp_path: Path, damage: str) -> None:
    config = ServerConfig(port=0, data=tmp_path / "data")
    async with running(config) as server, Server(f"127.0.0.1:{server.port}") as ann:
        for number in range(60):
            await ann.register(f"Player {number}")
    file = tmp_path / "backup"
    back_up(place_of(config), file)
    size = file.stat().st_size
    if damage == "torn":
        os.truncate(file, size - 4096)
    else:
        content = bytearray(file.read_bytes())
        content[4096:] = bytes(reversed(content[4096:]))
        file.write_bytes(content)
    with pytest.raises(StorageError, match=r"is damaged|cannot be read"):
        restore(file, place_of(config), force=True)
    async with running(config) as server, Server(f"127.0.0.1:{server.port}") as ann:
        with pytest.raises(SpadesError, match="is taken"):
            await ann.register("Player 59")


def test_a_backup_of_a_newer_version_is_said(tmp_path: Path) -> None:
    place = place_in(tmp_path / "data")
    emptied(place)
    back_up(place, tmp_path / "backup")
    with closing_engine(tmp_path / "backup") as engine, engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StorageError, match="is from a newer version of Spades"):
        restore(tmp_path / "backup", place)


@pytest.mark.parametrize(
    ("version", "sentence"), [("9999", "newer version"), ("0001", "older version")]
)
def test_data_of_another_version_is_not_backed_up(
    tmp_path: Path, version: str, sentence: str
) -> None:
    place = place_in(tmp_path / "data")
    emptied(place)
    engine = engine_of(place)
    with engine.begin() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{version}'"))
    engine.dispose()
    with pytest.raises(StorageError, match=sentence):
        back_up(place, tmp_path / "backup")


# The tables


def test_the_migrations_make_the_tables_that_the_server_uses(kept: ServerConfig) -> None:
    database = Database(place_of(kept))
    context = MigrationContext.configure(database.writing, opts={"compare_type": True})
    assert compare_metadata(context, metadata) == []
    database.close()


def test_a_copy_by_hand_is_told_from_a_backup(tmp_path: Path) -> None:
    """SQLite in WAL mode is more than one file: a copy of one of them may lack what was written last."""
    place = place_in(tmp_path / "data")
    emptied(place)
    assert place.file is not None
    shutil.copy(place.file, tmp_path / "copy")
    with pytest.raises(StorageError, match="is no backup of Spades"):
        restore(tmp_path / "copy", place)
