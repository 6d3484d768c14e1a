"""What the database says of players: the same as the fold, kept over restarts, and nothing of the deleted."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, create_engine, text

from spades import EndReason, Match, Seat
from spades_agents import Server, play, play_local
from spades_proto.profile import NotCounted
from spades_proto.records import Circumstances, record_line, summary_bytes
from spades_proto.table import Occupant, OccupantKind
from spades_proto.verification import verify
from spades_server.app import SpadesServer, running
from spades_server.commands import Player
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.journal import Batch
from spades_server.players import Account
from spades_server.results import Career, FinishedMatch, results_by_player
from spades_server.storage import journal as journals
from spades_server.storage.database import Database
from spades_server.storage.deletion import delete_player
from spades_server.storage.journal import SqlJournal
from spades_server.storage.place import NAME, place_in
from spades_server.storage.results import career, history, result_row
from spades_server.storage.schema import metadata, records, results
from spades_server.storage.version import MIGRATIONS

ANN = Player("ann", "Ann")
NAME_TO_FIND = 'Zö"\\ë Quux'
"""A name that JSON writes with escapes, and that stands nowhere else in a database."""


def config(folder: Path) -> ServerConfig:
    return ServerConfig(port=0, allow_seeds=True, tempo_ms=0, data=folder)


def bytes_of(folder: Path) -> bytes:
    """All that a server keeps in files."""
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file())


def traces(name: str) -> Iterable[bytes]:
    """How a name may stand in a file: as it is, and as JSON writes it."""
    return name.encode(), name.replace("\\", "\\\\").replace('"', '\\"').encode()


@pytest.fixture(scope="module")
def match() -> Match:
    return play_local(["random"] * 4, "max_hands=1", seed="7").match


def finished(match: Match, name: str, ended_us: int, *, chosen: bool = False) -> FinishedMatch:
    circumstances = Circumstances(name, "TABLE", 0, ended_us, seed_chosen=chosen)
    return FinishedMatch(match, circumstances, None, ("ann", "bob", None, None))


async def committed(journal: SqlJournal, batch: Batch) -> None:
    written = asyncio.Event()
    journal.commit(batch, written.set)
    await written.wait()


@pytest.fixture(scope="module")
def played() -> list[Match]:
    return [play_local(["random"] * 4, "quick", seed=str(seed)).match for seed in range(8)]


async def test_the_sums_of_the_database_are_those_of_the_fold(
    tmp_path: Path, played: list[Match]
) -> None:
    database = Database(place_in(tmp_path))
    journal = SqlJournal(database)
    journal.start(lambda _: None)
    folded = Career()
    for number, one in enumerate(played):
        done = finished(one, f"M{number}", number, chosen=number == 3)
        await committed(journal, Batch("TABLE", 1, (), done))
        folded = folded.plus(results_by_player(done)["ann"])
    assert await journal.career("ann") == folded
    assert folded.results.matches == 7
    assert await journal.career("nobody") == Career()
    journal.close()


async def test_a_surrender_is_summed_apart(tmp_path: Path, match: Match) -> None:
    database = Database(place_in(tmp_path))
    one = results_by_player(finished(match, "M", 1))["ann"]
    given_up = replace(one, match="S", reason=EndReason.SURRENDER)
    chosen = replace(one, match="C", not_counted=NotCounted.SEED_CHOSEN)
    circumstances = Circumstances("M")
    assert match.outcome is not None
    with database.engine.begin() as connection:
        for name in "MSC":
            row = {"match": name, "ended_us": 0, "private": False, "line": "",
                   "summary": summary_bytes(circumstances, match.outcome)}  # fmt: skip
            connection.execute(records.insert(), row)
        for each in (one, given_up, chosen):
            connection.execute(results.insert(), result_row("ann", each))
    sums = career(database.engine, "ann")
    assert sums == Career().plus(one).plus(given_up).plus(chosen)
    assert (sums.results.matches, sums.played_out.matches) == (2, 1)
    shown, _ = history(database.engine, "ann", 0, "")
    assert {played.match: played.not_counted for played in shown}["C"] is NotCounted.SEED_CHOSEN
    database.close()


async def test_matches_that_ended_in_one_instant_are_paged_without_loss(
    tmp_path: Path, match: Match
) -> None:
    journal = SqlJournal(Database(place_in(tmp_path)))
    journal.start(lambda _: None)
    for name in "BADEC":
        await committed(journal, Batch("TABLE", 1, (), finished(match, name, 7)))
    seen: list[str] = []
    token = ""
    while True:
        page, token = await journal.history("ann", 2, token)
        seen += [one.match for one in page]
        if not token:
            break
    assert seen == list("EDCBA")
    beyond, _ = await journal.history("ann", 2, "a match that is gone")
    assert [one.match for one in beyond] == ["E", "D"]
    journal.close()


async def test_results_outlive_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with running(config(folder)) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        await play(
            "random", ann.target, token=ann.token, rules="max_hands=1", report=lambda _: None
        )
        before, matches, token = await ann.profile(), await ann.matches(), ann.token
        assert before.results.matches == 1
    async with running(config(folder)) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        assert await ann.profile() == before
        assert await ann.matches() == matches


async def test_a_replaced_token_stays_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    async with running(config(folder)) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        old = ann.token
        new = await ann.replace_token()
    async with running(config(folder)) as server:
        assert server.players.find(new).name == "Ann"
        with pytest.raises(ValueError, match="unknown"):
            server.players.find(old)


async def sit_and_play(folder: Path) -> tuple[str, str, str]:
    """A player to be deleted: one match played, one table open, one running with somebody else.

    Gives the record's name, its line, and the code of the running table.
    """
    async with running(config(folder)) as server:
        target = f"127.0.0.1:{server.port}"
        async with Server(target) as zoe, Server(target) as bob:
            await bob.register("Bob")
            await zoe.register(NAME_TO_FIND)
            (result,) = await play(
                "random", target, token=zoe.token, rules="max_hands=1", report=lambda _: None
            )
            line = await bob.record(result.record)
            await zoe.create_table("", seats=(Seat.SOUTH,))
            running_table = await zoe.create_table("max_hands=1", seats=(Seat.SOUTH,))
            await bob.sit(running_table.code, Seat.WEST, OccupantKind.AGENT)
            await zoe.add_bot(running_table.code, "random")
            await zoe.start(running_table.code)
            await bob.leave(running_table.code)
            assert any(trace in bytes_of(folder) for trace in traces(NAME_TO_FIND))
            await zoe.delete_me(NAME_TO_FIND)
            # While the server is running: what is beside the file counts too.
            assert not any(trace in bytes_of(folder) for trace in traces(NAME_TO_FIND))
            after = await bob.record(result.record)
            assert verify(after).match.log == verify(line).match.log
            assert len(server.lobby) == 1
            assert server.lobby.find(running_table.code).table.host.name == "Bob"
            return result.record, line, running_table.code


async def test_no_file_holds_the_name_of_a_deleted_player(tmp_path: Path) -> None:
    """Not the tables, not the records, not the free space, not the log beside the file."""
    await sit_and_play(tmp_path / "data")
    assert not any(trace in bytes_of(tmp_path / "data") for trace in traces(NAME_TO_FIND))


async def test_a_deletion_outlives_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    record, line, code = await sit_and_play(folder)
    async with running(config(folder)) as server, Server(f"127.0.0.1:{server.port}") as other:
        # The name is free, and belongs to nobody's past.
        await other.register(NAME_TO_FIND)
        assert await other.matches() == ()
        state = server.lobby.find(code).table.state
        assert state.opened.host == "Bob"
        assert state.seats[Seat.SOUTH].occupant == Occupant(OccupantKind.HOUSE_BOT, "gentle")
        after = verify(await other.record(record))
        assert after.match.log == verify(line).match.log
        assert dict(after.circumstances.players)[Seat.SOUTH].name == "somebody"


def _tell_nobody(_player: Player) -> list[TableHost]:
    """What a server does that is killed in that moment."""
    return []


async def test_tables_learn_of_a_deletion_that_a_kill_came_between(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The player's rows are gone and the tables had not heard of it: they do when they are restored."""
    folder = tmp_path / "data"
    first = SpadesServer(config(folder))
    await first.start()
    async with Server(f"127.0.0.1:{first.port}") as zoe, Server(f"127.0.0.1:{first.port}") as bob:
        await zoe.register("Zoe")
        await bob.register("Bob")
        table = await zoe.create_table("", seats=(Seat.SOUTH,))
        await bob.sit(table.code, Seat.WEST)
        monkeypatch.setattr(first.lobby, "lose", _tell_nobody)
        await zoe.delete_me("Zoe")
    await first.stop()
    async with running(config(folder)) as server:
        restored = server.lobby.find(table.code).table
        assert restored.state.seats[Seat.SOUTH].occupant is None
        assert restored.host.name == "Bob"


