"""A backup that becomes a server's data again."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, func, literal, select, text, union_all

from spades_server.commands import Resume
from spades_server.storage.backup import (
    Holding,
    closing_engine,
    copy_rows,
    holding_of,
    is_backup,
)
from spades_server.storage.codec import encode
from spades_server.storage.database import Database
from spades_server.storage.errors import StorageError, explained
from spades_server.storage.place import Place
from spades_server.storage.schema import commands, memos, metadata, tables
from spades_server.storage.version import Version, upgrade, version_of


def restore(file: Path, place: Place, *, force: bool = False) -> Holding:
    """Puts back what a backup holds, all of it or nothing; returns what that is.

    What is in the database is replaced, if ``force`` says so. Every open table gets a new epoch: what
    happened at it after the backup is gone, so nobody can go on from what they have seen.

    :raises StorageError: if the file is no backup that this version can read, or the database is in use
        or holds something.
    """
    with _readable(file) as source:
        database = Database(place)
        try:
            with explained(f"{file} could not be restored"), database.writing.begin():
                _clear(database.writing, place, force=force)
                copy_rows(source, database.writing)
                _begin_epoch(database.writing)
                return holding_of(database.writing)
        finally:
            database.close()


@contextmanager
def _readable(file: Path) -> Generator[Connection]:
    """A connection to a copy of a backup, brought up to date."""
    if not is_backup(file):
        raise StorageError(f"{file} is no backup of Spades.")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        try:
            shutil.copyfile(file, copy)
        except OSError as error:
            raise StorageError(f"{file} cannot be copied: {error.strerror}.") from None
        with explained(f"{file} cannot be read"), closing_engine(copy) as engine:
            with engine.begin() as connection:
                _require_whole(connection, file)
                upgrade(connection)
            with engine.connect() as connection:
                yield connection


def _require_whole(connection: Connection, file: Path) -> None:
    if connection.execute(text("PRAGMA quick_check")).scalar() != "ok":
        raise StorageError(f"{file} is damaged.")
    match version_of(connection):
        case Version.NEWER:
            raise StorageError(
                f"{file} is from a newer version of Spades: restore it with that version."
            )
        case Version.NONE:
            raise StorageError(f"{file} is no backup of Spades.")
        case _:
            pass


def _clear(connection: Connection, place: Place, *, force: bool) -> None:
    holding = holding_of(connection)
    if any(holding) and not force:
        raise StorageError(f"{place.shown} holds {holding}: add --force to replace them.")
    for table in reversed(metadata.sorted_tables):
        connection.execute(table.delete())


def _begin_epoch(connection: Connection) -> None:
    """Has every table go on in an epoch that was never before: the time is later than all of them."""
    epoch = time.time_ns() // 1_000
    numbers = union_all(
        select(tables.c.code.label("code"), literal(0).label("number")),
        select(memos.c.table, memos.c.number),
        select(commands.c.table, commands.c.number),
    ).subquery()
    query = select(numbers.c.code, func.max(numbers.c.number)).group_by(numbers.c.code)
    kind, player, payload = encode(Resume(epoch))
    rows = [
        # At the time of what was done last: no clock moves.
        {"table": code, "number": number + 1, "time_us": 0, "kind": kind, "player": player,
         "payload": payload}
        for code, number in connection.execute(query)
    ]  # fmt: skip
    if rows:
        connection.execute(commands.insert(), rows)
