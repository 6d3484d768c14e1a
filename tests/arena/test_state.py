"""The state of an event is a fold of its journal."""

from __future__ import annotations

import random
from typing import Any

import pytest

from spades import Seat, Side
from spades_arena.counts import Tally
from spades_arena.errors import ArenaError
from spades_arena.faults import Cause, Fault
from spades_arena.lines import unit_line, withdrawal_line
from spades_arena.results import Status, TableResult, UnitResult
from spades_arena.schedule import Unit, schedule
from spades_arena.spec import Entry, EventSpec, Format
from spades_arena.state import EventState, fold
from tests.arena.scene import an_event

Line = dict[str, Any]


def entries(count: int) -> tuple[Entry, ...]:
    return tuple(Entry(letter, "random") for letter in "ABCDEFGH"[:count])


def a_result(unit: Unit, score: float = 2.0, loser: int | None = None) -> Line:
    """A unit that A won, or that an entry forfeited."""
    forfeited = () if loser is None else (Side(0 if loser == unit.a else 1),)
    fault = Fault(Cause.NO_START, Seat(forfeited[0]), 0, 0, "No.") if forfeited else None
    table = TableResult(
        place=0,
        winner=Side.SOUTH_NORTH,
        totals=(500, 300),
        bags=(0, 0),
        hands=8,
        faults=() if fault is None else (fault,),
        forfeited=forfeited,
    )
    result = UnitResult(
        unit=unit,
        status=Status.FORFEIT if forfeited else Status.PLAYED,
        score=score if loser is None else 0.0 if loser == unit.a else 2.0,
        margin=None if forfeited else 200.0,
        tables=(table,),
    )
    return unit_line(result)


def robin(count: int, units: int = 1) -> EventSpec:
    return an_event(*entries(count), kind=Format.ROUND_ROBIN, units=units)


def names(state: EventState) -> list[str]:
    return [one.unit.id for one in state.counted]


def test_an_empty_journal_leaves_everything_to_play() -> None:
    spec = robin(4)
    state = fold(spec, [])

    assert state.missing == schedule(spec)
    assert not state.finished


def test_the_order_in_which_units_were_done_does_not_matter() -> None:
    spec = robin(5, units=3)
    lines = [a_result(unit) for unit in schedule(spec)]
    shuffled = lines[:]
    random.Random(5).shuffle(shuffled)

    assert fold(spec, shuffled) == fold(spec, lines)


def test_t01_a_unit_that_was_done_twice_counts_once() -> None:
    spec = robin(4)
    first, *others = schedule(spec)
    state = fold(spec, [a_result(first, 2.0), a_result(first, 0.0)])

    assert [one.score for one in state.counted] == [2.0]
    assert state.missing == tuple(others)


def test_t07_when_everybody_has_gone_nothing_is_left_to_play() -> None:
    spec = robin(4)
    first_round = [unit for unit in schedule(spec) if unit.round == 1]
    lines = [a_result(unit) for unit in first_round]
    lines += [withdrawal_line(name, "gone home") for name in "ABCD"]
    state = fold(spec, lines)

    assert state.finished
    assert names(state) == [unit.id for unit in first_round]


def test_t07_the_one_who_stays_is_not_paired_with_itself() -> None:
    state = fold(robin(4), [withdrawal_line(name, "gone home") for name in "BCD"])

    assert state.finished
    assert state.counted == ()


def test_t08_a_result_stands_when_the_loser_withdraws_afterwards() -> None:
    spec = robin(4)
    unit = next(one for one in schedule(spec) if (one.a, one.b) == (0, 1))
    lines = [a_result(unit), withdrawal_line("B", "gone home")]
    state = fold(spec, lines)

    assert names(state) == [unit.id]
    assert not any(one.has(1) for one in state.missing)
    assert {(one.a, one.b) for one in state.missing} == {(0, 2), (0, 3), (2, 3)}
    assert not any(one.a == one.b for one in state.missing)


def test_t08_what_was_being_played_when_an_entry_withdrew_does_not_count() -> None:
    spec = robin(4)
    unit = next(one for one in schedule(spec) if (one.a, one.b) == (0, 1))

    assert fold(spec, [withdrawal_line("B", "gone"), a_result(unit)]).counted == ()


