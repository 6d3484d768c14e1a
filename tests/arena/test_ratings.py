"""Ratings and resampling: known strengths are found again, and the order of results is nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades_arena.bootstrap import (
    by_stream,
    chance_of_first,
    interval_of,
    ranks,
    resample,
    shares,
)
from spades_arena.ratings import SCALE, compare, fit, rate
from spades_arena.results import Status, UnitResult
from spades_arena.schedule import Unit, schedule
from spades_arena.spec import Entry, EventSpec, Format
from spades_arena.standings import make_standings
from spades_arena.state import EventState
from spades_arena.statistics import SCORES
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
        made.append(played(unit, score))
    return made


def played(unit: Unit, score: float) -> UnitResult:
    """A unit that brought its first entry so many points."""
    return UnitResult(
        unit=unit, status=Status.PLAYED, score=float(score), margin=100 * (score - 1), tables=()
    )


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
    assert math.isfinite(best.value)
    assert math.isfinite(best.low)
    # Nothing says how much better it may be.
    assert best.high == math.inf


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
            played(
                unit,
                float(np.clip(round(2 * (1 + luck[unit.number] + rng.normal(0, 0.4))) / 2, 0, 2)),
            )
            for unit in schedule(spec)
        ]
        sample = resample(made, 3, 7, 400)
        low, high = interval_of(shares(sample), sample.streams)
        # Entry 0 is A in both of its matches, so it has the luck of each stream twice.
        held += low[0] <= 0.5 <= high[0]

    assert 0.88 <= held / 150 <= 0.99


LIKE, STRONGER, FAR_STRONGER = (
    (0.20, 0.02, 0.56, 0.02, 0.20), (0.03, 0.01, 0.36, 0.02, 0.58), (0, 0, 0.03, 0, 0.97),
)  # fmt: skip
"""How often a unit between two such bots brings 0, a half, 1, one and a half and 2 points."""


@pytest.mark.parametrize("chances", [LIKE, STRONGER, FAR_STRONGER])
@pytest.mark.parametrize("units", [2, 3, 5, 10, 25])
def test_a_share_of_few_units_is_held_as_often_as_is_said(
    units: int, chances: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(8)
    spec = an_event_of(2, units=units)
    truth = float(np.dot(chances, SCORES)) / 2
    held = 0
    for seed in range(200):
        scores = rng.choice(SCORES, size=units, p=chances)
        sample = resample(
            [played(*one) for one in zip(schedule(spec), scores, strict=True)], 2, seed, 500
        )
        low, high = interval_of(shares(sample), units)
        assert low[0] < high[0]
        held += low[0] <= truth <= high[0]

    # 3 of 200 lie below, were it 0.95 exactly and not more.
    assert held / 200 >= 0.92


def held(strengths: Sequence[float], units: int, events: int = 40) -> float:
    """How often the interval of a rating holds the strength, from the middle of those to be compared."""
    spec = an_event_of(len(strengths), units=units)
    found = 0
    for seed in range(events):
        state = state_of(spec, drawn(spec, strengths, seed))
        points, _, _ = by_stream(state.played, len(strengths))
        middle = float(np.array(strengths)[compare(points.sum(axis=0)).group].mean())
        for one in rate(state):
            assert one.low < one.value < one.high
            found += one.low <= strengths[one.entry] - middle <= one.high
    return found / (events * len(strengths))


@pytest.mark.parametrize("strengths", [(60.0, 0.0, -60.0), (400.0, 0.0, -400.0)])
@pytest.mark.parametrize("units", [3, 10])
def test_a_rating_of_few_units_is_held_as_often_as_is_said(
    units: int, strengths: tuple[float, ...]
) -> None:
    assert held(strengths, units) >= 0.92


@pytest.mark.parametrize("strengths", [(100.0, 50.0, -1_500.0), (1_000.0, 0.0, -50.0)])
def test_one_that_loses_or_wins_all_takes_nothing_from_what_is_said_of_the_others(
    strengths: tuple[float, ...],
) -> None:
    # The estimate is drawn to 0, and so are its ends.
    assert held(strengths, 10) >= 0.85


def test_who_is_compared_with_whom_follows_from_whose_points_are_whose() -> None:
    # The first beats all, the last beats nobody, and between them everybody has points of somebody.
    points = np.array([[0, 4, 4, 4, 4], [0, 0, 1, 0, 4], [0, 0, 0, 1, 4], [0, 1, 0, 0, 4], [0] * 5])
    found = compare(points.astype(float))

    assert found.group.tolist() == [False, True, True, True, False]
    assert found.high_open.tolist() == [True, False, False, False, False]
    assert found.low_open.tolist() == [False, False, False, False, True]


def test_a_chain_of_those_that_won_everything_has_no_middle_that_could_be_compared() -> None:
    found = compare(np.array([[0.0, 4.0, 0.0], [0.0, 0.0, 4.0], [0.0, 0.0, 0.0]]))

    assert found.group.all()
    assert found.high_open.tolist() == [True, True, False]
    assert found.low_open.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("kind", "entries", "drawn_often"),
    [
        (Format.ROUND_ROBIN, 45, 2_000),
        (Format.ROUND_ROBIN, 60, 1_129),
        (Format.GAUNTLET, 60, 2_000),
    ],
)
def test_of_very_many_matches_fewer_resamples_are_drawn(
    kind: Format, entries: int, drawn_often: int
) -> None:
    spec = an_event(*(Entry(f"e{i}", "random") for i in range(entries)), kind=kind, units=1)
    sample = resample([played(unit, 1.0) for unit in schedule(spec)], entries, 1)

    assert len(sample.points) == 1 + drawn_often


def test_three_units_that_were_all_won_leave_room_for_less() -> None:
    spec = an_event_of(2, units=3)
    state = state_of(spec, [played(unit, 2.0) for unit in schedule(spec)])
    first, last = make_standings(state, {})
    best, worst = rate(state)

    assert (first.share, first.share_high) == (1, 1)
    assert 0.2 < first.share_low < 0.5
    assert (last.share, last.share_low) == (0, 0)
    assert 0.5 < last.share_high < 0.8
    # As likely as three tosses of a coin that fall alike are not.
    assert first.first == pytest.approx(7 / 8, abs=0.01)
    assert (first.rank_low, first.rank_high) == (1, 2)
    assert (best.high, worst.low) == (math.inf, -math.inf)
    assert best.low < 0 < worst.high


def test_a_single_unit_has_no_interval() -> None:
    spec = an_event_of(2, units=1)
    state = state_of(spec, [played(unit, 2.0) for unit in schedule(spec)])

    assert all(math.isnan(one.share_low) for one in make_standings(state, {}))
    assert all(math.isnan(one.high) for one in rate(state))


@given(st.lists(st.sampled_from(SCORES), min_size=2, max_size=12))
def test_an_interval_has_a_width_and_holds_what_was_seen(scores: list[float]) -> None:
    spec = an_event_of(2, units=len(scores))
    made = [played(*one) for one in zip(schedule(spec), scores, strict=True)]
    sample = resample(made, 2, 1, 300)
    shared = shares(sample)
    low, high = interval_of(shared, sample.streams)

    assert np.all(low < high)
    assert np.all((low <= shared[0]) & (shared[0] <= high))
    assert np.all((low >= 0) & (high <= 1))


def test_ranks_share_what_is_equal_and_the_chance_of_being_first_adds_up() -> None:
    shared = np.array([[0.9, 0.5, 0.5, 0.1], [0.9, 0.9, 0.5, 0.1], [0.2, 0.9, 0.5, 0.1]])
    ranked = ranks(shared)

    assert ranked[0].tolist() == [1, 2.5, 2.5, 4]
    assert chance_of_first(ranked, 1_000) == pytest.approx([0.25, 0.75, 0, 0])
    assert chance_of_first(ranked, 5).sum() == pytest.approx(1)


def test_nobody_is_surer_to_be_first_than_tosses_of_a_coin_whoever_has_the_best_mean_rank() -> None:
    first_or_last = [[1.0, 0.9, 0.8, 0.7]] * 89 + [[0.1, 0.9, 0.8, 0.7]] * 12
    found = chance_of_first(ranks(np.array(first_or_last)), 3)

    assert found.tolist() == pytest.approx([7 / 8, 1 / 8, 0, 0])
