"""Which part of an event each of its records is of, for those who read the records alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from spades_arena.errors import ArenaError
from spades_arena.events import EVENT, RECORDS, read_event
from spades_arena.schedule import Unit, schedule
from spades_arena.spec import EventSpec
from spades_proto.ptn import Occasion

CONTROLS: Final = "controls"
MAIN: Final = "main"


def occasions(path: Path) -> Iterator[tuple[Occasion, Path]]:
    """The files of records in an event's folder, in the order of its schedule.

    :raises ArenaError: if the folder holds no event, no record, or a record of none of its units.
    """
    spec = read_event(path / EVENT)
    present = {file.stem: file for file in sorted((path / RECORDS).glob("*.jsonl"))}
    units = {unit.id: unit for unit in schedule(spec)}
    stray = next((file for name, file in present.items() if name not in units), None)
    if stray is not None:
        raise ArenaError(f"{stray} is of no unit of the event in {path}.")
    if not present:
        raise ArenaError(f"{path} holds no record: no unit of the event is finished.")
    for name, unit in units.items():
        if name in present:
            yield _occasion(spec, unit), present[name]


def _occasion(spec: EventSpec, unit: Unit) -> Occasion:
    return Occasion(
        event=_title(spec),
        digest=spec.name,
        stage=CONTROLS if unit.is_control else MAIN,
        round=str(unit.round),
        unit=unit.id,
    )


def _title(spec: EventSpec) -> str:
    kind = f"Spades {spec.format.value}"
    names = [entry.name for entry in spec.entries]
    return f"{kind}: {names[0]} and {names[1]}" if len(names) == 2 else f"{kind} of {len(names)}"
