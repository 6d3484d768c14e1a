"""How things look: the characters that cards and frames are made of, and what a terminal can show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from spades import Card, Rank, Suit, parse_card


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A set of characters, each one cell wide."""

    name: str
    suits: Mapping[Suit, str]
    frame: tuple[str, str, str, str, str, str]
    """The corners, clockwise from the top left, then the horizontal and the vertical line."""
    turn: str
    cursor: str
    playable: str
    hinted: str
    dot: str
    back: str
    joker: str

    @property
    def spade(self) -> str:
        """The sign of spades."""
        return self.suits[Suit.SPADES]

    def card(self, card: Card) -> str:
        """A card in two or three cells: the rank and the sign of the suit that is printed on it."""
        if card.rank >= Rank.LITTLE_JOKER:
            return card.rank.letter + self.joker
        rank = "10" if card.rank is Rank.TEN else card.rank.letter
        return rank + self.suits[card.suit]

    def cards_in(self, text: str) -> str:
        """A sentence with its cards written in these characters."""
        return _CARD.sub(lambda found: self.card(parse_card(found[0])), text)


_CARD: Final = re.compile(r"\b(?:[2-9TJQKA][SHDC]|[BL]J)\b")
"""A card as the notation writes it."""


UNICODE: Final = Glyphs(
    name="unicode",
    suits={Suit.SPADES: "♠", Suit.HEARTS: "♥", Suit.DIAMONDS: "♦", Suit.CLUBS: "♣"},
    frame=("╭", "╮", "╯", "╰", "─", "│"),
    turn="▶",
    cursor="▲",
    playable="•",
    hinted="!",
    dot="·",
    back="░",
    joker="★",
)
ASCII: Final = Glyphs(
    name="ascii",
    suits={suit: suit.letter for suit in Suit},
    frame=("+", "+", "+", "+", "-", "|"),
    turn=">",
    cursor="^",
    playable=".",
    hinted="!",
    dot="-",
    back="#",
    joker="*",
)


class Layout(Enum):
    """The break points: from so many columns and rows on."""

    WIDE = (110, 32)
    FULL = (80, 24)
    NARROW = (60, 18)
    SMALL = (40, 12)
    NONE = (0, 0)

    @classmethod
    def of(cls, columns: int, rows: int) -> Layout:
        """The largest layout that a window has room for."""
        return next(one for one in cls if columns >= one.value[0] and rows >= one.value[1])


def glyphs_for(environ: Mapping[str, str], *, ascii_wanted: bool, encoding: str) -> Glyphs:
    """The characters that a terminal can show: ASCII where it is asked for or needed.

    ``encoding`` is that of standard output. Python takes the C locale for UTF-8, and the terminal of
    somebody who has set it need not.
    """
    plain = encoding.lower().replace("-", "") != "utf8" or environ.get("TERM") == "linux"
    return ASCII if ascii_wanted or plain or _is_c_locale(environ) else UNICODE


def _is_c_locale(environ: Mapping[str, str]) -> bool:
    """Whether the user chose the C locale; Python may have set LC_CTYPE in its place (PEP 538)."""
    chosen = environ.get("LC_ALL") or environ.get("LANG") or environ.get("LC_CTYPE") or ""
    return chosen in ("C", "POSIX")
