"""How many units a question needs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from spades_arena.errors import ArenaError
from spades_arena.power import power_of, units_for


@pytest.mark.parametrize(("effect", "sd"), [(0.1, 0.5), (2.0, 24.0), (5.0, 24.0), (3.0, 2.0)])
def test_the_units_are_the_fewest_that_do(effect: float, sd: float) -> None:
    units = units_for(effect, sd)

    assert power_of(units, effect, sd) >= 0.9
    assert power_of(units - 1, effect, sd) < 0.9


def test_it_is_the_rule_of_thumb_for_many_units() -> None:
    assert units_for(1.0, 24.0) == pytest.approx((3.2415 * 24) ** 2, rel=0.001)


def test_so_many_units_find_it_as_often_as_said() -> None:
    rng = np.random.default_rng(8)
    units = units_for(5.0, 24.0)
    samples = rng.normal(5.0, 24.0, size=(2_000, units))
    values = np.asarray(stats.ttest_1samp(samples, 0, axis=1).pvalue)

    assert 0.88 <= np.count_nonzero(values < 0.05) / 2_000 <= 0.92


def test_a_worse_bot_is_found_like_a_better_one() -> None:
    assert units_for(-2.0, 24.0) == units_for(2.0, 24.0)


@pytest.mark.parametrize(
    ("effect", "sd", "power", "alpha", "said"),
    [
        (0.0, 1.0, 0.9, 0.05, "A difference of 0 is none"),
        (1.0, 0.0, 0.9, 0.05, "A spread of 0 is not possible"),
        (1.0, 1.0, 1.0, 0.05, "alpha=0.05 and power=1 are not possible"),
        (1.0, 1.0, 0.04, 0.05, "alpha=0.05 and power=0.04 are not possible"),
    ],
)
def test_what_cannot_be_answered_is_refused(
    effect: float, sd: float, power: float, alpha: float, said: str
) -> None:
    with pytest.raises(ArenaError, match=said):
        units_for(effect, sd, power, alpha)


def test_a_difference_too_small_to_find_is_refused() -> None:
    with pytest.raises(ArenaError, match="would need more than"):
        units_for(1e-6, 24.0)
