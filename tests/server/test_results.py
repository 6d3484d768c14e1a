"""What a finished match was for its players: counted from its events, compared with counts by hand."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from spades import (
    Bid,
    DoubleNil,
    EndReason,
    Match,
    Rules,
    Seat,
    SeededDeals,
    Side,
    parse_action,
    parse_rules,
    parse_seat,
    parse_seed,
)
from spades_proto.profile import AchievementKind, MatchResult, NotCounted, Results
from spades_proto.records import Circumstances
from spades_server.results import (
    Career,
    FinishedMatch,
    PlayerMatch,
    player_match,
    results_by_player,
)

Hands = Sequence[tuple[str, str]]
PlayHands = Callable[[Rules, Hands], Match]

SOUTH, WEST, NORTH, EAST = Seat
PLAYTHROUGHS = Path(__file__).parents[1] / "rules" / "playthroughs"
OPEN_ENDED = Rules(target=10_000, floor=None)


@pytest.fixture(scope="session")
def play(play_hands: PlayHands) -> PlayHands:
    """Plays a match that ends with the last of its hands, unless the rules know better."""

    def played(rules: Rules, hands: Hands) -> Match:
        return play_hands(replace(rules, max_hands=rules.max_hands or len(hands)), hands)

    return played


def of(match: Match, *seats: Seat, seed_chosen: bool = False) -> PlayerMatch:
    return player_match(match, Circumstances(match="M", seed_chosen=seed_chosen), seats)


def golden(name: str) -> Match:
    """Plays a golden playthrough again."""
    lines = (PLAYTHROUGHS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    head = re.search(r"the rules (\S+), the seed '(\w+)'", lines[0])
    assert head is not None
    match = Match(parse_rules(head[1]), SeededDeals(parse_seed(head[2])))
    for line in lines:
        said = re.fullmatch(r" +([SWNE]) +> (.+)", line)
        if said is not None:
            match.act(parse_seat(said[1]), parse_action(said[2]))
    assert match.outcome is not None
    return match


# One match


def test_a_failed_nil_and_a_set_of_a_golden_playthrough() -> None:
    """South and North bid 3 and 4 and were set; West's nil failed with five tricks, each a bag."""
    match = golden("classic")
    assert of(match, WEST).results == Results(
        matches=1, won=1, hands=1, nils_bid=1, bags=5
    )  # fmt: skip
    assert of(match, EAST).results == Results(matches=1, won=1, hands=1, bags=5)
    assert of(match, SOUTH).results == Results(matches=1, lost=1, hands=1, sets=1)
    assert (of(match, NORTH).points, of(match, NORTH).points_against) == (-70, -65)


def test_a_failed_blind_nil_of_a_golden_playthrough() -> None:
    """West's blind nil failed with two tricks and East's 5 fell short; the others made 7 with one over."""
    match = golden("blind_nil")
    assert of(match, WEST).results == Results(
        matches=1, lost=1, hands=1, nils_bid=1, blind_nils_bid=1, bags=2, sets=1
    )
    assert of(match, NORTH).results == Results(matches=1, won=1, hands=1, bags=1)


def test_a_golden_playthrough_without_any_nil() -> None:
    """South and North made 6 with three over; West and East were set."""
    match = golden("jokers_nyc")
    assert of(match, SOUTH).results == Results(matches=1, won=1, hands=1, bags=3)
    assert of(match, EAST).results == Results(matches=1, lost=1, hands=1, sets=1)


def test_nils_made_belong_to_the_seat_and_bags_and_sets_to_the_side(play: PlayHands) -> None:
    hands = [
        (
            "N4 E3 S0 W3",
            "N5 E4 S0 W4",
        ),  # South's nil is made; a bag for one side, two for the other
        ("N4 E6 S3 W4", "N5 E3 S2 W3"),  # 7 of 7; West and East are set at 10 with 6
        ("N0 E3 S3 W3", "N1 E4 S3 W5"),  # North's nil fails: its trick is a bag
    ]
    match = play(OPEN_ENDED, hands)
    south, north, west = of(match, SOUTH), of(match, NORTH), of(match, WEST)
    assert (south.results.nils_bid, south.results.nils_made) == (1, 1)
    assert (north.results.nils_bid, north.results.nils_made) == (1, 0)
    assert south.results.bags == north.results.bags == 1 + 0 + 1
    assert west.results.bags == 2 + 0 + 3
    assert (south.results.sets, west.results.sets) == (0, 1)
    assert south.results.hands == 3


