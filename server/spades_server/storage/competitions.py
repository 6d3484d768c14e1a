"""Competitions in the database."""

from __future__ import annotations

from sqlalchemy import Connection, Engine, select, update

from spades_server.journal import StoredCompetition
from spades_server.storage.schema import competition_lines, competitions


def keep_document(connection: Connection, name: str, created_us: int, document: str) -> None:
    """Writes what is known of a competition, in place of what was known before."""
    change = update(competitions).where(competitions.c.name == name).values(document=document)
    if not connection.execute(change).rowcount:
        row = {"name": name, "created_us": created_us, "document": document}
        connection.execute(competitions.insert(), row)


def stored_competitions(connection: Connection) -> list[StoredCompetition]:
    """Reads all competitions with their journals, the oldest first, without the records."""
    c = competition_lines.c
    lines: dict[str, list[str]] = {}
    for name, line in connection.execute(
        select(c.competition, c.line).order_by(c.competition, c.number)
    ):
        lines.setdefault(name, []).append(line)
    found = connection.execute(
        select(competitions.c.name, competitions.c.document).order_by(
            competitions.c.created_us, competitions.c.name
        )
    )
    return [StoredCompetition(name, document, lines.get(name, [])) for name, document in found]


def records_of(engine: Engine, name: str, number: int) -> str:
    """Reads the records that belong to a line."""
    c = competition_lines.c
    query = select(c.records).where(c.competition == name, c.number == number)
    with engine.connect() as connection:
        return connection.execute(query).scalar_one_or_none() or ""
