"""Sequential tests: after every unit it is asked whether the question is decided."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from spades_arena.leads import lead_of
from spades_arena.results import Status, UnitResult
from spades_arena.spec import Bounds, EventSpec, Mode
from spades_arena.state import Stop

FEWEST: Final = 50
"""Before so many units the spread is not known well enough to decide anything."""


class Answer(Enum):
    """What a sequential test has come to."""

    OPEN = "not decided"
    LOW = "the lower bound is accepted"
    HIGH = "the upper bound is accepted"


@dataclass(frozen=True, slots=True)
class Trial:
    """A sequential test at one moment."""

    units: int
    llr: float
    """The log of how much better the upper bound explains what was seen than the lower one."""
    lower: float
    """Where the lower bound is accepted."""
    upper: float
    answer: Answer


def limits(bounds: Bounds) -> tuple[float, float]:
    """Wald's limits of the likelihood ratio for the two error rates.

    >>> [round(limit, 3) for limit in limits(Bounds(low=0, high=2))]
    [-2.944, 2.944]
    """
    return (
        math.log(bounds.beta / (1 - bounds.alpha)),
        math.log((1 - bounds.beta) / bounds.alpha),
    )


def points_llr(count: int, mean: float, variance: float, bounds: Bounds) -> float:
    """The generalized log-likelihood ratio for a mean of unknown spread.

    ``variance`` is that of the sample about its own mean, divided by its size.
    """
    low = variance + (mean - bounds.low) ** 2
    high = variance + (mean - bounds.high) ** 2
    if low == high or not low or not high:
        return 0.0
    return count / 2 * math.log(low / high)


BUCKETS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The share of a unit's points that each of the five results is."""

ELO_OF_T: Final = 800 / math.log(10)
"""Normalized Elo for each unit of a game's t-value: the mean beyond a half over the spread."""

REGULAR: Final = 1e-3
"""What stands for a result that was never seen, so that it does not count as impossible."""


QUICK_T: Final = 0.3
"""Up to which t-values, of what was seen and of the bounds, the quick form stands for the exact ratio."""


@lru_cache(maxsize=1 << 14)
def pairs_llr(counts: tuple[int, ...], bounds: Bounds) -> float:
    """The generalized log-likelihood ratio for game pairs, bounds in normalized Elo.

    ``counts`` says how often A had 0, a half, 1, one and a half and 2 points. The distributions are the most
    likely ones among those whose t-value is that of the bound. An event that goes on asks for the same counts
    again after each unit, so they are remembered.
    """
    regular = [max(float(count), REGULAR) for count in counts]
    total = sum(regular)
    seen = [count / total for count in regular]
    low = _likeliest(seen, t_value(bounds.low))
    high = _likeliest(seen, t_value(bounds.high))
    return sum(n * math.log(q / p) for n, p, q in zip(regular, low, high, strict=True))


def t_value(elo: float) -> float:
    """The t-value of a game pair that a normalized Elo stands for; a pair is two games."""
    return elo / ELO_OF_T * math.sqrt(2)


def _likeliest(seen: Sequence[float], t: float) -> list[float]:
    """The most likely distribution whose t-value is given, by the fixed point of its multiplier."""
    guess = [1 / len(BUCKETS)] * len(BUCKETS)
    for _ in range(20):
        mean = sum(p * a for p, a in zip(guess, BUCKETS, strict=True))
        sigma = math.sqrt(sum(p * (a - mean) ** 2 for p, a in zip(guess, BUCKETS, strict=True)))
        slopes = [a - 0.5 - t * sigma * (1 + ((a - mean) / sigma) ** 2) / 2 for a in BUCKETS]
        multiplier = _multiplier(seen, slopes)
        before = guess
        guess = [p / (1 + multiplier * a) for p, a in zip(seen, slopes, strict=True)]
        if max(abs(p - q) for p, q in zip(before, guess, strict=True)) < 1e-9:
            break
    return guess


def _multiplier(seen: Sequence[float], slopes: Sequence[float]) -> float:
    """Solves for the multiplier under which the slopes have the mean 0, by halving."""
    low, high = -1 / max(slopes), -1 / min(slopes)
    for _ in range(80):
        middle = (low + high) / 2
        if sum(p * a / (1 + middle * a) for p, a in zip(seen, slopes, strict=True)) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


@dataclass
class _Tally:
    """What the units so far add up to."""

    mode: Mode
    bounds: Bounds
    count: int = 0
    total: float = 0.0
    squares: float = 0.0
    buckets: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)

    def add(self, result: UnitResult) -> None:
        """Takes in a unit that was played to its end."""
        assert result.score is not None, "what was played has a score"
        value = lead_of(self.mode, result) if self.mode is Mode.BOARDS else result.score / 2
        self.count += 1
        self.total += value
        self.squares += value * value
        place = round(result.score * 2)
        zero, half, one, more, two = (n + (i == place) for i, n in enumerate(self.buckets))
        self.buckets = (zero, half, one, more, two)

    def llr(self, *, near: float = 0.0) -> float:
        """The ratio; for game pairs a quick form of it where that is not ``near`` a limit.

        The quick form follows the exact one for small differences only: it falls again where one side wins
        nearly everything.
        """
        if self.count < 2:
            return 0.0
        mean = self.total / self.count
        variance = max(0.0, self.squares / self.count - mean * mean)
        if self.mode is Mode.BOARDS:
            return points_llr(self.count, mean, variance, self.bounds)
        low, high = t_value(self.bounds.low), t_value(self.bounds.high)
        if variance:
            t = (mean - 0.5) / math.sqrt(variance)
            quick = self.count / 2 * math.log((1 + (t - low) ** 2) / (1 + (t - high) ** 2))
            if max(abs(t), abs(low), abs(high)) < QUICK_T and abs(quick) < near:
                return quick
        return pairs_llr(self.buckets, self.bounds)


def trial(spec: EventSpec, results: Sequence[UnitResult]) -> Trial:
    """Where a test stands after these units; forfeits are no evidence of play."""
    assert spec.bounds is not None, "a test has bounds"
    tally = _Tally(spec.mode, spec.bounds)
    for result in results:
        if result.status is Status.PLAYED:
            tally.add(result)
    lower, upper = limits(spec.bounds)
    llr = tally.llr()
    return Trial(tally.count, llr, lower, upper, _answer(tally.count, llr, lower, upper))


def _answer(count: int, llr: float, lower: float, upper: float) -> Answer:
    if count < FEWEST or lower < llr < upper:
        return Answer.OPEN
    return Answer.HIGH if llr >= upper else Answer.LOW


def stop_of(spec: EventSpec) -> Stop | None:
    """What ends an event before its schedule does: the bounds of a test."""
    bounds = spec.bounds
    if bounds is None:
        return None
    lower, upper = limits(bounds)
    near = 0.8 * min(-lower, upper)

    def stop(results: Sequence[UnitResult]) -> int | None:
        tally = _Tally(spec.mode, bounds)
        for place, result in enumerate(results, 1):
            if result.status is not Status.PLAYED:
                continue
            tally.add(result)
            if tally.count < FEWEST:
                continue
            if _answer(tally.count, tally.llr(near=near), lower, upper) is not Answer.OPEN:
                return place
        return None

    return stop