def test_t11_a_no_show_loses_the_unit_and_may_play_the_next() -> None:
    spec = an_event(*entries(2), units=3)
    first, second, third = schedule(spec)
    state = fold(spec, [a_result(first, loser=0), a_result(second)])

    assert [one.score for one in state.scored] == [0.0, 2.0]
    assert [one.unit for one in state.played] == [second]
    assert state.missing == (third,)


def test_a_withdrawal_of_nobody_is_refused() -> None:
    with pytest.raises(ArenaError, match="There is no entry 'Z': A, B are entries"):
        fold(an_event(*entries(2)), [withdrawal_line("Z", "gone home")])


def forfeits(spec: EventSpec, entry: int, which: slice) -> list[Line]:
    own = [unit for unit in schedule(spec) if unit.has(entry)][which]
    return [a_result(unit, loser=entry if unit in own else None) for unit in schedule(spec)]


@pytest.mark.parametrize(("units", "annulled"), [(10, True), (1, False)])
def test_three_forfeits_withdraw_an_entry_and_annul_it_before_half_of_its_units(
    units: int, *, annulled: bool
) -> None:
    spec = robin(4, units)
    state = fold(spec, forfeits(spec, 3, slice(0, 3)))
    (one,) = state.withdrawals

    assert (one.entry, one.forced, one.annulled) == (3, True, annulled)
    assert "3 units forfeited" in one.reason
    assert any(result.unit.has(3) for result in state.counted) != annulled
    assert bool(state.annulled) == annulled
    others = [unit for unit in schedule(spec) if not unit.has(3)]
    assert [result.unit for result in state.counted if not result.unit.has(3)] == others


def test_a_forced_withdrawal_holds_from_its_place_in_the_schedule() -> None:
    spec = robin(4, units=10)
    lines = forfeits(spec, 3, slice(0, 3))
    late_first = list(reversed(lines))

    assert fold(spec, late_first) == fold(spec, lines)
    assert fold(spec, lines).finished


def test_t04_nobody_waits_for_one_that_was_forced_out_to_meet_itself() -> None:
    """Whether its control was done in time is chance, so it counts in neither case."""
    spec = an_event(*entries(3), kind=Format.ROUND_ROBIN, units=8, controls=1)
    controls = [unit for unit in schedule(spec) if unit.is_control]
    own = [unit for unit in schedule(spec) if unit.has(2) and not unit.is_control]
    lines = [a_result(unit, loser=2) for unit in own[:3]]
    early = fold(spec, [a_result(controls[2], 1.0), *lines])
    late = fold(spec, lines)

    assert late.withdrawals[0].forced
    assert [unit.a for unit in late.missing if unit.is_control] == [0, 1]
    assert early.controls == late.controls == ()
    assert early.missing == late.missing


def test_every_unit_is_done_or_missing_or_dropped() -> None:
    spec = an_event(*entries(3), kind=Format.ROUND_ROBIN, units=4, controls=1)
    first, second, *others = [unit for unit in schedule(spec) if unit.has(1)]
    lines = [a_result(first), withdrawal_line("B", "gone home"), a_result(second)]
    state = fold(spec, lines)

    assert state.tally == Tally(planned=15, done=2, dropped=len(others))
    assert len(state.missing) == 15 - 2 - len(others)


@pytest.mark.parametrize("seed", range(60))
def test_a_stream_that_was_opened_is_never_dealt_again_and_who_has_left_never_plays_again(
    seed: int,
) -> None:
    """Units end in any order, forfeits withdraw entries, and others before them undo that."""
    dice = random.Random(seed)
    spec = robin(4, units=6)
    lines: list[Line] = []
    opened: set[int] = set()
    left: set[int] = set()
    state = fold(spec, lines)
    while state.missing:
        if not left and dice.random() < 0.02:
            left.add(dice.randrange(4))
            lines += [withdrawal_line("ABCD"[one], "It was taken out.") for one in left]
        else:
            unit = dice.choice(state.missing)
            loser = dice.choice((None, unit.a, unit.b))
            lines.append(a_result(unit, 1.0, loser))
        state = fold(spec, lines)
        opened |= {unit.stream for unit in state.units} - state.sealed
        if state.missing:
            assert not opened & {unit.stream for unit in state.missing}
            assert not any(unit.has(entry) for unit in state.missing for entry in left)
    assert not state.sealed
