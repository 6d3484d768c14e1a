"""The files that are written from the tables of an event."""

from __future__ import annotations

from spades_arena.canonical import canonical, pretty
from spades_arena.events import EventFolder, write_whole
from spades_arena.markdown import markdown
from spades_arena.page import page
from spades_arena.spreadsheet import spreadsheet
from spades_arena.state import EventState
from spades_arena.tables import Tables, make_tables


def publish(folder: EventFolder, state: EventState) -> Tables:
    """Writes the reports of an event as it stands."""
    tables = make_tables(folder, state)
    for name, text in report_texts(tables).items():
        write_whole(folder.path / name, text)
    return tables


def report_texts(tables: Tables) -> dict[str, str]:
    """The reports by the names of their files."""
    return {
        "report.json": pretty(tables.to_json()),
        "report.md": markdown(tables),
        "report.html": page(tables),
        "tables.csv": spreadsheet(tables),
        "faults.jsonl": "".join(canonical(fault) + "\n" for fault in tables.to_json()["faults"]),
    }
