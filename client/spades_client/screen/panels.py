"""What lies over the table: score card and sheet, earlier tricks, help, menus and questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spades import Bid, HandScored, Seat, Side, Standing
from spades_client.answers import GAME, option_sentences, rules_lines
from spades_client.narrate import outcome_sentence, table_sentences, tempo_sentence, who_sits
from spades_client.phrases import (
    bag_words,
    bid_words,
    part_words,
    partners,
    people,
    side_name,
    sides,
)
from spades_client.screen.canvas import (
    Canvas,
    Click,
    Piece,
    Row,
    Size,
    literal,
    pad,
    row_width,
    wrap,
)
from spades_client.screen.cards import suit_style
from spades_client.screen.choices import Choice, choices
from spades_client.screen.interface import Interface, Panel, Sight
from spades_client.screen.keymap import help_rows, written
from spades_client.screen.looks import Glyphs
from spades_client.screen.plates import BAGS_TO_WATCH
from spades_client.settings import Settings
from spades_proto.table import TableState

MARGIN: Final = 4
"""The cells that a panel's frame takes of each line."""


def panel_rows(
    panel: Panel,
    sight: Sight,
    interface: Interface,
    settings: Settings,
    glyphs: Glyphs,
    columns: int,
) -> list[Row]:
    """The lines of a panel, no longer than ``columns`` where they can be wrapped."""
    listed = choices(panel, sight, settings)
    if listed:
        return _choices(listed, min(interface.row, len(listed) - 1), glyphs, columns)
    match panel:
        case Panel.HELP:
            return _help(glyphs, columns)
        case Panel.ANSWER:
            return _wrapped(interface.answer, columns)
        case Panel.SHEET:
            return sheet_rows(sight, columns)
        case Panel.LAST_TRICK:
            return _tricks(sight, interface, glyphs)
        case Panel.SCORE_CARD:
            return score_card_rows(sight, columns)
        case _:
            table = sight.state.table
            if table is None:
                return _wrapped(["Nothing is known of the table yet."], columns)
            if panel is Panel.RULES:
                return _wrapped(rules_lines(table), columns)
            told = [f"Table {table.opened.code} of {table.opened.host}."]
            told += [who_sits(table, sight.state.seat), *table_sentences(table.opened)]
            told += [tempo_sentence(table.opened), *option_sentences(table.rules)]
            return _wrapped(told, columns)


def _choices(listed: Sequence[Choice], chosen: int, glyphs: Glyphs, columns: int) -> list[Row]:
    rows: list[Row] = [
        (
            Piece(
                f" {glyphs.turn if number == chosen else ' '} {choice.text} ",
                "chosen" if number == chosen else "panel",
                Click(key=f"choose-{number}"),
            ),
        )
        for number, choice in enumerate(listed)
    ]
    about = _wrapped([listed[chosen].about], columns) if listed[chosen].about else []
    return [*rows, *([()] if about else []), *about]


def _wrapped(sentences: Sequence[str], columns: int) -> list[Row]:
    lines = [line for sentence in sentences for line in wrap(literal(sentence), columns) or [""]]
    return [(Piece(line, "panel"),) for line in lines]


def _help(glyphs: Glyphs, columns: int) -> list[Row]:
    rows: list[Row] = []
    former = ""
    for where, keys, does in help_rows():
        if where != former:
            rows.append((Piece(where[0].upper() + where[1:], "title"),))
            former = where
        label = pad(written(keys, glyphs), 13)
        room = max(columns - 15, 10)
        first, *more = wrap(does, room)
        rows.append((Piece(f"  {label}", "key"), Piece(first, "panel")))
        rows += [(Piece(" " * 15 + line, "panel"),) for line in more]
    rows.append((Piece("Typed words", "title"),))
    rows += _wrapped(
        ["After a colon every word of the line client works; :help lists them."], columns
    )
    rows.append((Piece("The game", "title"),))
    return rows + _wrapped(GAME, columns)


# Scores.


def score_card_rows(sight: Sight, columns: int) -> list[Row]:
    """The score of the hand that has just ended, part by part, beside the new totals."""
    table = sight.state.table
    match = table.match if table else None
    if table is None or match is None:
        return [(Piece("No hand has been scored yet.", "panel"),)]
    viewer = sight.state.seat
    rows: list[Row] = []
    if match.outcome is not None:
        told = literal(outcome_sentence(match.outcome, table, viewer))
        rows += [*((Piece(line, "title"),) for line in wrap(told, columns)), ()]
    if not match.sheet:
        return [*rows, (Piece("No hand was played to its end.", "panel"),)]
    for side in sides(viewer):
        rows += _side_rows(match.sheet[-1], side, table, viewer, min(columns, 44))
    return rows[:-1]


def _side_rows(
    scored: HandScored, side: Side, table: TableState, viewer: Seat | None, columns: int
) -> list[Row]:
    score = scored.scores[side]
    seats = partners(side, viewer)
    bids = " and ".join(bid_words(scored.bids[seat]) for seat in seats)
    taken = " and ".join(str(scored.taken[seat]) for seat in seats)
    watch = score.after.bags >= BAGS_TO_WATCH
    total, bags = f"{score.after.total:>6}", f"  {bag_words(score.after.bags)}"
    room = columns - 17
    rows: list[Row] = [
        (
            Piece(pad(literal(side_name(table, side, viewer)), room), "title"),
            Piece(total, "panel score"),
            Piece(bags, "panel warn" if watch else "panel"),
        ),
        (Piece(f"  bid {bids}, took {taken}", "panel"),),
    ]
    for part in score.parts:
        name, _, points = part_words(part, table, viewer).rpartition(" ")
        style = "panel bad" if part.points < 0 else "panel good"
        rows.append((Piece(pad(f"  {literal(name)}", room), "panel"), Piece(f"{points:>6}", style)))
    rows += [(Piece(f"{pad('  this hand', room)}{score.change:>+6}", "panel"),), ()]
    return rows


