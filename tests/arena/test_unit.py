"""A unit: two tables on the same deals, with the sides changed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from spades import Seat, Side
from spades_agents import play_local
from spades_arena.cast import Cast
from spades_arena.results import Status, TableResult, parse_result
from spades_arena.schedule import Unit, schedule
from spades_arena.spec import Mode
from spades_arena.unit import PlayedUnit, UnitWork, play_unit, score_unit, unit_work
from spades_arena.watch import Unwatched
from spades_proto.records import game_json
from spades_proto.verification import verify
from tests.arena.scene import SEED, an_event, house, rogue


def work(*names: str, mode: Mode = Mode.GAMES, number: int = 1) -> UnitWork:
    spec = an_event(*house(*names), units=number, mode=mode)
    return unit_work(spec, schedule(spec)[number - 1], SEED)


def play(one: UnitWork) -> PlayedUnit:
    return asyncio.run(play_unit(one, Cast(), Unwatched()))


def a_table(place: int, winner: Side | None, totals: tuple[int, int]) -> TableResult:
    return TableResult(place=place, winner=winner, totals=totals, bags=(3, 1), hands=2)


def test_both_tables_are_the_games_that_play_local_plays_with_the_streams_seed() -> None:
    one = work("gentle", "random")
    done = play(one)

    for line, agents in zip(
        done.records, (["gentle", "random"] * 2, ["random", "gentle"] * 2), strict=True
    ):
        local = play_local(agents, one.rules, one.seed).match
        assert game_json(verify(line).match) == game_json(local)


def test_a_record_says_who_sat_where_and_nothing_of_the_clock() -> None:
    done = play(work("gentle", "beginner"))
    circumstances = [verify(line).circumstances for line in done.records]

    assert [one.match for one in circumstances] == ["m0001-u00001-t1", "m0001-u00001-t2"]
    assert dict(circumstances[0].players)[Seat.NORTH].name == "gentle"
    assert dict(circumstances[1].players)[Seat.NORTH].name == "beginner"
    assert all(one.started_us == one.ended_us == 0 for one in circumstances)


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("name", ["beginner", "gentle", "random"])
def test_t12_an_agent_against_itself_ties_every_unit_exactly(name: str, mode: Mode) -> None:
    (entry,) = house(name)
    spec = an_event(entry, replace(entry, name="twin"), units=50, mode=mode)
    results = [play(unit_work(spec, unit, SEED)).result for unit in schedule(spec)]

    assert {(one.score, one.margin) for one in results} == {(1.0, 0.0)}
    assert any(one.tables[0].totals[0] != one.tables[0].totals[1] for one in results)


@pytest.mark.parametrize(
    ("winners", "score"),
    [
        ((Side.SOUTH_NORTH, Side.WEST_EAST), 2.0),
        ((Side.SOUTH_NORTH, Side.SOUTH_NORTH), 1.0),
        ((Side.SOUTH_NORTH, None), 1.5),
        ((None, Side.SOUTH_NORTH), 0.5),
        ((Side.WEST_EAST, Side.SOUTH_NORTH), 0.0),
    ],
)
def test_a_has_south_and_north_first_and_west_and_east_then(
    winners: tuple[Side | None, Side | None], score: float
) -> None:
    tables = tuple(a_table(place, winner, (0, 0)) for place, winner in enumerate(winners))

    assert score_unit(work("gentle", "beginner"), tables).score == score


def test_the_margin_adds_up_both_tables() -> None:
    tables = (a_table(0, Side.SOUTH_NORTH, (510, 300)), a_table(1, Side.SOUTH_NORTH, (505, 490)))

    assert score_unit(work("gentle", "beginner"), tables).margin == 210 - 15


def test_on_boards_a_bag_weighs_what_it_will_cost() -> None:
    one = work("gentle", "beginner", mode=Mode.BOARDS)
    tables = (a_table(0, Side.SOUTH_NORTH, (63, 61)), a_table(1, Side.SOUTH_NORTH, (63, 61)))
    result = score_unit(one, tables)

    assert result.margin == (2 - 20) + (-2 + 20)
    assert result.score == 1
    ahead = score_unit(one, (a_table(0, None, (60, 30)), a_table(1, None, (40, 30))))
    assert (ahead.margin, ahead.score) == ((30 - 20) + (-10 + 20), 2)


def test_a_board_is_one_hand_with_a_drawn_dealer() -> None:
    dealers: set[Seat] = set()
    for number in range(1, 13):
        done = play(work("beginner", "gentle", mode=Mode.BOARDS, number=number))
        assert [table.hands for table in done.result.tables] == [1, 1]
        matches = [verify(line).match for line in done.records]
        assert matches[0].state.dealer is matches[1].state.dealer
        dealers.add(matches[0].state.dealer)

    assert len(dealers) == 4


def test_a_forfeit_decides_the_unit_and_the_second_table_is_not_played() -> None:
    spec = an_event(*house("beginner"), rogue("Raises"))
    done = play(unit_work(spec, schedule(spec)[0], SEED))

    assert (done.result.status, done.result.score, done.result.margin) == (
        Status.FORFEIT,
        2.0,
        None,
    )
    assert done.result.losers == (1,)
    assert len(done.records) == len(done.result.tables) == 1


def test_two_forfeits_leave_nobody_anything() -> None:
    spec = an_event(rogue("Missing"), rogue("Unready"))
    result = play(unit_work(spec, schedule(spec)[0], SEED)).result

    assert (result.status, result.score) == (Status.VOID, None)
    assert set(result.losers) == {0, 1}


@pytest.mark.parametrize("rogues", [("gentle", "random"), ("SlipsOnce", "Raises")])
def test_a_result_comes_back_from_its_line_as_it_was(rogues: tuple[str, str]) -> None:
    entries = [rogue(name) if name[0].isupper() else house(name)[0] for name in rogues]
    spec = an_event(*entries)
    unit: Unit = schedule(spec)[0]
    result = play(unit_work(spec, unit, SEED)).result

    assert parse_result(json.loads(json.dumps(result.to_json())), {unit.id: unit}) == result
