"""A place for data, in each of the databases; PostgreSQL is a real server that the tests start."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from spades_server.config import ServerConfig
from tests.server.storage.killing import Killed

DEBIAN = Path("/usr/lib/postgresql")


def _programs() -> Path | None:
    """Where the newest PostgreSQL has its programs."""
    found = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parents[1].name))
    return found[-1].parent if found else None


class Cluster:
    """A server of databases on a Unix socket in a folder of its own."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        # The path of a socket is short.
        self.folder = Path(tempfile.mkdtemp(prefix="spades-pg-", dir="/tmp"))
        self._user: str | None = None
        if os.geteuid() == 0:
            # PostgreSQL refuses to run as root; Debian's package makes this user.
            self._user = "postgres"
            whose = pwd.getpwnam(self._user)
            os.chown(self.folder, whose.pw_uid, whose.pw_gid)
        self._data = self.folder / "data"
        self._run("initdb", "-D", self._data, "-U", "spades", "-A", "trust", "-E", "UTF8",
                  "--no-locale", "--no-sync")  # fmt: skip
        self.start()

    def start(self) -> None:
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off"
        self._run(
            "pg_ctl", "-D", self._data, "-l", self.folder / "log", "-o", options, "-w", "start"
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "-w", "stop")

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://spades:secret@/{database}?host={self.folder}"

    def execute(self, statement: sql.SQL | sql.Composed) -> None:
        """Does something to the server as a whole."""
        where = f"user=spades host={self.folder} dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute(statement)

    def _run(self, program: str, *words: str | Path) -> None:
        subprocess.run(
            [self._programs / program, *words],
            check=True,
            user=self._user,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    programs = _programs()
    if programs is None:
        pytest.skip("Debian's package `postgresql` is not installed")
    it = Cluster(programs)
    yield it
    it.remove()


_numbers = count(1)


@contextmanager
def _database(cluster: Cluster) -> Generator[str]:
    name = f"spades_{next(_numbers)}"
    cluster.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    yield cluster.url(name)
    cluster.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@pytest.fixture
def postgresql(cluster: Cluster) -> Iterator[str]:
    """The URL of a fresh, empty database in PostgreSQL."""
    with _database(cluster) as url:
        yield url


@pytest.fixture
def postgresql_too(cluster: Cluster) -> Iterator[str]:
    """Another one."""
    with _database(cluster) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> ServerConfig:
    """The settings of a server that keeps its data, in each of the databases."""
    config = ServerConfig(port=0, allow_seeds=True, tempo_ms=0)
    if request.param == "sqlite":
        return replace(config, data=tmp_path / "data")
    return replace(config, database=str(request.getfixturevalue("postgresql")))


@pytest.fixture
def killed(kept: ServerConfig) -> Iterator[Killed]:
    it = Killed(kept)
    it.start()
    yield it
    it.kill(signal.SIGTERM)
