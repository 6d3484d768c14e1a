"""Positions in the middle of a hand, and their neighbours: other suits, seats, spot cards and scores."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations, product
from pathlib import Path
from typing import cast

from spades import BIDS, PRESETS, Bid, Card, Deck, Rules, Seat, SeatView, Suit
from spades.events import BidMade, CardPlayed, HandDealt, MatchStarted, TrickWon
from spades.scoring import Standing
from spades.state import MatchState
from spades.tricks import winner_of

Entry = dict[str, object]
Numbers = dict[str, int]

SEATS = {seat.letter: seat for seat in Seat}
SIDE_SUITS = (Suit.DIAMONDS, Suit.CLUBS, Suit.HEARTS)
SPOTS = ("45D", "67C", "89H", "78S", "23H", "45S")
"""Pairs of small cards that may change places: both ranks and the suit."""


@dataclass(frozen=True)
class Position:
    """A seat to act, and all that has happened in the hand before."""

    id: str
    bot: Seat
    dealer: Seat
    bids: Mapping[Seat, Bid]
    standings: tuple[Standing, Standing]
    deal: Mapping[Seat, tuple[Card, ...]]
    history: tuple[tuple[Seat, tuple[Card, ...]], ...]
    """The tricks, the one on the table last: who led, and the cards."""
    best: tuple[Card, ...] = ()
    must_not: tuple[Card, ...] = ()
    rules: Rules = PRESETS["classic"]

    def state(self) -> MatchState:
        """Makes the state by its events."""
        deck = self.rules.deck
        state = MatchState(MatchStarted(self.rules, "0" * 64, Seat.EAST))
        south, west, north, east = (deck.mask(self.deal[seat]) for seat in Seat)
        masks = (south, west, north, east)
        state.apply(HandDealt(1, self.dealer, deck, masks, frozenset()))
        for seat in self.dealer.left.clockwise():
            state.apply(BidMade(seat, self.bids[seat]))
        for leader, cards in self.history:
            for seat, card in zip(leader.clockwise(), cards, strict=False):
                state.apply(CardPlayed(seat, card))
            if len(cards) == 4:
                winner = winner_of(deck, leader, cards)
                state.apply(TrickWon(winner, len(state.tricks) + 1))
        state.standings = self.standings
        return state

    def view(self) -> SeatView:
        """What the bot sees."""
        state = self.state()
        assert state.turn is self.bot
        return SeatView(state, self.bot)


@cache
def positions() -> tuple[Position, ...]:
    """The positions of the cases, in which other people's bots went wrong."""
    text = Path(__file__).with_name("positions.json").read_text()
    return tuple(_read(entry) for entry in json.loads(text))


def position(name: str) -> Position:
    """The position of a case."""
    return next(one for one in positions() if one.id == name)


def _cards(texts: object) -> tuple[Card, ...]:
    """Reads cards that are written suit first."""
    return tuple(Card(text[1] + text[0]) for text in cast("list[str]", texts))


def _read(entry: Entry) -> Position:
    history = [*cast("list[Entry]", entry["history"]), cast("Entry", entry["current_trick"])]
    scores, bags = cast("Numbers", entry["scores"]), cast("Numbers", entry["bags"])
    ours, theirs = (Standing(scores[side], bags[side]) for side in ("NS", "EW"))
    hands = cast("dict[str, list[str]]", entry["deal"])
    bids = cast("Numbers", entry["bids"])
    return Position(
        id=str(entry["id"]),
        bot=SEATS[str(entry["bot"])],
        dealer=SEATS[str(entry["dealer"])],
        bids={SEATS[seat]: BIDS[tricks] for seat, tricks in bids.items()},
        standings=(ours, theirs),
        deal={SEATS[seat]: _cards(hand) for seat, hand in hands.items()},
        history=tuple((SEATS[str(trick["leader"])], _cards(trick["cards"])) for trick in history),
        best=_cards(entry["best"]),
        must_not=_cards(entry["must_not"]),
    )


def neighbours(one: Position) -> Iterator[Position]:
    """The position with its suits changed, its seats turned, small cards changed about and other totals.

    Only those in which every trick falls to the same player as before.
    """
    winners = [trick.winner for trick in one.state().tricks]
    for suits, turn, spot, points in product(
        permutations(SIDE_SUITS), range(4), ("", *SPOTS), (0, -37, 13)
    ):
        if points and any(abs(s.total - one.rules.target) < 100 for s in one.standings):
            continue
        other = _turned(_spotted(_suited(one, suits), spot), turn)
        ours, theirs = other.standings
        moved = (
            Standing(ours.total + points, ours.bags),
            Standing(theirs.total + points, theirs.bags),
        )
        other = replace(other, standings=moved)
        state = other.state()
        if [trick.winner for trick in state.tricks] != [
            Seat((winner + turn) % 4) for winner in winners
        ]:
            continue
        if state.turn is other.bot:
            yield other


def _mapped(one: Position, cards: Mapping[Card, Card]) -> Position:
    def each(these: Sequence[Card]) -> tuple[Card, ...]:
        return tuple(cards[card] for card in these)

    return replace(
        one,
        deal={seat: each(hand) for seat, hand in one.deal.items()},
        history=tuple((leader, each(played)) for leader, played in one.history),
        best=each(one.best),
        must_not=each(one.must_not),
    )


def _suited(one: Position, suits: tuple[Suit, ...]) -> Position:
    names = dict(zip(SIDE_SUITS, suits, strict=True)) | {Suit.SPADES: Suit.SPADES}
    changed = {card: Card(card.rank.letter + names[card.suit].letter) for card in Deck.STANDARD}
    return _mapped(one, changed)


def _spotted(one: Position, spot: str) -> Position:
    changed = {card: card for card in Deck.STANDARD}
    if spot:
        low, high = Card(spot[0] + spot[2]), Card(spot[1] + spot[2])
        changed |= {low: high, high: low}
    return _mapped(one, changed)


def _turned(one: Position, turn: int) -> Position:
    def to(seat: Seat) -> Seat:
        return Seat((seat + turn) % 4)

    ours, theirs = one.standings
    return replace(
        one,
        bot=to(one.bot),
        dealer=to(one.dealer),
        bids={to(seat): bid for seat, bid in one.bids.items()},
        deal={to(seat): hand for seat, hand in one.deal.items()},
        history=tuple((to(leader), cards) for leader, cards in one.history),
        standings=(theirs, ours) if turn % 2 else (ours, theirs),
    )
