"""When the server was last known to run, and on which run of what keeps its data."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Makes the table, of one row."""
    op.create_table(
        "server",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seen_us", sa.BigInteger, nullable=False),
        sa.Column("incarnation", sa.String(64), nullable=False),
    )
