"""How many units a sequential test takes, before it begins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spades_arena.errors import ArenaError
from spades_arena.results import Status, UnitResult
from spades_arena.schedule import Unit
from spades_arena.sequential import Answer, stop_of, trial
from spades_arena.spec import Bounds, EventSpec, Format, Mode
from spades_arena.trial_length import check_length, fewest_units, length_warning, usual_units
from tests.arena.scene import an_event

BOUNDS = [(0.0, 2.0), (0.0, 10.0), (-5.0, 5.0), (190.0, 200.0)]


def a_test(mode: Mode, low: float, high: float, units: int = 5_000) -> EventSpec:
    spec = an_event(mode=mode, units=units)
    return replace(spec, format=Format.TEST, bounds=Bounds(low=low, high=high))


def all_alike(score: float, units: int) -> list[UnitResult]:
    """Units that one side has won, or lost, at both tables."""
    return [
        UnitResult(
            unit=Unit(f"m0001-u{i:05d}", 1, 1, i, 0, 1),
            status=Status.PLAYED,
            score=score,
            margin=0.0,
            tables=(),
        )
        for i in range(1, units + 1)
    ]


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_with_the_fewest_units_one_that_wins_or_loses_all_is_decided_and_with_one_less_neither(
    low: float, high: float
) -> None:
    spec = a_test(Mode.GAMES, low, high)
    assert spec.bounds is not None
    fewest = fewest_units(Mode.GAMES, spec.bounds)

    def open_after(units: int) -> list[bool]:
        return [trial(spec, all_alike(score, units)).answer is Answer.OPEN for score in (0.0, 2.0)]

    assert not all(open_after(fewest))
    assert all(open_after(fewest - 1))


@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_nothing_else_is_decided_sooner_than_what_was_won_or_lost_throughout(
    low: float, high: float
) -> None:
    spec = a_test(Mode.GAMES, low, high)
    assert spec.bounds is not None
    fewest = fewest_units(Mode.GAMES, spec.bounds)
    rng = np.random.default_rng(5)
    stop = stop_of(spec)
    assert stop is not None
    for _ in range(20):
        chances = rng.dirichlet([0.3] * 5)
        scores = rng.choice([0.0, 0.5, 1.0, 1.5, 2.0], size=fewest - 1, p=chances)
        drawn = [
            replace(one, score=float(score))
            for one, score in zip(all_alike(1.0, fewest - 1), scores, strict=True)
        ]
        assert stop(drawn) is None


@pytest.mark.once
def test_a_test_takes_about_as_many_units_as_it_is_said_to() -> None:
    spec = a_test(Mode.BOARDS, 0.0, 4.0)
    assert spec.bounds is not None
    usual = usual_units(Mode.BOARDS, spec.bounds)
    stop = stop_of(spec)
    assert stop is not None
    rng = np.random.default_rng(9)
    lengths: list[int] = []
    for _ in range(100):
        leads = rng.normal(4.0, 24.0, 2_000)
        drawn = [
            replace(one, margin=2 * float(lead))
            for one, lead in zip(all_alike(1.0, 2_000), leads, strict=True)
        ]
        end = stop(drawn)
        assert end is not None
        lengths.append(end)

    # Wald's number leaves out by how much the last unit goes over the limit.
    assert 0.8 <= float(np.mean(lengths)) / usual <= 1.4


@pytest.mark.parametrize("mode", list(Mode))
def test_a_test_that_is_too_short_is_refused_and_one_that_may_be_is_warned_of(mode: Mode) -> None:
    bounds = Bounds(low=0.0, high=2.0)
    fewest, usual = fewest_units(mode, bounds), usual_units(mode, bounds)
    assert 50 <= fewest < usual
    with pytest.raises(ArenaError, match="Allow more"):
        check_length(a_test(mode, 0.0, 2.0, fewest - 1))
    check_length(a_test(mode, 0.0, 2.0, fewest))

    assert "may well end undecided" in length_warning(a_test(mode, 0.0, 2.0, usual - 1))
    assert length_warning(a_test(mode, 0.0, 2.0, usual)) == ""


def test_what_is_no_test_has_no_length() -> None:
    spec = an_event(units=1)

    check_length(spec)
    assert length_warning(spec) == ""
