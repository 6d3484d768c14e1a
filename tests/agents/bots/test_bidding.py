"""What steady and sharp bid (B01, B02, B21 to B23), in every suit and at every seat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest

from spades import (
    BIDS,
    Bid,
    Card,
    Match,
    Seat,
    SeatView,
    SeededDeals,
    Suit,
    parse_rules,
    parse_seed,
    view,
)
from spades.scoring import Standing
from spades_agents import Why
from spades_agents.bots import Sharp, Steady, Thinker
from tests.agents.test_bots import ACE_OF_SPADES, deal_to

SOLID = "AS KS QS JS 7S AH KH 4H AD 9D 3D KC 6C"
POOR_NIL = "JS 7S 3S QH 6H 4H KD 8D 5D 2D JC 9C 3C"
FIT_FOR_NIL = "6S 2S 8H 5H 3H 9D 7D 4D 2D TC 6C 5C 3C"
MIDDLING = "KS QS 4S AH 8H 7H 2H JD 6D 3D TC 8C 5C"

CASES = [
    # The case, the hand, what was bid before, and the bids that are right.
    ("B01", SOLID, (0, 3), {7, 8, 9}),
    ("B02", POOR_NIL, (0, 5), {1, 2}),
    ("B21", FIT_FOR_NIL, (5, 3), {0}),
    ("B22", ACE_OF_SPADES, (), {1}),
    ("B22", ACE_OF_SPADES, (4,), {1}),
    ("B22", ACE_OF_SPADES, (5, 4), {1}),
    ("B22", ACE_OF_SPADES, (3, 4, 4), {1}),
    ("B23", MIDDLING, (4, 3), {2, 3, 4}),
]


def to_bid(
    hand: str,
    earlier: Sequence[int] = (),
    rules: str = "larch",
    standings: tuple[Standing, Standing] = (Standing(), Standing()),
) -> SeatView:
    """What a seat sees that must bid on a hand after others; the first total is that of its own side."""
    wanted = parse_rules(f"{rules},max_hands=1")
    seat = Seat.SOUTH.clockwise()[len(earlier)]
    match = Match(wanted, deal_to(seat, hand, wanted.deck))
    ours, theirs = standings
    match.state.standings = standings if seat.side is Seat.SOUTH.side else (theirs, ours)
    for tricks in earlier:
        assert match.turn is not None
        match.bid(match.turn, BIDS[tricks])
    return view(match, seat)


def neighbours(hand: str) -> list[str]:
    """The hand with its side suits changed about, and with small side cards a rank lower or higher."""
    found: list[str] = []
    letters = "DCH"
    for suits in permutations(letters):
        names = dict(zip(letters, suits, strict=True)) | {"S": "S"}
        cards = [Card(text[0] + names[text[1]]) for text in hand.split()]
        found.append(" ".join(map(str, cards)))
        for card in cards:
            if card.suit is Suit.SPADES or not 4 <= card.rank <= 8:
                continue
            moved = Card("23456789"[card.rank - 3] + card.suit.letter)
            if moved not in cards:
                found.append(" ".join(str(moved if one is card else one) for one in cards))
    return found


@pytest.mark.parametrize(("case", "hand", "earlier", "right"), CASES)
def test_sharp_bids_within_the_range_of_the_case(
    case: str, hand: str, earlier: tuple[int, ...], right: set[int]
) -> None:
    for other in neighbours(hand):
        assert Sharp().bid(to_bid(other, earlier)).tricks in right, (case, other)


@pytest.mark.parametrize("bot", [Steady(), Sharp()])
def test_neither_bids_nil_opposite_a_nil_or_with_the_ace_of_spades(bot: Thinker) -> None:
    """B02 and B22, at every place in the round."""
    for earlier in ((), (4,), (4, 3), (4, 3, 3)):
        assert not bot.bid(to_bid(ACE_OF_SPADES, earlier)).is_nil
    for earlier in ((0, 5), (3, 0, 4)):
        assert not bot.bid(to_bid(FIT_FOR_NIL, earlier)).is_nil


def test_the_bid_is_one_s_own_and_not_the_side_s() -> None:
    """B23: a higher bid of the partner never raises one's own."""
    bids = [Sharp().bid(to_bid(MIDDLING, (partner, 3))).tricks for partner in range(1, 8)]
    assert bids == sorted(bids, reverse=True)


def test_thirteen_spades_are_thirteen_tricks() -> None:
    hand = "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"
    for bot in (Steady(), Sharp()):
        assert bot.bid(to_bid(hand)).tricks == 13


