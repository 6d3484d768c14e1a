"""The house bots play as the third source describes them (and B22, S22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from typing import cast

import pytest

from spades import (
    BIDS,
    NIL,
    Bid,
    BidMade,
    Card,
    Deal,
    Deck,
    ExplicitDeals,
    HandScored,
    MakeBid,
    Match,
    Phase,
    Play,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    Side,
    agent_secret,
    parse_cards,
    parse_rules,
    parse_seed,
    quick_count,
    rng_key,
    view,
)
from spades_agents import HOUSE_BOTS, Agent
from spades_agents.bots import Beginner, Gentle, RandomBot

SOUTH, WEST, NORTH, EAST = Seat

ACE_OF_SPADES = "AS 2H 3H 4H 5H 2D 3D 4D 5D 2C 3C 4C 5C"
"""A hand that takes a trick with certainty and looks like a nil otherwise."""


def deal_to(seat: Seat, hand: str, deck: Deck = Deck.STANDARD) -> ExplicitDeals:
    """Deals a hand to a seat and the rest of the deck as it comes."""
    mine = parse_cards(hand)
    rest = [card for card in deck if card not in mine]
    hands: dict[Seat, Sequence[Card]] = {seat: mine}
    for number, other in enumerate(seat.left.clockwise()[:3]):
        hands[other] = rest[13 * number : 13 * number + 13]
    south, west, north, east = (deck.mask(hands[one]) for one in Seat)
    return ExplicitDeals((Deal(deck, (south, west, north, east)),), b"salt")


def bids_of(
    bot: Agent, hand: str, *, earlier: Sequence[int] = (), rules: str = "", draws: int = 1
) -> list[int]:
    """What a bot bids on a hand after earlier bids, with as many different secrets as asked for."""
    wanted = parse_rules(f"{rules},max_hands=1")
    seat = Seat.SOUTH.clockwise()[len(earlier)]
    match = Match(wanted, deal_to(seat, hand, wanted.deck))
    for tricks in earlier:
        assert match.turn is not None
        match.bid(match.turn, BIDS[tricks])
    assert match.turn is seat
    found: list[int] = []
    for number in range(draws):
        bid = bot.bid(view(match, seat, number.to_bytes(4, "big")))
        assert isinstance(bid, Bid)
        found.append(bid.tricks)
    return found


# Bids.


@pytest.mark.parametrize(
    ("hand", "bid"),
    [
        # The first source's hand: two aces, a guarded king, a fourth spade.
        ("AS QS 7S 4S KH 9H 3H AD 8D 5D 2D 6C 3C", 4),
        (ACE_OF_SPADES, 1),
        # One for each ace and king, guarded or not.
        ("KD AC 3C 4C AH 5H 6H KH 2S 3S 4S QC JC", 4),
        # One for each spade past the third.
        ("2S 3S 4S 5S 6S 2H 3H 4H 2D 3D 4D 2C 3C", 2),
        ("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", 12),
        # Nothing at all is a bid of one: it never bids nil.
        ("2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C", 1),
    ],
)
def test_the_beginner_bids_its_aces_its_kings_and_its_spades_past_three(
    hand: str, bid: int
) -> None:
    assert bids_of(Beginner(), hand, draws=5) == [bid] * 5


@pytest.mark.parametrize("hand", ["BJ LJ 3H 4H 5H 6H 4D 5D 6D 7D 4C 5C 6C"])
def test_a_joker_counts_as_an_ace_does(hand: str) -> None:
    assert bids_of(Beginner(), hand, rules="jokers,first_dealer=east") == [2]


@pytest.mark.parametrize("earlier", [(), (0,), (13,), (4, 0), (0, 13, 1), (5, 5, 5)])
@pytest.mark.parametrize("bot", [Beginner, Gentle])
def test_b22_no_bot_bids_nil_with_the_ace_of_spades(
    bot: type[Agent], earlier: tuple[int, ...]
) -> None:
    bids = Counter(bids_of(bot(), ACE_OF_SPADES, earlier=earlier, draws=200))
    assert 0 not in bids
    assert bids.most_common(1)[0][0] == 1
    if bot is Beginner:
        assert set(bids) == {1}
    else:
        # Now and then a trick high; a trick low would be nil.
        assert set(bids) == {1, 2}


@pytest.mark.parametrize("bot", [Beginner, Gentle])
def test_neither_bot_ever_bids_nil(bot: type[Agent]) -> None:
    weakest = "2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C"
    assert min(bids_of(bot(), weakest, draws=300)) == 1
    for number in range(100):
        match = Match(Rules(), SeededDeals(parse_seed(f"nil {number}")))
        assert bot().bid(view(match, SOUTH, b"x")) != NIL


def test_gentle_bids_the_quick_count_and_now_and_then_a_trick_more_or_less() -> None:
    hand = "AS QS 7S 4S KH 9H 3H AD 8D 5D 2D 6C 3C"
    right = quick_count(parse_cards(hand))
    assert right == 4
    bids = Counter(bids_of(Gentle(), hand, draws=3000))
    assert set(bids) == {right - 1, right, right + 1}
    # Now and then: clearly the exception, and as often high as low.
    assert 0.85 < bids[right] / 3000 < 0.95
    high, low = bids[right + 1], bids[right - 1]
    assert abs(high - low) < 0.2 * (high + low)


def test_gentle_counts_a_king_only_with_a_smaller_card_beside_it() -> None:
    bare = "KD AC 3C 4C 2H 5H 6H 7H 2S 3S 4S 9C JC"
    guarded = "KD 2D 3C 4C AC 5H 6H 7H 2S 3S 4S 9C JC"
    assert Counter(bids_of(Gentle(), bare, draws=200)).most_common(1)[0][0] == 1
    assert Counter(bids_of(Gentle(), guarded, draws=200)).most_common(1)[0][0] == 2


def test_a_bid_keeps_to_what_the_table_allows() -> None:
    weak = "2S 3S 4S 2H 3H 4H 5H 2D 3D 4D 2C 3C 4C"
    for bot in (Beginner(), Gentle()):
        assert set(bids_of(bot, weak, earlier=(1, 5), rules="min_team_bid=4", draws=50)) <= {3, 4}


# Cards.


def at_play(hand: str, trick: str, rules: str = "", secret: bytes = b"") -> SeatView:
    """What East sees when the other three have played these cards; fewer make it an earlier seat."""
    cards = parse_cards(trick)
    wanted = parse_rules(f"{rules},max_hands=1")
    deck = wanted.deck
    mine = parse_cards(hand)
    seat = Seat.SOUTH.clockwise()[len(cards)]
    # The earlier seats hold their card and cards of other suits only, so that all of it is legal.
    rest = [card for card in deck if card not in mine and card not in cards]
    hands: dict[Seat, list[Card]] = {seat: list(mine)}
    others = [one for one in Seat if one is not seat]
    for number, card in enumerate(cards):
        hands[Seat.SOUTH.clockwise()[number]] = [card]
    for one in others:
        hands.setdefault(one, [])
    led = deck.suit_of(cards[0]) if cards else None
    for one in others:
        shown = hands[one][0] if hands[one] else None
        follows = shown is None or led is None or deck.suit_of(shown) is led
        free = [card for card in rest if follows or deck.suit_of(card) is not led]
        for card in free[: 13 - len(hands[one])]:
            hands[one].append(card)
            rest.remove(card)
    assert not rest, "the trick cannot be set up"
    south, west, north, east = (deck.mask(hands[one]) for one in Seat)
    match = Match(wanted, ExplicitDeals((Deal(deck, (south, west, north, east)),), b"salt"))
    while match.phase is Phase.BIDDING:
        assert match.turn is not None
        match.bid(match.turn, Bid(3))
    for card in cards:
        assert match.turn is not None
        match.play(match.turn, card)
    assert match.turn is seat
    return view(match, seat, secret)


PLAYS = [
    # It leads an ace when it has one and otherwise its lowest card.
    ("AD KD QD JD KH QH JH TH 2C 3C 4C 5S 6S", "", "AD"),
    ("KD QD JD TD KH QH JH TH 2C 3C 4C 5S 6S", "", "2C"),
    # It wins as cheaply as it can, or plays low.
    ("AD QD 3D 2D KH QH JH TH 2C 3C 4C 5S 6S", "JD", "QD"),
    ("AD QD 3D 2D KH QH JH TH 2C 3C 4C 5S 6S", "KD", "AD"),
    ("QD JD 3D 2D KH QH JH TH 2C 3C 4C 5S 6S", "KD", "2D"),
    # It trumps with its lowest winning spade when it cannot follow suit.
    ("KH QH JH TH 9H 8H 2C 3C 4C 5C 5S 6S AS", "KD", "5S"),
    # Without one it throws its lowest card away.
    ("KH QH JH TH 9H 8H 7H 6H 3H 4C 5C 6C 7C", "KD", "3H"),
]


@pytest.mark.parametrize(("hand", "trick", "card"), PLAYS)
def test_the_beginner_plays_as_the_source_says(hand: str, trick: str, card: str) -> None:
    seen = at_play(hand, trick)
    assert Beginner().play(seen) == Card(card)


def test_the_beginner_overtakes_its_own_partner() -> None:
    # It pays no attention to its partner: North leads, so to say, with the queen that holds.
    seen = at_play("AD KD 3D 2D KH QH JH TH 2C 3C 4C 5S 6S", "QD 4D")
    assert Beginner().play(seen) == Card("KD")


def draws_of(bot: Agent, make: Callable[[bytes], SeatView], draws: int) -> Counter[Card]:
    return Counter(
        cast("Card", bot.play(make(number.to_bytes(4, "big")))) for number in range(draws)
    )


class Situation:
    """A decision that can be asked again and again with other secrets."""

    def __init__(self, hand: str, trick: str) -> None:
        self.first = at_play(hand, trick)
        self.hand, self.trick = hand, trick

    def drawn(self, bot: Agent, draws: int) -> Counter[Card]:
        return draws_of(bot, lambda secret: at_play(self.hand, self.trick, secret=secret), draws)


@pytest.mark.parametrize(("hand", "trick", "card"), PLAYS)
def test_gentle_plays_simply_seven_times_in_ten_and_else_any_card(
    hand: str, trick: str, card: str
) -> None:
    situation = Situation(hand, trick)
    legal = situation.first.legal_plays
    assert len(legal) > 1
    draws = 400
    found = situation.drawn(Gentle(), draws)
    # Three in ten are drawn among the legal cards, of which one is the simple one.
    expected = 0.7 + 0.3 / len(legal)
    assert abs(found[Card(card)] / draws - expected) < 0.07
    assert set(found) == set(legal)


def test_gentle_plays_low_behind_its_partner() -> None:
    hand = "AD KD 3D 2D KH QH JH TH 2C 3C 4C 5S 6S"
    found = Situation(hand, "QD 4D").drawn(Gentle(), 300)
    assert found.most_common(1)[0][0] == Card("2D")
    # Where an opponent's card holds, it wins as cheaply as it can.
    found = Situation(hand, "JD QD").drawn(Gentle(), 300)
    assert found.most_common(1)[0][0] == Card("KD")


def test_the_random_bot_draws_every_legal_bid_and_card_equally_often() -> None:
    bot = RandomBot()
    bids = Counter(bids_of(bot, ACE_OF_SPADES, draws=2800))
    assert set(bids) == set(range(14))
    assert all(140 < number < 260 for number in bids.values())
    found = Situation("AD QD 3D 2D KH QH JH TH 2C 3C 4C 5S 6S", "JD").drawn(bot, 800)
    assert set(map(str, found)) == {"AD", "QD", "3D", "2D"}
    assert all(150 < number < 250 for number in found.values())


# One decision, one record.


class Scribe(Agent):
    """Bids as another bot does, and writes every bid down."""

    def __init__(self, inner: Agent) -> None:
        self.inner = inner
        self.said: dict[tuple[int, Seat], Bid] = {}

    def bid(self, view: SeatView) -> Bid:
        bid = self.inner.bid(view)
        assert isinstance(bid, Bid)
        assert (view.hand_number, view.seat) not in self.said
        self.said[view.hand_number, view.seat] = bid
        return bid

    def play(self, view: SeatView) -> Card:
        card = self.inner.play(view)
        assert isinstance(card, Card)
        return card


def test_s22_the_bid_of_a_bot_is_the_bid_of_the_event_of_every_view_and_of_the_score() -> None:
    rules = parse_rules("target=10000,floor=none,max_hands=200")
    deals = SeededDeals(parse_seed("S22"))
    match = Match(rules, deals, people=frozenset())
    scribes = [Scribe(HOUSE_BOTS[name]()) for name in ("random", "beginner", "gentle", "gentle")]
    keys = [rng_key(agent_secret(deals.seed, seat), match.state.commitment, seat) for seat in Seat]
    for step in count():
        seat = match.turn
        if seat is None:
            if match.outcome is not None:
                break
            match.deal_next()
            continue
        seen = SeatView(match.state, seat, keys[seat])
        if match.phase is Phase.BIDDING:
            match.act(seat, MakeBid(scribes[seat].bid(seen)))
        else:
            match.act(seat, Play(scribes[seat].play(seen)))
        said = tuple(scribes[one].said.get((match.hand_number, one)) for one in Seat)
        assert match.state.bids == said
        if step % 7 == 0:
            for viewer in Seat:
                assert view(match, viewer).bids == said
            assert view(match, None).bids == said
    scored = [event for event in match.log if isinstance(event, HandScored)]
    made = [event for event in match.log if isinstance(event, BidMade)]
    assert len(scored) == 200
    assert len(made) == 800
    for hand in scored:
        assert hand.bids == tuple(scribes[seat].said[hand.number, seat] for seat in Seat)
        for side in Side:
            assert hand.scores[side].contract == sum(hand.bids[seat].tricks for seat in side.seats)
    for number, bid in enumerate(made):
        assert bid.bid == scribes[bid.seat].said[number // 4 + 1, bid.seat]
