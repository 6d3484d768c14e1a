"""One server for each database."""

from __future__ import annotations

import time
from typing import Final

import filelock
from sqlalchemy import Connection, text

from spades_server.storage.errors import StorageError
from spades_server.storage.place import Place

_KEY: Final = int.from_bytes(b"spades")
"""Which of PostgreSQL's advisory locks is meant; each database has its own."""

_PATIENCE_S: Final = 3.0
"""PostgreSQL takes a moment to notice that a server was killed, and it may be started again at once."""


def lock_file(place: Place) -> filelock.BaseFileLock | None:
    """Takes the lock beside an SQLite file, making the folder if there is none.

    :raises StorageError: if another process has it, or the folder cannot be used.
    """
    if place.file is None:
        return None
    try:
        place.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = filelock.FileLock(f"{place.file}.lock", blocking=False)
        lock.acquire()
        # The cards of running matches are in it: SQLite itself would let others of the machine read.
        place.file.touch(mode=0o600)
    except filelock.Timeout:
        raise _taken(place) from None
    except OSError as error:
        raise StorageError(f"{place.shown} cannot be used: {error.strerror}.") from None
    return lock


def lock_session(place: Place, connection: Connection) -> None:
    """Takes PostgreSQL's lock, which lasts as long as the connection does.

    :raises StorageError: if another session has it.
    """
    until = time.monotonic() + _PATIENCE_S
    while True:
        taken = connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY})
        is_mine = bool(taken.scalar_one())
        connection.commit()
        if is_mine:
            return
        if time.monotonic() >= until:
            raise _taken(place)
        time.sleep(0.05)


def _taken(place: Place) -> StorageError:
    return StorageError(f"Another server uses {place.shown}: stop it, or {place.other}.")
