"""The whole screen: a pure function of what is known, what is pointed at, and the size."""

from __future__ import annotations

from spades import SEATS, Card, Phase, Seat
from spades.state import MatchState
from spades_client.answers import option_sentences
from spades_client.narrate import table_sentences, tempo_sentence
from spades_client.phrases import join_command
from spades_client.screen.bars import key_bar
from spades_client.screen.canvas import Canvas, Piece, Row, Size, clip, in_ascii, literal, pad, wrap
from spades_client.screen.cards import Fan, face, face_down, in_lines, listed, spread, suit_style
from spades_client.screen.choices import choices
from spades_client.screen.cursor import cursor_of
from spades_client.screen.interface import Context, Interface, Panel, Sight, context_of
from spades_client.screen.looks import ASCII, Glyphs, Layout
from spades_client.screen.panels import draw_panel, panel_rows, room_for, scrolled
from spades_client.screen.plates import (
    around,
    bid_sum,
    header,
    match_of,
    name_of,
    plate,
    score,
    side_plate,
)
from spades_client.screen.prompts import bid_panel, prompt
from spades_client.settings import Settings

BOTTOM = 9
"""The rows below the table: the hand with its marks, the prompt, two sentences and the bar."""


def draw(
    sight: Sight, interface: Interface, settings: Settings, glyphs: Glyphs, size: Size
) -> list[Row]:
    """Draws everything; a window that is too small is told what it lacks."""
    canvas = Canvas(size)
    layout = Layout.of(*size)
    if layout is Layout.NONE:
        draw_too_small(canvas)
        return canvas.rows()
    match = sight.state.table.match if sight.state.table else None
    if sight.state.table is None:
        canvas.centre(size.rows // 2, [Piece("Waiting for the server...", "prompt")])
    elif match is None or context_of(sight, Interface()) is Context.WAITING:
        _draw_waiting(canvas, sight, interface)
    elif layout in (Layout.WIDE, Layout.FULL):
        _draw_cross(canvas, sight, interface, glyphs, tall=layout is Layout.WIDE)
    else:
        _draw_lines(canvas, sight, interface, glyphs, small=layout is Layout.SMALL)
    _draw_over(canvas, sight, interface, settings, glyphs)
    canvas.put(0, size.rows - 1, key_bar(sight, interface, glyphs, size.columns))
    return in_ascii(canvas.rows()) if glyphs is ASCII else canvas.rows()


def draw_too_small(canvas: Canvas) -> None:
    """Says how much room is needed."""
    columns, rows = Layout.SMALL.value
    now = f"this window has {canvas.size.columns} by {canvas.size.rows}"
    text = f"Spades needs {columns} columns and {rows} rows; {now}. Make it larger, or use --plain."
    for number, line in enumerate(wrap(text, max(canvas.size.columns, 1))):
        canvas.put(0, number, [Piece(line, "prompt")])


def _draw_over(
    canvas: Canvas, sight: Sight, interface: Interface, settings: Settings, glyphs: Glyphs
) -> None:
    """Draws the panel that is open, or the score card where a hand has ended."""
    panel = panel_of(sight, interface)
    if panel is None:
        return
    room = room_for(canvas.size)
    rows = panel_rows(panel, sight, interface, settings, glyphs, room.columns)
    chosen = bool(choices(panel, sight, settings))
    at = Interface(row=0 if panel is Panel.LAST_TRICK else interface.row)
    first, shown = scrolled(rows, at, room, chosen=chosen)
    title = panel.value
    if panel is Panel.SCORE_CARD and sight.state.phase is Phase.MATCH_OVER:
        title = "The match is over"
    draw_panel(canvas, title, rows, first, shown, glyphs)


def panel_of(sight: Sight, interface: Interface) -> Panel | None:
    """What lies over the table: the panel that is open, else the score card after a hand."""
    if interface.panel is not None:
        return interface.panel
    ended = sight.state.phase in (Phase.HAND_OVER, Phase.MATCH_OVER) and not sight.holding
    waiting = context_of(sight, Interface()) is Context.WAITING
    return Panel.SCORE_CARD if ended and not waiting else None


def last_row(
    sight: Sight, interface: Interface, settings: Settings, glyphs: Glyphs, size: Size
) -> int:
    """How far what lies over the table can be scrolled."""
    panel = panel_of(sight, interface)
    if panel is None:
        return 0
    match = sight.state.table.match if sight.state.table else None
    if panel is Panel.LAST_TRICK:
        return max(len(match.tricks) - 1, 0) if match is not None else 0
    room = room_for(size)
    rows = panel_rows(panel, sight, interface, settings, glyphs, room.columns)
    if choices(panel, sight, settings):
        return len(rows) - 1
    return max(len(rows) - room.rows, 0)


# The table with seats where they sit.


def lying(match: MatchState, sight: Sight) -> tuple[dict[Seat, Card], Seat | None]:
    """The cards that lie on the table by seat, and who won them where the trick is full."""
    if sight.holding and match.tricks:
        trick = match.tricks[-1]
        return dict(zip(trick.leader.clockwise(), trick.cards, strict=True)), trick.winner
    return dict(zip(match.leader.clockwise(), match.trick, strict=False)), None


def _draw_cross(
    canvas: Canvas, sight: Sight, interface: Interface, glyphs: Glyphs, *, tall: bool
) -> None:
    _, match = match_of(sight)
    columns, rows = canvas.size
    left, across, right, own = around(sight.state.seat)
    canvas.put(0, 0, header(sight, glyphs, columns))
    canvas.centre(1, score(sight, columns))
    side = 34 if tall else 0
    span = columns - side
    high = 5 if tall else 3
    wide = 7 if tall else 6
    centre = span // 2
    top = 2 + max((rows - 2 - BOTTOM - 3 * high - 2) // 2, 0)
    places = {
        across: (centre - wide // 2, top + 1),
        left: (centre - wide - wide, top + 1 + high),
        right: (centre + wide, top + 1 + high),
        own: (centre - wide // 2, top + 1 + 2 * high),
    }
    if context_of(sight, interface) is Context.BID:
        box = bid_panel(sight, interface, glyphs)
        canvas.block(centre - 15, top + 1 + (3 * high - len(box)) // 2, box)
    elif match.phase is Phase.PLAYING or sight.holding:
        cards, winner = lying(match, sight)
        for seat in SEATS:
            style = "winner" if seat is winner else "card"
            canvas.block(*places[seat], face(cards.get(seat), glyphs, style, tall=tall))
    canvas.centre(top, plate(sight, across, glyphs, span - 4), 0, span)
    middle = top + 1 + high + high // 2
    room = centre - 2 * wide - 5
    canvas.block(
        max(centre - 2 * wide - 26, 1), middle, side_plate(sight, left, glyphs, min(room, 26))
    )
    canvas.block(centre + 2 * wide + 4, middle, side_plate(sight, right, glyphs, room))
    canvas.centre(top + 1 + 3 * high, plate(sight, own, glyphs, span - 4), 0, span)
    if tall:
        _draw_side(canvas, sight, span)
    _draw_bottom(canvas, sight, interface, glyphs, span)


def _draw_side(canvas: Canvas, sight: Sight, column: int) -> None:
    """The side of a wide window: the bids and what has happened."""
    room = canvas.size.columns - column - 2
    canvas.put(column, 3, [Piece("Bids", "heading")])
    canvas.put(column, 4, [Piece(clip(bid_sum(sight), room), "plate")])
    canvas.put(column, 6, [Piece("What happened", "heading")])
    space = canvas.size.rows - BOTTOM - 8
    lines = [line for told in sight.log[-space:] for line in wrap(literal(told), room)]
    for number, line in enumerate(lines[-space:]):
        canvas.put(column, 7 + number, [Piece(line, "log")])


def _fan(sight: Sight, interface: Interface) -> Fan | None:
    view = sight.state.view
    if view is None:
        return None
    return Fan(
        view.hand,
        view.rules.deck,
        frozenset(view.playable),
        cursor_of(sight, interface),
        interface.picked,
        sight.sending_card,
        sight.hint.cards if sight.hint is not None else (),
    )


def _draw_bottom(
    canvas: Canvas, sight: Sight, interface: Interface, glyphs: Glyphs, span: int
) -> None:
    rows = canvas.size.rows
    fan, view = _fan(sight, interface), sight.state.view
    if fan is not None and view is not None:
        hand = spread(fan, glyphs, 5) if view.sees_hand else face_down(13, glyphs, 5)
        cells = 13 * 5 + 1 if not fan.cards else len(fan.cards) * 5 + 1
        canvas.block(max((span - cells) // 2, 0), rows - BOTTOM, hand)
    canvas.centre(rows - 4, prompt(sight, interface, glyphs), 0, span)
    _draw_told(canvas, sight, interface, rows - 3, 2)
    draw_hint(canvas, sight, interface, glyphs, 3, rows - 1)


def _draw_told(canvas: Canvas, sight: Sight, interface: Interface, row: int, lines: int) -> None:
    """The last sentences, the newest whole where there is room; a notice stands in their place."""
    room = canvas.size.columns - 2
    notice = wrap(literal(interface.notice), room)[:lines]
    newest = wrap(literal(sight.log[-1]), room) if sight.log else []
    told = [clip(literal(one), room) for one in sight.log[-lines:-1]] + newest
    if len(newest) > lines:
        told = [*newest[: lines - 1], clip(" ".join(newest[lines - 1 :]), room)]
    before = told[-lines:][len(notice) :]
    for number, text in enumerate((*before, *notice)):
        style = "notice" if number >= len(before) else "log"
        canvas.put(1, row + number, [Piece(text, style)])


def draw_hint(
    canvas: Canvas, sight: Sight, interface: Interface, glyphs: Glyphs, most: int, foot: int
) -> None:
    """Draws the hint in at most so many lines above a row.

    Above the bar it takes the place of what happened and, where it is long, of the prompt. A notice is
    about the last key and comes before it.
    """
    if sight.hint is None or interface.notice:
        return
    columns, _ = canvas.size
    lines = wrap(glyphs.cards_in(sight.hint.sentence), columns - 2)
    if len(lines) > most:
        lines = [*lines[: most - 1], clip(" ".join(lines[most - 1 :]), columns - 2)]
    for number, text in enumerate(lines, foot - len(lines)):
        canvas.put(0, number, [Piece(" " * columns)])
        canvas.put(1, number, [Piece(text, "hint")])


# The table in lines, for small windows.


def _draw_lines(
    canvas: Canvas, sight: Sight, interface: Interface, glyphs: Glyphs, *, small: bool
) -> None:
    _, match = match_of(sight)
    columns, rows = canvas.size
    canvas.put(0, 0, header(sight, glyphs, columns))
    canvas.put(0, 1, score(sight, columns))
    first = 2 if small else 3
    cards, winner = lying(match, sight)
    for number, seat in enumerate(around(sight.state.seat)):
        card = cards.get(seat) if match.phase is Phase.PLAYING or sight.holding else None
        canvas.put(0, first + number, plate(sight, seat, glyphs, columns - 10))
        if card is not None:
            mark = "*" if seat is winner else " "
            style = f"{'winner' if seat is winner else 'card'} {suit_style(card)}"
            text = pad(f"{mark}{glyphs.card(card)}", 5)
            canvas.put(columns - 8, first + number, [Piece(text, style)])
    fan, view = _fan(sight, interface), sight.state.view
    below = first + (4 if small else 5)
    if fan is not None and view is not None:
        if not view.sees_hand:
            hand: list[Row] = [(Piece(" Your cards are face down.", "plate"),)]
        elif small:
            hand = in_lines(fan, glyphs, columns - 1)
        else:
            hand = listed(fan, glyphs, columns - 1)
        canvas.block(1, below, hand)
        below += len(hand)
    if not small:
        canvas.put(1, rows - 5, [Piece(clip(bid_sum(sight), columns - 2), "plate")])
    canvas.put(1, rows - 3 if small else rows - 4, prompt(sight, interface, glyphs))
    _draw_told(canvas, sight, interface, rows - 2 if small else rows - 3, 1 if small else 2)
    draw_hint(canvas, sight, interface, glyphs, rows - 1 - below, rows - 1)


# Before the match.


def _draw_waiting(canvas: Canvas, sight: Sight, interface: Interface) -> None:
    table = sight.state.table
    assert table is not None, "a table is drawn"
    columns, rows = canvas.size
    title = f" Table {table.opened.code}, opened by {table.opened.host}"
    canvas.put(0, 0, [Piece(pad(literal(title), columns), "header")])
    settled = " ".join(table_sentences(table.opened))
    canvas.put(2, 1, [Piece(clip(settled, columns - 3), "warn")])
    for number, seat in enumerate(around(sight.state.seat)):
        occupant = table.seats[seat].occupant
        you = " (you)" if seat is sight.state.seat else ""
        who = "free" if occupant is None else name_of(table, seat, None) + you
        style = "dim" if occupant is None else ("you" if you else "plate")
        canvas.put(
            2,
            2 + number,
            [Piece(pad(str(seat), 7), "heading"), Piece(clip(who, columns - 10), style)],
        )
    host = "B seats bots of a level; S starts the match."
    wait = "Waiting for the host to start."
    canvas.put(2, 7, [Piece(clip(host if sight.is_host else wait, columns - 3), "prompt")])
    # A link may be long, and is of no use when it is cut.
    command = f"Others join with: {join_command(table.opened.code, sight.server)}"
    joins = wrap(command, columns - 4)
    for number, line in enumerate(joins):
        canvas.put(2, 8 + number, [Piece(line, "plate")])
    first = 9 + len(joins)
    told = [tempo_sentence(table.opened), *option_sentences(table.rules)]
    lines = [line for one in told for line in wrap(one, columns - 4)]
    for number, line in enumerate(lines[: max(rows - first - 3, 0)]):
        canvas.put(2, first + number, [Piece(line, "dim")])
    _draw_told(canvas, sight, interface, rows - 3, 2)
