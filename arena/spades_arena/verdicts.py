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
    units: int = 2
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
        if self.needed is None or self.needed > MOST_NEEDED:
            return f"{a} and {b} are not separated, and no reasonable number of units would do it."
        more = counted(self.needed, "more unit")
        return f"{a} and {b} are not separated: about {more} would be needed."


MOST_NEEDED: Final = 1_000_000


FEWEST_ALIKE: Final = 6
"""So many units that all ended alike say which is better: with fewer a coin would do the same too often."""


def verdict(
    values: Interval, even: float = 0.0, within: float = 0.0, *, level: bool = False
) -> Verdict:
    """Judges an interval: where it lies beside ``even``, and whether it is narrow enough to mean equal.

    ``level`` says that every unit ended exactly level. Units that ended alike have no spread to make an
    interval of, and then their number must speak.
    """
    n = values.n
    if n >= 2 and level:
        return Verdict(Word.LEVEL, units=n)
    if n < FEWEST_ALIKE and not values.sd:
        tells = bool(within) or values.mean != even
        return Verdict(Word.OPEN, FEWEST_ALIKE - n if tells else None, units=n)
    if n >= 2 and within and even - within <= values.low and values.high <= even + within:
        return Verdict(Word.EQUAL, within=within, units=n)
    if n >= 2 and values.low > even:
        return Verdict(Word.BETTER, units=n)
    if n >= 2 and values.high < even:
        return Verdict(Word.WORSE, units=n)
    return Verdict(Word.OPEN, units_needed(values, even), units=n)
