"""What the third source says of Steady and Sharp, in tricks that show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spades import (
    BIDS,
    Card,
    Deal,
    Deck,
    ExplicitDeals,
    Match,
    Play,
    Rules,
    Seat,
    SeatView,
    parse_cards,
)
from spades.scoring import Standing
from spades_agents.bots import Sharp, Steady, Thinker
from spades_agents.grounds import Why
from tests.agents.bots.positions import position

SOUTH, WEST, NORTH, EAST = Seat
BOTH = [Steady(), Sharp()]
MINE = "AD QD 4D 2D KH 7H 5H 3H AC 8C 6C 9S 4S"
"""A hand with something of everything."""


def to_play(
    trick: str, hand: str = MINE, bids: tuple[int, int, int, int] = (3, 3, 3, 3)
) -> SeatView:
    """What the seat after these cards sees in the first trick; South leads, and bids first."""
    cards = parse_cards(trick)
    mine = parse_cards(hand)
    seat = SOUTH.clockwise()[len(cards)]
    rest = [card for card in Deck.STANDARD if card not in mine and card not in cards]
    hands: dict[Seat, list[Card]] = {one: [] for one in Seat}
    hands[seat] = list(mine)
    for one, card in zip(SOUTH.clockwise(), cards, strict=False):
        hands[one].append(card)
    others = [one for one in Seat if one is not seat]
    while rest:
        for one in others:
            if len(hands[one]) < 13 and rest:
                hands[one].append(rest.pop(0))
    south, west, north, east = (Deck.STANDARD.mask(hands[one]) for one in Seat)
    deal = Deal(Deck.STANDARD, (south, west, north, east))
    match = Match(Rules(max_hands=1), ExplicitDeals((deal,), b"salt"))
    for tricks in bids:
        assert match.turn is not None
        match.bid(match.turn, BIDS[tricks])
    for card in cards:
        assert match.turn is not None
        match.play(match.turn, card)
    assert match.turn is seat
    return SeatView(match.state, seat)


@pytest.mark.parametrize("bot", BOTH)
@pytest.mark.parametrize(
    ("trick", "card"),
    [
        ("5D", "2D"),  # low in second seat, whatever is held
        ("9C", "6C"),
        ("6H 4H", "KH"),  # high in third
        ("6D 7D", "QD"),  # of ace and queen the queen: only the king beats it
        ("3C 4C", "AC"),
        ("6D 9D JD", "QD"),  # as cheaply as it wins in the last
        ("6H 2H 4H", "7H"),
        ("KD 3D 5D", "AD"),
    ],
)
def test_low_in_second_seat_high_in_third_cheap_in_the_last(
    bot: Thinker, trick: str, card: str
) -> None:
    assert bot.play(to_play(trick)) is Card(card)


@pytest.mark.parametrize("bot", BOTH)
def test_a_partner_s_winner_is_left_alone(bot: Thinker) -> None:
    assert bot.play(to_play("6D KD 5D")) is not Card("KD")
    assert bot.play(to_play("3D KD 5D", "QD AD 4D 2D KH 7H 5H 3H AC 8C 6C 9S 4S")) is Card("2D")


@pytest.mark.parametrize("bot", BOTH)
def test_a_nil_bidder_s_winning_card_is_never_overtaken(bot: Thinker) -> None:
    """North has bid nil and its jack is winning; East, last to play, stays below if it can."""
    assert bot.play(to_play("6D 3D JD", bids=(3, 3, 0, 3))) in {Card("2D"), Card("4D")}
    # With nothing but spades and winners it throws away rather than ruff.
    void = "AH QH 4H 2H KC 7C 5C 3C AC 8C 6C 9S 4S"
    assert bot.play(to_play("6D 3D JD", void, bids=(3, 3, 0, 3))).suit != Card("9S").suit


@pytest.mark.parametrize("bot", BOTH)
def test_a_partner_s_nil_is_covered(bot: Thinker) -> None:
    """West has bid nil and is winning with the ten; East takes the trick over."""
    seen = to_play("6D TD 5D", bids=(3, 0, 3, 3))
    assert bot.play(seen) in {Card("QD"), Card("AD")}
    low = "QS JS 4D 2D KH 7H 5H 3H AC 8C 6C 9S 4S"
    assert bot.play(to_play("6H TH 4H", low, bids=(3, 0, 3, 3))) is Card("KH")


def test_sharp_plays_low_in_front_of_a_nil_unless_the_match_hangs_on_the_contract() -> None:
    """B13: East, who has bid nil, may be left with the trick; but at 430 the contract wins the match."""
    one = position("B13")
    hunting = replace(one, standings=(Standing(100), Standing(113))).view()
    best = Sharp().advise(hunting)[0]
    assert best.action == Play(Card("3D"))
    assert Why.NIL_HUNT in {ground.why for ground in best.reasons}
    closing = Sharp().advise(one.view())[0]
    assert closing.action == Play(Card("AD"))
    assert Why.WINS_MATCH in {ground.why for ground in closing.reasons}


def test_sharp_ducks_once_its_contract_is_safe_and_steady_does_not() -> None:
    """B06: both contracts are made, and North's king would win a trick that nobody needs."""
    seen = position("B06").view()
    assert Sharp().play(seen) is Card("2D")
    assert Steady().play(seen) is Card("KD")
    reasons = {ground.why for ground in Sharp().advise(seen)[0].reasons}
    assert Why.LAST_BAG in reasons


def test_reasons_name_what_the_trick_is_about() -> None:
    third = Sharp().advise(to_play("6D 7D"))[0]
    assert third.reasons[0].why is Why.THIRD_HAND_HIGH
    last = Sharp().advise(to_play("6D 9D JD"))[0]
    assert last.reasons[0].why is Why.CHEAPEST_WINNER
    assert last.sentences[0] == "you play last, and QD is the cheapest card that wins"
    second = Sharp().advise(to_play("5D"))[0]
    assert second.reasons[0].why is Why.SECOND_HAND_LOW
