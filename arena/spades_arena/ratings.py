"""Ratings of pairs: Bradley and Terry's model, fitted anew from all units, so that order cannot matter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from spades_arena import bootstrap
from spades_arena.bootstrap import Floats, interval_of, resample, seed_of
from spades_arena.state import EventState

SCALE: Final = 400 / math.log(10)
"""Elo for each unit of log-odds."""

PRIOR: Final = 1.0
"""How many drawn units against an average entry each entry is given: it keeps one that won all finite."""


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of an entry in Elo; the mean of those that results connect is 0."""

    entry: int
    value: float
    low: float
    high: float
    units: int


def rate(state: EventState) -> list[Rating]:
    """Rates the entries that played, by the units that were played to their end: a forfeit rates nobody.

    How far an entry is above others that have no point of it, nor of anybody who has, nothing tells (L. R.
    Ford, 1957): its interval is open there. As it would make the mean as open, 0 is the mean of the largest
    group in which everybody can be compared with everybody.
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
    order = compare(sample.points[0])
    fitted -= fitted[:, order.group].mean(axis=1, keepdims=True)
    low, high = interval_of(fitted, sample.streams)
    if sample.tells:
        low, high = (
            np.where(order.low_open, -math.inf, low),
            np.where(order.high_open, math.inf, high),
        )
    return [
        Rating(entry, float(fitted[0, entry]), float(low[entry]), float(high[entry]), int(n))
        for entry, n in enumerate(sample.units[0].sum(axis=1))
        if n
    ]


Entries = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Who can be compared with whom, by entry."""

    group: Entries
    """The largest group in which everybody has points of everybody, straight or by way of others; where
    there is none, all who have played."""
    high_open: Entries
    """Of whom somebody in the group has no points."""
    low_open: Entries
    """Who has no points of somebody in the group."""


def compare(points: Floats) -> Comparison:
    """Compares entries by the points that each has against each."""
    reaches = points > 0
    for way in range(len(points)):
        reaches |= np.outer(reaches[:, way], reaches[way])
    np.fill_diagonal(reaches, val=True)
    mutual = reaches & reaches.T
    sizes = mutual.sum(axis=1)
    group: Entries = mutual[int(sizes.argmax())]
    if not sizes.max() > 1:
        group = np.asarray((points > 0).any(axis=0) | (points > 0).any(axis=1))
    below: Entries = np.asarray(reaches[group].all(axis=0))
    above: Entries = np.asarray(reaches[:, group].all(axis=1))
    return Comparison(group, high_open=~below, low_open=~above)


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
