"""Which version of Spades the tables of a database are of."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

MIGRATIONS: Final = Path(__file__).parent / "migrations"


class Version(Enum):
    """How the tables stand to this version's."""

    NONE = "there are no tables of Spades"
    OLDER = "they can be brought up to date"
    CURRENT = "they are this version's"
    NEWER = "this version does not know them"


def version_of(connection: Connection) -> Version:
    """Reads the version."""
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is None:
        return Version.NONE
    scripts = ScriptDirectory.from_config(_config())
    if revision == scripts.get_current_head():
        return Version.CURRENT
    known = {script.revision for script in scripts.walk_revisions()}
    return Version.OLDER if revision in known else Version.NEWER


def upgrade(connection: Connection, to: str = "head") -> None:
    """Brings the tables of a database up to a version, making them if there are none."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, to)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config
