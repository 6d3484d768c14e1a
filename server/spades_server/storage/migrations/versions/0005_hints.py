"""Whether hints are given at a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Adds the column; the tables that are open have had hints."""
    op.add_column(
        "tables", sa.Column("hints", sa.Boolean, nullable=False, server_default=sa.true())
    )
