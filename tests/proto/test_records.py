"""What a record holds, and how it is written."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest

from spades import (
    Look,
    MakeBid,
    Match,
    NextHand,
    PassCards,
    Rules,
    Seat,
    SeededDeals,
    Surrender,
    Undo,
    actions_of,
    format_deal,
    game_events,
    parse_seed,
    replay,
)
from spades.replay import step
from spades_proto.records import Circumstances, game_json, record_line
from spades_proto.table import Occupant, OccupantKind
from spades_proto.verification import verify
from tests.proto.record_lines import AROUND, NAMES, Games, line_of, resealed


@pytest.mark.parametrize("name", NAMES)
def test_a_record_verifies_and_gives_the_match_and_its_circumstances_back(
    name: str, games: Games
) -> None:
    game = games[name]
    line = line_of(games, name)
    verified = verify(line)
    assert verified.line == line
    assert verified.circumstances == AROUND
    assert list(game_events(verified.match.log)) == list(game_events(game.match.log))
    assert verified.match.outcome == game.match.outcome
    assert record_line(verified.match, AROUND, game.former) == line


@pytest.mark.parametrize("name", NAMES)
def test_a_match_that_opens_no_deal_at_its_table_has_the_same_record_which_opens_all(
    name: str, games: Games
) -> None:
    game = games[name]
    rules, deals = game.match.rules, game.match.deals
    closed = Match(rules, deals, former_first_dealer=game.former, opens=False)
    for seat, action in actions_of(game.match.log):
        step(closed, seat, action)
    assert all(scored.deal is None for scored in closed.sheet)
    line = record_line(closed, AROUND, game.former)
    assert line == line_of(games, name)
    assert None not in [scored.deal for scored in verify(line).match.sheet]


def test_every_game_of_these_tests_is_of_its_own_kind(games: Games) -> None:
    assert list(games) == NAMES
    done = {
        name: {type(action) for _, action in actions_of(game.match.log)}
        for name, game in games.items()
    }
    assert Surrender in done["surrender"]
    assert NextHand in done["surrender"]
    assert Undo in done["undo"]
    assert PassCards in done["exchange"]
    assert games["rematch"].former is not None
    assert all(len(game.match.sheet) == 3 for name, game in games.items() if name in NAMES[4:7])


@pytest.mark.parametrize("name", NAMES)
def test_the_game_part_is_the_same_for_two_plays_of_the_same_game(name: str, games: Games) -> None:
    game = games[name]
    again = replay(
        game.match.rules,
        game.match.deals,
        actions_of(game.match.log),
        former_first_dealer=game.former,
    )
    assert game_json(again, game.former) == game_json(game.match, game.former)


def test_who_looked_when_and_who_was_ready_leave_the_game_part_as_it_is(games: Games) -> None:
    game = games["exchange"].match
    again = Match(game.rules, game.deals)
    for seat, action in actions_of(game.log):
        if again.phase.value == "hand over":
            for ready in (Seat.EAST, Seat.SOUTH):
                again.ask_next_hand(ready)
            again.deal_next()
        if isinstance(action, MakeBid) and not action.bid.blind:
            # Every seat that will not bid blind looks as soon as the first of them bids.
            later = {other for other in again.state.face_down if other is not Seat.SOUTH}
            for other in sorted(later | (again.state.face_down & {seat})):
                again.look(other)
        again.act(seat, action)
    assert [type(event) for event in again.log] != [type(event) for event in game.log]
    assert game_json(again) == game_json(game)


@pytest.mark.parametrize("name", NAMES)
def test_the_game_part_of_a_line_is_what_game_json_writes(name: str, games: Games) -> None:
    game = games[name]
    head = '{"version":1,"game":' + game_json(game.match, game.former) + ',"circumstances":'
    assert line_of(games, name).startswith(head)


def test_the_seal_of_the_line_is_the_sha256_of_the_line_without_it(games: Games) -> None:
    line = line_of(games, "short")
    data = json.loads(line)
    assert resealed(data) == line
    head, seal = line[:-1].rsplit(',"seal":', 1)
    assert json.loads(seal) == hashlib.sha256((head + "}").encode()).hexdigest()


def test_a_record_without_circumstances_verifies(games: Games) -> None:
    assert verify(line_of(games, "short", Circumstances())).circumstances == Circumstances()


def test_names_are_written_as_they_are_and_a_record_is_one_line(games: Games) -> None:
    odd = replace(AROUND, players=((Seat.SOUTH, Occupant(OccupantKind.PERSON, "a\nb\u2028c")),))
    line = line_of(games, "short", odd)
    assert "\n" not in line
    assert verify(line).circumstances == odd
    assert "Zoë ♠ 王" in line_of(games, "short")


def test_only_a_finished_match_has_a_record() -> None:
    match = Match(Rules(), SeededDeals(parse_seed("unfinished")))
    with pytest.raises(AssertionError, match="finished"):
        record_line(match, AROUND)


def test_explicit_deals_are_written_in_pbn_order_and_looks_are_left_out(games: Games) -> None:
    data = json.loads(line_of(games, "explicit"))
    deals = [format_deal(hand.deal) for hand in games["explicit"].match.sheet if hand.deal]
    assert data["game"]["opening"]["explicit"]["deals"] == deals
    exchange = json.loads(line_of(games, "exchange"))
    kinds = {
        kind
        for hand in exchange["game"]["hands"]
        for act in hand["actions"]
        for kind in act["action"]
    }
    assert kinds == {"bid", "pass_cards", "play"}
    assert Look not in {type(action) for _, action in actions_of(games["exchange"].match.log)}
