"""Cards, suits and ranks, and the three decks (rules.md 1.2 and 1.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum, IntEnum
from functools import cached_property
from typing import Final, Self

from spades.errors import NotationError, Reason


class Suit(IntEnum):
    """A suit, in the order in which a hand shows them (rules.md 1.5)."""

    DIAMONDS = 0
    CLUBS = 1
    HEARTS = 2
    SPADES = 3

    @property
    def letter(self) -> str:
        """The initial, as the notation writes it."""
        return self.name[0]

    def __str__(self) -> str:
        return self.name.lower()

    def __repr__(self) -> str:
        return f"Suit.{self.name}"


class Rank(IntEnum):
    """A rank; jokers rank above the ace in the order of the value."""

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14
    LITTLE_JOKER = 15
    BIG_JOKER = 16

    @property
    def letter(self) -> str:
        """One character: ``2`` to ``9``, ``T J Q K A``, and ``L B`` for the jokers."""
        return "23456789TJQKALB"[self - 2]

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")

    def __repr__(self) -> str:
        return f"Rank.{self.name}"


class Card:
    """One of the 54 cards; each exists once, so cards compare by identity and hash fast.

    >>> Card("QS")
    Card('QS')
    >>> Card("QS") is parse_card("qs")
    True
    >>> str(Card("BJ")), Card("BJ").suit, Card("TD").name
    ('BJ', Suit.SPADES, 'ten of diamonds')
    """

    __slots__ = ("_text", "index", "rank", "suit")

    index: int
    """A number from 0 to 53 that never changes; for tables, not for strength."""
    rank: Rank
    suit: Suit
    """The suit printed on the card; jokers are spades. See :meth:`Deck.suit_of`."""
    _text: str

    def __new__(cls, text: str) -> Card:
        """Finds the card that a text names; see :func:`parse_card`."""
        return parse_card(text)

    @property
    def name(self) -> str:
        """The card in words, as a screen reader should say it."""
        if self.rank >= Rank.LITTLE_JOKER:
            return str(self.rank)
        return f"{self.rank} of {self.suit}"

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Card({self._text!r})"

    def __reduce__(self) -> tuple[type[Card], tuple[str]]:
        return Card, (self._text,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def _make_card(index: int, rank: Rank, suit: Suit) -> Card:
    card = object.__new__(Card)
    card.index = index
    card.rank = rank
    card.suit = suit
    joker = rank >= Rank.LITTLE_JOKER
    card._text = rank.letter + ("J" if joker else suit.letter)  # pyright: ignore[reportPrivateUsage]
    return card


def _make_cards() -> tuple[Card, ...]:
    plain = [(rank, suit) for suit in Suit for rank in Rank if rank <= Rank.ACE]
    jokers = [(Rank.LITTLE_JOKER, Suit.SPADES), (Rank.BIG_JOKER, Suit.SPADES)]
    return tuple(_make_card(i, rank, suit) for i, (rank, suit) in enumerate(plain + jokers))


CARDS: Final[tuple[Card, ...]] = _make_cards()
"""All 54 cards by :attr:`Card.index`."""

_BY_TEXT: Final = {str(card): card for card in CARDS}


def parse_card(text: str) -> Card:
    """Reads a card, rank then suit, in either case; ``10`` may stand for ``T``.

    >>> parse_card("10d")
    Card('TD')

    :raises NotationError: if the text is not a card.
    """
    word = text.strip().upper()
    card = _BY_TEXT.get("T" + word[2:] if word.startswith("10") else word)
    if card is None:
        raise NotationError(
            f"{text!r} is not a card: write the rank, then the suit, as in AS, TD or 2C;"
            " the jokers are BJ and LJ.",
            Reason.INVALID_NOTATION,
        )
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Reads cards that are parted by spaces or commas.

    >>> parse_cards("AS, TD 2C")
    (Card('AS'), Card('TD'), Card('2C'))
    """
    return tuple(parse_card(word) for word in text.replace(",", " ").split())


