"""The table of an event: who has which share of the points, and how sure that is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spades_arena.bootstrap import (
    Floats,
    Resamples,
    chance_of_first,
    interval_of,
    ranks,
    resample,
    seed_of,
    shares,
)
from spades_arena.leads import mean_leads
from spades_arena.state import EventState


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry's place in the table."""

    rank: int
    """From 1; entries that are level share one."""
    entry: str
    spec: str
    units: int
    points: float
    share: float
    """Of the points that it could have had."""
    share_low: float
    share_high: float
    rank_low: float
    rank_high: float
    first: float
    """How likely it is first, by resampling."""
    lead: float
    """Mean lead of its units that were played; not a number where there are none."""
    forfeits: int
    faults: int
    withdrawn: str


def make_standings(state: EventState, faults: Mapping[str, int]) -> tuple[Standing, ...]:
    """Ranks the entries of an event by the share of their points, the margin being second.

    ``faults`` says how many each entry has, by its name.
    """
    count = len(state.spec.entries)
    sample = resample(state.scored, count, seed_of(state.spec))
    shared = shares(sample)
    spread = _spread(sample, shared)
    points, units = sample.points[0].sum(axis=1), sample.units[0].sum(axis=1)
    leads = mean_leads(state, count)
    judged = (*state.counted, *state.annulled)
    forfeits = Counter(loser for one in judged for loser in set(one.losers))
    return tuple(
        Standing(
            rank=rank,
            entry=state.name_of(entry),
            spec=state.spec.entries[entry].spec,
            units=int(units[entry]),
            points=float(points[entry]),
            share=float(shared[0, entry]),
            share_low=float(spread.low[entry]),
            share_high=float(spread.high[entry]),
            rank_low=float(spread.rank_low[entry]),
            rank_high=float(spread.rank_high[entry]),
            first=float(spread.first[entry]),
            lead=leads[entry],
            forfeits=forfeits[entry],
            faults=faults.get(state.name_of(entry), 0),
            withdrawn=_withdrawn(state, entry),
        )
        for rank, entry in _ranked(state, shared[0], leads)
    )


@dataclass(frozen=True, slots=True)
class _Spread:
    """What the resamples say of each entry; not a number where there are too few streams."""

    low: Floats
    high: Floats
    rank_low: Floats
    rank_high: Floats
    first: Floats


def _spread(sample: Resamples, shared: Floats) -> _Spread:
    """What is sure of those that have units; the others have no place."""
    has = ~np.isnan(shared[0])
    unknown = np.full(len(has), math.nan)
    if not sample.tells:
        return _Spread(unknown, unknown, unknown, unknown, unknown)
    some = shared[:, has]
    ranked = ranks(some)
    found = [
        *interval_of(some, sample.streams),
        *interval_of(ranked, sample.streams),
        chance_of_first(ranked, sample.streams),
    ]
    for place, values in enumerate(found):
        found[place] = unknown.copy()
        found[place][has] = values
    return _Spread(*found)


def _ranked(state: EventState, shared: Floats, leads: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The entries from first to last with their ranks, which those that are level share.

    Those whose results are annulled, or that have none, come last.
    """

    def key(entry: int) -> tuple[bool, float, float]:
        withdrawal = state.withdrawal_of(entry)
        out = withdrawal is not None and withdrawal.annulled
        share = -1.0 if math.isnan(shared[entry]) else float(shared[entry])
        lead = 0.0 if math.isnan(leads[entry]) else leads[entry]
        return out, -share, -lead

    order = sorted(range(len(leads)), key=lambda entry: (key(entry), state.name_of(entry)))
    rank = 0
    for place, entry in enumerate(order, 1):
        if place == 1 or key(entry) != key(order[place - 2]):
            rank = place
        yield rank, entry


def _withdrawn(state: EventState, entry: int) -> str:
    one = state.withdrawal_of(entry)
    if one is None:
        return ""
    effect = "its results are annulled" if one.annulled else "its results stand"
    return f"withdrawn ({one.reason}); {effect}"
