"""How far an event is, counted in one way wherever it is told, and numbers with their nouns and signs."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """The units of an event, those of its entries against themselves among them."""

    planned: int
    """All that the schedule has."""
    done: int
    """Those that the journal has."""
    dropped: int
    """Those that nobody plays any more, since an entry was withdrawn or a test is decided."""

    def words(self, *, decided: bool = False, playing: int | None = None) -> str:
        """How far it is, how many are being played if that is known, and what became of the rest.

        >>> Tally(45, 32, 13).words()
        '32 of 45 units are done; 13 are not played, since an entry was withdrawn'
        """
        said = f"{self.done:,} of {counted(self.planned, 'unit')} {are(self.done)} done"
        if playing is not None:
            said += f", {playing} {are(playing)} being played"
        if not self.dropped:
            return said
        why = "the test is decided" if decided else "an entry was withdrawn"
        return f"{said}; {self.dropped:,} {are(self.dropped)} not played, since {why}"


def counted(number: int, noun: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "unit"), counted(2, "entry", "entries"), counted(1_500, "deal")
    ('1 unit', '2 entries', '1,500 deals')
    """
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def are(number: int) -> str:
    """The verb of so many.

    >>> are(1), are(0)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign, and infinity where there is none.

    >>> signed(2.25), signed(float("-inf")), signed(-0.01)
    ('+2.2', '−∞', '0.0')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    if not round(value, digits):
        return f"{0:.{digits}f}"
    return f"{value:+.{digits}f}".replace("-", "−")
