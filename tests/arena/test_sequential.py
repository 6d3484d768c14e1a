"""Sequential tests: their limits, their ratios, and how often they err."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from spades_arena.results import Status, UnitResult
from spades_arena.schedule import Unit
from spades_arena.sequential import (
    BUCKETS,
    FEWEST,
    Answer,
    limits,
    pairs_llr,
    points_llr,
    stop_of,
    t_value,
    trial,
)
from spades_arena.spec import Bounds, EventSpec, Format, Mode
from tests.arena.scene import an_event

pytestmark = pytest.mark.once

POINTS = Bounds(low=0.0, high=4.0)
PAIRS = Bounds(low=0.0, high=60.0)


def a_test(mode: Mode, bounds: Bounds) -> EventSpec:
    return replace(an_event(mode=mode, units=5_000), format=Format.TEST, bounds=bounds)


def results(leads: Sequence[float], scores: Sequence[float] | None = None) -> list[UnitResult]:
    """Units with these leads per deal, and points."""
    points = scores if scores is not None else [1.0] * len(leads)
    return [
        UnitResult(
            unit=Unit(f"m0001-u{i:05d}", 1, 1, i, 0, 1),
            status=Status.PLAYED,
            score=float(score),
            margin=2 * float(lead),
            tables=(),
        )
        for i, (lead, score) in enumerate(zip(leads, points, strict=True), 1)
    ]


def test_the_limits_are_walds() -> None:
    lower, upper = limits(Bounds(low=0, high=1, alpha=0.05, beta=0.1))

    assert lower == pytest.approx(math.log(0.1 / 0.95))
    assert upper == pytest.approx(math.log(0.9 / 0.05))


@given(st.floats(-5, 5), st.floats(1, 900), st.integers(50, 5_000))
def test_the_ratio_is_that_of_two_normal_likelihoods_with_their_best_spreads(
    mean: float, variance: float, count: int
) -> None:
    def likelihood(e: float) -> float:
        spread = variance + (mean - e) ** 2
        return -count / 2 * (math.log(2 * math.pi * spread) + 1)

    expected = likelihood(POINTS.high) - likelihood(POINTS.low)
    assert points_llr(count, mean, variance, POINTS) == pytest.approx(expected, abs=1e-6)


def t_of(probabilities: Sequence[float]) -> float:
    mean = sum(p * a for p, a in zip(probabilities, BUCKETS, strict=True))
    variance = sum(p * (a - mean) ** 2 for p, a in zip(probabilities, BUCKETS, strict=True))
    return (mean - 0.5) / math.sqrt(variance)


COUNTS = st.lists(st.integers(0, 200), min_size=5, max_size=5).filter(
    lambda counts: sum(map(bool, counts)) >= 3 and sum(counts) >= 50
)


@given(COUNTS)
def test_the_ratio_for_pairs_changes_its_sign_when_the_sides_are_changed(counts: list[int]) -> None:
    mirrored = Bounds(low=-PAIRS.high, high=-PAIRS.low)
    there, back = pairs_llr(tuple(counts), PAIRS), pairs_llr(tuple(counts[::-1]), mirrored)

    assert there == pytest.approx(-back, abs=1e-6)


@pytest.mark.parametrize(
    "counts", [(60, 10, 200, 20, 70), (5, 30, 80, 30, 55), (400, 0, 900, 0, 500)]
)
def test_the_ratio_for_pairs_is_the_best_that_any_distribution_can_do(
    counts: tuple[int, int, int, int, int],
) -> None:
    # Against a search over distributions with the wanted t-value, by scipy.
    def best(t: float) -> float:
        n = np.maximum(np.array(counts, dtype=float), 1e-3)

        def minus_log(x: np.ndarray) -> float:
            p = np.exp(x - x.max())
            return float(-(n * np.log(p / p.sum())).sum())

        def off(x: np.ndarray) -> float:
            p = np.exp(x - x.max())
            return t_of(list(p / p.sum())) - t

        start = np.log(n / n.sum())
        found = minimize(
            minus_log, start, constraints={"type": "eq", "fun": off}, method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )  # fmt: skip
        return -float(found.fun)

    expected = best(t_value(PAIRS.high)) - best(t_value(PAIRS.low))
    assert pairs_llr(counts, PAIRS) == pytest.approx(expected, abs=0.02)


LOPSIDED, EVEN, TWO_SORTS, SPLIT = (
    (0.0, 0.0, 0.01, 0.0, 0.99), (0.2, 0.02, 0.56, 0.02, 0.2), (0.5, 0.0, 0.0, 0.0, 0.5),
    (0.05, 0.1, 0.4, 0.15, 0.3),
)  # fmt: skip
"""How often a pair of games brings 0, a half, 1, one and a half and 2 points."""


@pytest.mark.parametrize("chances", [LOPSIDED, EVEN, TWO_SORTS, SPLIT])
@pytest.mark.parametrize("ends", [(0, 2), (0, 10), (-5, 5), (0, 60), (20, 60), (-200, 200)])
def test_an_event_ends_with_the_very_unit_that_decides_its_test(
    chances: tuple[float, ...], ends: tuple[float, float]
) -> None:
    spec = a_test(Mode.GAMES, Bounds(low=ends[0], high=ends[1]))
    stop = stop_of(spec)
    assert stop is not None
    scores = np.random.default_rng(12).choice([0.0, 0.5, 1.0, 1.5, 2.0], size=800, p=chances)
    drawn = results([0.0] * 800, [float(score) for score in scores])
    decided = (
        units
        for units in range(FEWEST, len(drawn) + 1)
        if trial(spec, drawn[:units]).answer is not Answer.OPEN
    )

    assert stop(drawn) == next(decided, None)


@given(COUNTS, st.floats(-200, 199), st.floats(0.01, 400))
def test_every_bound_that_is_allowed_has_a_ratio_for_pairs(
    counts: list[int], low: float, apart: float
) -> None:
    bounds = Bounds(low=low, high=min(low + apart, 200))

    assert math.isfinite(pairs_llr(tuple(counts), bounds))


def test_nothing_is_decided_before_the_spread_is_known() -> None:
    stop = stop_of(a_test(Mode.BOARDS, POINTS))
    assert stop is not None
    overwhelming = results([50.0 + i % 2 for i in range(200)])

    assert stop(overwhelming[: FEWEST - 1]) is None
    assert stop(overwhelming) == FEWEST


def test_forfeits_are_no_evidence_of_play() -> None:
    spec = a_test(Mode.BOARDS, POINTS)
    played = results([50.0 + i % 2 for i in range(FEWEST)])
    forfeited = [replace(one, status=Status.FORFEIT, margin=None) for one in played]

    assert trial(spec, forfeited).units == 0
    assert trial(spec, [*forfeited, *played]).answer is Answer.HIGH


def heavy_leads(rng: np.random.Generator, mean: float, count: int) -> list[float]:
    wide = rng.random(count) < 0.15
    return list(mean + np.where(wide, rng.normal(0, 55, count), rng.normal(0, 12, count)))


def pair_scores(rng: np.random.Generator, elo: float, count: int) -> list[float]:
    """Scores of pairs with a normalized Elo: splits mostly, as in Spades."""
    base = np.array([0.2, 0.02, 0.56, 0.02, 0.2])
    tilt = np.array(BUCKETS) - 0.5
    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        p = base * np.exp(middle * tilt)
        low, high = (middle, high) if t_of(list(p / p.sum())) < t_value(elo) else (low, middle)
    p = base * np.exp(low * tilt)
    return list(rng.choice([0.0, 0.5, 1.0, 1.5, 2.0], size=count, p=p / p.sum()))


def answers(
    spec: EventSpec, draw: Callable[[np.random.Generator], list[UnitResult]], runs: int
) -> tuple[float, float]:
    """How often the upper bound is accepted, and after how many units on average."""
    stop = stop_of(spec)
    assert stop is not None
    rng = np.random.default_rng(11)
    accepted = length = 0
    for _ in range(runs):
        drawn = draw(rng)
        end = stop(drawn)
        assert end is not None, "the sample is long enough"
        accepted += trial(spec, drawn[:end]).answer is Answer.HIGH
        length += end
    return accepted / runs, length / runs


@pytest.mark.parametrize(("truth", "low", "high"), [(0.0, 0.01, 0.09), (4.0, 0.91, 0.99)])
def test_the_test_on_points_errs_as_rarely_as_it_says(
    truth: float, low: float, high: float
) -> None:
    spec = a_test(Mode.BOARDS, POINTS)
    share, length = answers(spec, lambda rng: results(heavy_leads(rng, truth, 900)), 200)

    assert low <= share <= high
    assert length < 400


@pytest.mark.parametrize(("truth", "low", "high"), [(0.0, 0.0, 0.09), (60.0, 0.91, 1.0)])
def test_the_test_on_game_pairs_errs_as_rarely_as_it_says(
    truth: float, low: float, high: float
) -> None:
    spec = a_test(Mode.GAMES, PAIRS)

    def draw(rng: np.random.Generator) -> list[UnitResult]:
        return results([0.0] * 1_800, pair_scores(rng, truth, 1_800))

    share, length = answers(spec, draw, 80)
    assert low <= share <= high
    assert length < 1_200
