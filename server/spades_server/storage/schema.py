"""The tables of the database, for SQLite and any other that SQLAlchemy speaks to."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    true,
)

from spades_proto.profile import RESULT_FIELDS

metadata: Final = MetaData()

players: Final = Table(
    "players",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(64), nullable=False),
    Column("digest", LargeBinary(32), nullable=False, unique=True),
    Column("since_us", BigInteger, nullable=False, server_default="0"),
)
"""Who has a token; of the token only its SHA-256 is known."""

tables: Final = Table(
    "tables",
    metadata,
    Column("code", String(16), primary_key=True),
    Column("host_id", String(32), nullable=False),
    Column("host_name", String(64), nullable=False),
    Column("rules", Text, nullable=False),
    Column("private", Boolean, nullable=False),
    Column("many_seats", Boolean, nullable=False),
    Column("seed_chosen", Boolean, nullable=False),
    Column("tempo_us", BigInteger, nullable=False),
    Column("grace_us", BigInteger, nullable=False),
    Column("abandoned_us", BigInteger, nullable=False),
    Column("stand_in", String(32), nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("opened_us", BigInteger, nullable=False),
    Column("seed", Text, nullable=False),
    Column("time_control", String(32), nullable=False),
    Column("hints", Boolean, nullable=False, server_default=true()),
)
"""The tables that are open, each with its first epoch; one that closes takes all that is its own with it."""

commands: Final = Table(
    "commands",
    metadata,
    Column("table", String(16), ForeignKey("tables.code", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("time_us", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("player", String(32), nullable=False),
    Column("payload", LargeBinary, nullable=False),
)
"""What was done at each table since its memo, or its opening: done again it makes the same table."""

memos: Final = Table(
    "memos",
    metadata,
    Column("table", String(16), ForeignKey("tables.code", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, nullable=False),
    Column("payload", LargeBinary, nullable=False),
)
"""What tables remember of themselves, and the number of the last command that is in it."""

server: Final = Table(
    "server",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seen_us", BigInteger, nullable=False),
    Column("incarnation", String(64), nullable=False),
)
"""One row: when the server was last known to run, and which run of what keeps the data that was."""

records: Final = Table(
    "records",
    metadata,
    Column("match", String(64), primary_key=True),
    Column("ended_us", BigInteger, nullable=False, index=True),
    Column("private", Boolean, nullable=False),
    Column("summary", LargeBinary, nullable=False),
    Column("line", Text, nullable=False),
)
"""The finished matches: their lines, and beside them what a list shows."""

results: Final = Table(
    "results",
    metadata,
    Column("match", String(64), ForeignKey("records.match", ondelete="CASCADE"), primary_key=True),
    Column("player", String(32), primary_key=True),
    Column("ended_us", BigInteger, nullable=False),
    Column("seats", String(4), nullable=False),
    Column("points", Integer, nullable=False),
    Column("points_against", Integer, nullable=False),
    Column("reason", String(32), nullable=False),
    Column("not_counted", String(32), nullable=False),
    *(Column(name, Integer, nullable=False) for name in RESULT_FIELDS),
    Index("ix_results_player", "player", "ended_us", "match"),
)
"""What each finished match was for each of its players: the only place that says which player sat where."""

competitions: Final = Table(
    "competitions",
    metadata,
    Column("name", String(16), primary_key=True),
    Column("created_us", BigInteger, nullable=False),
    Column("document", Text, nullable=False),
)
"""The competitions, each with its entries and its seed; what they have played is beside it."""

competition_lines: Final = Table(
    "competition_lines",
    metadata,
    Column(
        "competition",
        String(16),
        ForeignKey("competitions.name", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
    Column("records", Text, nullable=False),
)
"""The journal of each competition, line by line, and with a unit's line the records of its tables."""
