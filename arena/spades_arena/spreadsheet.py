"""The tables of an event as a spreadsheet wants them: one row for each entry, nothing to be merged."""

from __future__ import annotations

import csv
import io
import math

from spades_arena.crosstable import cross_table
from spades_arena.ratings import Rating
from spades_arena.standings import Standing
from spades_arena.tables import Tables

Cell = str | int | float | None

STANDING = (
    "rank", "entry", "spec", "units", "points", "share", "share_low", "share_high", "rank_low", "rank_high",
    "first", "lead", "faults", "forfeits", "withdrawn",
)  # fmt: skip
"""The columns of the standings, by the names that report.json has."""

RATING = ("elo", "elo_low", "elo_high", "rated_units")


def spreadsheet(tables: Tables) -> str:
    """Writes comma-separated values: standings, ratings, and the share of the points against each entry."""
    ratings = dict(tables.ratings)
    shares = {
        row.entry: [None if cell is None else cell.share for cell in row.cells]
        for row in cross_table(tables)
    }
    against = [f"share against {one.entry}" for one in tables.standings]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*STANDING, *RATING, *against])
    for one in tables.standings:
        cells = [*_standing(one), *_rating(ratings.get(one.entry)), *shares[one.entry]]
        writer.writerow(map(_written, cells))
    return text.getvalue()


def _standing(one: Standing) -> list[Cell]:
    return [getattr(one, name) for name in STANDING]


def _rating(one: Rating | None) -> list[Cell]:
    return [None] * len(RATING) if one is None else [one.value, one.low, one.high, one.units]


def _written(cell: Cell) -> str:
    """A cell; what is no number is empty, and no name is taken for a formula.

    >>> _written(0.1 + 0.2), _written(float("nan")), _written("-sharp")
    ('0.3', '', "'-sharp")
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float):
        # More digits would differ from one machine's mathematics to another's.
        return f"{cell:.10g}"
    text = str(cell)
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text
