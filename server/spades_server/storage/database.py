"""The database of a server: opened, locked, and brought up to date."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, text

from spades_server.storage.engine import engine_of
from spades_server.storage.errors import StorageError, explained
from spades_server.storage.lock import lock_file, lock_session
from spades_server.storage.place import Place
from spades_server.storage.version import upgrade

_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")


class Database:
    """An open database that no other server uses."""

    def __init__(self, place: Place, *, power_safe: bool = False) -> None:
        """Opens it, making an SQLite file if there is none, and brings its tables up to date.

        :raises StorageError: if it cannot be used or another server uses it.
        """
        self.place = place
        with ExitStack() as opening:
            lock = lock_file(place)
            if lock is not None:
                opening.callback(lock.release)
            self.engine = engine_of(place, power_safe=power_safe)
            """For reading."""
            opening.callback(self.engine.dispose)
            with explained(f"The database in {place.shown} cannot be used"):
                self.writing = self.engine.connect()
                """The one connection that writes. In PostgreSQL it holds the lock as well: whoever has
                lost the lock has lost the means to write."""
                opening.callback(self.writing.close)
                # The pool must not give it to anybody else.
                self.writing.detach()
                if place.file is None:
                    _require_utf8(place, self.writing)
                    lock_session(place, self.writing)
                with self.writing.begin():
                    upgrade(self.writing)
            self._opened = opening.pop_all()

    @property
    def incarnation(self) -> str:
        """What is another one after a crash that may have cost the last commits; empty: that is not known.

        Of the machine for SQLite, whose commits are in its memory, and of PostgreSQL itself for the other.
        """
        if self.place.file is None:
            query = text("SELECT extract(epoch FROM pg_postmaster_start_time())")
            started = self.writing.execute(query).scalar_one()
            self.writing.commit()
            return str(started)
        with contextlib.suppress(OSError):
            return _BOOT.read_text(encoding="ascii").strip()
        return ""

    def check(self) -> None:
        """Asks PostgreSQL whether it is still there: a server that waits would not notice.

        :raises SQLAlchemyError: if it is not.
        """
        if self.place.file is None:
            self.writing.execute(text("SELECT 1"))
            self.writing.commit()

    def close(self) -> None:
        """Closes it and lets others use it."""
        self._opened.close()


def _require_utf8(place: Place, connection: Connection) -> None:
    encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
    connection.commit()
    if encoding != "UTF8":
        raise StorageError(
            f"The database in {place.shown} holds text as {encoding}: make one with UTF8."
        )
