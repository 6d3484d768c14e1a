"""The seal is the SHA-256 of lines that anybody can write from a record."""

from __future__ import annotations

import hashlib
from typing import get_args

import pytest

import spades
from spades import (
    BLIND_NIL,
    NIL,
    Bid,
    Card,
    CardsPassed,
    Deck,
    EndReason,
    ExplicitDeals,
    HandDealt,
    HandScored,
    HandShown,
    MatchEnded,
    MatchStarted,
    Outcome,
    Part,
    Rules,
    ScorePart,
    Seat,
    SeededDeals,
    Side,
    SideScore,
    Standing,
    format_deal,
    parse_cards,
    parse_seed,
)
from spades_proto.records import game_message
from spades_proto.seal import Seal, event_line
from tests.proto.record_lines import Games

DEAL = SeededDeals(bytes(32)).deal(1, Deck.STANDARD, Seat.EAST)
ONE = SideScore(
    contract=5,
    taken=7,
    parts=(
        ScorePart(Part.CONTRACT, 50),
        ScorePart(Part.NIL, -100, Seat.NORTH),
        ScorePart(Part.NIL_TRICKS, 2, Seat.NORTH),
    ),
    change=-48,
    bags=2,
    before=Standing(10, 1),
    after=Standing(-38, 3),
    double_nil=False,
)
OTHER = SideScore(
    contract=4,
    taken=6,
    parts=(ScorePart(Part.CONTRACT, 40), ScorePart(Part.OVERTRICKS, 2)),
    change=42,
    bags=2,
    before=Standing(),
    after=Standing(42, 2),
    double_nil=False,
)
PASSED = CardsPassed(Seat.WEST, Deck.STANDARD, 2, Deck.STANDARD.mask(parse_cards("AS 2C")))
OPENING = ExplicitDeals((DEAL,), b"salt")

LINES: list[tuple[spades.Event, str]] = [
    (
        MatchStarted(Rules(floor=None), "c0ffee", Seat.NORTH),
        (
            "match target=500,floor=none,deck=standard,first_dealer=east,spade_lead=broken,blind_nil=off,"
            "blind_nil_deficit=100,blind_exchange=0,min_team_bid=0,bag_limit=10,bag_penalty=100,"
            "nil_value=100,blind_nil_value=200,double_nil=off,double_nil_value=400,max_hands=0,undo=solo,"
            "next_hand_wait=30 c0ffee N"
        ),
    ),
    (
        HandDealt(3, Seat.EAST, Deck.STANDARD, DEAL.masks, frozenset()),
        f"hand 3 E {format_deal(DEAL)}",
    ),
    (
        HandDealt(3, Seat.EAST, Deck.STANDARD, DEAL.masks, frozenset({Seat.NORTH, Seat.SOUTH})),
        f"hand 3 E {format_deal(DEAL)} SN",
    ),
    (HandShown(Seat.SOUTH, Deck.STANDARD, 8191), ""),
    (spades.BidMade(Seat.SOUTH, Bid(4)), "S bid 4"),
    (spades.BidMade(Seat.WEST, NIL), "W bid nil"),
    (spades.BidMade(Seat.EAST, BLIND_NIL), "E bid blind nil"),
    (PASSED, "W pass 2C AS"),
    (spades.CardPlayed(Seat.NORTH, Card("TD")), "N play TD"),
    (spades.TrickWon(Seat.EAST, 13), "E wins trick 13"),
    (spades.PlayTakenBack(Seat.NORTH, Card("BJ")), "N undo BJ"),
    (
        HandScored(2, (ONE, OTHER), (Bid(5), Bid(4), NIL, NIL), (5, 6, 2, 0), DEAL, (PASSED,)),
        (
            "score 2 CONTRACT 50, NIL N -100, NIL_TRICKS N 2 = -48 -38 3;"
            " CONTRACT 40, OVERTRICKS 2 = 42 42 2"
        ),
    ),
    (spades.SurrenderProposed(Seat.WEST), "W surrender"),
    (spades.NextHandAsked(Seat.WEST), ""),
    (
        MatchEnded(Outcome(Side.WEST_EAST, EndReason.TARGET, (-38, 512)), OPENING),
        "end TARGET WEST_EAST -38 512",
    ),
    (MatchEnded(Outcome(None, EndReason.MAX_HANDS, (7, 7)), OPENING), "end MAX_HANDS draw 7 7"),
]


@pytest.mark.parametrize(("event", "line"), LINES, ids=[line[:20] for _, line in LINES])
def test_every_event_of_the_game_counts_as_one_line_of_text(event: spades.Event, line: str) -> None:
    assert event_line(event) == line


def test_every_kind_of_event_has_its_line() -> None:
    assert {type(event) for event, _ in LINES} == set(get_args(spades.Event))


def sealed(lines: list[str]) -> str:
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def test_a_seal_is_the_digest_of_all_lines_so_far_without_the_empty_ones() -> None:
    seal = Seal()
    lines = ["spades/game/1"]
    for event, line in LINES:
        seal.add([event])
        lines += [line] if line else []
        assert seal.digest() == sealed(lines)
    assert len(lines) == len(LINES) - 1


def test_the_seals_of_a_record_follow_from_its_lines(games: Games) -> None:
    match = games["brief"].match
    message = game_message(match)
    deal = format_deal(SeededDeals(parse_seed("brief")).deal(1, Deck.STANDARD, Seat.EAST))
    lines = [
        "spades/game/1",
        (
            "match target=500,floor=none,deck=standard,first_dealer=east,spade_lead=broken,blind_nil=off,"
            "blind_nil_deficit=100,blind_exchange=0,min_team_bid=0,bag_limit=10,bag_penalty=100,"
            "nil_value=100,blind_nil_value=200,double_nil=off,double_nil_value=400,max_hands=3,undo=on,"
            f"next_hand_wait=30 {hashlib.sha256(parse_seed('brief')).hexdigest()} E"
        ),
        f"hand 1 E {deal}",
        "N surrender",
        "S bid 3",
        "S surrender",
    ]
    assert [hand.seal for hand in message.hands] == [sealed(lines)]
    assert message.seal == sealed([*lines, "end SURRENDER WEST_EAST 0 0"])


def test_a_deal_that_was_redacted_cannot_be_sealed() -> None:
    event = HandDealt(1, Seat.EAST, Deck.STANDARD, (8191, None, None, None), frozenset())
    with pytest.raises(AssertionError, match="whole events"):
        Seal().add([event])
