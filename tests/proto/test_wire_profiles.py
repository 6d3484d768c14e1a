"""What is told of players crosses the wire and comes back; a name that is struck leaves the game alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import EndReason, Seat
from spades_proto import wire
from spades_proto.profile import (
    RESULT_FIELDS,
    Achievement,
    AchievementKind,
    MatchResult,
    NotCounted,
    PlayedMatch,
    Profile,
    Results,
)
from spades_proto.records import (
    Circumstances,
    parse_summary,
    record_line,
    strike_name,
    summary_bytes,
    without_name,
)
from spades_proto.table import Occupant, OccupantKind
from spades_proto.v1 import players_pb2
from spades_proto.verification import verify
from tests.proto.record_lines import Games

counts = st.integers(0, 2**31 - 1)
occupants = st.builds(Occupant, st.sampled_from(OccupantKind), st.text(max_size=24))


@given(
    st.builds(
        Profile,
        st.text(max_size=24),
        st.integers(0, 2**60),
        st.builds(Results, *(counts for _ in RESULT_FIELDS)),
        st.lists(st.builds(Achievement, st.sampled_from(AchievementKind), counts, counts)).map(
            tuple
        ),
    )
)
def test_a_profile_comes_back_as_it_was_sent(profile: Profile) -> None:
    data = wire.profile_to_wire(profile).SerializeToString()
    assert wire.profile_from_wire(players_pb2.GetProfileResponse.FromString(data)) == profile


def test_the_protocol_counts_what_the_results_count() -> None:
    assert tuple(players_pb2.Results.DESCRIPTOR.fields_by_name) == RESULT_FIELDS


def test_an_achievement_that_is_not_known_here_is_left_out() -> None:
    message = wire.profile_to_wire(Profile("Ann", 1, Results(), ()))
    data = message.SerializeToString() + wire.field_bytes(4, b"\x08\x63\x18\x01")
    newer = players_pb2.GetProfileResponse.FromString(data)
    assert len(newer.achievements) == 1
    assert wire.profile_from_wire(newer).achievements == ()


@given(
    st.builds(
        PlayedMatch,
        st.text(max_size=30),
        st.integers(0, 2**60),
        st.lists(st.sampled_from(Seat), max_size=4).map(tuple),
        st.lists(st.tuples(st.sampled_from(Seat), occupants), max_size=4).map(tuple),
        st.sampled_from(MatchResult),
        st.integers(-(2**31), 2**31 - 1),
        st.integers(-(2**31), 2**31 - 1),
        st.sampled_from(EndReason),
        st.none() | st.sampled_from(NotCounted),
    )
)
def test_a_match_of_a_history_comes_back_as_it_was_sent(played: PlayedMatch) -> None:
    data = wire.played_match_to_wire(played).SerializeToString()
    assert wire.played_match_from_wire(players_pb2.PlayedMatch.FromString(data)) == played


# Names that are struck.


def of_ann_and(*others: Occupant) -> Circumstances:
    ann = Occupant(OccupantKind.PERSON, "Ann")
    return Circumstances("M", "TABLE", 1, 2, tuple(zip(Seat, (ann, *others), strict=False)))


@pytest.mark.parametrize("name", ["Ann", 'A"n\\n', "Žofie", "😀", "{}"])
def test_a_name_is_struck_and_the_game_is_the_same_byte_for_byte(games: Games, name: str) -> None:
    for game in games.values():
        who = Occupant(OccupantKind.AGENT, name)
        line = record_line(game.match, of_ann_and(who, who), game.former)
        struck = strike_name(line, name)
        verified = verify(struck)
        players = dict(verified.circumstances.players)
        assert players[Seat.WEST] == players[Seat.NORTH]
        assert players[Seat.WEST] == Occupant(OccupantKind.AGENT, "somebody")
        assert (players[Seat.SOUTH].name == "somebody") == (name == "Ann")
        assert json.dumps(json.loads(struck)["game"]) == json.dumps(json.loads(line)["game"])


def test_a_house_bot_keeps_its_name(games: Games) -> None:
    bot = Occupant(OccupantKind.HOUSE_BOT, "Ann")
    assert without_name(of_ann_and(bot), "Ann").players[1] == (Seat.WEST, bot)


def test_striking_a_name_that_is_not_there_changes_nothing(games: Games) -> None:
    for game in games.values():
        line = record_line(game.match, of_ann_and(), game.former)
        assert strike_name(line, "Bob") == line


def test_a_summary_comes_back_as_it_was_written(games: Games) -> None:
    for game in games.values():
        outcome = game.match.outcome
        assert outcome is not None
        circumstances = of_ann_and(Occupant(OccupantKind.AGENT, "Bob"))
        assert parse_summary(summary_bytes(circumstances, outcome)) == (circumstances, outcome)
