"""What is said when the data cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from alembic.util import CommandError
from sqlalchemy.exc import SQLAlchemyError

from spades import Reason, SpadesError


class StorageError(SpadesError):
    """The data cannot be used."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.TABLE_STATE)


def cause_of(error: Exception) -> str:
    """What a driver says, in its first line; hints follow, and SQLAlchemy repeats the statement."""
    return str(error.__cause__ or error).strip().partition("\n")[0].rstrip(".")


@contextmanager
def explained(what: str) -> Generator[None]:
    """Turns whatever a database or its migrations raise into a sentence that begins with ``what``.

    :raises StorageError: in the place of the other.
    """
    try:
        yield
    except (SQLAlchemyError, sqlite3.Error, CommandError) as error:
        # Alembic's own error is that of a database which a newer version of Spades has made.
        raise StorageError(f"{what}: {cause_of(error)}.") from error
