"""Bids, which of them are legal, and the quick count (rules.md 2 and 8)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from spades.cards import Card, Deck, Rank, Suit
from spades.errors import NotationError, Reason

MAX_BID: Final = 13
"""The highest bid: all tricks of a hand (rules.md 2.1)."""


@dataclass(frozen=True, slots=True)
class Bid:
    """A bid of 0 to 13 tricks; 0 is always nil, and only a nil can be blind.

    Any whole number can be written down, so that a wrong one is refused by the referee and not lost
    on the way to it.

    >>> str(Bid(4)), str(Bid(0)), str(BLIND_NIL)
    ('4', 'nil', 'blind nil')
    """

    tricks: int
    blind: bool = False

    @property
    def is_nil(self) -> bool:
        """Whether the seat promises to take no trick, blind or not."""
        return self.tricks == 0

    def __str__(self) -> str:
        if self.tricks:
            return str(self.tricks)
        return "blind nil" if self.blind else "nil"


BIDS: Final[tuple[Bid, ...]] = tuple(Bid(tricks) for tricks in range(MAX_BID + 1))
"""The bids that need no luck: nil and 1 to 13, indexed by tricks."""
NIL: Final = BIDS[0]
BLIND_NIL: Final = Bid(0, blind=True)
_BLIND_ONLY: Final = (BLIND_NIL,)


def parse_bid(text: str) -> Bid:
    """Reads ``nil``, ``blind nil`` or a number.

    >>> parse_bid("Nil"), parse_bid("4")
    (Bid(tricks=0, blind=False), Bid(tricks=4, blind=False))

    :raises NotationError: if the text is not a bid of 0 to 13.
    """
    word = " ".join(text.lower().replace("_", " ").split())
    if word == "nil":
        return NIL
    if word in ("blind nil", "blind"):
        return BLIND_NIL
    if word.isascii() and word.isdigit() and len(word) <= 2 and int(word) <= MAX_BID:
        return BIDS[int(word)]
    raise NotationError(
        f"{text!r} is not a bid: nil, blind nil and 0 to {MAX_BID} are.", Reason.INVALID_NOTATION
    )


def legal_bids(
    partner: Bid | None, min_team_bid: int, *, face_down: bool = False
) -> tuple[Bid, ...]:
    """Lists the bids of a seat at its turn (rules.md 2.1, 2.3, 2.4, 2.5).

    ``partner`` is the partner's bid if it stands already; ``face_down`` says that the seat may bid blind
    nil and has not looked.

    >>> [str(bid) for bid in legal_bids(Bid(2), 4)][:3]
    ['nil', '2', '3']
    """
    if face_down:
        return _BLIND_ONLY
    if not min_team_bid or partner is None or partner.is_nil:
        return BIDS
    return tuple(bid for bid in BIDS if bid.is_nil or partner.tricks + bid.tricks >= min_team_bid)


def contract(bids: Iterable[Bid | None]) -> int:
    """The sum of a side's bids, in which a nil counts nothing (rules.md 2.2)."""
    return sum(bid.tricks for bid in bids if bid is not None)


def quick_count(hand: Iterable[Card], deck: Deck = Deck.STANDARD) -> int:
    """Makes the quick count of a hand (rules.md 8), at most 13.

    One for each ace, one for each king with a smaller card of its suit beside it, one for each spade
    past the third, one for each joker.

    >>> from spades.cards import parse_cards
    >>> quick_count(parse_cards("AS QS 7S 4S KH 9H 3H AD 8D 5D 2D 6C 3C"))
    4
    """
    cards = tuple(hand)
    count = 0
    for card in cards:
        if card.rank is Rank.ACE or card.rank >= Rank.LITTLE_JOKER:
            count += 1
        elif card.rank is Rank.KING:
            suit = deck.followers[card]
            below = deck.bits[card] - 1
            count += bool(deck.mask(cards) & suit & below)
    spades = sum(deck.suit_of(card) is Suit.SPADES for card in cards)
    return min(count + max(0, spades - 3), MAX_BID)
