"""What the simple bots know about cards: which is lowest, and which wins cheaply."""

from __future__ import annotations

from collections.abc import Iterable

from spades import Bid, Card, SeatView, Suit, winning_position


def lowest(view: SeatView, cards: Iterable[Card]) -> Card:
    """The card that is missed least: the lowest, and a spade only if there is nothing else."""
    deck = view.rules.deck
    return min(
        cards, key=lambda card: (deck.suit_of(card) is Suit.SPADES, card.rank, deck.bits[card])
    )


def cheapest_winner(view: SeatView, cards: Iterable[Card]) -> Card | None:
    """The lowest card that would win the trick as it lies, a spade only if no other does."""
    place = len(view.trick)
    deck = view.rules.deck
    winners = [card for card in cards if winning_position(deck, (*view.trick, card)) == place]
    return min(winners, key=deck.bits.__getitem__, default=None)


def partner_wins(view: SeatView) -> bool:
    """Whether the partner's card wins the trick as it lies."""
    if len(view.trick) < 2:
        return False
    return winning_position(view.rules.deck, view.trick) == len(view.trick) - 2


def nearest_legal(view: SeatView, tricks: int) -> Bid:
    """The legal bid nearest to a count, a nil never."""
    legal = [bid for bid in view.legal_bids if not bid.is_nil]
    return min(legal, key=lambda bid: (abs(bid.tricks - tricks), bid.tricks))
