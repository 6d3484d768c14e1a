"""The thread that writes: what belongs together is never parted."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, event

from spades_server.storage.database import Database
from spades_server.storage.place import place_in
from spades_server.storage.schema import players
from spades_server.storage.writer import Writer


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    it = Database(place_in(tmp_path))
    yield it
    it.close()


@pytest.mark.usefixtures("hasty")
async def test_what_is_given_together_is_one_transaction(database: Database) -> None:
    """A match that has ended is never without its record, whenever the server is killed."""
    commits: list[Connection] = []
    event.listen(database.writing, "commit", commits.append)
    writer = Writer(database, lambda _: None)
    rounds = 20
    for number in range(rounds):
        written = asyncio.Event()
        with writer.together():
            for part in range(4):
                name = f"{number}-{part}"
                writer.insert(players, {"id": name, "name": name, "digest": name.encode()})
                for _ in range(100):
                    os.sched_yield()
            writer.when_written(written.set)
        await written.wait()
    writer.close()
    assert len(commits) == rounds


async def test_what_is_done_after_a_commit_finds_it_done_and_is_waited_for(
    database: Database,
) -> None:
    found: list[int] = []
    written = asyncio.Event()
    writer = Writer(database, lambda _: None)

    def look() -> None:
        with database.engine.connect() as connection:
            found.append(len(connection.execute(players.select()).all()))

    with writer.together():
        writer.run_after(look)
        writer.insert(players, {"id": "ann", "name": "Ann", "digest": b"1"})
        writer.when_written(written.set)
    await written.wait()
    assert found == [1]
    writer.close()
