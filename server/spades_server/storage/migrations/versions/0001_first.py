"""Players, tables, commands and records."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the first tables."""
    op.create_table(
        "players",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False, unique=True),
    )
    op.create_table(
        "tables",
        sa.Column("code", sa.String(16), primary_key=True),
        sa.Column("host_id", sa.String(32), nullable=False),
        sa.Column("host_name", sa.String(64), nullable=False),
        sa.Column("rules", sa.Text, nullable=False),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("many_seats", sa.Boolean, nullable=False),
        sa.Column("seed_chosen", sa.Boolean, nullable=False),
        sa.Column("tempo_us", sa.BigInteger, nullable=False),
        sa.Column("grace_us", sa.BigInteger, nullable=False),
        sa.Column("abandoned_us", sa.BigInteger, nullable=False),
        sa.Column("stand_in", sa.String(32), nullable=False),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("opened_us", sa.BigInteger, nullable=False),
        sa.Column("seed", sa.Text, nullable=False),
        sa.Column("time_control", sa.String(32), nullable=False),
    )
    op.create_table(
        "commands",
        sa.Column(
            "table",
            sa.String(16),
            sa.ForeignKey("tables.code", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time_us", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("player", sa.String(32), nullable=False),
        sa.Column("payload", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("match", sa.String(64), primary_key=True),
        sa.Column("ended_us", sa.BigInteger, nullable=False, index=True),
        sa.Column("private", sa.Boolean, nullable=False),
        sa.Column("summary", sa.LargeBinary, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
    )
