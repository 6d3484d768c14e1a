"""What a seat can do, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from spades.bids import Bid
from spades.cards import CARDS, Card
from spades.phases import ActionKind


@dataclass(frozen=True, slots=True)
class Look:
    """Turns the seat's own cards up, which ends its chance to bid blind (rules.md 2.5)."""

    kind: ClassVar = ActionKind.LOOK


@dataclass(frozen=True, slots=True)
class MakeBid:
    """Bids, also nil and blind nil (rules.md 2.1, 2.5)."""

    bid: Bid
    kind: ClassVar = ActionKind.BID


@dataclass(frozen=True, slots=True)
class PassCards:
    """Passes cards to the partner (rules.md 2.6)."""

    cards: tuple[Card, ...]
    kind: ClassVar = ActionKind.PASS_CARDS


@dataclass(frozen=True, slots=True)
class Play:
    """Plays a card to the trick (rules.md 3)."""

    card: Card
    kind: ClassVar = ActionKind.PLAY


PLAYS: Final = {card: Play(card) for card in CARDS}
"""The play of each card: most of a match is nothing else, and making a frozen dataclass is dear."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes back the card that the seat has just played (rules.md 5.5)."""

    kind: ClassVar = ActionKind.UNDO


@dataclass(frozen=True, slots=True)
class Surrender:
    """Proposes that the side gives up, or agrees to the partner's proposal (rules.md 5.3)."""

    kind: ClassVar = ActionKind.SURRENDER


@dataclass(frozen=True, slots=True)
class NextHand:
    """Asks for the next hand (rules.md 5.6)."""

    kind: ClassVar = ActionKind.NEXT_HAND


Action = Look | MakeBid | PassCards | Play | Undo | Surrender | NextHand
