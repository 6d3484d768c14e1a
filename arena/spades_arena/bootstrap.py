"""Resampling of whole streams of deals, so that what the matches share by their cards stays together."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spades_arena.results import UnitResult
from spades_arena.spec import EventSpec

RESAMPLES: Final = 2_000

Floats = NDArray[np.float64]


def seed_of(spec: EventSpec) -> int:
    """A seed for resampling that anybody can come to, so that a table can be made again."""
    return int(spec.name[:16], 16)


def weights(streams: int, seed: int, resamples: int = RESAMPLES) -> Floats:
    """How often each stream is drawn in each resample; the first row is the sample itself."""
    rng = np.random.Generator(np.random.PCG64(seed))
    drawn = rng.multinomial(streams, np.full(streams, 1 / streams), size=resamples)
    return np.vstack([np.ones((1, streams)), drawn.astype(np.float64)])


def by_stream(results: Sequence[UnitResult], entries: int) -> tuple[Floats, Floats, list[int]]:
    """Points of each entry against each other on each stream, and the units they come from.

    :returns: two arrays of stream, entry, opponent, and the numbers of the streams.
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
    return points, units, numbers


def interval_of(resampled: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """The percentile interval of each column, the resamples being the rows after the first."""
    tail = 100 * (1 - level) / 2
    with warnings.catch_warnings():
        # An entry without any unit has no share in any resample, and none comes out.
        warnings.filterwarnings("ignore", "All-NaN slice", RuntimeWarning)
        low, high = np.nanpercentile(resampled[1:], [tail, 100 - tail], axis=0)
    return low, high


def shares(points: Floats, units: Floats, drawn: Floats) -> Floats:
    """The share of its points that each entry has in each resample; not a number where it has no unit."""
    got = drawn @ points.sum(axis=2)
    could = 2 * (drawn @ units.sum(axis=2))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(could > 0, got / could, np.nan)


def ranks(shared: Floats) -> Floats:
    """The rank of each entry in each resample, 1 for the most points; ties share the middle rank."""
    filled = np.where(np.isnan(shared), -1.0, shared)
    better = (filled[:, None, :] > filled[:, :, None]).sum(axis=2)
    equal = (filled[:, None, :] == filled[:, :, None]).sum(axis=2) - 1
    ranked: Floats = 1 + better + equal / 2
    return ranked


def chance_of_first(ranked: Floats) -> Floats:
    """How often each entry is first among the resamples; those that share it share the chance."""
    first = ranked[1:] == ranked[1:].min(axis=1, keepdims=True)
    shared: Floats = (first / first.sum(axis=1, keepdims=True)).mean(axis=0)
    return shared
