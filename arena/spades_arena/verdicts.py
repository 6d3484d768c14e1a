"""What may be said of two entries, in words that claim no more than the interval does."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from spades_arena.statistics import Interval, units_needed


class Word(Enum):
    """The four verdicts."""

    BETTER = "better"
    WORSE = "worse"
    OPEN = "not separated"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the units say of A against B."""

    word: Word
    needed: int | None = None
    """About how many units more would separate them, if the difference is as it seems."""
    within: float = 0.0
    """The difference that counts as none."""

    def sentence(self, a: str, b: str) -> str:
        """The verdict for people."""
        if self.word is Word.EQUAL:
            return f"{a} and {b} are equal within ±{self.within:g}."
        if self.word is not Word.OPEN:
            return f"{a} is {self.word.value} than {b}."
        if self.needed is None or self.needed > MOST_NEEDED:
            return f"{a} and {b} are not separated, and no reasonable number of units would do it."
        return f"{a} and {b} are not separated: about {self.needed:,} more units would be needed."


MOST_NEEDED: Final = 1_000_000


def verdict(values: Interval, even: float = 0.0, within: float = 0.0) -> Verdict:
    """Judges an interval: where it lies beside ``even``, and whether it is narrow enough to mean equal."""
    if values.n and within and even - within <= values.low and values.high <= even + within:
        return Verdict(Word.EQUAL, within=within)
    if values.n >= 2 and values.low > even:
        return Verdict(Word.BETTER)
    if values.n >= 2 and values.high < even:
        return Verdict(Word.WORSE)
    return Verdict(Word.OPEN, units_needed(values, even))
