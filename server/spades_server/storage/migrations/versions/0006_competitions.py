"""Competitions and their journals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "competitions",
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("created_us", sa.BigInteger, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_table(
        "competition_lines",
        sa.Column(
            "competition",
            sa.String(16),
            sa.ForeignKey("competitions.name", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("records", sa.Text, nullable=False),
    )
