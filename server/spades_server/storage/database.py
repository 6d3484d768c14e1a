"""The database: where it is, how it is opened, and the form that its tables have."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, Final

import filelock
from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError

from spades import Reason, SpadesError

NAME: Final = "spades.db"
MIGRATIONS: Final = Path(__file__).parent / "migrations"


class StorageError(SpadesError):
    """The data cannot be used."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.TABLE_STATE)


class Database:
    """An open SQLite file in a folder that no other server uses."""

    def __init__(self, folder: Path, *, power_safe: bool = False) -> None:
        """Opens the file, making it if there is none, and brings its tables up to date.

        ``power_safe`` waits for the disk at every commit: then nothing is lost when the power fails, and
        not only when the process is killed.

        :raises StorageError: if the folder cannot be used or another server uses it.
        """
        self._lock = _locked(folder)
        self.engine = create_engine(f"sqlite:///{folder / NAME}")
        event.listen(self.engine, "connect", _settings(power_safe=power_safe))
        try:
            _upgrade(self.engine)
        except (SQLAlchemyError, sqlite3.Error, CommandError) as error:
            # Alembic's own error is that of a database which a newer version of Spades has made.
            self.close()
            cause = error.__cause__ or error
            raise StorageError(f"The database in {folder} cannot be used: {cause}.") from error

    def close(self) -> None:
        """Closes the file and lets others use the folder."""
        self.engine.dispose()
        self._lock.release()


def _locked(folder: Path) -> filelock.BaseFileLock:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = filelock.FileLock(folder / "server.lock", blocking=False)
        lock.acquire()
    except filelock.Timeout:
        raise StorageError(
            f"Another server uses {folder}: choose another folder with --data."
        ) from None
    except OSError as error:
        raise StorageError(f"{folder} cannot be used: {error.strerror}.") from None
    return lock


def _settings(*, power_safe: bool) -> Any:
    def connect(connection: sqlite3.Connection, _record: object) -> None:
        for pragma in (
            "journal_mode=WAL",
            f"synchronous={'FULL' if power_safe else 'NORMAL'}",
            "foreign_keys=ON",
            "busy_timeout=5000",
            # The name of a player who was deleted must not stand in the file's free space either.
            "secure_delete=ON",
        ):
            connection.execute(f"PRAGMA {pragma}")

    return connect


def _upgrade(engine: Engine) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
