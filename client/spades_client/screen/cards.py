"""Cards as rows of text."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from spades import Card, Deck
from spades_client.screen.canvas import Click, Piece, Row, pad
from spades_client.screen.looks import Glyphs


def suit_style(card: Card, *, ink: bool = False) -> str:
    """The class of the suit that is printed on a card; ``ink`` for text that stands on no card."""
    return f"{card.suit}-ink" if ink else str(card.suit)


def face(card: Card | None, glyphs: Glyphs, style: str, *, tall: bool = False) -> list[Row]:
    """A card that lies on the table, or the frame of a place where none lies yet."""
    a, b, c, d, dash, bar = glyphs.frame
    inner = 5 if tall else 4
    if card is None:
        between: Row = (Piece(f"{bar}{' ' * inner}{bar}", "dim"),)
        lid, foot = f"{a}{dash * inner}{b}", f"{d}{dash * inner}{c}"
        return [(Piece(lid, "dim"),), *[between] * (3 if tall else 1), (Piece(foot, "dim"),)]
    text = pad(f" {glyphs.card(card)}", inner)
    rows: list[Row] = [(Piece(f"{a}{dash * inner}{b}", style),)]
    middle = (Piece(bar, style), Piece(text, f"{style} {suit_style(card)}"), Piece(bar, style))
    if tall:
        empty: Row = (Piece(f"{bar}{' ' * inner}{bar}", style),)
        rows += [empty, middle, empty]
    else:
        rows.append(middle)
    return [*rows, (Piece(f"{d}{dash * inner}{c}", style),)]


@dataclass(frozen=True, slots=True)
class Fan:
    """The own hand as it is held: what may be played, where the cursor is, what is picked."""

    cards: Sequence[Card]
    deck: Deck
    playable: Collection[Card]
    cursor: Card | None = None
    picked: Collection[Card] = ()
    sending: Card | None = None
    hinted: Collection[Card] = ()

    def style(self, card: Card) -> str:
        """How a card looks."""
        if card is self.sending:
            return "unplayable"
        if card in self.picked:
            return "picked"
        if card is self.cursor:
            return "cursor"
        return "playable" if card in self.playable else "unplayable"

    def mark(self, card: Card, glyphs: Glyphs) -> str:
        """What stands below a card: where the cursor is, what is picked, what may be played."""
        if card is self.sending:
            return "~"
        hint = glyphs.hinted * (card in self.hinted)
        if card is self.cursor or card in self.picked:
            return glyphs.cursor * (card is self.cursor) + "*" * (card in self.picked) + hint
        return hint or (glyphs.playable if card in self.playable else " ")


def spread(fan: Fan, glyphs: Glyphs, step: int) -> list[Row]:
    """The hand side by side, each card ``step`` cells wide and overlapping the next one's border.

    Five rows: the top of cards that are raised, three rows of cards, and the marks.
    """
    a, b, c, d, dash, bar = glyphs.frame
    raised: list[Piece] = []
    top: list[Piece] = []
    middle: list[Piece] = []
    bottom: list[Piece] = []
    marks: list[Piece] = []
    for number, card in enumerate(fan.cards):
        style, click = fan.style(card), Click(card=card)
        last = number + 1 == len(fan.cards)
        up = card in fan.picked
        line = dash * (step - 1)
        lid = Piece(f"{a}{line}{b if last else ''}", style, click)
        gap = Piece(" " * (step + last), "", click)
        label = (
            Piece(bar, style, click),
            Piece(pad(glyphs.card(card), step - 1), f"{style} {suit_style(card)}", click),
            Piece(bar if last else "", style, click),
        )
        blank = Piece(f"{bar}{' ' * (step - 1)}{bar if last else ''}", style, click)
        raised.append(lid if up else gap)
        top += label if up else (lid,)
        middle += (blank,) if up else label
        bottom.append(Piece(f"{d}{line}{c if last else ''}", style, click))
        mark = fan.mark(card, glyphs)
        marks.append(Piece(pad(f" {mark}", step + last), "turn" if mark.strip() else "", click))
    return [tuple(raised), tuple(top), tuple(middle), tuple(bottom), tuple(marks)]


def face_down(count: int, glyphs: Glyphs, step: int) -> list[Row]:
    """A hand that nobody has looked at."""
    a, b, c, d, dash, bar = glyphs.frame
    line, fill = dash * (step - 1), glyphs.back * (step - 1)
    return [
        (),
        (Piece(f"{a}{line}" * count + b, "back"),),
        (Piece(f"{bar}{fill}" * count + bar, "back"),),
        (Piece(f"{d}{line}" * count + c, "back"),),
        (),
    ]


def listed(fan: Fan, glyphs: Glyphs, columns: int) -> list[Row]:
    """The hand in rows of suits: for windows that have no room for cards."""
    room = columns // 6
    by_suit: dict[int, list[Card]] = {}
    for card in fan.cards:
        by_suit.setdefault(fan.deck.suit_of(card), []).append(card)
    return [
        _in_line(cards[first : first + room], fan, glyphs)
        for _, cards in sorted(by_suit.items())
        for first in range(0, len(cards), room)
    ]


def condensed(cards: Sequence[Card], deck: Deck, glyphs: Glyphs) -> Row:
    """A hand in one short line: the sign of each suit and the ranks that are held."""
    pieces: list[Piece] = []
    for suit in sorted({deck.suit_of(card) for card in cards}):
        held = [card for card in cards if deck.suit_of(card) is suit]
        ranks = "".join(card.rank.letter for card in held)
        pieces.append(Piece(f"{glyphs.suits[suit]}{ranks} ", suit_style(held[-1], ink=True)))
    return tuple(pieces)


def in_lines(fan: Fan, glyphs: Glyphs, columns: int) -> list[Row]:
    """The hand one card after the other, in as many lines as it takes."""
    lines: list[list[Card]] = [[]]
    room = columns // 6
    for card in fan.cards:
        if len(lines[-1]) == room:
            lines.append([])
        lines[-1].append(card)
    return [_in_line(cards, fan, glyphs) for cards in lines]


def _in_line(cards: Sequence[Card], fan: Fan, glyphs: Glyphs) -> Row:
    """Cards as text: a bracket about the one with the cursor, a star before what is picked.

    What is hinted at has its mark behind it.
    """
    pieces: list[Piece] = []
    for card in cards:
        style, click = fan.style(card), Click(card=card)
        left, right = ("[", "]") if card is fan.cursor else (" ", " ")
        if card in fan.picked and card is fan.cursor:
            left, right = "{", "}"
        elif card in fan.picked:
            left = "*"
        elif card is fan.sending:
            left = "~"
        elif card in fan.playable and card is not fan.cursor:
            left = glyphs.playable
        text = f"{left}{glyphs.card(card)}{right}"
        if card in fan.hinted:
            text = text.rstrip() + glyphs.hinted
        pieces.append(Piece(text[:5].ljust(5), f"{style} {suit_style(card)}", click))
        pieces.append(Piece(text[5:] or " "))
    return tuple(pieces)
