"""Ratings and resampling: known strengths are found again, and the order of results is nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from spades_arena.bootstrap import by_stream, chance_of_first, interval_of, ranks, shares, weights
from spades_arena.ratings import SCALE, fit, rate
from spades_arena.results import Status, UnitResult
from spades_arena.schedule import schedule
from spades_arena.spec import Entry, EventSpec, Format
from spades_arena.state import EventState
from tests.arena.scene import an_event

STRENGTHS = (120.0, 60.0, 0.0, -60.0, -120.0)


def an_event_of(count: int, units: int) -> EventSpec:
    entries = tuple(Entry(f"e{i}", "random") for i in range(count))
    return an_event(*entries, kind=Format.ROUND_ROBIN, units=units)


def state_of(spec: EventSpec, results: Sequence[UnitResult]) -> EventState:
    return EventState(
        spec=spec,
        units=schedule(spec),
        controls=(),
        counted=tuple(results),
        annulled=(),
        withdrawals=(),
        missing=(),
    )


def drawn(spec: EventSpec, strengths: Sequence[float], seed: int) -> list[UnitResult]:
    """Results of entries of known strengths: two games a unit, each by Bradley and Terry."""
    rng = random.Random(seed)
    made: list[UnitResult] = []
    for unit in schedule(spec):
        chance = 1 / (1 + 10 ** ((strengths[unit.b] - strengths[unit.a]) / 400))
        score = float((rng.random() < chance) + (rng.random() < chance))
        made.append(
            UnitResult(
                unit=unit, status=Status.PLAYED, score=score, margin=100 * (score - 1), tables=()
            )
        )
    return made


def test_known_strengths_are_found_again_within_their_intervals() -> None:
    spec = an_event_of(5, units=400)
    rated = rate(state_of(spec, drawn(spec, STRENGTHS, 1)))

    assert [one.entry for one in sorted(rated, key=lambda one: -one.value)] == [0, 1, 2, 3, 4]
    for one in rated:
        assert one.value == pytest.approx(STRENGTHS[one.entry], abs=25)
        assert one.low < STRENGTHS[one.entry] < one.high


def test_the_order_of_results_is_nothing() -> None:
    spec = an_event_of(5, units=20)
    results = drawn(spec, STRENGTHS, 2)
    shuffled = results[:]
    random.Random(3).shuffle(shuffled)

    first, second = rate(state_of(spec, results)), rate(state_of(spec, shuffled))
    for one, other in zip(first, second, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-9)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)


def test_two_entries_have_the_closed_form() -> None:
    # Without the prior the difference is the log-odds of the share; with it, nearly so.
    points = np.zeros((1, 2, 2))
    points[0, 0, 1], points[0, 1, 0] = 1_500.0, 500.0
    units = np.array([[[0.0, 1_000.0], [1_000.0, 0.0]]])
    found = fit(points, units)[0]

    assert SCALE * (found[0] - found[1]) == pytest.approx(400 * math.log10(3), rel=0.01)
    assert found[0] == pytest.approx(-found[1])


def test_one_that_won_everything_stays_finite() -> None:
    spec = an_event_of(3, units=10)
    results = drawn(spec, (10_000.0, 0.0, 0.0), 4)
    best = max(rate(state_of(spec, results)), key=lambda one: one.value)

    assert best.entry == 0
    assert math.isfinite(best.high)


def test_t11_a_forfeit_rates_nobody() -> None:
    spec = an_event_of(3, units=8)
    results = drawn(spec, STRENGTHS[:3], 5)
    forfeit = UnitResult(
        unit=results[0].unit, status=Status.FORFEIT, score=2.0, margin=None, tables=()
    )
    with_forfeit = rate(state_of(spec, [forfeit, *results[1:]]))

    assert with_forfeit == rate(state_of(spec, results[1:]))
    assert sum(one.units for one in with_forfeit) == 2 * (len(results) - 1)


def test_an_event_without_units_has_no_ratings() -> None:
    spec = an_event_of(3, units=1)

    assert rate(state_of(spec, [])) == []


def test_the_bootstrap_covers_as_it_says() -> None:
    # What matches share by their cards is kept together: a stream moves all its units.
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(150):
        spec = an_event_of(3, units=60)
        luck = rng.normal(0, 0.3, 61)
        made = [
            UnitResult(
                unit=unit,
                status=Status.PLAYED,
                score=float(
                    np.clip(round(2 * (1 + luck[unit.number] + rng.normal(0, 0.4))) / 2, 0, 2)
                ),
                margin=0.0,
                tables=(),
            )
            for unit in schedule(spec)
        ]
        points, units, numbers = by_stream(made, 3)
        shared = shares(points, units, weights(len(numbers), 7, 400))
        low, high = interval_of(shared)
        # Entry 0 is A in both of its matches, so it has the luck of each stream twice.
        held += low[0] <= 0.5 <= high[0]

    assert 0.88 <= held / 150 <= 0.99


def test_ranks_share_what_is_equal_and_the_chance_of_being_first_adds_up() -> None:
    shared = np.array([[0.9, 0.5, 0.5, 0.1], [0.9, 0.9, 0.5, 0.1], [0.2, 0.9, 0.5, 0.1]])
    ranked = ranks(shared)

    assert ranked[0].tolist() == [1, 2.5, 2.5, 4]
    assert chance_of_first(ranked).tolist() == [0.25, 0.75, 0, 0]
