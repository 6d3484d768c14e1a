"""The tables that were joined lately, so that one finds back to them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, cast

from spades_client.identity import state_folder

KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class RecentTable:
    """A table of a server."""

    server: str
    code: str
    watched: bool = False
    """Whether it was only watched."""


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
        server, code, watched = (fields.get(name) for name in ("server", "code", "watched"))
        if isinstance(server, str) and isinstance(code, str) and isinstance(watched, bool):
            tables.append(RecentTable(server, code, watched))
    return tables[:KEPT]


def note_recent(table: RecentTable, path: Path | None = None) -> None:
    """Puts a table first; where nothing can be kept, nothing is."""
    path = path or recent_path()
    tables = [table, *(one for one in load_recent(path) if one != table)][:KEPT]
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(one) for one in tables]), encoding="utf-8")
        fresh.replace(path)
    except OSError:
        return
