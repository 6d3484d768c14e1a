"""The named pieces of card knowledge: outlook, promise, stakes, nil and exchange."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spades import BIDS, BLIND_NIL, Card, Match, Rules, Seat, SeatView, parse_cards, parse_rules
from spades_agents.bots import Sharp, Steady
from spades_agents.bots.cardplay import prospects
from spades_agents.bots.exchange import cards_to_pass
from spades_agents.bots.knowledge import Knowledge, bits_of
from spades_agents.bots.nil import nil_chance, nil_safety
from spades_agents.bots.promise import Promises
from spades_agents.bots.situation import Situation
from spades_agents.bots.stakes import account, bag_cost, stakes
from tests.agents.bots.positions import Position, position, positions
from tests.agents.test_bots import ACE_OF_SPADES, deal_to

SOUTH, WEST, NORTH, EAST = Seat


@pytest.mark.parametrize("one", positions(), ids=lambda one: one.id)
def test_exactly_one_seat_wins_a_trick(one: Position) -> None:
    for skill in (Steady.skill, Sharp.skill):
        for prospect in prospects(Situation(one.view(), skill)):
            assert sum(prospect.chances) == pytest.approx(1.0)
            assert min(prospect.chances) >= 0.0


def test_the_last_to_play_knows_who_wins() -> None:
    situation = Situation(position("B07").view(), Sharp.skill)
    chances = {one.card: one.chances for one in prospects(situation)}
    assert chances[Card("3S")] == (0.0, 0.0, 1.0, 0.0)
    assert chances[Card("6H")] == (0.0, 0.0, 0.0, 1.0)


def test_nobody_overtakes_a_nil_that_he_wants_to_break() -> None:
    """East has bid nil and is to play after North: low diamonds may leave it the trick, the ace may not."""
    situation = Situation(position("B13").view(), Sharp.skill)
    chances = {one.card: one.chances[EAST] for one in prospects(situation)}
    assert chances[Card("3D")] > 0.1
    assert chances[Card("AD")] == 0.0


def hand_view(hand: str, rules: str = "larch") -> SeatView:
    wanted = parse_rules(f"{rules},max_hands=1")
    match = Match(wanted, deal_to(SOUTH, hand, wanted.deck))
    return SeatView(match.state, SOUTH)


def promises(hand: str) -> dict[Card, float]:
    seen = hand_view(hand)
    found = Promises(seen, Knowledge(seen)).by_bit
    return {card: found[seen.rules.deck.bits[card]] for card in seen.hand}


def test_within_a_suit_a_higher_card_promises_no_less() -> None:
    for one in positions():
        seen = one.view()
        knowledge = Knowledge(seen)
        by_bit = Promises(seen, knowledge).by_bit
        for suit in knowledge.deck.suit_masks:
            held = [by_bit[bit] for bit in bits_of(knowledge.hand & suit)]
            assert held == sorted(held)
            assert all(0.0 <= chance <= 1.0 for chance in held)


def test_a_king_is_worth_more_with_a_guard_and_less_in_a_long_suit() -> None:
    bare = promises("KD AC 3C 4C 2H 5H 6H 7H 2S 3S 4S 9C JC")[Card("KD")]
    guarded = promises("KD 2D 3C 4C AC 5H 6H 7H 2S 3S 4S 9C JC")[Card("KD")]
    long = promises("KD 2D 3D 4D 5D 6D 7D 5H 6H 7H 2S 3S 4S")[Card("KD")]
    assert guarded > bare
    assert guarded > long


def test_the_ace_of_spades_is_a_trick_and_long_spades_are_tricks() -> None:
    held = promises("AS KS 9S 8S 7S 6S 5S 2H 3H 2D 3D 2C 3C")
    assert held[Card("AS")] == pytest.approx(1.0)
    assert held[Card("5S")] > 0.6


@pytest.mark.parametrize("bags", range(10))
def test_a_bag_costs_its_share_and_the_last_one_more(bags: int) -> None:
    rules = Rules()
    assert bag_cost(rules, bags) > 0
    assert (bag_cost(rules, bags) > bag_cost(rules, 0)) is (bags == 9)
    assert bag_cost(replace(rules, bag_penalty=0), bags) == -1.0


def test_an_account_counts_what_counts_for_the_contract() -> None:
    """B16: a nil partner; South and North have the four tricks of the contract and nine bags."""
    seen = position("B16").view()
    ours = account(seen, SOUTH.side)
    assert (ours.contract, ours.won, ours.needed, ours.bags) == (4, 4, 0, 9)
    assert not ours.closes
    assert account(position("B13").view(), NORTH.side).closes


def test_a_trick_that_sets_the_others_is_worth_their_contract() -> None:
    """B05: the others need both tricks that are left."""
    at = stakes(position("B05").view(), 1.0)
    assert at.theirs.needed == at.left == 2
    assert at.defeat > 50
    assert at.trick > 0


def test_a_trick_beyond_the_contract_is_not_wanted() -> None:
    at = stakes(position("B06").view(), 1.0)
    assert at.contract == 0.0
    assert at.trick < 0


def test_a_nil_never_holds_with_the_highest_spade_and_is_safer_without_danger() -> None:
    assert nil_chance(Knowledge(hand_view(ACE_OF_SPADES))) == 0.0
    hands = (
        "2S 3S 4H 5H 6H 2D 3D 4D 5D 2C 3C 4C 5C",
        "2S 9S 4H 5H JH 2D 3D 4D TD 2C 3C 4C 5C",
        "2S QS 4H 9H JH 2D 3D 9D TD 2C 9C KC 5C",
        "QS KS TS 9H JH AD 3D 9D TD 2C 9C KC 5C",
    )
    chances = [nil_chance(Knowledge(hand_view(hand))) for hand in hands]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.85
    assert chances[-1] < 0.05


def test_both_jokers_make_a_nil_impossible() -> None:
    held = "BJ 3S 4H 5H 6H 3D 4D 5D 6D 3C 4C 5C 6C"
    assert nil_chance(Knowledge(hand_view(held, "jokers,first_dealer=east"))) == 0.0


def test_what_is_left_is_safer_without_its_most_dangerous_card() -> None:
    knowledge = Knowledge(position("B18").view())
    bits = knowledge.deck.bits
    without_nine = nil_safety(knowledge, knowledge.hand & ~bits[Card("9D")])
    without_three = nil_safety(knowledge, knowledge.hand & ~bits[Card("3D")])
    assert without_nine > without_three


EXCHANGE = "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=1"


def passing(hand: str) -> Match:
    """A match in which South has bid nil blind on a hand and must pass."""
    match = Match(parse_rules(EXCHANGE), deal_to(SOUTH, hand), people=frozenset())
    match.bid(SOUTH, BLIND_NIL)
    for seat in (WEST, NORTH, EAST):
        match.look(seat)
        match.bid(seat, BIDS[3])
    return match


def test_a_blind_nil_passes_its_danger_away_and_gets_harmless_cards_back() -> None:
    match = passing("AS KH QH 5H 4H 2H 9D 8D 7D 3D 4C 3C 2C")
    seen = SeatView(match.state, SOUTH)
    cards, _ = cards_to_pass(seen)
    assert Card("AS") in cards
    match.pass_cards(SOUTH, cards)
    back, _ = cards_to_pass(SeatView(match.state, NORTH))
    ranks = sorted(card.rank for card in SeatView(match.state, NORTH).hand if card.suit != 3)
    assert sorted(card.rank for card in back) == ranks[:2]


def test_cards_that_were_passed_are_remembered() -> None:
    match = passing("AS KH QH 5H 4H 2H 9D 8D 7D 3D 4C 3C 2C")
    cards = parse_cards("AS KH")
    match.pass_cards(SOUTH, cards)
    back, _ = cards_to_pass(SeatView(match.state, NORTH))
    match.pass_cards(NORTH, back)
    knowledge = Knowledge(SeatView(match.state, SOUTH))
    assert knowledge.known[NORTH] == knowledge.deck.mask(cards) & knowledge.out
    spades = knowledge.spades
    ace = knowledge.deck.bits[Card("AS")]
    assert knowledge.chance_holds(NORTH, ace, spades) == 1.0
    assert knowledge.chance_holds(EAST, ace, spades) == 0.0