def sheet_rows(sight: Sight, columns: int) -> list[Row]:
    """Every hand of the match: bids, tricks, the change and the totals of both sides."""
    table = sight.state.table
    match = table.match if table else None
    if table is None or match is None or not match.sheet:
        return [(Piece("No hand has been scored yet.", "panel"),)]
    viewer = sight.state.seat
    wide = max((columns - 5) // 2, 15)
    both = sides(viewer)
    rows: list[Row] = [
        (
            Piece("Hand ", "title"),
            *(Piece(pad(literal(side_name(table, side, viewer)), wide), "title") for side in both),
        )
    ]
    for scored in match.sheet:
        cells = [_sheet_cell(scored, side, wide) for side in both]
        rows.append(
            (Piece(f"{scored.number:>3}  ", "panel"), *(Piece(one, "panel") for one in cells))
        )
    totals = [_sheet_total(match.standings[side], wide) for side in both]
    rows.append(
        (Piece("now  ", "panel score"), *(Piece(pad(one, wide), "panel score") for one in totals))
    )
    rows.append((Piece("bid/took, change, total and bags of each hand", "panel"),))
    return rows


def _sheet_cell(scored: HandScored, side: Side, wide: int) -> str:
    score = scored.scores[side]
    contract = "+".join("nil" if bid.is_nil else str(bid.tricks) for bid in _bids(scored, side))
    took = sum(scored.taken[seat] for seat in side.seats)
    text = f"{contract}/{took} {score.change:+d}"
    after = f" ={score.after.total} {bag_words(score.after.bags)}"
    return pad(pad(text, 12) + after if wide >= 26 else f"{text} ={score.after.total}", wide)


def _sheet_total(standing: Standing, wide: int) -> str:
    """The totals as they stand, below those of the hands."""
    now = f" ={standing.total} {bag_words(standing.bags)}"
    return pad("", 12) + now if wide >= 26 else now


def _bids(scored: HandScored, side: Side) -> list[Bid]:
    return [scored.bids[seat] for seat in side.seats]


# Tricks.


def _tricks(sight: Sight, interface: Interface, glyphs: Glyphs) -> list[Row]:
    table = sight.state.table
    match = table.match if table else None
    if table is None or match is None or not match.tricks:
        return [(Piece("No trick of this hand is gathered yet.", "panel"),)]
    back = min(interface.row, len(match.tricks) - 1)
    number = len(match.tricks) - back
    trick = match.tricks[number - 1]
    rows: list[Row] = [(Piece(f"Trick {number} of {len(match.tricks)}", "title"),), ()]
    for seat, card in zip(trick.leader.clockwise(), trick.cards, strict=True):
        won = "  won it" if seat is trick.winner else ""
        rows.append(
            (
                Piece(pad(literal(people(table, seat, sight.state.seat)), 22), "panel"),
                Piece(pad(f" {glyphs.card(card)}", 5), f"card {suit_style(card)}"),
                Piece(won, "panel good"),
            )
        )
    back_, on = written("←", glyphs), written("→", glyphs)
    rows += [(), (Piece(f"{back_} earlier   {on} later", "panel"),)]
    return rows


# Drawing.


def room_for(size: Size) -> Size:
    """The cells that a panel has for its lines."""
    return Size(min(size.columns - MARGIN, 76), max(size.rows - 4, 1))


def scrolled(rows: list[Row], interface: Interface, room: Size, *, chosen: bool) -> tuple[int, int]:
    """The first line that is shown, and how many are."""
    shown = min(len(rows), room.rows)
    if chosen:
        return max(min(interface.row - shown + 1, len(rows) - shown), 0), shown
    return min(interface.row, len(rows) - shown), shown


def draw_panel(
    canvas: Canvas, title: str, rows: list[Row], first: int, shown: int, glyphs: Glyphs
) -> None:
    """Draws a frame in the middle of the window with a part of the lines."""
    a, b, c, d, dash, bar = glyphs.frame
    room = room_for(canvas.size)
    inner = min(max([len(title) + 4, 24, *(row_width(row) for row in rows)]), room.columns)
    left = (canvas.size.columns - inner - MARGIN) // 2
    top = max((canvas.size.rows - 1 - shown - 2) // 2, 0)
    for line in range(top, top + shown + 2):
        # What lies beneath would only look torn.
        canvas.put(0, line, [Piece(" " * canvas.size.columns)])
    head = f"{dash} {title} "
    more = "" if first + shown >= len(rows) else f" {written('↓', glyphs)} more "
    canvas.put(left, top, [Piece(a + pad_line(head, inner + 2, dash) + b, "title")])
    for number, row in enumerate(rows[first : first + shown], 1):
        canvas.put(left, top + number, [Piece(bar + " " * (inner + 2) + bar, "panel")])
        canvas.put(left + 2, top + number, _cut(row, inner))
    foot = pad_line(dash * max(inner + 2 - len(more) - 1, 0) + more, inner + 2, dash)
    canvas.put(left, top + shown + 1, [Piece(d + foot + c, "panel")])


def _cut(row: Row, cells: int) -> list[Piece]:
    kept: list[Piece] = []
    for piece in row:
        text = pad(piece.text, min(row_width([piece]), cells))
        kept.append(piece._replace(text=text, style=piece.style or "panel"))
        cells -= row_width([piece])
        if cells <= 0:
            break
    return kept


def pad_line(text: str, cells: int, dash: str) -> str:
    """Fills a line of a frame."""
    return text[:cells] + dash * (cells - len(text))
