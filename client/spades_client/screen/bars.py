"""The bar of keys at the bottom."""

from __future__ import annotations

from spades_client.screen.canvas import Click, Piece, Row, row_width
from spades_client.screen.interface import Context
from spades_client.screen.keymap import bar, written
from spades_client.screen.looks import Glyphs


def key_bar(context: Context, glyphs: Glyphs, columns: int) -> Row:
    """The keys that do something now, as many as there is room for; a click presses them."""
    pieces: list[Piece] = []
    for label, words, key in bar(context):
        more = [
            Piece(f" {written(label, glyphs)} ", "key", Click(key=key)),
            Piece(f"{words} ", "bar", Click(key=key)),
        ]
        if row_width(pieces) + row_width(more) > columns:
            continue
        pieces += more
    return (*pieces, Piece(" " * (columns - row_width(pieces)), "bar"))