def format_cards(cards: Iterable[Card]) -> str:
    """Writes cards with a space between them, so that :func:`parse_cards` reads them back."""
    return " ".join(map(str, cards))


class Deck(Enum):
    """A deck of 52 cards and the order of its trumps.

    A set of cards of one deck is held as an ``int``, a *mask*: bit *i* stands for ``deck.cards[i]``.
    Within a suit a higher bit is a higher card, so masks do for sorting and for comparing.
    """

    STANDARD = "standard"
    JOKERS = "jokers"
    JOKERS_NYC = "jokers_nyc"

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """The 52 cards as a hand shows them: by suit, low to high (rules.md 1.4, 1.5)."""
        if self is Deck.STANDARD:
            return CARDS[:52]
        top = ["2S", "LJ", "BJ"] if self is Deck.JOKERS else ["2S", "2D", "LJ", "BJ"]
        out = {"2C", "2H", *top}
        return tuple(c for c in CARDS[:52] if str(c) not in out) + tuple(map(Card, top))

    @cached_property
    def bits(self) -> dict[Card, int]:
        """The mask of each single card of the deck; cards of other decks are missing."""
        return {card: 1 << i for i, card in enumerate(self.cards)}

    @cached_property
    def suit_masks(self) -> tuple[int, int, int, int]:
        """The mask of all cards that belong to each suit, indexed by :class:`Suit`."""
        masks = [0, 0, 0, 0]
        for card, bit in self.bits.items():
            masks[self.suit_of(card)] |= bit
        return (masks[0], masks[1], masks[2], masks[3])

    @cached_property
    def followers(self) -> dict[Card, int]:
        """For each card, the mask of the cards that follow suit when it is led."""
        return {card: self.suit_masks[self.suit_of(card)] for card in self.cards}

    def suit_of(self, card: Card) -> Suit:
        """The suit that a card belongs to in play: the 2♦ of ``jokers_nyc`` is a spade."""
        if self is Deck.JOKERS_NYC and card is CARDS[0]:
            return Suit.SPADES
        return card.suit

    def mask(self, cards: Iterable[Card]) -> int:
        """Gathers cards of this deck into a mask.

        :raises KeyError: if a card does not belong to the deck.
        """
        bits = self.bits
        mask = 0
        for card in cards:
            mask |= bits[card]
        return mask

    def unmask(self, mask: int) -> tuple[Card, ...]:
        """Lists the cards of a mask, sorted as a hand shows them.

        >>> format_cards(Deck.STANDARD.unmask(Deck.STANDARD.mask(parse_cards("AS 2C TD"))))
        'TD 2C AS'
        """
        diamonds, clubs, hearts, spades = self._sorted
        low, middle, high, top = self.suit_masks
        return (
            diamonds[mask & low] + clubs[mask & middle] + hearts[mask & high] + spades[mask & top]
        )

    @cached_property
    def _sorted(self) -> tuple[_SortedCards, _SortedCards, _SortedCards, _SortedCards]:
        """The cards of each mask of one suit: there are few enough to keep them all."""
        cards = self.cards
        return _SortedCards(cards), _SortedCards(cards), _SortedCards(cards), _SortedCards(cards)

    def __iter__(self) -> Iterator[Card]:
        return iter(self.cards)

    def __contains__(self, card: object) -> bool:
        return card in self.bits

    def __repr__(self) -> str:
        return f"Deck.{self.name}"


class _SortedCards(dict[int, tuple[Card, ...]]):
    """The cards of a mask, listed when the mask is first asked for."""

    def __init__(self, cards: tuple[Card, ...]) -> None:
        super().__init__()
        self._cards = cards

    def __missing__(self, mask: int) -> tuple[Card, ...]:
        found: list[Card] = []
        rest = mask
        while rest:
            low = rest & -rest
            found.append(self._cards[low.bit_length() - 1])
            rest ^= low
        self[mask] = tuple(found)
        return self[mask]