def test_a_nil_that_is_worth_nothing_is_made_all_the_same(play: PlayHands) -> None:
    """What counts is the tricks, not the sign of the points."""
    rules = replace(OPEN_ENDED, nil_value=0)
    match = play(rules, [("N4 E3 S0 W0", "N5 E4 S0 W4")])
    assert of(match, SOUTH).results.nils_made == 1
    assert of(match, WEST).results.nils_made == 0


def test_a_blind_nil_counts_as_a_nil_too() -> None:
    rules = parse_rules("larch,blind_nil=behind,blind_nil_deficit=0,max_hands=1")
    made = 0
    for seed in range(60):
        match = Match(rules, SeededDeals(parse_seed(str(seed))))
        match.bid(SOUTH, Bid(0, blind=True))
        for seat in (WEST, NORTH, EAST):
            match.look(seat)
            match.bid(seat, Bid(4))
        while match.turn is not None:
            legal = match.legal(match.turn)
            match.act(match.turn, legal[0 if match.turn is SOUTH else -1])
        results = of(match, SOUTH).results
        assert (results.nils_bid, results.blind_nils_bid) == (1, 1)
        taken = match.sheet[0].taken[SOUTH]
        assert results.nils_made == results.blind_nils_made == int(taken == 0)
        made += results.blind_nils_made
    assert 0 < made < 60


def test_two_nils_made_by_partners_are_a_double_nil_of_both(play: PlayHands) -> None:
    rules = replace(OPEN_ENDED, double_nil=DoubleNil.WINS)
    match = play(rules, [("N0 E3 S0 W3", "N0 E7 S0 W6")])
    for seat in (SOUTH, NORTH):
        one = of(match, seat)
        assert (one.results.double_nils, one.results.nils_made, one.results.won) == (1, 1, 1)
        assert one.reason is EndReason.DOUBLE_NIL
    assert of(match, WEST).results.double_nils == 0


def test_thirteen_tricks_may_be_shared_by_partners(play: PlayHands) -> None:
    match = play(OPEN_ENDED, [("N5 E1 S5 W1", "N7 E0 S6 W0")])
    assert of(match, NORTH).results.all_tricks == of(match, SOUTH).results.all_tricks == 1
    assert of(match, EAST).results.all_tricks == 0


QUIET = ("N3 E3 S3 W3", "N3 E4 S3 W3")
"""A hand in which both sides make 6."""


def test_a_match_without_a_set_has_four_hands_at_least(play: PlayHands) -> None:
    assert of(play(OPEN_ENDED, [QUIET] * 3), SOUTH).results.without_a_set == 0
    assert of(play(OPEN_ENDED, [QUIET] * 4), SOUTH).results.without_a_set == 1
    one_set = [*[QUIET] * 4, ("N3 E3 S4 W3", "N3 E4 S3 W3")]
    match = play(OPEN_ENDED, one_set)
    assert of(match, SOUTH).results.without_a_set == 0
    assert of(match, EAST).results.without_a_set == 1


def test_equal_totals_after_the_last_hand_are_a_draw_for_everybody(play: PlayHands) -> None:
    match = play(OPEN_ENDED, [("N3 E3 S3 W4", "N3 E3 S3 W4"), ("N3 E3 S4 W3", "N3 E3 S4 W3")])
    for seat in Seat:
        one = of(match, seat)
        assert (one.results.won, one.results.drawn, one.results.lost) == (0, 1, 0)
        assert one.shown(()).result is MatchResult.DRAWN
        assert one.points == one.points_against == 130


# What counts


def surrendered(play: PlayHands) -> Match:
    """South and North are far ahead after a nil, and give up."""
    rules = replace(OPEN_ENDED, max_hands=2)
    match = play(rules, [("N4 E3 S0 W3", "N5 E4 S0 W4")])
    match.surrender(SOUTH)
    match.surrender(NORTH)
    return match


