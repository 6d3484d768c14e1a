"""What a run came to, as one table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tests.faults.checker import Law
from tests.faults.scene import Figures

COLUMNS: Final = (
    "",
    "faults",
    "acknowledged",
    "lost",
    "doubled",
    "order broken",
    "cards leaked",
    "other",
    "worst return",
)
"""The five in the middle must be zero."""

_SHOWN: Final = (Law.LOST, Law.DOUBLED, Law.ORDER, Law.LEAKED)


@dataclass(slots=True)
class Line:
    """All rounds of one fault."""

    faults: int = 0
    acknowledged: int = 0
    worst_s: float = 0.0
    broken: Counter[Law] = field(default_factory=Counter[Law])
    complaints: int = 0

    def add(self, figures: Figures) -> None:
        """Takes a round in."""
        self.faults += figures.faults
        self.acknowledged += figures.acknowledged
        self.worst_s = max(self.worst_s, figures.worst_s)
        self.broken.update(found.law for found in figures.findings)
        self.complaints += len(figures.complaints)

    @property
    def wrong(self) -> tuple[int, ...]:
        """The figures that must be zero."""
        others = sum(number for law, number in self.broken.items() if law not in _SHOWN)
        return (*(self.broken[law] for law in _SHOWN), others + self.complaints)


class Totals:
    """All rounds of a run."""

    def __init__(self) -> None:
        self._lines: dict[str, Line] = {}

    def add(self, figures: Figures) -> None:
        """Takes a round in."""
        self._lines.setdefault(figures.fault, Line()).add(figures)

    @property
    def clean(self) -> bool:
        """Whether something was run, and everything that must be zero is."""
        return bool(self._lines) and not any(any(line.wrong) for line in self._lines.values())

    def table(self) -> str:
        """The table, line by line."""
        whole = Line()
        rows: list[tuple[str, ...]] = [COLUMNS]
        for name, line in self._lines.items():
            rows.append(_row(name, line))
            whole.faults += line.faults
            whole.acknowledged += line.acknowledged
            whole.worst_s = max(whole.worst_s, line.worst_s)
            whole.broken.update(line.broken)
            whole.complaints += line.complaints
        rows.append(_row("all", whole))
        widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if column else cell.ljust(width)
                for column, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        )


def _row(name: str, line: Line) -> tuple[str, ...]:
    worst = f"{line.worst_s:.2f} s" if line.worst_s else ""
    figures = (line.faults, line.acknowledged, *line.wrong)
    return (name, *(f"{figure:,}" for figure in figures), worst)
