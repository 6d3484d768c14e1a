"""A backup: everything of a database in one SQLite file, whatever the database is."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import URL, Connection, Engine, create_engine, func, select, text

from spades_server.storage.engine import engine_of
from spades_server.storage.errors import StorageError, explained
from spades_server.storage.place import Place
from spades_server.storage.schema import metadata, players, records, tables
from spades_server.storage.version import Version, upgrade, version_of

APPLICATION_ID: Final = int.from_bytes(b"SpBk")
"""What SQLite notes in the head of a backup, so that no other file is taken for one."""

_AT_ONCE: Final = 1_000


class Holding(NamedTuple):
    """How much a database holds."""

    tables: int
    players: int
    records: int

    def __str__(self) -> str:
        """Says it in words."""
        return (
            f"{_counted(self.tables, 'open table')}, {_counted(self.players, 'player')}"
            f" and {_counted(self.records, 'record')}"
        )


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def holding_of(connection: Connection) -> Holding:
    """Counts what a database holds."""
    counted = (select(func.count()).select_from(one) for one in (tables, players, records))
    return Holding(*(connection.execute(query).scalar_one() for query in counted))


def back_up(place: Place, file: Path) -> Holding:
    """Writes a backup as it is at one moment, while a server may be running; returns what it holds.

    :raises StorageError: if there is nothing to back up, or the file cannot be written.
    """
    _require_source(place)
    _require_replaceable(file)
    engine = engine_of(place)
    try:
        with explained(f"The backup of {place.shown} failed"), _moment(engine, place) as source:
            return _write(source, file)
    except OSError as error:
        raise StorageError(f"{file} cannot be written: {error.strerror}.") from None
    finally:
        engine.dispose()


def _require_source(place: Place) -> None:
    if place.file is not None and not place.file.exists():
        raise StorageError(f"There is no data in {place.shown}: no server has kept any there.")


def _require_replaceable(file: Path) -> None:
    """An older backup is replaced, and nothing else: not by mistake the database itself."""
    if file.exists() and not is_backup(file):
        raise StorageError(f"{file} is there already and is no backup: choose another name.")


def is_backup(file: Path) -> bool:
    """Whether a file is a backup, by its head."""
    try:
        with file.open("rb") as opened:
            head = opened.read(72)
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}.") from None
    return head.startswith(b"SQLite format 3\0") and head[68:] == APPLICATION_ID.to_bytes(4)


@contextmanager
def _moment(engine: Engine, place: Place) -> Generator[Connection]:
    """A connection to which the database does not change, whatever is written meanwhile."""
    with engine.connect() as connection:
        if place.file is None:
            connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
        else:
            # Python's driver begins no transaction to read.
            connection.exec_driver_sql("BEGIN")
        match version_of(connection):
            case Version.CURRENT:
                yield connection
            case Version.NONE:
                raise StorageError(f"There is no data of Spades in {place.shown}.")
            case Version.OLDER:
                raise StorageError(
                    f"The data in {place.shown} is of an older version of Spades: back it up with that"
                    " version, or let a server of this one bring it up to date."
                )
            case Version.NEWER:
                raise StorageError(
                    f"The data in {place.shown} is of a newer version of Spades: back it up with that."
                )


def _write(source: Connection, file: Path) -> Holding:
    """Writes the file beside its place, readable by its owner only, and moves it there when it is whole."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    beside = Path(name)
    try:
        with closing_engine(beside) as engine, engine.begin() as target:
            upgrade(target)
            copy_rows(source, target)
            target.execute(text(f"PRAGMA application_id = {APPLICATION_ID}"))
            holding = holding_of(target)
        os.fsync(descriptor)
        beside.replace(file)
    finally:
        os.close(descriptor)
        beside.unlink(missing_ok=True)
    return holding


@contextmanager
def closing_engine(file: Path) -> Generator[Engine]:
    """An SQLite file that is used by nobody else."""
    engine = create_engine(URL.create("sqlite+pysqlite", database=str(file)), hide_parameters=True)
    try:
        yield engine
    finally:
        engine.dispose()


def copy_rows(source: Connection, target: Connection) -> None:
    """Copies all rows of all tables, those that others refer to first."""
    for table in metadata.sorted_tables:
        streamed = source.execute(select(table).execution_options(yield_per=_AT_ONCE))
        with closing(streamed) as rows:
            for part in rows.mappings().partitions():
                target.execute(table.insert(), [dict(row) for row in part])