def test_a_surrender_is_a_loss_and_a_win_whatever_the_score(play: PlayHands) -> None:
    match = surrendered(play)
    south, east = of(match, SOUTH), of(match, EAST)
    assert south.points > south.points_against
    assert (south.results.lost, east.results.won) == (1, 1)
    assert south.shown(()).result is MatchResult.LOST
    assert south.not_counted is None


def test_a_surrender_brings_no_achievement_nearer_on_either_side(play: PlayHands) -> None:
    match = surrendered(play)
    for seat in (SOUTH, EAST):
        career = Career().plus(of(match, seat))
        assert career.results.matches == 1
        assert all(one.progress == 0 for one in career.achievements)


def test_what_had_been_played_before_a_surrender_counts(play: PlayHands) -> None:
    assert of(surrendered(play), SOUTH).results.nils_made == 1


def test_a_surrender_after_four_quiet_hands_is_no_match_without_a_set(
    play: PlayHands,
) -> None:
    match = play(replace(OPEN_ENDED, max_hands=5), [QUIET] * 4)
    match.surrender(SOUTH)
    match.surrender(NORTH)
    assert of(match, EAST).results.without_a_set == 0


def test_a_match_whose_seed_was_chosen_does_not_count(play: PlayHands) -> None:
    one = of(play(OPEN_ENDED, [QUIET]), SOUTH, seed_chosen=True)
    assert one.not_counted is NotCounted.SEED_CHOSEN
    assert Career().plus(one) == Career()


def test_a_match_against_oneself_does_not_count(play: PlayHands) -> None:
    match = play(OPEN_ENDED, [QUIET])
    assert of(match, SOUTH, EAST).not_counted is NotCounted.BOTH_SIDES
    assert of(match, *Seat).not_counted is NotCounted.BOTH_SIDES
    assert of(match, SOUTH, NORTH).not_counted is None


def test_a_player_with_both_seats_of_a_side_has_one_match_and_the_nils_of_both(
    play: PlayHands,
) -> None:
    match = play(OPEN_ENDED, [("N0 E3 S0 W3", "N0 E7 S1 W5")])
    results = of(match, SOUTH, NORTH).results
    assert (results.matches, results.hands) == (1, 1)
    assert (results.nils_bid, results.nils_made) == (2, 1)


def test_every_player_has_a_result_and_a_bot_has_none(play: PlayHands) -> None:
    match = play(OPEN_ENDED, [QUIET])
    owners = ("ann", None, "ann", "bob")
    found = results_by_player(FinishedMatch(match, Circumstances(match="M"), None, owners))
    assert {player: one.seats for player, one in found.items()} == {
        "ann": (SOUTH, NORTH),
        "bob": (EAST,),
    }


# Many matches


def test_sums_are_the_fields_added_up() -> None:
    one = Results(*range(14))
    assert one + one == Results(*range(0, 28, 2))


@pytest.mark.parametrize(("wins", "reached"), [(9, False), (10, True), (11, True)])
def test_ten_wins_are_an_achievement(play: PlayHands, wins: int, reached: bool) -> None:
    match = play(OPEN_ENDED, [("N5 E1 S5 W1", "N7 E0 S6 W0")])
    assert match.outcome is not None
    assert match.outcome.winner is Side.SOUTH_NORTH
    career = Career()
    for _ in range(wins):
        career = career.plus(of(match, SOUTH))
    by_kind = {one.kind: one for one in career.achievements}
    ten = by_kind[AchievementKind.TEN_WINS]
    assert (ten.progress, ten.goal, ten.reached) == (min(wins, 10), 10, reached)
    assert by_kind[AchievementKind.FIRST_WIN].reached
    assert by_kind[AchievementKind.ALL_TRICKS].reached
    assert not by_kind[AchievementKind.NIL].reached


def test_every_achievement_there_is_is_listed_from_the_beginning() -> None:
    assert [one.kind for one in Career().achievements] == list(AchievementKind)
