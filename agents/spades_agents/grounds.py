"""Why a bot chose what it chose: a code and its facts, and the sentence that they make."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spades import Card, Seat, Suit


class Why(Enum):
    """The grounds of a choice; the value is the sentence, in which the facts have their places."""

    ONLY_CHOICE = "there is nothing else that you may do"
    HAND_IS_WORTH = "your hand is worth about {number} tricks"
    CHEAPEST_WINNER = "{card} is the cheapest card that wins the trick as it lies"
    LOWEST = "{card} is the card that you miss least"


@dataclass(frozen=True, slots=True)
class Ground:
    """One ground of a choice, with the facts that it rests on.

    >>> Ground(Why.CHEAPEST_WINNER, card=Card("6S")).in_words(Seat.SOUTH)
    '6S is the cheapest card that wins the trick as it lies'
    """

    why: Why
    card: Card | None = None
    cards: tuple[Card, ...] = ()
    suit: Suit | None = None
    seat: Seat | None = None
    number: float | None = None

    def in_words(self, viewer: Seat) -> str:
        """The ground as a clause without a full stop, said to the player of a seat."""
        seat = "" if self.seat is None else _name(self.seat, viewer)
        number = "" if self.number is None else f"{self.number:g}"
        cards = ", ".join(map(str, self.cards))
        return self.why.value.format(
            card=self.card, cards=cards, suit=self.suit, seat=seat, number=number
        )


def _name(seat: Seat, viewer: Seat) -> str:
    if seat is viewer:
        return "you"
    return "your partner" if seat is viewer.partner else str(seat)
