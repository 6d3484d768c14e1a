"""What the units of a match say: intervals, Elo, how likely one is better. The unit is the observation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy import stats

from spades_arena.sequential import ELO_OF_T

LEVEL: Final = 0.95
"""How often an interval holds the truth."""

POWER: Final = 0.9
"""How often a difference is to be found by as many units as are said to be needed."""

SCORES: Final = (0.0, 0.5, 1.0, 1.5, 2.0)
"""The five results of a unit."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean of units with its t interval."""

    mean: float
    low: float
    high: float
    sd: float
    n: int

    @property
    def half_width(self) -> float:
        """What stands behind the sign ±: the wider side, where the two differ."""
        return max(self.high - self.mean, self.mean - self.low)


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """A difference of strength with its interval; infinite where every unit was won or lost."""

    value: float
    low: float
    high: float


def t_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The mean of units and its t interval; infinitely wide for fewer than two.

    >>> interval = t_interval([1.0, 2.0, 3.0])
    >>> round(interval.mean, 2), round(interval.low, 2), round(interval.high, 2)
    (2.0, -0.48, 4.48)
    """
    n = len(values)
    mean = math.fsum(values) / n if n else 0.0
    if n < 2:
        return Interval(mean, -math.inf, math.inf, math.nan, n)
    sd = float(np.std(np.asarray(values, dtype=float), ddof=1))
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, sd, n)


def score_interval(scores: Sequence[float], level: float = LEVEL) -> Interval:
    """The mean score of units (0 to 2) and its interval, which is never of no width and stays possible.

    Units that ended nearly alike have little spread, and yet the next might end otherwise: the t interval is
    never narrower than the worst and the best allow whose chance is the bound of C. J. Clopper and E. S.
    Pearson (1934) on what has not come up in so many units.

    >>> interval = score_interval([2.0, 2.0, 2.0])
    >>> round(interval.low, 2), interval.high
    (0.58, 2.0)
    """
    found = t_interval(scores, level)
    if found.n < 2:
        return found
    unseen = 1 - ((1 - level) / 2) ** (1 / found.n)
    low = min(found.low, found.mean * (1 - unseen))
    high = max(found.high, found.mean + (2 - found.mean) * unseen)
    return replace(found, low=max(0.0, low), high=min(2.0, high))


def five_buckets(scores: Sequence[float]) -> tuple[int, int, int, int, int]:
    """How often A had 0, a half, 1, one and a half and 2 points."""
    zero, half, one, more, two = (sum(score == bucket for score in scores) for bucket in SCORES)
    return zero, half, one, more, two


def elo(share: float) -> float:
    """The difference of strength that a share of the points stands for.

    >>> round(elo(0.75), 1), elo(0.0), elo(1.0)
    (190.8, -inf, inf)
    """
    if share <= 0:
        return -math.inf
    if share >= 1:
        return math.inf
    return -400 * math.log10(1 / share - 1)


def elo_estimate(scores: Interval) -> EloEstimate:
    """Elo from the mean score of units (0 to 2), its interval from the ends of theirs."""
    return EloEstimate(elo(scores.mean / 2), elo(scores.low / 2), elo(scores.high / 2))


def normalized_elo(scores: Interval) -> EloEstimate:
    """Elo in units of the spread of a game: what a test needs to be long depends on this alone."""
    if scores.n < 2 or not scores.sd:
        sign = math.copysign(math.inf, scores.mean - 1) if scores.mean != 1 else 0.0
        return EloEstimate(sign, -math.inf, math.inf)
    scale = ELO_OF_T / math.sqrt(2) / scores.sd
    value, low, high = ((x - 1) * scale for x in (scores.mean, scores.low, scores.high))
    return EloEstimate(value, low, high)


def likelihood_of_superiority(values: Interval, even: float = 0.0) -> float:
    """How likely A is better, by Student's t; a half where nothing speaks for either.

    A few units may be alike by chance and have too little spread: it is never surer than their number alone
    is in a sign test.
    """
    if values.n < 2 or values.mean == even:
        return 0.5
    coins: float = 0.5**values.n
    if not values.sd:
        return 1 - coins if values.mean > even else coins
    t = (values.mean - even) / (values.sd / math.sqrt(values.n))
    return min(1 - coins, max(coins, float(stats.t.cdf(t, values.n - 1))))


def p_value(values: Interval, even: float = 0.0) -> float:
    """How likely a difference as large as this is where there is none."""
    above = likelihood_of_superiority(values, even)
    return min(1.0, 2 * min(above, 1 - above))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts p values for their number, after Holm.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def units_needed(values: Interval, even: float = 0.0) -> int | None:
    """How many units more would separate a difference as it seems, nine times of ten.

    ``None`` where there seems to be none.
    """
    lead = abs(values.mean - even)
    if values.n < 2 or not lead or not math.isfinite(values.sd):
        return None
    z = float(stats.norm.ppf((1 + LEVEL) / 2) + stats.norm.ppf(POWER))
    return max(1, math.ceil((z * values.sd / lead) ** 2) - values.n)
