"""Which cards may be played and who wins a trick (rules.md 3), on masks of one deck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spades.cards import Card, Deck, Suit
from spades.seats import LEFT, Seat


class Trick(NamedTuple):
    """Four cards in the order in which they were played, and who won them."""

    leader: Seat
    cards: tuple[Card, ...]
    winner: Seat

    def card_of(self, seat: Seat) -> Card:
        """The card that a seat played to the trick."""
        return self.cards[(seat - self.leader) % 4]


def legal_mask(
    followers: Mapping[Card, int],
    spades: int,
    hand: int,
    trick: Sequence[Card],
    may_lead_spades: bool,
) -> int:
    """The mask of the cards of a hand that may be played next (rules.md 3.2, 3.4).

    ``followers`` and ``spades`` are the deck's; ``trick`` holds the cards that lie there already, and with
    none the card is led.
    """
    if trick:
        return hand & followers[trick[0]] or hand
    if may_lead_spades:
        return hand
    return hand & ~spades or hand


def winning_position(deck: Deck, cards: Sequence[Card]) -> int:
    """The place in ``cards``, from 0, of the card that wins so far (rules.md 3.3).

    >>> from spades.cards import parse_cards
    >>> winning_position(Deck.STANDARD, parse_cards("KC 3S JS AC"))
    2
    """
    bits = deck.bits
    best = position = 0
    counts = deck.followers[cards[0]] | deck.suit_masks[Suit.SPADES]
    for i, card in enumerate(cards):
        bit = bits[card]
        # Spades hold the highest bits of every deck, so a ruff compares as it should.
        if bit > best and bit & counts:
            best = bit
            position = i
    return position


def winner_of(deck: Deck, leader: Seat, cards: Sequence[Card]) -> Seat:
    """The seat whose card wins so far."""
    seat = leader
    for _ in range(winning_position(deck, cards)):
        seat = LEFT[seat]
    return seat
