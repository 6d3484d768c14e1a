"""What has happened in a match, as values: a match is the fold of these.

Fields marked *secret* hold ``None`` in the events of a viewer who may not see them yet; the one place that
takes them out is :func:`spades.redact`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from spades.bids import Bid
from spades.cards import CARDS, Card, Deck
from spades.deals import Deal, ExplicitDeals, SeededDeals
from spades.rules import Rules
from spades.scoring import Outcome, SideScore
from spades.seats import Seat


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The rules and the commitment to the deals, before the first card."""

    rules: Rules
    commitment: str
    first_dealer: Seat


@dataclass(frozen=True, slots=True)
class HandDealt:
    """Thirteen cards lie before each seat."""

    number: int
    """The number of the hand, from 1."""
    dealer: Seat
    deck: Deck
    masks: tuple[int | None, int | None, int | None, int | None]
    """The hands as masks of the deck, by seat. *Secret*, and hidden even from a seat whose cards are
    face down."""
    face_down: frozenset[Seat]
    """The seats that may bid blind nil and have not looked (rules.md 2.5)."""

    def hand(self, seat: Seat) -> tuple[Card, ...] | None:
        """The cards of a seat as far as the viewer sees them."""
        mask = self.masks[seat]
        return None if mask is None else self.deck.unmask(mask)


@dataclass(frozen=True, slots=True)
class HandShown:
    """A seat has turned its cards up: it looked, or it has just bid blind nil."""

    seat: Seat
    deck: Deck
    mask: int | None
    """The hand, for the seat alone. *Secret*."""


@dataclass(frozen=True, slots=True)
class BidMade:
    """A seat has bid."""

    seat: Seat
    bid: Bid


@dataclass(frozen=True, slots=True)
class CardsPassed:
    """A seat has passed cards to its partner."""

    giver: Seat
    deck: Deck
    count: int
    mask: int | None
    """The cards, for the two partners. *Secret* until :class:`HandScored` opens them."""

    @property
    def cards(self) -> tuple[Card, ...] | None:
        """The cards as far as the viewer sees them."""
        return None if self.mask is None else self.deck.unmask(self.mask)


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A seat has played a card."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class TrickWon:
    """Four cards are down and the trick is gathered."""

    winner: Seat
    number: int
    """The number of the trick in its hand, 1 to 13."""


@dataclass(frozen=True, slots=True)
class PlayTakenBack:
    """A seat has taken its last card back (rules.md 5.5)."""

    seat: Seat
    card: Card


@dataclass(frozen=True, slots=True)
class HandScored:
    """Thirteen tricks are played: the score of both sides, and what opens now (rules.md 5.4)."""

    number: int
    scores: tuple[SideScore, SideScore]
    bids: tuple[Bid, Bid, Bid, Bid]
    taken: tuple[int, int, int, int]
    deal: Deal | None
    """``None`` while other tables play the same deals."""
    passes: tuple[CardsPassed, ...]
    """All passes, with their cards; none where the deal is not open."""


@dataclass(frozen=True, slots=True)
class SurrenderProposed:
    """A seat wants its side to give up, or agrees to it (rules.md 5.3)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class NextHandAsked:
    """A seat is ready for the next hand (rules.md 5.6)."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over, and what it was dealt from is public."""

    outcome: Outcome
    opening: SeededDeals | ExplicitDeals | None
    """``None`` while other tables play the same deals."""


Event = (
    MatchStarted
    | HandDealt
    | HandShown
    | BidMade
    | CardsPassed
    | CardPlayed
    | TrickWon
    | PlayTakenBack
    | HandScored
    | SurrenderProposed
    | NextHandAsked
    | MatchEnded
)

# The events of which a match has most exist once per value: making a frozen dataclass costs more than judging
# the card.
PLAYED: Final = {card: tuple(CardPlayed(seat, card) for seat in Seat) for card in CARDS}
"""For each card, its event by seat."""

TRICK_WON: Final = tuple(tuple(TrickWon(seat, number) for seat in Seat) for number in range(14))
"""For each number of a trick, its event by winner; 0 is not used."""

bid_made = cache(BidMade)
"""The event of a seat and a legal bid."""
