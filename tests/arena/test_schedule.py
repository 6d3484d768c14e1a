"""Who plays whom: a pure function of the event."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from spades_arena.runner import pick
from spades_arena.schedule import Unit, circle, rounds, schedule
from spades_arena.spec import Format
from tests.arena.scene import an_event, house

FIVE = house("random", "beginner", "gentle") + tuple(
    type(house("random")[0])(name, "random") for name in ("d", "e")
)


@given(st.integers(2, 21))
def test_everybody_meets_everybody_once_and_nobody_twice_in_a_round(count: int) -> None:
    made = circle(count)

    assert sorted(pair for one in made for pair in one) == list(combinations(range(count), 2))
    for one in made:
        seats = [entry for pair in one for entry in pair]
        assert len(seats) == len(set(seats))
    assert len(made) == count - 1 + count % 2


def test_a_gauntlet_has_the_first_few_meet_all_others() -> None:
    spec = an_event(*FIVE, kind=Format.GAUNTLET)

    assert [pair for one in rounds(spec) for pair in one] == [(0, 1), (0, 2), (0, 3), (0, 4)]
    more = type(spec)(format=spec.format, entries=spec.entries, rules=spec.rules, challengers=2)
    assert len([pair for one in rounds(more) for pair in one]) == 6


def test_t01_units_have_names_of_their_own_and_every_match_its_number() -> None:
    spec = an_event(*FIVE, kind=Format.ROUND_ROBIN, units=3, controls=1)
    units = schedule(spec)
    matches = {(unit.match, unit.a, unit.b) for unit in units if not unit.is_control}

    assert len({unit.id for unit in units}) == len(units) == 10 * 3 + 5
    assert {match for match, _, _ in matches} == set(range(1, 11))
    assert schedule(spec) == units


def test_every_match_plays_the_same_streams() -> None:
    units = schedule(an_event(*FIVE, kind=Format.ROUND_ROBIN, units=3))

    for match in range(1, 11):
        assert [unit.stream for unit in units if unit.match == match] == [1, 2, 3]


def a_unit(number: int, a: int, b: int) -> Unit:
    return Unit(f"m{number}", 1, number, 1, a, b)


def test_t10_a_unit_of_others_is_played_before_a_second_one_of_a_slow_entry() -> None:
    slow = a_unit(1, 0, 1)
    waiting = [a_unit(2, 0, 2), a_unit(3, 0, 3), a_unit(4, 2, 3)]

    assert pick(waiting, [slow]) == 2
    assert pick(waiting, []) == 0
    assert pick(waiting[:2], [slow]) == 0
