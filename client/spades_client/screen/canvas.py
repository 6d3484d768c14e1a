"""Styled text in a grid of terminal cells: what every screen is drawn on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from wcwidth import wcwidth

from spades import Card
from spades_client.phrases import printable

_VARIATIONS: Final = re.compile("[︀-️]")
"""Variation selectors: terminals do not agree on the width of what they follow."""


CUT: Final = "…"
"""Where something was cut off."""


@dataclass(frozen=True, slots=True)
class Click:
    """What a click on a piece of text means: a key that is pressed, or a card that is touched."""

    key: str = ""
    card: Card | None = None


class Piece(NamedTuple):
    """Text in one style."""

    text: str
    style: str = ""
    """Style classes, parted by spaces."""
    click: Click | None = None


Row = tuple[Piece, ...]


class Size(NamedTuple):
    """A window, in cells."""

    columns: int
    rows: int


def literal(text: str) -> str:
    """A name as it can be shown: nothing in it moves a cursor or has a width that terminals dispute."""
    return printable(_VARIATIONS.sub("", text))


def width(text: str) -> int:
    """How many cells a text takes."""
    return sum(max(wcwidth(char), 0) for char in text)


def clip(text: str, cells: int) -> str:
    """Cuts a text to a number of cells; a cut one says so at its end."""
    if width(text) <= cells:
        return text
    taken, kept = 0, ""
    for char in text:
        wide = max(wcwidth(char), 0)
        if taken + wide > cells - 1:
            break
        taken += wide
        kept += char
    return (kept + CUT if cells > 0 else "") + " " * (cells - 1 - taken)


def wrap(text: str, cells: int) -> list[str]:
    """Breaks a text into lines of so many cells, between words where that is possible."""
    lines: list[str] = []
    line = ""
    room = max(cells, 2)
    for whole in text.split():
        word = whole
        while width(word) > room:
            # A word that no line has room for is cut wherever the line ends.
            head = word
            while width(line + " " * bool(line) + head) > room and head:
                head = head[:-1]
            if not head:
                lines.append(line)
                line = ""
                continue
            lines.append(line + " " * bool(line) + head)
            line, word = "", word[len(head) :]
        if width(line) + bool(line) + width(word) > room:
            lines.append(line)
            line = ""
        line += " " * bool(line) + word
    return [*lines, line] if line else lines


def pad(text: str, cells: int) -> str:
    """A text in exactly so many cells."""
    text = clip(text, cells)
    return text + " " * (cells - width(text))


def row_width(row: Iterable[Piece]) -> int:
    """How many cells a row takes."""
    return sum(width(piece.text) for piece in row)


class _Cell(NamedTuple):
    text: str
    style: str
    click: Click | None


_BLANK: Final = _Cell(" ", "", None)
_REST: Final = _Cell("", "", None)
"""The second cell of a wide character."""


class Canvas:
    """A grid of cells that is written to piece by piece; what does not fit is left out."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self._cells = [[_BLANK] * size.columns for _ in range(size.rows)]

    def put(self, column: int, row: int, pieces: Iterable[Piece]) -> None:
        """Writes a row of pieces from a cell on."""
        if not 0 <= row < self.size.rows:
            return
        cells = self._cells[row]
        for text, style, click in pieces:
            for char in text:
                wide = wcwidth(char)
                if wide <= 0:
                    self._join(cells, column - 1, char)
                    continue
                if column >= 0 and column + wide <= len(cells):
                    self._part(cells, column)
                    self._part(cells, column + wide)
                    cells[column] = _Cell(char, style, click)
                    if wide == 2:
                        cells[column + 1] = _REST
                column += wide

    @staticmethod
    def _join(cells: list[_Cell], column: int, char: str) -> None:
        """Adds a character without a width of its own to the one before it."""
        if 0 <= column < len(cells) and cells[column] is _REST:
            column -= 1
        if 0 <= column < len(cells):
            before = cells[column]
            cells[column] = before._replace(text=before.text + char)

    @staticmethod
    def _part(cells: list[_Cell], column: int) -> None:
        """Leaves no half of a wide character standing where another begins."""
        if 0 < column < len(cells) and cells[column] is _REST:
            cells[column - 1] = cells[column] = _BLANK

    def centre(self, row: int, pieces: Sequence[Piece], left: int = 0, right: int = 0) -> None:
        """Writes a row in the middle of the window, or between two columns."""
        span = (right or self.size.columns) - left
        self.put(left + max((span - row_width(pieces)) // 2, 0), row, pieces)

    def block(self, column: int, row: int, rows: Iterable[Iterable[Piece]]) -> None:
        """Writes rows below each other."""
        for number, pieces in enumerate(rows):
            self.put(column, row + number, pieces)

    def rows(self) -> list[Row]:
        """All rows, with neighbours of one style joined."""
        return [_joined(cells) for cells in self._cells]


def _joined(cells: Iterable[_Cell]) -> Row:
    pieces: list[Piece] = []
    text, style, click = "", "", None
    for cell in cells:
        if cell is _REST:
            continue
        if cell.style != style or cell.click != click:
            if text:
                pieces.append(Piece(text, style, click))
            text, style, click = "", cell.style, cell.click
        text += cell.text
    if text:
        pieces.append(Piece(text, style, click))
    return tuple(pieces)


def in_ascii(rows: Iterable[Row]) -> list[Row]:
    """Rows for a terminal without the sign for what was cut off."""
    return [
        tuple(piece._replace(text=piece.text.replace(CUT, ".")) for piece in row) for row in rows
    ]
