"""The keys, in one table: what the bindings do, the help lists and the bar at the bottom shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from spades_client.screen.interface import Context
from spades_client.screen.looks import ASCII, Glyphs


class Intent(Enum):
    """What a key asks for."""

    LEFT = auto()
    RIGHT = auto()
    MORE = auto()
    LESS = auto()
    FIRST = auto()
    FINAL = auto()
    NEXT_SUIT = auto()
    FORMER_SUIT = auto()
    TAKE = auto()
    BACK = auto()
    BID = auto()
    DIGIT = auto()
    BLIND = auto()
    LOOK = auto()
    PASS = auto()
    NEXT = auto()
    START = auto()
    BOTS = auto()
    SHEET = auto()
    LAST_TRICK = auto()
    HINT = auto()
    UNDO = auto()
    SAY = auto()
    TABLE = auto()
    HELP = auto()
    MENU = auto()
    COMMAND = auto()
    MOUSE = auto()
    COLOURS = auto()
    QUIT = auto()
    CLOSE = auto()
    UP = auto()
    DOWN = auto()
    PAGE_UP = auto()
    PAGE_DOWN = auto()
    ENTER = auto()
    TOP = auto()
    BOTTOM = auto()
    LEAVE = auto()
    REDRAW = auto()


@dataclass(frozen=True, slots=True)
class Binding:
    """Some keys, where they work, and what they do."""

    keys: tuple[str, ...]
    """As the terminal skin names them; letters stand for both cases."""
    intent: Intent
    contexts: frozenset[Context]
    help: str
    bar: str = ""
    """The short words on the bar; empty: not on the bar."""
    bar_shown: str = ""
    """How the bar writes the keys, where that is not the keys themselves."""
    bar_key: str = ""
    """The key that a click on the bar presses, if not the first."""

    @property
    def label(self) -> str:
        """The keys as they are written."""
        if self.intent is Intent.DIGIT:
            return "0-9"
        return " ".join(_NAMES.get(key, key.upper()) for key in self.keys)


_NAMES: Final = {
    "left": "←", "right": "→", "up": "↑", "down": "↓", "home": "Home", "end": "End",
    "tab": "Tab", "s-tab": "Shift-Tab", "enter": "Enter", "space": "Space", "escape": "Esc",
    "pageup": "PgUp", "pagedown": "PgDn", "f1": "F1", "c-c": "Ctrl-C", "c-d": "Ctrl-D",
    "c-l": "Ctrl-L",
}  # fmt: skip

_IN_ASCII: Final = {"←": "left", "→": "right", "↑": "up", "↓": "down"}


def written(label: str, glyphs: Glyphs) -> str:
    """A label as a terminal can show it."""
    for arrow, word in _IN_ASCII.items() if glyphs is ASCII else ():
        label = label.replace(arrow, word)
    return label


_ALL: Final = frozenset(Context)
_TABLE: Final = _ALL - {Context.PANEL}
_MATCH: Final = _TABLE - {Context.WAITING}
_HAND: Final = frozenset((Context.PLAY, Context.PASS, Context.WATCH))
_BID: Final = frozenset((Context.BID,))
_PANEL: Final = frozenset((Context.PANEL,))
_CARD: Final = frozenset((Context.BETWEEN, Context.OVER))
"""Where the score card lies over the table by itself."""


def _in(*contexts: Context) -> frozenset[Context]:
    return frozenset(contexts)


BINDINGS: Final = (
    Binding(("up", "+", "=", "right"), Intent.MORE, _BID, "bid a trick more", "bid", "↑ ↓"),
    Binding(("down", "-", "_", "left"), Intent.LESS, _BID, "bid a trick less; below 1 is nil"),
    Binding(
        tuple("0123456789"), Intent.DIGIT, _BID, "set the bid; 0 is nil, 1 and 2 make 12",
        "set, 0 nil", "0-9",
    ),
    Binding(("b",), Intent.BID, _BID, "make the bid that is shown", "bid it"),
    Binding(
        ("left", "right", "up", "down"), Intent.MORE, _in(Context.BLIND),
        "choose between blind nil and looking", "choose", "← →",
    ),
    Binding(("z",), Intent.BLIND, _in(Context.BLIND), "choose blind nil"),
    Binding(("k",), Intent.LOOK, _in(Context.BLIND), "choose to look at the cards"),
    Binding(("enter",), Intent.TAKE, _in(Context.BLIND), "do what is chosen", "do it"),
    Binding(
        ("enter", "space", "up"), Intent.TAKE, _in(Context.PLAY),
        "pick a card, and again: play it", "play", "Enter",
    ),
    Binding(("down",), Intent.LESS, _in(Context.PLAY, Context.PASS), "lay down what is picked"),
    Binding(
        ("enter", "space", "up"), Intent.TAKE, _in(Context.PASS), "pick a card, or lay it down",
        "pick", "Enter",
    ),
    Binding(("p",), Intent.PASS, _in(Context.PASS), "pass the cards that are picked", "pass them"),
    Binding(("left",), Intent.LEFT, _HAND, "a card to the left", "move", "← →", bar_key="right"),
    Binding(("right",), Intent.RIGHT, _HAND, "a card to the right"),
    Binding(("home",), Intent.FIRST, _HAND, "the first card"),
    Binding(("end",), Intent.FINAL, _HAND, "the last card"),
    Binding(("tab",), Intent.NEXT_SUIT, _HAND, "the next suit", "suit"),
    Binding(("s-tab",), Intent.FORMER_SUIT, _HAND, "the suit before"),
    Binding(
        ("enter", "space"), Intent.TAKE, _in(Context.WATCH),
        "go on at once while a full trick is looked at",
    ),
    Binding(
        ("enter", "space", "b"), Intent.BACK, _in(Context.STAND_IN),
        "take your seat back from the bot", "take your seat back", "Enter",
    ),
    Binding(("n", "enter"), Intent.NEXT, _in(Context.BETWEEN), "the next hand", "next hand", "N"),
    Binding(("n",), Intent.START, _in(Context.OVER), "a rematch", "rematch"),
    Binding(
        ("s", "enter"), Intent.START, _in(Context.WAITING), "start the match (the host)", "start",
        "S",
    ),
    Binding(("b",), Intent.BOTS, _in(Context.WAITING), "seat house bots of a level (the host)", "bots"),
    Binding(("a",), Intent.SAY, _in(Context.BETWEEN, Context.OVER), "say something kind", "say"),
    Binding(("h",), Intent.HINT, _MATCH, "a hint, and why; again: the next reason", "hint"),
    Binding(("u",), Intent.UNDO, _MATCH - {Context.OVER}, "take your last card back", "undo"),
    Binding(("s",), Intent.SHEET, _MATCH, "the score sheet", "sheet"),
    Binding(("l",), Intent.LAST_TRICK, _MATCH, "the last trick, and the ones before", "last"),
    Binding(("up",), Intent.UP, _CARD, "up the score card"),
    Binding(("down",), Intent.DOWN, _CARD, "down the score card"),
    Binding(("i",), Intent.TABLE, _TABLE, "who sits where, and the rules of the table"),
    Binding((":",), Intent.COMMAND, _TABLE, "type a word of the line client, as in QS or bid 4"),
    Binding(("f",), Intent.COLOURS, _ALL, "the next colours"),
    Binding(("m",), Intent.MOUSE, _ALL, "mouse on or off"),
    Binding(("q", "c-d"), Intent.QUIT, _TABLE, "leave; it asks once"),
    Binding(("c-c",), Intent.LEAVE, _ALL, "leave at once"),
    Binding(("c-l",), Intent.REDRAW, _ALL, "draw the screen anew"),
    Binding(("?", "f1"), Intent.HELP, _TABLE, "these keys, and the game in short", "help", "?"),
    Binding(("escape",), Intent.MENU, _TABLE, "the menu", "menu"),
    Binding(("up", "left"), Intent.UP, _PANEL, "up, or an earlier trick"),
    Binding(("down", "right", "l"), Intent.DOWN, _PANEL, "down, or a later trick", "move", "↑ ↓"),
    Binding(("pageup",), Intent.PAGE_UP, _PANEL, "a page up"),
    Binding(("pagedown",), Intent.PAGE_DOWN, _PANEL, "a page down"),
    Binding(("home",), Intent.TOP, _PANEL, "to the top"),
    Binding(("end",), Intent.BOTTOM, _PANEL, "to the end"),
    Binding(("enter", "space", "c-d"), Intent.ENTER, _PANEL, "take what is chosen", "take", "Enter"),
    Binding(("escape", "q"), Intent.CLOSE, _PANEL, "back to the table", "close", "Esc"),
)  # fmt: skip


def intent_of(key: str, context: Context) -> Intent | None:
    """What a key asks for, or ``None`` where it does nothing."""
    key = key.lower() if len(key) == 1 else key
    for binding in BINDINGS:
        if context in binding.contexts and key in binding.keys:
            return binding.intent
    return None


def bar(context: Context) -> Iterable[Binding]:
    """What the bar shows in a context."""
    return (one for one in BINDINGS if one.bar and context in one.contexts)


def help_rows() -> Iterable[tuple[str, str, str]]:
    """Every binding: where it works, its keys, what it does."""
    for binding in BINDINGS:
        where = "anywhere"
        if binding.contexts == _TABLE:
            where = "at the table"
        elif binding.contexts != _ALL:
            named = [context.value for context in Context if context in binding.contexts]
            where = "in a match" if len(named) > 3 else ", ".join(named)
        yield where, binding.label, binding.help
