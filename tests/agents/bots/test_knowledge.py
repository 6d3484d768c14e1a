"""Counting: which cards are out, who is void, and the chances of what is left."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import Deck, Match, Seat, SeatView, SeededDeals, parse_cards, parse_rules, parse_seed
from spades_agents import HOUSE_BOTS
from spades_agents.agent import decide
from spades_agents.bots.knowledge import Knowledge, bits_of
from tests.agents.bots.positions import position

DECK = Deck.STANDARD


def mask(text: str) -> int:
    return DECK.mask(parse_cards(text))


def test_a_player_who_remembers_knows_all_cards_that_have_been_played_and_every_void() -> None:
    knowledge = Knowledge(position("B05").view())
    assert knowledge.out == mask("TS 8D 4C")
    assert not knowledge.out & knowledge.seen
    assert not knowledge.out & knowledge.hand
    assert (knowledge.out | knowledge.seen | knowledge.hand).bit_count() == 52
    assert knowledge.voids[Seat.WEST] == DECK.suit_masks[0] | DECK.suit_masks[3]
    assert knowledge.voids[Seat.NORTH] == DECK.suit_masks[2]
    assert knowledge.voids[Seat.EAST] == knowledge.voids[Seat.SOUTH] == 0


def test_one_who_does_not_sees_its_hand_and_the_trick() -> None:
    seen = position("B05").view()
    knowledge = Knowledge(seen, remembers=False)
    assert knowledge.seen == DECK.mask(seen.trick)
    assert knowledge.out.bit_count() == 52 - len(seen.hand) - len(seen.trick)
    assert knowledge.voids == [0, 0, 0, 0]


@pytest.mark.parametrize("number", range(8))
def test_what_is_known_agrees_with_the_cards_that_the_others_hold(number: int) -> None:
    rules = parse_rules("jokers,max_hands=1" if number % 2 else "larch,max_hands=1")
    match = Match(rules, SeededDeals(parse_seed(f"counting {number}")), people=frozenset())
    bot = HOUSE_BOTS["sharp"]()
    while (seat := match.turn) is not None:
        seen = SeatView(match.state, seat)
        if seen.legal_plays:
            hands = match.state.hands
            knowledge = Knowledge(seen)
            others = [other for other in Seat if other is not seat]
            assert knowledge.out == sum(hands[other] or 0 for other in others)
            for other in others:
                held = hands[other] or 0
                assert knowledge.room[other] == held.bit_count()
                assert not held & knowledge.voids[other]
                for suit in rules.deck.suit_masks:
                    assert held & suit or knowledge.chance_void(other, suit) > 0
        action = decide(bot, seen)
        assert not isinstance(action, Awaitable)
        match.act(seat, action)


def test_the_only_seat_that_can_hold_a_suit_holds_it() -> None:
    knowledge = Knowledge(position("B05").view())
    hearts = DECK.suit_masks[2]
    knowledge.voids[Seat.SOUTH] |= hearts
    knowledge.voids[Seat.WEST] |= hearts
    assert knowledge.share(Seat.EAST, hearts) == 1.0
    assert knowledge.chance_void(Seat.SOUTH, hearts) == 1.0


@given(cards=st.integers(1, 6), least=st.integers(0, 6), seats=st.integers(2, 3))
def test_the_chance_to_outlast_is_counted_over_all_ways_in_which_the_cards_may_lie(
    cards: int, least: int, seats: int
) -> None:
    knowledge = Knowledge(position("B08").view())
    suit = DECK.suit_masks[0]
    knowledge.out = sum(bits_of(suit)[:cards])
    knowledge.voids = [0, 0, 0, 0]
    knowledge.room = [4, 4, 0, 4] if seats == 3 else [4, 4, 0, 0]
    ways = list(itertools.product(range(seats), repeat=cards))
    more = sum(way.count(0) > least for way in ways)
    assert knowledge.chance_outlasts(Seat.SOUTH, suit, least) == pytest.approx(more / len(ways))


def test_a_master_is_beaten_by_no_card_that_is_out() -> None:
    knowledge = Knowledge(position("B10").view())
    ace, nine = mask("AS"), mask("9S")
    assert knowledge.is_master(ace)
    assert not knowledge.is_master(nine)
    assert knowledge.higher(nine, knowledge.spades) == mask("KS")
    assert knowledge.lower(nine, knowledge.spades) == 0
