"""A recorded match with every hand open, and what lies over it."""

from __future__ import annotations

from collections.abc import Sequence

from spades import Phase
from spades_client.screen.canvas import Canvas, Piece, Row, Size, clip, literal, pad
from spades_client.screen.cards import Fan, condensed, in_lines, suit_style
from spades_client.screen.drawing import draw, draw_hint, lying
from spades_client.screen.interface import Interface, Sight
from spades_client.screen.looks import Glyphs, Layout
from spades_client.screen.panels import draw_panel, room_for, score_card_rows, scrolled
from spades_client.screen.plates import around, header, match_of, plate, score
from spades_client.settings import Settings


def draw_open(sight: Sight, glyphs: Glyphs, size: Size) -> list[Row]:
    """The table with every hand open, seat by seat."""
    canvas = Canvas(size)
    table = sight.state.table
    if table is None or table.match is None or Layout.of(*size) is Layout.NONE:
        return draw(sight, Interface(), Settings(), glyphs, size)
    _, match = match_of(sight)
    columns, rows = size
    canvas.put(0, 0, header(sight, glyphs, columns))
    canvas.put(0, 1, score(sight, columns))
    cards, winner = lying(match, sight)
    roomy = rows >= 24 and columns >= 80
    row = 3 if rows >= 18 else 2
    for seat in around(None):
        held = match.hands[seat]
        hand = match.deck.unmask(held) if held is not None else ()
        canvas.put(0, row, plate(sight, seat, glyphs, columns - 10))
        card = cards.get(seat)
        if card is not None and match.phase is Phase.PLAYING:
            style = f"{'winner' if seat is winner else 'card'} {suit_style(card)}"
            canvas.put(columns - 8, row, [Piece(pad(f" {glyphs.card(card)}", 5), style)])
        advised_cards = sight.hint.cards if sight.hint is not None and seat is match.turn else ()
        fan = Fan(hand, match.deck, hand, hinted=advised_cards)
        lines = (
            in_lines(fan, glyphs, columns - 2) if roomy else [condensed(hand, match.deck, glyphs)]
        )
        canvas.block(2, row + 1, lines[:1])
        row += 3 if roomy else 2
    if match.phase in (Phase.HAND_OVER, Phase.MATCH_OVER) and not sight.holding:
        _panel(canvas, "Score card", score_card_rows(sight, room_for(size).columns), glyphs)
    told = sight.log[-2:] if rows >= 18 else sight.log[-1:]
    for number, sentence in enumerate(told):
        text = clip(literal(sentence), columns - 2)
        canvas.put(1, rows - 1 - len(told) + number, [Piece(text, "log")])
    free = rows - 1 - len(told) - row
    foot = rows - 1 - len(told) if free > 0 else rows - 1
    draw_hint(canvas, sight, Interface(), glyphs, max(free, 2), foot)
    return canvas.rows()


def _panel(canvas: Canvas, title: str, lines: Sequence[Row], glyphs: Glyphs) -> None:
    room = room_for(canvas.size)
    first, shown = scrolled(list(lines), Interface(), room, chosen=False)
    draw_panel(canvas, title, list(lines), first, shown, glyphs)


def over(
    rows: list[Row], title: str, lines: Sequence[Row], glyphs: Glyphs, size: Size
) -> list[Row]:
    """Rows with a panel over them."""
    canvas = Canvas(size)
    canvas.block(0, 0, rows)
    _panel(canvas, title, lines, glyphs)
    return canvas.rows()
