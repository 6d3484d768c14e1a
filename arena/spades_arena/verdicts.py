"""What may be said of two entries, in words that claim no more than the interval does."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from spades_arena.counts import counted
from spades_arena.statistics import Interval, units_needed


class Word(Enum):
    """The verdicts."""

    BETTER = "better"
    WORSE = "worse"
    OPEN = "not separated"
    EQUAL = "equal"
    LEVEL = "level"
    """Every unit ended exactly level, as those of one agent against itself do."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the units say of A against B."""

    word: Word
    needed: int | None = None
    """About how many units more would separate them, if the difference is as it seems."""
    within: float = 0.0
    """The difference that counts as none."""
    units: int = 0
    """How many units it rests on."""

    def sentence(self, a: str, b: str) -> str:
        """The verdict for people."""
        if not self.units:
            return f"No unit of {a} and {b} was played to its end."
        if self.units == 1:
            return f"One unit says nothing of {a} and {b}."
        if self.word is Word.EQUAL:
            return f"{a} and {b} are equal within ±{self.within:g}."
        if self.word is Word.LEVEL:
            return f"{a} and {b} ended exactly level in each of {self.units:,} units."
        if self.word is not Word.OPEN:
            return f"{a} is {self.word.value} than {b}."
        if self.units < FEWEST:
            said, seems = f"{self.units} units are too few to separate {a} and {b}", ""
        else:
            said, seems = f"{a} and {b} are not separated", " if they differ as it seems"
        if self.needed is None or self.needed > MOST_NEEDED:
            return f"{said}: they seem too near to say how many more it takes."
        return f"{said}: about {counted(self.needed, 'more unit')} would be needed{seems}."


MOST_NEEDED: Final = 1_000_000


FEWEST: Final = 6
"""So many units may say which is better: with fewer a coin would fall alike too often, as in a sign test."""


def verdict(
    values: Interval, even: float = 0.0, within: float = 0.0, *, level: bool = False
) -> Verdict:
    """Judges an interval: where it lies beside ``even``, and whether it is narrow enough to mean equal.

    ``level`` says that every unit ended exactly level. A few units may be alike by chance, and then their
    interval is too narrow: their number must speak too.
    """
    n = values.n
    if n >= 2 and level:
        return Verdict(Word.LEVEL, units=n)
    needed = units_needed(values, even)
    if n < FEWEST:
        tells = bool(within) or values.mean != even
        return Verdict(Word.OPEN, max(FEWEST - n, needed or 0) if tells else None, units=n)
    if within and even - within <= values.low and values.high <= even + within:
        return Verdict(Word.EQUAL, within=within, units=n)
    if values.low > even:
        return Verdict(Word.BETTER, units=n)
    if values.high < even:
        return Verdict(Word.WORSE, units=n)
    return Verdict(Word.OPEN, needed, units=n)
