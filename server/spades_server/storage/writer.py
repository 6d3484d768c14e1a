"""One thread that writes: whatever has gathered while it was busy is one transaction."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Table
from sqlalchemy.exc import SQLAlchemyError

from spades_server.storage.database import Database
from spades_server.storage.errors import cause_of

log: Final = logging.getLogger("spades.storage")

Done = Callable[[], None]
Row = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Insert:
    table: Table
    row: Callable[[], Row]


@dataclass(frozen=True, slots=True)
class _Run:
    work: Callable[[Connection], object]


@dataclass(frozen=True, slots=True)
class _After:
    work: Callable[[], object]


@dataclass(frozen=True, slots=True)
class _Tell:
    done: Done


_Item = _Insert | _Run | _After | _Tell

MOST_AT_ONCE: Final = 1_000
"""After how many pieces of work no more share a transaction."""

CHECK_S: Final = 5.0
"""After how long without work the database is asked whether it is still there."""


class Writer:
    """Takes work on the event loop, does it in its thread, and says on the loop that it is safe.

    There is no waiting for more to gather: the commit that is under way is the time in which it does.
    """

    def __init__(self, database: Database, broken: Callable[[str], None]) -> None:
        """``broken`` is called on the loop when something cannot be written: nothing is safe from then on."""
        self._database = database
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[Sequence[_Item] | None] = queue.SimpleQueue()
        self._block: list[_Item] | None = None
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    @contextmanager
    def together(self) -> Generator[None]:
        """Has all that is given within the block written in one transaction, whenever the thread looks."""
        assert self._block is None, "blocks are not nested"
        block: list[_Item] = []
        self._block = block
        try:
            yield
        finally:
            self._block = None
            self._queue.put(block)

    def _put(self, item: _Item) -> None:
        if self._block is not None:
            self._block.append(item)
        else:
            self._queue.put((item,))

    def insert(self, table: Table, row: Row) -> None:
        """Has a row written."""
        self._put(_Insert(table, lambda: row))

    def insert_made(self, table: Table, row: Callable[[], Row]) -> None:
        """Has a row made, in the writer's thread, and written."""
        self._put(_Insert(table, row))

    def run(self, work: Callable[[Connection], object]) -> None:
        """Has something else done."""
        self._put(_Run(work))

    def run_after(self, work: Callable[[], object]) -> None:
        """Has something done, in the writer's thread, between the commit and the news of it."""
        self._put(_After(work))

    def when_written(self, done: Done) -> None:
        """Calls back on the loop when everything that came before is committed."""
        self._put(_Tell(done))

    def close(self) -> None:
        """Writes what is left and ends."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        ends = False
        while not ends:
            gathered: list[_Item] = []
            try:
                items = self._queue.get(timeout=CHECK_S)
            except queue.Empty:
                if not self._checked():
                    return
                continue
            while items is not None:
                gathered += items
                if len(gathered) >= MOST_AT_ONCE or self._queue.empty():
                    break
                items = self._queue.get()
            ends = items is None
            if gathered and not self._write(gathered):
                return

    def _write(self, gathered: Sequence[_Item]) -> bool:
        connection = self._database.writing
        try:
            with connection.begin():
                _do(connection, gathered)
            for item in gathered:
                if isinstance(item, _After):
                    item.work()
        except SQLAlchemyError as error:
            # What was not written must not be heard of either: the server stops rather than forget.
            self._stop("The database cannot be written", error)
            return False
        self._tell([item.done for item in gathered if isinstance(item, _Tell)])
        return True

    def _checked(self) -> bool:
        try:
            self._database.check()
        except SQLAlchemyError as error:
            self._stop("The database is gone", error)
            return False
        return True

    def _stop(self, what: str, error: SQLAlchemyError) -> None:
        sentence = f"{what}: {cause_of(error)}."
        log.error("cannot write", extra={"error": sentence})
        self._tell([lambda: self._broken(sentence)])

    def _tell(self, calls: Sequence[Done]) -> None:
        def tell() -> None:
            for call in calls:
                call()

        try:
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:
            # The loop has ended: nobody waits for an answer any more.
            return


def _do(connection: Connection, gathered: Sequence[_Item]) -> None:
    """Does everything in order; rows of one table that follow each other go in together."""
    table: Table | None = None
    rows: list[Row] = []
    for item in gathered:
        if isinstance(item, _Tell | _After):
            continue
        same = isinstance(item, _Insert) and item.table is table
        if not same and table is not None:
            connection.execute(table.insert(), rows)
            table, rows = None, []
        if isinstance(item, _Insert):
            table = item.table
            rows.append(item.row())
        else:
            item.work(connection)
    if table is not None:
        connection.execute(table.insert(), rows)
