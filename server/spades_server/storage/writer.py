"""One thread that writes: whatever has gathered while it was busy is one transaction."""

from __future__ import annotations

import asyncio
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

from sqlalchemy import Connection, Dialect, Table
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.sql.compiler import SQLCompiler

from spades_server.storage.database import Database
from spades_server.storage.errors import cause_of

log: Final = logging.getLogger("spades.storage")

Done = Callable[[], None]
Row = dict[str, object]


Work = Callable[[Connection], object]


class _Insert(NamedTuple):
    table: Table
    row: Row


class _Gathered:
    """What is to be written together, and who is told of it."""

    __slots__ = ("after", "done", "steps")

    def __init__(self) -> None:
        self.steps: list[_Insert | Work] = []
        self.after: list[Callable[[], object]] = []
        self.done: list[Done] = []


MOST_AT_ONCE: Final = 1_000
"""A transaction takes in no more when it has so many pieces of work."""

CHECK_S: Final = 5.0
"""After how long without work the database is asked whether it is still there."""


class Writer:
    """Takes work on the event loop, does it in its thread, and says on the loop that it is safe.

    There is no waiting for more to gather: the commit that is under way is the time in which it does, and
    what one turn of the loop brings is handed over at its end.
    """

    def __init__(self, database: Database, broken: Callable[[str], None]) -> None:
        """``broken`` is called on the loop when something cannot be written: nothing is safe from then on."""
        self._database = database
        self._broken = broken
        self._loop = asyncio.get_running_loop()
        self._gathered: _Gathered | None = None
        """What this turn of the loop has brought: to hand over each piece costs more than to write it."""
        self._queue: queue.SimpleQueue[_Gathered | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def insert(self, table: Table, row: Row) -> None:
        """Has a row written."""
        self._gather().steps.append(_Insert(table, row))

    def run(self, work: Work) -> None:
        """Has something else done."""
        self._gather().steps.append(work)

    def run_after(self, work: Callable[[], object]) -> None:
        """Has something done, in the writer's thread, between the commit and the news of it."""
        self._gather().after.append(work)

    def when_written(self, done: Done) -> None:
        """Calls back on the loop when everything that came before is committed."""
        self._gather().done.append(done)

    def close(self) -> None:
        """Writes what is left and ends."""
        self._hand_over()
        self._queue.put(None)
        self._thread.join()

    def _gather(self) -> _Gathered:
        gathered = self._gathered
        if gathered is None:
            gathered = self._gathered = _Gathered()
            self._loop.call_soon(self._hand_over)
        return gathered

    def _hand_over(self) -> None:
        if self._gathered is not None:
            self._queue.put(self._gathered)
            self._gathered = None

    def _work(self) -> None:
        try:
            self._run()
        except Exception as error:  # noqa: BLE001  # the thread's last boundary: a server without it must stop
            name = type(error).__name__
            # What it says may hold a card of a running hand.
            log.critical("the journal has failed", extra={"error": name})
            self._tell([lambda: self._broken(f"The journal has failed: {name}.")])

    def _run(self) -> None:
        ends = False
        while not ends:
            try:
                one = self._queue.get(timeout=CHECK_S)
            except queue.Empty:
                if not self._checked():
                    return
                continue
            together = _Gathered()
            while one is not None:
                together.steps += one.steps
                together.after += one.after
                together.done += one.done
                if len(together.steps) >= MOST_AT_ONCE or self._queue.empty():
                    break
                one = self._queue.get()
            ends = one is None
            if not self._write(together):
                return

    def _write(self, together: _Gathered) -> bool:
        connection = self._database.writing
        try:
            if together.steps:
                with connection.begin():
                    _do(connection, together.steps)
            for work in together.after:
                work()
        except SQLAlchemyError as error:
            # What was not written must not be heard of either: the server stops rather than forget.
            self._stop("The database cannot be written", error)
            return False
        if together.done:
            self._tell(together.done)
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
                try:
                    call()
                except Exception as error:  # noqa: BLE001  # one table's news must not cost the others theirs
                    name = type(error).__name__
                    log.critical("what was written was not told", extra={"error": name})
                    self._broken(f"What was written could not be told: {name}.")

        try:
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:
            # The loop has ended: nobody waits for an answer any more.
            return


def _do(connection: Connection, steps: Sequence[_Insert | Work]) -> None:
    """Does everything in order; rows of one table that follow each other go in together."""
    into: Table | None = None
    rows: list[Row] = []
    for step in steps:
        table = step.table if isinstance(step, _Insert) else None
        if into is not None and table is not into:
            _insert(connection, into, rows)
            rows = []
        into = table
        if isinstance(step, _Insert):
            rows.append(step.row)
        else:
            step(connection)
    if into is not None:
        _insert(connection, into, rows)


def _insert(connection: Connection, table: Table, rows: list[Row]) -> None:
    """Inserts rows as the driver takes them: there is one for every card, and nothing in them to convert."""
    statement, names = _statement(table, connection.dialect)
    if names:
        values = [tuple([row[name] for name in names]) for row in rows]
        connection.exec_driver_sql(statement, values)
    else:
        connection.exec_driver_sql(statement, rows)


@cache
def _statement(table: Table, dialect: Dialect) -> tuple[str, tuple[str, ...]]:
    """What inserts a row, and the order of its values where the driver does not know them by name."""
    compiled = table.insert().compile(dialect=dialect)
    assert isinstance(compiled, SQLCompiler), "an insertion is SQL"
    return str(compiled), tuple(compiled.positiontup or ())
