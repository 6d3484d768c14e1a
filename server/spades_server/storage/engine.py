"""How a database is spoken to."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any, Final

from sqlalchemy import Engine, create_engine, event

from spades_server.storage.errors import StorageError
from spades_server.storage.place import Place

_TIMEOUT_S: Final = 10

_LINE: Final[Mapping[str, object]] = {
    "client_encoding": "utf8",
    "connect_timeout": _TIMEOUT_S,
    "keepalives_idle": _TIMEOUT_S,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 1_000 * _TIMEOUT_S,
}
"""A server of databases that has vanished is noticed in seconds; what a URL says itself counts first."""


def engine_of(place: Place, *, power_safe: bool = False) -> Engine:
    """Makes what connects to a database; nothing is opened yet.

    ``power_safe`` waits for the disk at every commit: then nothing is lost when the power fails, and
    not only when the process is killed.

    :raises StorageError: if the driver is not installed.
    """
    # Parameters are what players did, cards included: no message shows them.
    if place.file is not None:
        engine = create_engine(place.url, hide_parameters=True)
        event.listen(engine, "connect", _sqlite(power_safe=power_safe))
        return engine
    line = {key: value for key, value in _LINE.items() if key not in place.url.query}
    try:
        engine = create_engine(
            place.url, hide_parameters=True, pool_pre_ping=True, connect_args=line
        )
    except ImportError:
        raise StorageError(
            'PostgreSQL is reached with psycopg: install it with pip install "spades[postgres]".'
        ) from None
    event.listen(engine, "connect", _postgresql(power_safe=power_safe))
    return engine


def _sqlite(*, power_safe: bool) -> Any:
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


def _postgresql(*, power_safe: bool) -> Any:
    # Without waiting for its disk, a commit is in the memory of PostgreSQL when it is answered: it outlives
    # this process, however that ends, and not a crash of PostgreSQL or of its machine.
    settings = {"synchronous_commit": "on" if power_safe else "off"} | {
        # The lock of a server whose machine has vanished is free again in seconds.
        "tcp_keepalives_idle": str(_TIMEOUT_S),
        "tcp_keepalives_interval": "5",
        "tcp_keepalives_count": "3",
    }

    def connect(connection: Any, _record: object) -> None:
        with closing(connection.cursor()) as cursor:
            for name, value in settings.items():
                cursor.execute(f"SET {name} = {value}")
        connection.commit()

    return connect
