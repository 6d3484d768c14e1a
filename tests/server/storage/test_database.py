"""Opening a database: one server at a time, of this version, and whatever is wrong is said."""

from __future__ import annotations

import asyncio
import builtins
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import pytest
from psycopg import sql
from sqlalchemy import text

from spades import SpadesError
from spades_agents import Server
from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.storage import lock, writer
from spades_server.storage.database import Database
from spades_server.storage.engine import engine_of
from spades_server.storage.errors import StorageError
from spades_server.storage.place import NAME, place_at, place_in, place_of

SPADES = str(Path(sys.executable).with_name("spades"))


class Cluster(Protocol):
    folder: Path

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def url(self, database: str) -> str: ...
    def execute(self, statement: sql.SQL | sql.Composed) -> None: ...


def altered(kept: ServerConfig, statement: str) -> None:
    """Does something to a database behind the back of whoever uses it."""
    engine = engine_of(place_of(kept))
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


# One at a time


def test_a_database_serves_one_server_at_a_time(
    kept: ServerConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "_PATIENCE_S", 0.0)
    database = Database(place_of(kept))
    with pytest.raises(
        StorageError, match=r"Another server uses .*: stop it, or choose another"
    ) as refused:
        Database(place_of(kept))
    assert "secret" not in refused.value.sentence
    database.close()
    Database(place_of(kept), power_safe=True).close()


def test_a_folder_and_the_url_of_its_file_are_the_same_place(tmp_path: Path) -> None:
    database = Database(place_in(tmp_path))
    with pytest.raises(StorageError, match="choose another file with --database"):
        Database(place_at(f"sqlite:///{tmp_path / NAME}"))
    database.close()


def test_two_files_of_a_folder_are_two_places(tmp_path: Path) -> None:
    first = Database(place_at(f"sqlite:///{tmp_path / 'a.db'}"))
    Database(place_at(f"sqlite:///{tmp_path / 'b.db'}")).close()
    first.close()


# What cannot be used


def test_a_file_that_is_no_database_is_said(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("nothing of the kind " * 100)
    with pytest.raises(StorageError, match="cannot be used"):
        Database(place_in(tmp_path))


def test_a_database_of_a_newer_version_is_said(kept: ServerConfig) -> None:
    Database(place_of(kept)).close()
    altered(kept, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageError, match="9999"):
        Database(place_of(kept))


def test_a_database_that_does_not_hold_every_letter_is_said(cluster: Cluster) -> None:
    cluster.execute(sql.SQL("CREATE DATABASE old ENCODING 'SQL_ASCII' TEMPLATE template0"))
    with pytest.raises(StorageError, match="holds text as SQL_ASCII: make one with UTF8"):
        Database(place_at(cluster.url("old")))
    cluster.execute(sql.SQL("DROP DATABASE old"))


def test_a_missing_driver_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    really = builtins.__import__

    def without_psycopg(
        name: str,
        globals_: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        names: Sequence[str] | None = (),
        level: int = 0,
    ) -> object:
        if name.partition(".")[0] == "psycopg":
            raise ModuleNotFoundError(f"No module named {name!r}")
        return really(name, globals_, locals_, names, level)

    monkeypatch.setattr(builtins, "__import__", without_psycopg)
    with pytest.raises(StorageError, match=r'pip install "spades\[postgres\]"'):
        engine_of(place_at("postgresql+psycopg://spades@/spades"))


# What is typed


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://ann:secret@host/spades", "'mysql' is not a database for Spades"),
        ("postgresql+psycopg2://ann:secret@host/x", r"'postgresql\+psycopg2' is not a database"),
        ("spades.db", "cannot be read"),
        ("postgresql://ann:secret@host:port/spades", "cannot be read"),
        ("postgresql://ann:secret@host", r"ann:\*\*\*@host names no database"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:///file:x?mode=memory&uri=true", "names no file"),
    ],
)
def test_a_url_that_cannot_be_used_is_said_without_its_password(url: str, sentence: str) -> None:
    with pytest.raises(StorageError, match=sentence) as refused:
        place_at(url)
    assert "secret" not in refused.value.sentence


def test_a_password_is_hidden_wherever_it_stands() -> None:
    place = place_at("postgresql://ann:secret@host/spades?password=secret&sslpassword=secret")
    assert "secret" not in place.shown
    assert "ann" in place.shown
    assert "secret" not in repr(ServerConfig(database="postgresql://ann:secret@host/spades"))


def test_a_server_that_cannot_be_reached_is_said_in_one_line_without_a_password() -> None:
    url = "postgresql://ann:secret@127.0.0.1:1/spades"
    done = subprocess.run(
        [SPADES, "serve", "--port", "0", "--database", url, "--log-level", "warning"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "postgresql+psycopg://ann:***@127.0.0.1:1/spades cannot be used" in done.stderr
    assert "secret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--data", "a", "--database", "postgresql://h/x"], {}),
        (["--data", "a", "--memory"], {}),
        (["--database", "postgresql://h/x", "--memory"], {}),
        ([], {"SPADES_DATA": "a", "SPADES_DATABASE": "postgresql://h/x"}),
    ],
)
def test_data_is_kept_in_one_place(words: list[str], environment: dict[str, str]) -> None:
    command = [SPADES, "serve", "--port", "0", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "exclude each other: the data is kept in one place" in " ".join(done.stderr.split())


# A connection that breaks


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks at once whether the database is still there, whenever there is nothing to write."""
    monkeypatch.setattr(writer, "CHECK_S", 0.01)


async def broken(server: SpadesServer) -> str:
    await asyncio.wait_for(server.broken.wait(), 60)
    await server.stop()
    return server.why_broken


@pytest.mark.usefixtures("impatient")
async def test_an_idle_server_whose_connection_breaks_stops_and_says_so(
    cluster: Cluster, postgresql: str
) -> None:
    server = SpadesServer(ServerConfig(port=0, database=postgresql))
    await server.start()
    cluster.execute(
        sql.SQL(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'spades%'"
        )
    )
    sentence = await broken(server)
    assert sentence.startswith("The database is gone: ")
    # Its lock went with the connection: another may serve.
    Database(place_at(postgresql)).close()


async def test_a_server_whose_connection_breaks_answers_nothing_that_is_not_safe(
    cluster: Cluster, postgresql: str
) -> None:
    server = SpadesServer(ServerConfig(port=0, database=postgresql))
    await server.start()
    async with Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        cluster.stop()
        try:
            asking = asyncio.create_task(ann.create_table(""))
            await asyncio.wait_for(server.broken.wait(), 60)
            assert not asking.done()
            asking.cancel()
            with pytest.raises(SpadesError, match="has lost its records"):
                await ann.record("any")
            assert server.why_broken.startswith("The database cannot be")
            await server.stop()
        finally:
            cluster.start()


async def test_a_url_in_the_environment_is_used_and_shown_without_its_password(
    postgresql: str,
) -> None:
    process = await asyncio.create_subprocess_exec(
        SPADES,
        "serve",
        "--port",
        "0",
        env={"SPADES_DATABASE": postgresql},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    lines = [await process.stdout.readline() for _ in range(3)]
    assert b"kept in postgresql+psycopg://spades:***@/" in lines[2]
    process.terminate()
    rest, errors = await process.communicate()
    assert process.returncode == 0
    assert b"secret" not in b"".join((*lines, rest, errors))
