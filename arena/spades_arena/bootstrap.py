"""Resampling of whole streams of deals, so that what the matches share by their cards stays together.

Whatever is told of few units or of units that all ended alike would have no spread, were the streams only
drawn anew: an entry that won three units of three would be sure of all its points. Therefore

- streams have weights that vary, as in the Bayesian bootstrap (D. B. Rubin, 1981), and each match has a tenth
  of a unit of each of the five results beside what was seen: the Dirichlet process of T. S. Ferguson (1973)
  with half a unit of prior. A result that was never seen is then unlikely and not impossible;
- of few streams more of the resamples are held: the percentiles are expanded as far as Student's t is wider
  than the normal law (T. Hesterberg, What Teachers Should Know about the Bootstrap, 2015, section 5.3).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from spades_arena.results import UnitResult
from spades_arena.spec import EventSpec
from spades_arena.statistics import LEVEL, SCORES

RESAMPLES: Final = 2_000
"""How many resamples there are of a usual event."""

MOST_DRAWN: Final = 2_000_000
"""So many matches are drawn at most, over all resamples: a hundred entries have thousands of matches."""

FEWEST_RESAMPLES: Final = 500
"""How many resamples there are however many matches an event has."""

FEWEST: Final = 2
"""One stream does not tell how streams differ: no interval is told."""

PRIOR: Final = 0.1
"""So much of a unit of each of the five results every match has beside what was seen."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Resamples:
    """The points of each entry against each other, drawn many times; the first row is what was seen."""

    points: Floats
    """By resample, entry and opponent."""
    units: Floats
    """The units that they come from."""
    streams: int
    """How many streams of deals were drawn from."""

    @property
    def tells(self) -> bool:
        """Whether there are enough streams for an interval."""
        return self.streams >= FEWEST


def seed_of(spec: EventSpec) -> int:
    """A seed for resampling that anybody can come to, so that a table can be made again."""
    return int(spec.name[:16], 16)


def resample(
    results: Sequence[UnitResult], entries: int, seed: int, most: int = RESAMPLES
) -> Resamples:
    """Draws what might have been seen as well, ``most`` times, or less often where there are many matches."""
    points, units, streams = by_stream(results, entries)
    a, b = np.nonzero(np.triu(units.sum(axis=0)))
    resamples = min(most, max(FEWEST_RESAMPLES, MOST_DRAWN // max(1, len(a))))
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.standard_exponential((resamples, streams))
    scale = drawn.mean(axis=1, keepdims=True) if streams else np.ones((resamples, 1))
    weights = np.vstack([np.ones((1, streams)), drawn / scale])
    got = np.tensordot(weights, points, axes=1)
    could = np.tensordot(weights, units, axes=1)
    for score in SCORES:
        unseen = rng.standard_gamma(PRIOR, (resamples, len(a))) / scale
        for one, other, points_of in ((a, b, score), (b, a, 2 - score)):
            got[1:, one, other] += points_of * unseen
            could[1:, one, other] += unseen
    return Resamples(got, could, streams)


def by_stream(results: Sequence[UnitResult], entries: int) -> tuple[Floats, Floats, int]:
    """Points of each entry against each other on each stream, and the units they come from.

    :returns: two arrays of stream, entry, opponent, and how many streams there are.
    """
    numbers = sorted({result.unit.stream for result in results})
    place = {number: i for i, number in enumerate(numbers)}
    points = np.zeros((len(numbers), entries, entries))
    units = np.zeros_like(points)
    for result in results:
        stream, a, b = place[result.unit.stream], result.unit.a, result.unit.b
        points[stream, a, b] += result.score_of(a)
        points[stream, b, a] += result.score_of(b)
        units[stream, a, b] += 1
        units[stream, b, a] += 1
    return points, units, len(numbers)


def tail(streams: int, level: float = LEVEL) -> float:
    """The share of the resamples that lies beyond each end of an interval.

    >>> [round(tail(streams), 4) for streams in (2, 5, 20, 1_000)]
    [0.0, 0.001, 0.0159, 0.0248]
    """
    t = float(stats.t.ppf((1 + level) / 2, streams - 1))
    return float(stats.norm.cdf(-t * math.sqrt(streams / (streams - 1))))


def interval_of(resampled: Floats, streams: int) -> tuple[Floats, Floats]:
    """The interval of each column, what was seen being the first row and never outside.

    Not a number where there are too few streams, and for a column that has none itself.
    """
    seen = resampled[0]
    if streams < FEWEST:
        unknown = np.full_like(seen, math.nan)
        return unknown, unknown
    beyond = 100 * tail(streams)
    with warnings.catch_warnings():
        # An entry without any unit has no share in any resample, and none comes out.
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        low, high = np.nanpercentile(resampled[1:], [beyond, 100 - beyond], axis=0)
    return np.minimum(low, seen), np.maximum(high, seen)


def shares(sample: Resamples) -> Floats:
    """The share of its points that each entry has in each resample; not a number where it has no unit."""
    got = sample.points.sum(axis=2)
    could = 2 * sample.units.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(could > 0, got / could, np.nan)


def ranks(shared: Floats) -> Floats:
    """The rank of each entry in each resample, 1 for the most points; ties share the middle rank."""
    filled = np.where(np.isnan(shared), -1.0, shared)
    better = (filled[:, None, :] > filled[:, :, None]).sum(axis=2)
    equal = (filled[:, None, :] == filled[:, :, None]).sum(axis=2) - 1
    ranked: Floats = 1 + better + equal / 2
    return ranked


def chance_of_first(ranked: Floats, streams: int) -> Floats:
    """How often each entry is first among the resamples; those that share it share the chance.

    None is surer than so many tosses of a coin, as in a sign test: what is more than that is the next one's.
    """
    first = ranked[1:] == ranked[1:].min(axis=1, keepdims=True)
    shared: Floats = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    best, second = np.argsort(-shared, kind="stable")[:2]
    excess = max(0.0, shared[best] - (1 - 0.5**streams))
    shared[best] -= excess
    shared[second] += excess
    return shared
