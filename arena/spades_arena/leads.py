"""By how much an entry is ahead: one mean, in one measure, wherever it is told."""

from __future__ import annotations

import math
from typing import Final

from spades_arena.results import UnitResult
from spades_arena.spec import Mode
from spades_arena.state import EventState

LEAD_WORDS: Final = {Mode.BOARDS: "points per deal", Mode.GAMES: "points per pair of games"}
"""What a lead is measured in."""


def lead_of(mode: Mode, result: UnitResult) -> float:
    """The lead of A in a unit that was played; each of its two tables has one deal on boards."""
    assert result.margin is not None, "what was played has a margin"
    return result.margin / 2 if mode is Mode.BOARDS else result.margin


def mean_leads(state: EventState, entries: int) -> list[float]:
    """The mean lead of each entry over its units that were played; not a number where there are none."""
    leads: list[list[float]] = [[] for _ in range(entries)]
    for one in state.played:
        lead = lead_of(state.spec.mode, one)
        leads[one.unit.a].append(lead)
        leads[one.unit.b].append(-lead)
    return [math.fsum(some) / len(some) if some else math.nan for some in leads]
