"""The start screen: what one can do here, chosen from a list."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from spades import PRESETS, SpadesError
from spades_agents import HOUSE_BOTS
from spades_client.answers import GAME, option_sentences, option_words
from spades_client.discovery import Found, find_servers
from spades_client.levels import format_levels
from spades_client.phrases import printable
from spades_client.recent import RecentTable
from spades_client.screen.canvas import (
    Canvas,
    Click,
    Piece,
    Row,
    Size,
    in_ascii,
    literal,
    pad,
    wrap,
)
from spades_client.screen.drawing import draw_too_small
from spades_client.screen.interface import Interface
from spades_client.screen.looks import ASCII, Glyphs, Layout
from spades_client.screen.panels import draw_panel, room_for, scrolled
from spades_client.screen.start_list import (
    QUESTIONS,
    SEAT_LEVELS,
    Do,
    Line,
    levels_of,
    setting_lines,
    start_lines,
)
from spades_client.screen.wishes import GoTo, OpenRecord, OwnTable, PlayBots, Wish
from spades_client.settings import Settings, value_after
from spades_proto.channel import DEFAULT_PORT
from spades_proto.link import parse_link
from spades_proto.tempo import TEMPOS


class StartPage:
    """What one can do here; :attr:`wish` is what was chosen when the page ends."""

    def __init__(
        self,
        settings: Settings,
        glyphs: Callable[[Settings], Glyphs],
        keep: Callable[[Settings], str],
        recent: Sequence[RecentTable],
        notice: str = "",
        row: int = 0,
        find: Callable[[], Awaitable[Sequence[Found]]] = find_servers,
    ) -> None:
        self.settings = settings
        self.changed: Callable[[], None] = lambda: None
        self.wish: Wish | None = None
        self._glyphs = glyphs
        self._keep = keep
        self._recent = list(recent)
        self._notice = notice
        self.row = row
        """The line that the cursor is on."""
        self._in_settings = False
        self._reading: int | None = None
        """Where the rules are scrolled to, while they are read."""
        self._asking: Do | None = None
        self._find = find
        self._found: Sequence[Found] = ()
        self._looking = asyncio.Event()
        self._done = asyncio.Event()

    # What stands there.

    def lines(self) -> list[Line]:
        """The lines, in order."""
        if self._in_settings:
            return setting_lines(self.settings)
        return start_lines(self.settings, self._recent, self._found)

    def draw(self, size: Size) -> list[Row]:
        """Draws the list, or the rules."""
        canvas, glyphs = Canvas(size), self._glyphs(self.settings)
        if Layout.of(*size) is Layout.NONE:
            draw_too_small(canvas)
            return canvas.rows()
        signs = " ".join(glyphs.suits.values())
        canvas.put(0, 0, [Piece(pad(f" {signs}  Spades", size.columns), "header")])
        listed = self.lines()
        room = size.rows - 4
        first = max(min(self.row - room + 1, len(listed) - room), 0)
        for number, line in enumerate(listed[first : first + room], first):
            chosen = number == self.row
            mark = glyphs.turn if chosen else " "
            text = pad(f" {mark} {literal(line.text)}", min(size.columns - 2, 60))
            style = "chosen" if chosen else "plate"
            canvas.put(1, 2 + number - first, [Piece(text, style, Click(key=f"choose-{number}"))])
        about = listed[self.row].about if self.row < len(listed) else ""
        told = wrap(literal(self._notice or about), size.columns - 2)[:2]
        for number, text in enumerate(told):
            canvas.put(1, size.rows - 1 - len(told) + number, [Piece(text, "notice")])
        keys = [
            Piece(" ↑ ↓ ", "key"),
            Piece("choose ", "bar"),
            Piece(" Enter ", "key", Click(key="enter")),
        ]
        keys += [Piece("take ", "bar"), Piece(" Q ", "key", Click(key="q")), Piece("quit ", "bar")]
        if glyphs.name == "ascii":
            keys[0] = Piece(" up down ", "key")
        canvas.put(0, size.rows - 1, [Piece(" " * size.columns, "bar")])
        canvas.put(0, size.rows - 1, keys)
        if self._reading is not None:
            self._draw_rules(canvas, glyphs, self._reading)
        return in_ascii(canvas.rows()) if glyphs is ASCII else canvas.rows()

    def _draw_rules(self, canvas: Canvas, glyphs: Glyphs, row: int) -> None:
        room = room_for(canvas.size)
        rows: list[Row] = [
            (Piece(line, "panel"),) for text in self._rules() for line in wrap(text, room.columns)
        ]
        self._reading = row = min(row, max(len(rows) - room.rows, 0))
        first, shown = scrolled(rows, Interface(row=row), room, chosen=False)
        draw_panel(canvas, "Rules", rows, first, shown, glyphs)

    def _rules(self) -> list[str]:
        rules = PRESETS.get(self.settings.rules, PRESETS["classic"])
        title = f"The rules {self.settings.rules}: {option_words(rules)}."
        return [*GAME, *option_sentences(rules), title]

    # What is pressed.

    @property
    def question(self) -> tuple[str, str] | None:
        """The line that is typed for what was chosen."""
        if self._asking is None:
            return None
        server = self.settings.server or f"127.0.0.1:{DEFAULT_PORT}"
        there = {Do.NAME: self.settings.name, Do.REPLAY: ""}.get(self._asking, server)
        return QUESTIONS[self._asking], there

    def answered(self, text: str | None) -> None:
        """Takes what was typed."""
        asking, self._asking = self._asking, None
        if asking is None or text is None:
            return
        text = text.encode(errors="replace").decode()
        words = text.split()
        if asking is Do.NAME:
            self._change(replace(self.settings, name=text.strip()))
        elif not words:
            self._notice = "Nothing was typed."
        elif asking is Do.REPLAY:
            self._open(text.strip())
        else:
            self._go(asking, words)

    def _open(self, text: str) -> None:
        try:
            # An absolute path, so that a dash is a file as well.
            self._end(OpenRecord(Path(text).expanduser().absolute()))
        except (RuntimeError, ValueError, OSError) as error:
            self._notice = printable(f"{text} is no file: {error}")

    def _go(self, asking: Do, words: list[str]) -> None:
        try:
            link = parse_link(words[0])
        except SpadesError as error:
            self._notice = printable(error.sentence)
            return
        server = str(link.to_table("")) if link.fingerprint else link.target
        self._change(replace(self.settings, server=server))
        code = words[1].upper() if len(words) > 1 else link.code
        new, watch = asking is Do.OPEN, asking is Do.WATCH
        self._end(GoTo(server, code, new=new, watch=watch, own=self._own_table()))

    def press(self, key: str) -> None:
        """Moves, takes, leaves."""
        key = key.lower() if len(key) == 1 else key
        self._notice = ""
        if self._reading is not None:
            step = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}.get(key)
            self._reading = None if step is None else max(self._reading + step, 0)
            return
        last = len(self.lines()) - 1
        match key:
            case "up" | "s-tab":
                self.row = max(self.row - 1, 0)
            case "down" | "tab":
                self.row = min(self.row + 1, last)
            case "home" | "pageup":
                self.row = 0
            case "end" | "pagedown":
                self.row = last
            case "enter" | "space" | "right":
                self._take(self.lines()[self.row])
            case "f":
                self._change(self.settings.changed("colours"))
            case "m":
                self._change(self.settings.changed("mouse"))
            case "escape" if self._in_settings:
                self._in_settings, self.row = False, 0
            case "q" | "c-c" | "c-d":
                self._done.set()
            case _:
                self._notice = "The arrows choose, Enter takes, Q quits."

    def click(self, click: Click) -> None:
        """A click takes a line, or presses a key of the bar."""
        if click.key.startswith("choose-"):
            self.row = int(click.key.removeprefix("choose-"))
            self.press("enter")
        elif click.key:
            self.press(click.key)

    def _take(self, line: Line) -> None:
        match line.does:
            case Do.DEAL:
                self._end(
                    PlayBots(self.settings.rules, levels_of(self.settings), self._own_table())
                )
            case Do.RULES_NEXT:
                self._change(
                    replace(self.settings, rules=value_after(list(PRESETS), self.settings.rules))
                )
            case Do.LEVEL_NEXT:
                self._set_levels([value_after(list(HOUSE_BOTS), levels_of(self.settings)[0])] * 3)
            case Do.LEFT_NEXT | Do.PARTNER_NEXT | Do.RIGHT_NEXT:
                levels, place = list(levels_of(self.settings)), SEAT_LEVELS.index(line.does)
                levels[place] = value_after(list(HOUSE_BOTS), levels[place])
                self._set_levels(levels)
            case Do.READ:
                self._reading = 0
            case Do.FIND:
                self._notice = "Looking for servers..."
                self._looking.set()
            case Do.SETTINGS | Do.BACK:
                self._in_settings, self.row = line.does is Do.SETTINGS, 0
            case Do.QUIT:
                self._done.set()
            case RecentTable():
                one = line.does
                self._end(GoTo(one.server, one.code, watch=one.watched, name=one.name))
            case Found():
                self._end(GoTo(line.does.link.target, own=self._own_table()))
            case str():
                self._change(self.settings.changed(line.does))
            case _:
                self._asking = line.does

    def _set_levels(self, levels: Sequence[str]) -> None:
        self._change(replace(self.settings, level=format_levels(levels)))

    def _own_table(self) -> OwnTable:
        return OwnTable(TEMPOS[self.settings.tempo], self.settings.hints)

    def _change(self, settings: Settings) -> None:
        self.settings = settings
        self._notice = self._keep(settings)

    def _end(self, wish: Wish) -> None:
        self.wish = wish
        self._done.set()

    async def run(self) -> None:
        """Lives until something was chosen."""
        looking = asyncio.create_task(self._look_around())
        try:
            await self._done.wait()
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking

    async def _look_around(self) -> None:
        """Looks for servers whenever that is asked for."""
        while True:
            await self._looking.wait()
            self._found = [one for one in await self._find() if one.fits]
            self._looking.clear()
            count = len(self._found)
            self._notice = (
                "No server is announced on this network: join by a link or an address."
                if not count
                else f"{count} server{'s' if count > 1 else ''} found."
            )
            if count:
                lines = enumerate(self.lines())
                places = (number for number, one in lines if isinstance(one.does, Found))
                self.row = next(places, self.row)
            self.changed()
