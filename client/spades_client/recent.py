"""The tables that were joined lately, so that one finds back to them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from spades_client.files import write_private
from spades_client.identity import state_folder

KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class RecentTable:
    """A table of a server."""

    server: str
    code: str
    watched: bool = False
    """Whether it was only watched."""
    name: str = ""
    """The name under which one sits there."""


def recent_path() -> Path:
    """Where they are kept."""
    return state_folder() / "recent.json"


def load_recent(path: Path | None = None) -> list[RecentTable]:
    """The tables, the newest first; a file that is spoilt is as good as none."""
    try:
        found = json.loads((path or recent_path()).read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    tables: list[RecentTable] = []
    for one in cast("list[object]", found) if isinstance(found, list) else []:
        fields = cast("dict[str, object]", one) if isinstance(one, dict) else {}
        server, code, watched = (fields.get(key) for key in ("server", "code", "watched"))
        name = fields.get("name", "")
        if (
            isinstance(server, str)
            and isinstance(code, str)
            and isinstance(watched, bool)
            and isinstance(name, str)
        ):
            tables.append(RecentTable(server, code, watched, name))
    return tables[:KEPT]


def note_recent(table: RecentTable, path: Path | None = None) -> None:
    """Puts a table first; where nothing can be kept, nothing is."""
    others = [
        one for one in load_recent(path) if (one.server, one.code) != (table.server, table.code)
    ]
    _keep([table, *others][:KEPT], path or recent_path())


def forget_recent(server: str, code: str, path: Path | None = None) -> None:
    """Takes out a table that is gone."""
    kept = [one for one in load_recent(path) if (one.server, one.code) != (server, code)]
    _keep(kept, path or recent_path())


def _keep(tables: list[RecentTable], path: Path) -> None:
    try:
        write_private(path, json.dumps([asdict(one) for one in tables]))
    except OSError:
        return
