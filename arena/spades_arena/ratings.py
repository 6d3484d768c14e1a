"""Ratings of pairs: Bradley and Terry's model, fitted anew from all units, so that order cannot matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, cast

import numpy as np

from spades_arena import bootstrap
from spades_arena.bootstrap import Floats, interval_of, resample, seed_of
from spades_arena.state import EventState

SCALE: Final = 400 / math.log(10)
"""Elo for each unit of log-odds."""

PRIOR: Final = 1.0
"""How many drawn units against an average entry each entry is given: it keeps one that won all finite."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of an entry in Elo, the mean of all entries being 0."""

    entry: int
    value: float
    low: float
    high: float
    units: int


def rate(state: EventState) -> list[Rating]:
    """Rates the entries that played, by the units that were played to their end: a forfeit rates nobody.

    Nothing bounds from above one that won every point, nor from below one that won none.
    """
    count = len(state.spec.entries)
    if not state.played:
        return []
    sample = resample(state.played, count, seed_of(state.spec))
    # What the resamples have beside what was seen keeps them finite: the estimate's own prior would draw the
    # ends of an interval to the middle.
    fitted = SCALE * np.vstack(
        [
            fit(sample.points[:1], sample.units[:1]),
            fit(sample.points[1:], sample.units[1:], bootstrap.PRIOR),
        ]
    )
    low, high = interval_of(fitted, sample.streams)
    if sample.tells:
        got, could = sample.points[0].sum(axis=1), 2 * sample.units[0].sum(axis=1)
        high, low = np.where(got == could, math.inf, high), np.where(got, low, -math.inf)
    return [
        Rating(entry, float(fitted[0, entry]), float(low[entry]), float(high[entry]), int(n))
        for entry, n in enumerate(sample.units[0].sum(axis=1))
        if n
    ]


def fit(points: Floats, units: Floats, drawn: float = PRIOR, steps: int = 60) -> Floats:
    """The most likely strengths in log-odds, for many tables of results at once, by Newton's method.

    ``points[.., i, j]`` are what *i* has of the two points of each of its ``units[.., i, j]`` against *j*;
    ``drawn`` are the drawn units against an average entry that each is given.
    """
    tables, count, _ = points.shape
    present = units.sum(axis=2) > 0
    strengths: Floats = np.zeros((tables, count))
    eye = np.eye(count)
    for _ in range(steps):
        odds = strengths[:, :, None] - strengths[:, None, :]
        expected = 1 / (1 + np.exp(-odds))
        own = 1 / (1 + np.exp(-strengths))
        gradient = (points - 2 * units * expected).sum(axis=2) + drawn * (1 - 2 * own)
        spread = 2 * units * expected * (1 - expected)
        hessian = eye * (spread.sum(axis=2) + 2 * drawn * own * (1 - own))[:, :, None] - spread
        step = cast("Floats", np.linalg.solve(hessian, gradient[:, :, None]))[:, :, 0]
        strengths = np.asarray(strengths + np.clip(step, -1, 1))
        if np.abs(step).max() < 1e-10:
            break
    present_count = np.maximum(1, present.sum(axis=1, keepdims=True))
    centre = np.where(present, strengths, 0).sum(axis=1, keepdims=True) / present_count
    return np.where(present, strengths - centre, np.nan)
