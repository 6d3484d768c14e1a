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
        for part in range(4):
            name = f"{number}-{part}"
            writer.insert(
                players, {"id": name, "name": name, "digest": name.encode(), "since_us": 0}
            )
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

    writer.run_after(look)
    writer.insert(players, {"id": "ann", "name": "Ann", "digest": b"1", "since_us": 0})
    writer.when_written(written.set)
    await written.wait()
    assert found == [1]
    writer.close()


async def test_a_fault_of_the_writer_itself_stops_the_server_and_is_told(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    told: asyncio.Queue[str] = asyncio.Queue()
    writer = Writer(database, told.put_nowait)
    writer.insert(players, {"id": "a row without its other columns"})
    async with asyncio.timeout(20):
        assert await told.get() == "The journal has failed: KeyError."
    assert "the journal has failed" in caplog.text
    writer.close()
