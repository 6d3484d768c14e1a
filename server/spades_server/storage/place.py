"""Where the data is: a folder with an SQLite file, or the URL of a database."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from spades_server.config import ServerConfig
from spades_server.storage.errors import StorageError

NAME: Final = "spades.db"
"""The file in a folder of data."""

_DRIVERS: Final = {
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "sqlite": "sqlite+pysqlite",
    "sqlite+pysqlite": "sqlite+pysqlite",
}
_ACCEPTED: Final = (
    "postgresql+psycopg://USER@HOST/NAME and sqlite:////PATH/FILE.db are what --database takes"
)


class Place(NamedTuple):
    """A database that a server can use."""

    url: URL
    shown: str
    """How it is named in sentences and logs: without a password."""
    other: str
    """What to do about a place that somebody else uses."""

    @property
    def file(self) -> Path | None:
        """The SQLite file; ``None`` where a server of databases has the data."""
        if self.url.get_backend_name() != "sqlite":
            return None
        assert self.url.database, "a place in SQLite is a file"
        return Path(self.url.database)


def place_of(config: ServerConfig) -> Place:
    """Where a server keeps its data, by its settings.

    :raises StorageError: if a URL is not of a database that Spades uses.
    """
    if config.database:
        return place_at(config.database)
    assert config.data is not None, "without a place everything stays in memory"
    return place_in(config.data)


def place_in(folder: Path) -> Place:
    """The SQLite file of a folder."""
    url = URL.create("sqlite+pysqlite", database=str(folder / NAME))
    return Place(url, str(folder), "choose another folder with --data")


def place_at(text: str) -> Place:
    """Reads a URL.

    :raises StorageError: if it is none, or of a database that Spades does not use.
    """
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # What was typed is not repeated: it may hold a password.
        raise StorageError(f"The URL of the database cannot be read: {_ACCEPTED}.") from None
    driver = _DRIVERS.get(url.drivername)
    if driver is None:
        raise StorageError(f"{url.drivername!r} is not a database for Spades: {_ACCEPTED}.")
    url = url.set(drivername=driver)
    if driver.startswith("sqlite"):
        return _file(url)
    if not url.database:
        raise StorageError(f"The URL {_shown(url)} names no database: {_ACCEPTED}.")
    return Place(url, _shown(url), "choose another database with --database")


def _file(url: URL) -> Place:
    if not url.database or url.database == ":memory:" or url.database.startswith("file:"):
        raise StorageError(f"The URL {_shown(url)} names no file: {_ACCEPTED}; see also --memory.")
    path = Path(url.database).absolute()
    return Place(url.set(database=str(path)), str(path), "choose another file with --database")


def _shown(url: URL) -> str:
    """The URL with a password hidden, wherever it stands."""
    hidden = {key: "***" for key in url.query if "password" in key.lower()}
    return url.update_query_dict(hidden).render_as_string(hide_password=True)