def test_both_jokers_and_the_two_of_spades_are_three_tricks_where_they_are_trumps() -> None:
    hand = "BJ LJ 2S 3H 4H 5H 6H 3D 4D 5D 6D 3C 4C"
    assert Sharp().bid(to_bid(hand, (), "jokers,first_dealer=east")).tricks in {3, 4}
    hand = "BJ LJ 2S 2D 4H 5H 6H 3D 4D 5D 3C 4C 5C"
    assert Sharp().bid(to_bid(hand, (), "nyc,first_dealer=east")).tricks in {4, 5}


def dealt(number: int, standings: tuple[Standing, Standing] = (Standing(), Standing())) -> SeatView:
    """What the first bidder of a seeded deal sees."""
    match = Match(parse_rules("larch,max_hands=1"), SeededDeals(parse_seed(f"bidding {number}")))
    match.state.standings = standings
    return view(match, Seat.SOUTH)


def test_steady_bids_nil_only_with_a_hand_that_cannot_win_and_sharp_where_the_hand_allows() -> None:
    assert Steady().bid(to_bid(FIT_FOR_NIL)).is_nil
    hands = [dealt(number) for number in range(500)]
    steady = {seen.hand for seen in hands if Steady().bid(seen).is_nil}
    sharp = {seen.hand for seen in hands if Sharp().bid(seen).is_nil}
    assert steady < sharp
    assert len(steady) >= 5


def count_of(seen: SeatView) -> Bid:
    """The bid that is no nil, whether sharp would make it or not."""
    return next(choice.bid for choice in Sharp().bids(seen) if not choice.bid.is_nil)


def reasons_of(seen: SeatView) -> list[Why]:
    return [ground.why for choice in Sharp().bids(seen) for ground in choice.reasons]


def test_with_many_bags_sharp_bids_a_trick_more_and_says_so() -> None:
    many = (Standing(100, 8), Standing(100, 0))
    few = (Standing(100, 1), Standing(100, 0))
    raised = 0
    for number in range(200):
        more, less = dealt(number, many), dealt(number, few)
        bid, plain = count_of(more), count_of(less)
        assert bid.tricks - plain.tricks in {0, 1}
        assert (Why.BAGS_ARE_HIGH in reasons_of(more)) is (bid != plain)
        raised += bid != plain
    assert raised >= 40


def test_without_a_penalty_for_bags_the_bid_is_never_higher() -> None:
    for hand in (SOLID, POOR_NIL, MIDDLING):
        for other in neighbours(hand):
            free = count_of(to_bid(other, (), "larch,bag_penalty=0"))
            assert free.tricks <= count_of(to_bid(other)).tricks


def test_sharp_bids_no_more_than_wins_the_match() -> None:
    closing = (Standing(455, 0), Standing(200, 0))
    seen = to_bid(SOLID, (3, 3), standings=closing)
    choice = Sharp().bids(seen)[0]
    assert choice.bid.tricks == 2  # 455 and 50 for five tricks are enough
    assert [ground.why for ground in choice.reasons] == [Why.ENOUGH_TO_WIN]


def test_the_least_bid_of_a_side_is_kept_to() -> None:
    weak = "5S 3S 2S QH 6H 4H KD 8D 5D 2D JC 9C 3C"
    seen = to_bid(weak, (1, 5), "larch,min_team_bid=4")
    for bot in (Steady(), Sharp()):
        assert bot.bid(seen) in seen.legal_bids
    assert Why.TEAM_MINIMUM in {
        ground.why for choice in Sharp().bids(seen) for ground in choice.reasons
    }


@pytest.mark.parametrize(
    ("ours", "theirs", "exchange", "blind"),
    [
        (0, 0, 2, False),
        (0, 99, 2, False),
        (0, 100, 2, True),
        # Without an exchange it seldom holds, so it is for those who lose otherwise.
        (0, 250, 0, False),
        (200, 470, 0, True),
    ],
)
def test_sharp_bids_blind_nil_only_when_far_behind(
    ours: int, theirs: int, exchange: int, blind: bool
) -> None:
    rules = parse_rules(
        f"larch,blind_nil=behind,blind_nil_deficit=0,blind_exchange={exchange},max_hands=1"
    )
    match = Match(rules, deal_to(Seat.SOUTH, FIT_FOR_NIL))
    match.state.standings = (Standing(ours), Standing(theirs))
    seen = view(match, Seat.SOUTH)
    assert seen.may_look
    assert not seen.hand
    assert Sharp().blind_bid(seen) is blind
    assert Steady().blind_bid(seen) is False
