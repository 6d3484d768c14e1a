"""A recorded match on the screen, step by step: as one seat saw it, or with all hands open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Final

import spades
from spades import SEATS, Event, Seat, TableError
from spades_agents import advise
from spades_client.adviser import Adviser, advised
from spades_client.hints import Hint, as_of, view_of_turn
from spades_client.phrases import printable
from spades_client.screen.bars import fitted
from spades_client.screen.canvas import (
    Click,
    Piece,
    Row,
    Size,
    in_ascii,
    pad,
)
from spades_client.screen.drawing import draw
from spades_client.screen.interface import Interface, Panel, Sight
from spades_client.screen.keymap import written
from spades_client.screen.looks import ASCII, Glyphs, Layout
from spades_client.screen.open_hands import draw_open, over
from spades_client.screen.panels import room_for, sheet_rows
from spades_client.screen.recorded import Replay, parse_jump
from spades_client.settings import Settings
from spades_proto.verification import Verified

KEYS: Final = (
    ("→ Space", "right", "step", "one event on"),
    ("←", "left", "back", "one event back"),
    ("T", "t", "trick", "to the end of the next trick"),
    ("R", "r", "", "to the end of the trick before"),
    ("N", "n", "next hand", "to the next deal"),
    ("B", "b", "", "to the deal before"),
    ("H", "h", "hint", "what sharp would do at this decision, and why; again: the next reason"),
    ("J", "j", "jump", "to a hand, or a trick of it, by number"),
    ("Home End", "home", "", "to the first deal, or the end of the match"),
    ("V", "v", "view", "the next seat's view, or all hands"),
    ("S", "s", "sheet", "the score sheet"),
    ("F", "f", "", "the next colours"),
    ("?", "?", "help", "these keys"),
    ("Q", "q", "leave", "leave"),
)
"""The keys: as written, the key that a click presses, the word on the bar, what it does."""


_JUMPS: Final[dict[str, tuple[type[object], int]]] = {
    "t": (spades.TrickWon, 1),
    "pagedown": (spades.TrickWon, 1),
    "r": (spades.TrickWon, -1),
    "pageup": (spades.TrickWon, -1),
    "n": (spades.HandDealt, 1),
    "b": (spades.HandDealt, -1),
}
"""The keys that go to the next event of a kind, or to the one before."""


class ReplayPage:
    """Keys that step through a record."""

    def __init__(
        self,
        verified: Verified,
        viewer: Seat | None,
        settings: Settings,
        glyphs: Callable[[Settings], Glyphs],
        hand: int = 0,
        adviser: Adviser = advise,
    ) -> None:
        self.settings = settings
        self.changed: Callable[[], None] = lambda: None
        self._verified = verified
        self._glyphs = glyphs
        self._replay = Replay(verified, viewer)
        self._first = self._replay.place(_is_deal, -1, 1) or 0
        """Before the first deal there is nothing to be seen."""
        self._at = self._first
        self._notice = ""
        self._sheet = self._help = False
        self._jumping = False
        self._adviser = adviser
        self._hint: tuple[tuple[Seat | None, int], Hint] | None = None
        """The last hint, and for which view of which event it was."""
        self._hint_wanted = asyncio.Event()
        self._done = asyncio.Event()
        if hand:
            self.answered(str(hand))

    @property
    def question(self) -> tuple[str, str] | None:
        """Where to jump."""
        return ("Hand, or hand.trick: ", "") if self._jumping else None

    def answered(self, text: str | None) -> None:
        """Jumps to a hand, or to a trick of it."""
        self._jumping = False
        if not text:
            return
        where = parse_jump(text)
        hand, trick = where or (0, 0)
        number = self._replay.place(
            lambda event: isinstance(event, spades.HandDealt) and event.number == hand, -1, 1
        )
        if number is not None and trick:
            number = self._replay.place(
                lambda event: isinstance(event, spades.TrickWon) and event.number == trick,
                number,
                1,
            )
        if where is None or number is None:
            self._notice = (
                f"{printable(text)!r} is not in this match: 3 is a hand, 3.7 a trick of it."
            )
            return
        self._at, self._notice = number, ""

    def draw(self, size: Size) -> list[Row]:
        """Draws the match after the current event."""
        step = self._replay.step(self._at)
        glyphs = self._glyphs(self.settings)
        full = isinstance(step.event, spades.TrickWon)
        told = (self._notice,) if self._notice else step.told[-1:]
        hint = None if self._notice else self._hint_here
        sight = Sight(
            step.state, holding=full, log=(self._where(), *told), replayed=True, hint=hint
        )
        if self._replay.viewer is None:
            rows = draw_open(sight, glyphs, size)
        else:
            rows = draw(sight, Interface(), self.settings, glyphs, size)
        if Layout.of(*size) is Layout.NONE:
            return rows
        room = room_for(size).columns
        if self._help:
            rows = over(rows, "Keys", _help_rows(glyphs), glyphs, size)
        elif self._sheet:
            rows = over(rows, Panel.SHEET.value, sheet_rows(sight, room), glyphs, size)
        rows = [*rows[:-1], bar(glyphs, size.columns)]
        return in_ascii(rows) if glyphs is ASCII else rows

    @property
    def _hint_here(self) -> Hint | None:
        if self._hint is None or self._hint[0] != self._place:
            return None
        return self._hint[1]

    @property
    def _place(self) -> tuple[Seat | None, int]:
        return self._replay.viewer, self._at

    def _where(self) -> str:
        viewer = self._replay.viewer
        who = "all hands open" if viewer is None else f"as {viewer} saw it"
        return f"Event {self._at + 1} of {len(self._replay)}, {who}."

    def press(self, key: str) -> None:
        """Steps, jumps, changes the view, leaves."""
        key = key.lower() if len(key) == 1 else key
        self._notice = ""
        if (self._sheet or self._help) and key != "c-c":
            # Any key puts away what lies over the table.
            self._sheet = self._help = False
            return
        if key in _JUMPS:
            self._go(*_JUMPS[key])
            return
        match key:
            case "right" | "space" | "enter" | "down":
                self._at = min(self._at + 1, len(self._replay) - 1)
            case "left" | "up" | "backspace":
                self._at = max(self._at - 1, self._first)
            case "home":
                self._at = self._first
            case "end":
                self._at = len(self._replay) - 1
            case "v":
                self._next_view()
            case "j" | ":":
                self._jumping = True
            case "h":
                self._want_hint()
            case "s":
                self._sheet = True
            case "?" | "f1":
                self._help = True
            case "f":
                self.settings = self.settings.changed("colours")
            case "q" | "escape" | "c-c" | "c-d":
                self._done.set()
            case _:
                self._notice = "The bar and ? show the keys."

    def click(self, click: Click) -> None:
        """A click presses a key of the bar."""
        if click.key:
            self.press(click.key)

    async def run(self) -> None:
        """Lives until it is left."""
        advising = asyncio.create_task(self._advise())
        try:
            await self._done.wait()
        finally:
            advising.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await advising

    def _want_hint(self) -> None:
        """Has the next reason shown, or has it thought about; or says why there is none."""
        hint = self._hint_here
        if hint is not None:
            self._hint = self._place, hint.after()
            return
        try:
            view_of_turn(self._replay.step(self._at).state)
        except TableError as error:
            self._notice = error.sentence
        else:
            self._hint_wanted.set()

    async def _advise(self) -> None:
        """Thinks, beside the loop, whenever a hint is wanted."""
        while True:
            await self._hint_wanted.wait()
            self._hint_wanted.clear()
            place = self._place
            try:
                view = view_of_turn(self._replay.step(self._at).state)
                self._hint = place, as_of(view.seat, await advised(view, self._adviser))
            except TableError as error:
                self._notice = error.sentence
            self.changed()

    def _go(self, kind: type[object], direction: int) -> None:
        number = self._replay.place(lambda event: isinstance(event, kind), self._at, direction)
        if number is None:
            self._notice = "There is none further on." if direction > 0 else "There is none before."
        else:
            self._at = number

    def _next_view(self) -> None:
        views: list[Seat | None] = [None, *SEATS]
        viewer = views[(views.index(self._replay.viewer) + 1) % len(views)]
        self._replay = Replay(self._verified, viewer)


def _is_deal(event: Event) -> bool:
    return isinstance(event, spades.HandDealt)


def bar(glyphs: Glyphs, columns: int) -> Row:
    """The keys of a replay."""
    items = [
        [
            Piece(f" {written(label, glyphs)} ", "key", Click(key=key)),
            Piece(f"{word} ", "bar", Click(key=key)),
        ]
        for label, key, word, _ in KEYS
        if word
    ]
    return fitted(items, columns)


def _help_rows(glyphs: Glyphs) -> list[Row]:
    return [
        (Piece(pad(written(label, glyphs), 13), "key"), Piece(does, "panel"))
        for label, _, _, does in KEYS
    ]
