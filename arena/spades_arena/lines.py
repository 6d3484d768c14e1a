"""The lines of a journal, each written in one place."""

from __future__ import annotations

from typing import Any

from spades_arena.results import UnitResult
from spades_arena.spec import EventSpec
from spades_arena.state import EventState, Kind
from spades_proto.software import SOFTWARE


def opening_line(spec: EventSpec) -> dict[str, Any]:
    """The first line of the journal."""
    return {"kind": Kind.OPENED.value, "event": spec.name, "software": SOFTWARE}


def unit_line(result: UnitResult) -> dict[str, Any]:
    """The journal's line of a finished unit."""
    return {"kind": Kind.UNIT.value, "result": result.to_json()}


def withdrawal_line(entry: str, reason: str) -> dict[str, Any]:
    """The journal's line of an entry that gives up the event."""
    return {"kind": Kind.WITHDRAWAL.value, "entry": entry, "reason": reason}


def closing_line(state: EventState) -> dict[str, Any]:
    """The last line of the journal."""
    return {"kind": Kind.CLOSED.value, "counted": len(state.counted)}
