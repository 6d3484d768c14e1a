"""The pause in which what lies on the table is looked at, in the time of the test."""

from __future__ import annotations

import pytest

from spades import (
    Bid,
    CardPlayed,
    Event,
    HandScored,
    Match,
    MatchEnded,
    NextHandAsked,
    Phase,
    Seat,
    SeededDeals,
    TrickWon,
    parse_card,
    parse_rules,
    parse_seed,
    view,
)
from spades_client.screen.pause import CARD_PAUSES, Pause
from spades_client.session import Changed
from spades_client.state import ClientState
from spades_proto.frames import Frame, Heartbeat

TRICK_S = 2.0
PLAYED = CardPlayed(Seat.WEST, parse_card("7C"))
WON = TrickWon(Seat.WEST, 1)


@pytest.fixture(scope="module")
def scored() -> HandScored:
    """The end of a hand that was played out."""
    match = Match(parse_rules("max_hands=1"), SeededDeals(parse_seed("pause")))
    while (seat := match.turn) is not None:
        if match.phase is Phase.BIDDING:
            match.bid(seat, Bid(3))
        else:
            match.play(seat, view(match, seat).legal_plays[0])
    return match.sheet[-1]


def shown(payload: Event, seq: int = 2) -> Changed:
    """An update that brings an event."""
    return Changed(ClientState(seq=seq - 1), Frame(1, seq, 0, payload), ClientState(seq=seq))


def begun(*payloads: Event, at: float = 100.0) -> Pause:
    pause = Pause()
    for payload in payloads:
        pause.begin_after(shown(payload), at, TRICK_S)
    return pause


def test_there_is_none_before_anything_has_happened() -> None:
    pause = begun(PLAYED)
    assert pause.left_s(100.0) == 0
    assert not pause.shows_trick(100.0)
    assert not pause.card_up


def test_a_full_trick_lies_there_for_the_pause_and_no_longer() -> None:
    pause = begun(PLAYED, WON)
    assert pause.left_s(100.5) == 1.5
    assert pause.shows_trick(101.9)
    assert pause.left_s(102.0) == 0
    assert not pause.shows_trick(102.0)


def test_the_next_card_takes_the_trick_away_and_a_heartbeat_does_not() -> None:
    pause = begun(WON)
    state = ClientState(seq=2)
    pause.begin_after(Changed(state, Frame(1, 2, 0, Heartbeat(5)), state), 100.0, TRICK_S)
    assert pause.shows_trick(100.0)
    pause.begin_after(shown(PLAYED), 100.0, TRICK_S)
    assert not pause.shows_trick(100.0)


def test_a_key_ends_it(scored: HandScored) -> None:
    pause = begun(WON)
    pause.end()
    assert pause.left_s(100.0) == 0
    assert not pause.shows_trick(100.0)
    pause = begun(WON, scored)
    pause.end()
    assert pause.left_s(100.0) == 0
    assert pause.card_up
    pause.put_away()
    assert not pause.card_up


def test_a_score_card_stays_longer_and_in_place_of_the_trick(scored: HandScored) -> None:
    pause = begun(WON, scored)
    assert pause.card_up
    assert pause.left_s(100.0) == CARD_PAUSES * TRICK_S
    assert not pause.shows_trick(100.0)
    pause.put_away()
    assert (pause.left_s(100.0), pause.card_up) == (0, False)


def test_whoever_asks_for_the_next_hand_and_the_end_of_the_match_put_the_card_away(
    scored: HandScored,
) -> None:
    match = Match(parse_rules("classic"), SeededDeals(parse_seed("over")))
    for seat in (Seat.SOUTH, Seat.NORTH):
        match.surrender(seat)
    ended = match.log[-1]
    assert isinstance(ended, MatchEnded)
    for event in (NextHandAsked(Seat.SOUTH), ended):
        pause = begun(scored, event)
        assert not pause.card_up
        assert pause.left_s(100.0) == CARD_PAUSES * TRICK_S