def named(one: FinishedMatch) -> FinishedMatch:
    """A match with the names of its players, and a house bot that is called as one of them."""
    players = (
        (Seat.SOUTH, Occupant(OccupantKind.PERSON, "Ann")),
        (Seat.WEST, Occupant(OccupantKind.AGENT, "Bob")),
        (Seat.NORTH, Occupant(OccupantKind.HOUSE_BOT, "Ann")),
    )
    return one._replace(circumstances=replace(one.circumstances, players=players))


async def test_a_deletion_that_fails_on_the_way_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, match: Match
) -> None:
    """Everything goes in one transaction."""
    journal = SqlJournal(Database(place_in(tmp_path)))
    broken = asyncio.Event()
    journal.start(lambda _: broken.set())
    journal.keep_player(Account(ANN, b"1" * 32, 5), lambda: None)
    await committed(journal, Batch("TABLE", 1, (), named(finished(match, "M", 1))))
    line = journal.record("M")

    def fail_at_the_end(connection: Connection, player: Player) -> None:
        delete_player(connection, player)
        connection.execute(text("a statement that is none"))

    monkeypatch.setattr(journals, "delete_player", fail_at_the_end)
    journal.delete_player(ANN, lambda: None)
    await asyncio.wait_for(broken.wait(), 60)
    journal.close()
    again = SqlJournal(Database(place_in(tmp_path)))
    assert again.restore().players == [Account(ANN, b"1" * 32, 5)]
    assert again.record("M") == line
    assert (await again.career("ann")).results.matches == 1
    again.close()


