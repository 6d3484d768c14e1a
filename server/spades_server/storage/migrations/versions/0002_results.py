"""Since when a player has the name, and what each finished match was for its players."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

COUNTS = ("matches", "won", "drawn", "lost", "hands", "nils_bid", "nils_made", "blind_nils_bid",
          "blind_nils_made", "double_nils", "bags", "sets", "all_tricks", "without_a_set")  # fmt: skip


def upgrade() -> None:
    """Adds the table, and the time; of matches and players of before nothing is known."""
    op.add_column(
        "players", sa.Column("since_us", sa.BigInteger, nullable=False, server_default="0")
    )
    op.create_table(
        "results",
        sa.Column(
            "match",
            sa.String(64),
            sa.ForeignKey("records.match", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("player", sa.String(32), primary_key=True),
        sa.Column("ended_us", sa.BigInteger, nullable=False),
        sa.Column("seats", sa.String(4), nullable=False),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("points_against", sa.Integer, nullable=False),
        sa.Column("reason", sa.String(32), nullable=False),
        sa.Column("not_counted", sa.String(32), nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in COUNTS),
    )
    op.create_index("ix_results_player", "results", ["player", "ended_us", "match"])
