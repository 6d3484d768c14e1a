"""Everybody against everybody in one table."""

from __future__ import annotations

from dataclasses import dataclass

from spades_arena.duels import Duel
from spades_arena.tables import Tables
from spades_arena.verdicts import Word

CLEAR = 0.05
"""Under this adjusted p a difference is marked."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What the entry of the row did against that of the column."""

    share: float
    """Of the points, 0 to 1."""
    low: float
    high: float
    """The ends of its 95 % interval."""
    clear: bool
    """Whether it holds against the number of matches, after Holm, too."""
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
            share, low, high = (
                x / 2 for x in (duel.scores.mean, duel.scores.low, duel.scores.high)
            )
            cells[duel.a, duel.b] = _cell(duel, share, low, high)
            cells[duel.b, duel.a] = _cell(duel, 1 - share, 1 - high, 1 - low)
    names = [one.entry for one in tables.standings]
    return [Row(name, tuple(cells.get((name, other)) for other in names)) for name in names]


def _cell(duel: Duel, share: float, low: float, high: float) -> Cell:
    clear = duel.p_adjusted < CLEAR and duel.word in (Word.BETTER, Word.WORSE)
    return Cell(share, low, high, clear, duel.scores.n, duel.is_level)
