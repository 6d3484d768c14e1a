"""Statistics of units: against scipy, closed forms, and seeded simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spades_arena.power import power_of
from spades_arena.statistics import (
    Interval,
    elo,
    elo_estimate,
    five_buckets,
    holm,
    likelihood_of_superiority,
    normalized_elo,
    p_value,
    score_interval,
    t_interval,
    units_needed,
)
from spades_arena.verdicts import Verdict, Word, verdict

pytestmark = pytest.mark.once

SCORES_OF_A_UNIT = (0.0, 0.5, 1.0, 1.5, 2.0)
VALUES = st.lists(st.integers(-400, 400).map(float), min_size=2, max_size=60)
SCORES = st.lists(st.sampled_from(SCORES_OF_A_UNIT), min_size=2, max_size=60)


@given(VALUES)
def test_the_interval_is_that_of_scipy(values: list[float]) -> None:
    found = t_interval(values)
    if not found.sd:
        assert found.low == found.mean == found.high
        return
    low, high = stats.t.interval(
        0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values)
    )

    assert found.low == pytest.approx(low, rel=1e-9, abs=1e-9)
    assert found.high == pytest.approx(high, rel=1e-9, abs=1e-9)


@given(VALUES)
def test_p_is_that_of_scipys_t_test(values: list[float]) -> None:
    found = t_interval(values)
    if not found.sd:
        return
    # Never surer than so many coins that fell alike.
    coins = 0.5 ** len(values)
    expected = max(2 * coins, stats.ttest_1samp(values, 0).pvalue)
    assert p_value(found) == pytest.approx(expected, abs=1e-9)
    greater = stats.ttest_1samp(values, 0, alternative="greater").pvalue
    expected = min(1 - coins, max(coins, 1 - greater))
    assert likelihood_of_superiority(found) == pytest.approx(expected, abs=1e-9)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    # Heavy tails, as units of Spades have: most leads are small, a nil moves two hundred points.
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(2_000):
        values = 3 + np.where(rng.random(50) < 0.15, rng.normal(0, 90, 50), rng.normal(0, 20, 50))
        found = t_interval(list(values))
        held += found.low <= 3 <= found.high

    assert 0.935 <= held / 2_000 <= 0.965


def test_one_unit_says_nothing() -> None:
    found = t_interval([100.0])

    assert (found.low, found.high) == (-math.inf, math.inf)
    assert verdict(found).word is Word.OPEN
    assert t_interval([]).n == 0


@given(SCORES)
def test_an_interval_of_scores_has_a_width_and_stays_possible_at_its_ends(
    scores: list[float],
) -> None:
    found = score_interval(scores)

    assert found.low < found.high
    assert 0 <= found.low <= found.mean <= found.high <= 2


@pytest.mark.parametrize(("wins", "word"), [(2, Word.OPEN), (4, Word.OPEN), (6, Word.BETTER)])
def test_a_few_wins_in_a_row_are_no_proof(wins: int, word: Word) -> None:
    assert verdict(score_interval([2.0] * wins), even=1.0).word is word


@given(st.integers(2, 60), st.sampled_from(SCORES_OF_A_UNIT))
def test_a_worse_unit_never_makes_a_score_surer(units: int, last: float) -> None:
    won = score_interval([2.0] * units)
    less = score_interval([2.0] * (units - 1) + [last])

    assert less.low <= won.low
    assert p_value(less, 1.0) >= p_value(won, 1.0)


@pytest.mark.parametrize("units", [3, 6, 12, 50])
@pytest.mark.parametrize("rare", [0.02, 0.1, 0.3])
def test_a_score_of_few_units_is_held_as_often_as_is_said(units: int, rare: float) -> None:
    rng = np.random.default_rng(4)
    chances = (rare / 4, 0.0, rare * 3 / 4, 0.0, 1 - rare)
    truth = float(np.dot(chances, SCORES_OF_A_UNIT))
    held = 0
    for _ in range(400):
        found = score_interval(list(rng.choice(SCORES_OF_A_UNIT, size=units, p=chances)))
        held += found.low <= truth <= found.high

    assert held / 400 >= 0.93


def test_what_never_happened_is_bounded_as_clopper_and_pearson_do() -> None:
    found = score_interval([2.0] * 20)
    bound = stats.binomtest(20, 20).proportion_ci(0.95, method="exact").low

    assert found.low / 2 == pytest.approx(bound)


@given(st.floats(0.01, 0.99))
def test_elo_is_the_inverse_of_the_expected_share(share: float) -> None:
    assert 1 / (1 + 10 ** (-elo(share) / 400)) == pytest.approx(share)


def test_elo_of_a_match_by_hand() -> None:
    # 75 % of the points: 400 times the decimal log of 3.
    found = elo_estimate(Interval(1.5, 1.0, 2.0, 0.5, 100))

    assert found.value == pytest.approx(400 * math.log10(3))
    assert (found.low, found.high) == (0.0, math.inf)


def test_normalized_elo_by_hand() -> None:
    # The mean is a quarter of a point a unit beyond even, of a spread of a half: t = 1/2 for a pair of games.
    found = normalized_elo(Interval(1.25, 1.15, 1.35, 0.5, 100))

    assert found.value == pytest.approx(0.5 / math.sqrt(2) * 800 / math.log(10))


def test_buckets_count_every_result() -> None:
    assert five_buckets([0, 0.5, 0.5, 1, 2, 2, 2]) == (1, 2, 1, 0, 3)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_never_makes_a_p_value_smaller_and_keeps_their_order(values: list[float]) -> None:
    adjusted = holm(values)

    assert all(a >= p for a, p in zip(adjusted, values, strict=True))
    assert all(a <= 1 for a in adjusted)
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [adjusted[i] for i in order] == sorted(adjusted)


def test_holm_keeps_the_error_of_a_whole_family() -> None:
    rng = np.random.default_rng(2)
    wrong = sum(min(holm(list(rng.random(10)))) < 0.05 for _ in range(4_000))

    assert 0.04 <= wrong / 4_000 <= 0.06


# Verdicts


@pytest.mark.parametrize(
    ("values", "within", "word"),
    [
        ([5.0, 6.0, 7.0, 6.0, 5.0, 6.0], 0.0, Word.BETTER),
        ([-5.0, -6.0, -7.0, -6.0, -5.0, -6.0], 0.0, Word.WORSE),
        ([-5.0, 6.0, -7.0, 6.0, -5.0, 6.0], 0.0, Word.OPEN),
        ([0.1, -0.1, 0.1, -0.1, 0.0, 0.0], 1.0, Word.EQUAL),
        ([0.5, 0.6, 0.4, 0.5, 0.5, 0.5], 1.0, Word.EQUAL),
        ([-5.0, 6.0, -7.0, 6.0, -5.0, 6.0], 1.0, Word.OPEN),
        # However near to each other they are, five fall alike too often.
        ([5.0, 6.0, 7.0, 6.0, 5.0], 0.0, Word.OPEN),
        ([0.5, 0.6, 0.4, 0.5, 0.5], 1.0, Word.OPEN),
    ],
)
def test_the_word_claims_no_more_than_the_interval(
    values: list[float], within: float, word: Word
) -> None:
    assert verdict(t_interval(values), within=within).word is word


def test_the_units_still_needed_would_do() -> None:
    rng = np.random.default_rng(3)
    values = list(2 + rng.normal(0, 24, 100))
    found = t_interval(values)
    more = units_needed(found)

    assert more is not None
    # So many find a difference of that size and spread nine times of ten.
    assert power_of(found.n + more, found.mean, found.sd) == pytest.approx(0.9, abs=0.005)


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        (verdict(t_interval([])), "No unit of a and b was played to its end."),
        (
            verdict(t_interval([9.0, 9.0])),
            "2 units are too few to separate a and b: about 4 more units would be needed.",
        ),
        (
            verdict(t_interval([9.0] * 5)),
            "5 units are too few to separate a and b: about 1 more unit would be needed.",
        ),
        (verdict(t_interval([9.0] * 6)), "a is better than b."),
        (
            verdict(t_interval([0.0] * 3), level=True),
            "a and b ended exactly level in each of 3 units.",
        ),
        (
            verdict(t_interval([0.0] * 3), within=1),
            "3 units are too few to separate a and b: about 3 more units would be needed.",
        ),
        (
            verdict(t_interval([-1.0, 0.0, 1.0])),
            "3 units are too few to separate a and b: they seem too near to say how many more it takes.",
        ),
        (verdict(t_interval([9.0]), within=10), "One unit says nothing of a and b."),
        (Verdict(Word.BETTER, units=6), "a is better than b."),
        (Verdict(Word.WORSE, units=6), "a is worse than b."),
        (Verdict(Word.EQUAL, within=1.5, units=6), "a and b are equal within ±1.5."),
        (
            Verdict(Word.OPEN, 1_234, units=6),
            "a and b are not separated: about 1,234 more units would be needed if they differ as it seems.",
        ),
        (
            Verdict(Word.OPEN, 10_000_000, units=6),
            "a and b are not separated: they seem too near to say how many more it takes.",
        ),
    ],
)
def test_verdicts_are_told_in_words(of: Verdict, sentence: str) -> None:
    assert of.sentence("a", "b") == sentence
