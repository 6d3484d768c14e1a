"""A table of figures: what was measured, the ratio, and the aim."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """A line of the report."""

    what: str
    raw: str
    ratio: str
    aim: str


def show(title: str, rows: Iterable[Row]) -> None:
    """Prints a table."""
    lines = [("", "measured", "ratio", "aim"), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    print(f"\n{title}")
    for line in lines:
        print(
            "  "
            + "  ".join(
                cell.ljust(width) for cell, width in zip(line, widths, strict=True)
            ).rstrip()
        )
