"""The bar of keys at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from spades import UndoRule
from spades_client.screen.canvas import Click, Piece, Row, row_width
from spades_client.screen.interface import Context, Interface, Panel, Sight, context_of
from spades_client.screen.keymap import Binding, Intent, bar, written
from spades_client.screen.looks import Glyphs
from spades_proto.table import OccupantKind

_DECIDING = frozenset((Context.BLIND, Context.BID, Context.PASS, Context.PLAY))
"""Where a hint can be had."""
_HOST: frozenset[Intent] = frozenset((Intent.START, Intent.BOTS))
_SEATED: frozenset[Intent] = frozenset(
    (Intent.LEFT, Intent.NEXT_SUIT, Intent.UNDO, Intent.NEXT, Intent.SAY, Intent.START, Intent.BOTS)
)
_TELLING = frozenset(
    (Panel.HELP, Panel.RULES, Panel.TABLE, Panel.SHEET, Panel.ANSWER, Panel.LAST_TRICK)
)
"""The panels in which nothing can be chosen."""


def key_bar(sight: Sight, interface: Interface, glyphs: Glyphs, columns: int) -> Row:
    """The keys that do something now; a click presses them. Help and menu are the last to go."""
    context = context_of(sight, interface)
    shown = [one for one in bar(context) if _works(one, context, sight, interface)]
    return fitted([_item(one, glyphs) for one in shown], columns)


def fitted(items: Sequence[Sequence[Piece]], columns: int) -> Row:
    """Items side by side; where there is no room the ones before the last two go first."""
    kept = list(items)
    while len(kept) > 1 and sum(map(row_width, kept)) > columns:
        del kept[-3 if len(kept) > 2 else -1]
    pieces = [piece for item in kept for piece in item]
    return (*pieces, Piece(" " * (columns - row_width(pieces)), "bar"))


def _item(binding: Binding, glyphs: Glyphs) -> list[Piece]:
    click = Click(key=binding.bar_key or binding.keys[0])
    label = written(binding.bar_shown or binding.label, glyphs)
    return [Piece(f" {label} ", "key", click), Piece(f"{binding.bar} ", "bar", click)]


def _works(binding: Binding, context: Context, sight: Sight, interface: Interface) -> bool:
    """Whether a key is worth showing to this viewer."""
    intent = binding.intent
    if context is Context.PANEL:
        return intent is not Intent.ENTER or interface.panel not in _TELLING
    if sight.state.seat is None and intent in _SEATED:
        return False
    if intent in _HOST:
        return sight.is_host
    if intent is Intent.HINT:
        table = sight.state.table
        return context in _DECIDING and table is not None and table.opened.hints
    return intent is not Intent.UNDO or _may_undo(sight)


def _may_undo(sight: Sight) -> bool:
    """Whether the last card is the viewer's own, at a table where it may be taken back (rules.md 5.5)."""
    table, seat = sight.state.table, sight.state.seat
    match = table.match if table else None
    if table is None or match is None or match.last_played is not seat:
        return False
    if match.rules.undo is UndoRule.SOLO:
        kinds = [status.occupant.kind for status in table.seats if status.occupant]
        return kinds.count(OccupantKind.HOUSE_BOT) == len(kinds) - 1
    return match.rules.undo is UndoRule.ON