async def test_only_players_are_struck_and_only_the_one(tmp_path: Path, match: Match) -> None:
    journal = SqlJournal(Database(place_in(tmp_path)))
    journal.start(lambda _: None)
    for number in range(205):
        # More than are struck at once.
        done = named(finished(match, f"M{number:03}", number))
        journal.commit(Batch("TABLE", 1, (), done), lambda: None)
    gone = asyncio.Event()
    journal.delete_player(ANN, gone.set)
    await gone.wait()
    for number in range(205):
        players = dict(verify(journal.record(f"M{number:03}")).circumstances.players)
        names = [players[seat].name for seat in (Seat.SOUTH, Seat.WEST, Seat.NORTH)]
        assert names == ["somebody", "Bob", "Ann"]
    assert await journal.career("ann") == Career()
    assert (await journal.career("bob")).results.matches == 205
    (shown, *_), _ = await journal.history("bob", 1, "")
    assert dict(shown.players)[Seat.SOUTH].name == "somebody"
    journal.close()


def first_form(folder: Path) -> None:
    """Makes a database as the first version had it."""
    settings = Config()
    settings.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(f"sqlite:///{folder / NAME}")
    with engine.begin() as connection:
        settings.attributes["connection"] = connection
        command.upgrade(settings, "0001")
    engine.dispose()


async def test_a_record_from_before_there_were_results_is_struck_by_name(
    tmp_path: Path, match: Match
) -> None:
    first_form(tmp_path)
    circumstances = named(finished(match, "OLD", 1)).circumstances
    assert match.outcome is not None
    row = (
        "OLD", 1, False, summary_bytes(circumstances, match.outcome),
        record_line(match, circumstances),
    )  # fmt: skip
    with closing(sqlite3.connect(tmp_path / NAME)) as old, old:
        old.execute("INSERT INTO players VALUES ('ann', 'Ann', ?)", (b"1" * 32,))
        old.execute("INSERT INTO records VALUES (?, ?, ?, ?, ?)", row)
    journal = SqlJournal(Database(place_in(tmp_path)))
    journal.start(lambda _: None)
    assert journal.restore().players == [Account(ANN, b"1" * 32, 0)]
    gone = asyncio.Event()
    journal.delete_player(ANN, gone.set)
    await gone.wait()
    players = dict(verify(journal.record("OLD")).circumstances.players)
    assert players[Seat.SOUTH].name == "somebody"
    assert players[Seat.NORTH] == Occupant(OccupantKind.HOUSE_BOT, "Ann")
    assert [one.match for one in journal.records()] == ["OLD"]
    assert dict(journal.records()[0].players)[Seat.SOUTH].name == "somebody"
    journal.close()


async def test_a_table_from_before_hints_could_be_switched_off_has_them(tmp_path: Path) -> None:
    first_form(tmp_path)
    row = (
        "TABLE", "ann", "Ann", "classic", False, False, False, 0, 1, 1, "gentle", 1, 1, "", "none",
    )  # fmt: skip
    with closing(sqlite3.connect(tmp_path / NAME)) as old, old:
        old.execute("INSERT INTO players VALUES ('ann', 'Ann', ?)", (b"1" * 32,))
        old.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(row))})", row)
    journal = SqlJournal(Database(place_in(tmp_path)))
    journal.start(lambda _: None)
    (table,) = journal.restore().tables
    assert table.config.hints
    journal.close()


def test_the_migrations_make_the_tables_that_the_schema_describes(tmp_path: Path) -> None:
    database = Database(place_in(tmp_path))
    with database.engine.connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    database.close()
    assert found == []
