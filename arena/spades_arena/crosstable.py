"""Everybody against everybody in one table."""

from __future__ import annotations

from dataclasses import dataclass

from spades_arena.duels import Duel
from spades_arena.statistics import Interval
from spades_arena.tables import Tables

CLEAR = 0.05
"""Under this adjusted p a difference is marked."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What the entry of the row did against that of the column."""

    share: float
    """Of the points, 0 to 1."""
    half_width: float
    """Of its 95 % t interval."""
    clear: bool
    """Whether it holds against the number of matches, after Holm."""
    units: int
    alike: bool
    """Whether all units ended exactly level, so that there is no interval."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry and its cells, in the order of the standings; ``None`` where nothing was played."""

    entry: str
    cells: tuple[Cell | None, ...]


def cross_table(tables: Tables) -> list[Row]:
    """Makes the table, the best entry first."""
    cells: dict[tuple[str, str], Cell] = {}
    for duel in tables.duels:
        if duel.scores.n:
            cells[duel.a, duel.b] = _cell(duel, duel.scores.mean / 2)
            cells[duel.b, duel.a] = _cell(duel, 1 - duel.scores.mean / 2)
    names = [one.entry for one in tables.standings]
    return [Row(name, tuple(cells.get((name, other)) for other in names)) for name in names]


def _cell(duel: Duel, share: float) -> Cell:
    scores: Interval = duel.scores
    return Cell(
        share,
        scores.half_width / 2,
        duel.p_adjusted < CLEAR,
        scores.n,
        duel.is_level,
    )
