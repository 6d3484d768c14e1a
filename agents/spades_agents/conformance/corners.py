"""The corners of the rules: positions in which a bot may easily do what is not allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from spades import (
    BLIND_NIL,
    Bid,
    Card,
    DecisionKind,
    Match,
    Phase,
    Rank,
    Seat,
    SeatView,
    SeededDeals,
    Suit,
    parse_rules,
    parse_seed,
    view,
)
from spades.actions import Look, MakeBid, PassCards, Play

POSITIONS: Final = 4
"""How many positions of each corner are asked."""

MOST_MATCHES: Final = 60
"""In how many matches the positions are looked for, of each set of rules."""

RULES: Final = (
    "classic,max_hands=2",
    "larch,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=2",
    "classic,min_team_bid=4,max_hands=1",
    "jokers,max_hands=1",
    "nyc,max_hands=1,bag_limit=3",
)
"""The rules under which corners are looked for."""


@dataclass(frozen=True, slots=True)
class Corner:
    """A kind of position, and what is to be shown there."""

    name: str
    demand: str
    holds: Callable[[SeatView], bool]


def _plays(seen: SeatView) -> bool:
    return seen.decision is not None and seen.decision.kind is DecisionKind.PLAY


def _bids(seen: SeatView) -> bool:
    return bool(seen.legal_bids) and not seen.may_look


def _led(seen: SeatView) -> Suit | None:
    return seen.rules.deck.suit_of(seen.trick[0]) if seen.trick else None


def _holds(seen: SeatView, suit: Suit | None) -> bool:
    return any(seen.rules.deck.suit_of(card) is suit for card in seen.hand)


def _bid_of(seen: SeatView, seat: Seat) -> Bid:
    bid = seen.bids[seat]
    return Bid(1) if bid is None else bid


def _must_follow(seen: SeatView) -> bool:
    return _plays(seen) and bool(seen.trick) and len(seen.legal_plays) < len(seen.hand)


def _void(seen: SeatView) -> bool:
    return _plays(seen) and bool(seen.trick) and not _holds(seen, _led(seen)) and len(seen.hand) > 1


def _leads_unbroken(seen: SeatView) -> bool:
    return _plays(seen) and not seen.trick and len(seen.legal_plays) < len(seen.hand)


def _only_spades(seen: SeatView) -> bool:
    suits = {seen.rules.deck.suit_of(card) for card in seen.hand}
    return _plays(seen) and not seen.trick and suits == {Suit.SPADES} and len(seen.hand) > 1


def _joker_in_hand(seen: SeatView) -> bool:
    jokers = any(card.rank >= Rank.LITTLE_JOKER for card in seen.hand)
    return _plays(seen) and jokers and bool(seen.trick) and len(seen.legal_plays) < len(seen.hand)


def _two_of_diamonds(seen: SeatView) -> bool:
    """The 2D of `nyc` is a spade: it follows spades, and need not follow diamonds."""
    two = Card("2D")
    spade = seen.rules.deck.suit_of(two) is Suit.SPADES
    return _plays(seen) and spade and two in seen.hand and _led(seen) is Suit.DIAMONDS


CORNERS: Final = (
    Corner("first-bid", "bids first, from 0 to 13", lambda v: _bids(v) and not any(v.bids)),
    Corner(
        "last-bid", "bids after the three others", lambda v: _bids(v) and v.bids.count(None) == 1
    ),
    Corner(
        "team-minimum",
        "keeps to the least sum of a side's bids",
        lambda v: _bids(v) and len(v.legal_bids) < 14,
    ),
    Corner("follow-suit", "follows suit when it can", _must_follow),
    Corner("void", "plays any of its cards when it cannot follow", _void),
    Corner("spades-unbroken", "leads no spade before spades are broken", _leads_unbroken),
    Corner("only-spades", "leads a spade when it holds nothing else", _only_spades),
    Corner(
        "nil",
        "plays as a nil bidder",
        lambda v: _plays(v) and _bid_of(v, v.seat) == Bid(0),
    ),
    Corner(
        "partner-nil",
        "plays beside a nil bidder",
        lambda v: _plays(v) and _bid_of(v, v.seat.partner).is_nil,
    ),
    Corner("blind", "looks or bids blind nil while its cards are face down", lambda v: v.may_look),
    Corner(
        "blind-nil",
        "plays after bidding blind nil",
        lambda v: _plays(v) and _bid_of(v, v.seat).blind,
    ),
    Corner(
        "exchange-bidder",
        "passes cards as the blind-nil bidder",
        lambda v: bool(v.pass_count) and _bid_of(v, v.seat).blind,
    ),
    Corner(
        "exchange-partner",
        "passes cards back to the blind-nil bidder",
        lambda v: bool(v.pass_count) and not _bid_of(v, v.seat).blind,
    ),
    Corner("jokers", "knows that jokers are spades", _joker_in_hand),
    Corner("two-of-diamonds", "knows that the 2D of nyc is a spade", _two_of_diamonds),
    Corner(
        "bags",
        "plays with the penalty for bags one bag away",
        lambda v: _plays(v) and v.standings[v.seat.side].bags == v.rules.bag_limit - 1,
    ),
    Corner("last-trick", "plays its last card", lambda v: _plays(v) and len(v.hand) == 1),
)
"""Every corner that is asked."""


def positions() -> dict[str, list[SeatView]]:
    """Looks for positions of every corner in matches played at random: the same ones each time."""
    found: dict[str, list[SeatView]] = {corner.name: [] for corner in CORNERS}
    open_corners = {corner.name: corner for corner in CORNERS}
    for number in range(MOST_MATCHES):
        for rules in RULES:
            for seen in _played_at_random(rules, f"corners {number}"):
                for corner in tuple(open_corners.values()):
                    if corner.holds(seen):
                        found[corner.name].append(seen)
                        if len(found[corner.name]) == POSITIONS:
                            del open_corners[corner.name]
                if not open_corners:
                    return found
    return found


def _played_at_random(rules: str, seed: str) -> Iterator[SeatView]:
    match = Match(parse_rules(rules), SeededDeals(parse_seed(seed)))
    while match.outcome is None:
        if match.phase is Phase.HAND_OVER:
            match.deal_next()
        seat = match.turn
        assert seat is not None, "somebody is to act in a hand"
        seen = view(match, seat, b"corners")
        yield seen
        dice = seen.rng()
        if seen.may_look:
            match.act(seat, dice.choice((Look(), MakeBid(BLIND_NIL))))
        elif seen.legal_bids:
            match.act(seat, MakeBid(dice.choice(seen.legal_bids[:5])))
        elif seen.pass_count:
            match.act(seat, PassCards(tuple(dice.sample(seen.hand, seen.pass_count))))
        else:
            match.act(seat, Play(dice.choice(seen.legal_plays)))
