"""The skin: puts a page on a terminal, and brings keys and clicks back to it."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final, Protocol

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    ConditionalContainer,
    Float,
    FloatContainer,
    FormattedTextControl,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.mouse_events import MouseButton, MouseEvent, MouseEventType
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import DynamicStyle, Style

from spades_client.ending import Terminated
from spades_client.screen.canvas import Click, Row, Size
from spades_client.screen.themes import THEMES
from spades_client.settings import Settings

ESCAPE_S: Final = 0.05
"""How long an Esc may be the beginning of another key."""

_KEYS: Final = {
    "left": "left",
    "right": "right",
    "up": "up",
    "down": "down",
    "home": "home",
    "end": "end",
    "pageup": "pageup",
    "pagedown": "pagedown",
    "tab": "tab",
    "s-tab": "s-tab",
    "enter": "enter",
    "escape": "escape",
    "f1": "f1",
    "c-d": "c-d",
    "backspace": "backspace",
}
"""The keys with names, as prompt-toolkit and as the pages call them."""


class Page(Protocol):
    """One thing that fills the screen."""

    settings: Settings
    changed: Callable[[], None]
    """Called by the page when it is to be drawn anew; the skin sets it."""

    @property
    def question(self) -> tuple[str, str] | None:
        """A line to be typed: its label and what stands there already; ``None`` for none."""
        ...

    def answered(self, text: str | None) -> None:
        """Takes the line that was typed; ``None`` if it was given up."""
        ...

    def draw(self, size: Size) -> list[Row]:
        """Draws the page."""
        ...

    def press(self, key: str) -> None:
        """Takes a key, by its name or as a character."""
        ...

    def click(self, click: Click) -> None:
        """Takes a click."""
        ...

    async def run(self) -> None:
        """Lives until there is nothing more to show."""
        ...


def theme_of(settings: Settings) -> str:
    """The theme, by name: without colours where nobody wants any."""
    return "no-colour" if os.environ.get("NO_COLOR") else settings.colours


def colour_depth(settings: Settings) -> ColorDepth | None:
    """How many colours to use: none where nobody wants any, else what the terminal has."""
    if theme_of(settings) == "no-colour":
        return ColorDepth.DEPTH_1_BIT
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT
    return None


class _Skin:
    """One page and the application that shows it."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._crashed = False
        self._line = Buffer(multiline=False, accept_handler=self._accept)
        self._asked: tuple[str, str] | None = None
        self._table = Window(
            FormattedTextControl(self._text, focusable=True, show_cursor=False),
            always_hide_cursor=True,
            style="class:table",
        )
        self._styles = {name: Style.from_dict(dict(theme)) for name, theme in THEMES.items()}
        self.app: Application[None] = Application(
            layout=Layout(self._layout(), focused_element=self._table),
            key_bindings=self._bindings(),
            style=DynamicStyle(lambda: self._styles[theme_of(page.settings)]),
            mouse_support=Condition(lambda: page.settings.mouse),
            color_depth=lambda: colour_depth(page.settings),
            full_screen=True,
        )
        self.app.ttimeoutlen = self.app.timeoutlen = ESCAPE_S
        page.changed = self._changed

    def _layout(self) -> FloatContainer:
        asking = Condition(lambda: self._asked is not None)
        label = BeforeInput(lambda: self._asked[0] if self._asked else "", style="class:prompt")
        line = Window(BufferControl(self._line, input_processors=[label]), style="class:panel")
        asked = ConditionalContainer(line, filter=asking)
        # Over the last line but one, so that nothing else moves.
        return FloatContainer(self._table, [Float(asked, left=0, right=0, bottom=1, height=1)])

    # Drawing.

    def _changed(self) -> None:
        question = self._page.question
        if question != self._asked:
            self._asked = question
            self._line.text = question[1] if question else ""
            self._line.cursor_position = len(self._line.text)
            self.app.layout.focus(self._line if question else self._table)
        self.app.invalidate()

    def _text(self) -> StyleAndTextTuples:
        if self._crashed:
            return []
        size = self.app.output.get_size()
        text: StyleAndTextTuples = []
        for number, row in enumerate(self._page.draw(Size(size.columns, size.rows))):
            if number:
                text.append(("", "\n"))
            for words, style, click in row:
                classes = " ".join(f"class:{name}" for name in style.split())
                if click is None:
                    text.append((classes, words))
                else:
                    text.append((classes, words, self._clicked(click)))
        return text

    def _clicked(self, click: Click) -> Callable[[MouseEvent], object]:
        def handler(event: MouseEvent) -> object:
            ours = event.event_type is MouseEventType.MOUSE_UP
            if ours and event.button in (MouseButton.LEFT, MouseButton.UNKNOWN):
                self._page.click(click)
                self._changed()
                return None
            return NotImplemented

        return handler

    # Keys.

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        asking = Condition(lambda: self._asked is not None)
        for theirs, ours in _KEYS.items():
            bindings.add(theirs, filter=~asking)(self._presses(ours))

        @bindings.add(Keys.Any, filter=~asking)
        def _typed(event: KeyPressEvent) -> None:
            key = "space" if event.data == " " else event.data
            if len(event.data) == 1 and event.data.isprintable():
                self._press(key)

        @bindings.add("c-c")
        @bindings.add("<sigint>")
        def _interrupted(_event: KeyPressEvent) -> None:
            self._press("c-c")

        @bindings.add("c-l")
        def _redrawn(event: KeyPressEvent) -> None:
            event.app.renderer.clear()

        @bindings.add("escape", filter=asking)
        @bindings.add("c-d", filter=asking)
        def _given_up(_event: KeyPressEvent) -> None:
            self._page.answered(None)
            self._changed()

        return bindings

    def _presses(self, key: str) -> Callable[[KeyPressEvent], None]:
        return lambda _event: self._press(key)

    def _press(self, key: str) -> None:
        self._page.press(key)
        self._changed()

    def _accept(self, buffer: Buffer) -> bool:
        text = buffer.text
        self._page.answered(text)
        self._changed()
        return False

    # Life.

    def end(self, error: BaseException | None = None) -> None:
        """Gives the terminal back, and then raises the error if there is one."""
        self._crashed = self._crashed or error is not None
        if not self.app.is_running or self.app.is_done:
            return
        if error is None:
            self.app.exit()
        else:
            self.app.exit(exception=error)

    def fail(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Ends the application on an error that nobody awaited."""
        error = context.get("exception")
        self.end(error if isinstance(error, Exception) else RuntimeError(context["message"]))


async def show(page: Page, source: Input | None = None, output: Output | None = None) -> None:
    """Shows a page until it has run to its end; whatever happens, the terminal is given back first.

    :raises Terminated: if a signal ends the program.
    """
    # A session of its own: several pages may be shown by one process, each on its own terminal.
    with create_app_session(input=source, output=output):
        await _show(page)


async def _show(page: Page) -> None:
    skin = _Skin(page)
    loop = asyncio.get_running_loop()
    running: list[asyncio.Task[None]] = []

    def begin() -> None:
        task = loop.create_task(page.run())
        running.append(task)
        task.add_done_callback(
            lambda done: skin.end(None if done.cancelled() else done.exception())
        )

    former = loop.get_exception_handler()
    loop.set_exception_handler(skin.fail)
    try:
        with _signals(loop, skin):
            await skin.app.run_async(
                pre_run=begin, set_exception_handler=False, handle_sigint=False
            )
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        # The terminal is gone, and nobody is there to be told.
        raise Terminated(signal.SIGTERM) from None
    finally:
        loop.set_exception_handler(former)
        for task in running:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                # Its error, if it had one, has ended the application and is raised from there.
                await task


@contextmanager
def _signals(loop: asyncio.AbstractEventLoop, skin: _Skin) -> Generator[None]:
    """Has the signals that end a program end it in order."""
    handled: list[int] = []
    for name in ("SIGTERM", "SIGHUP", "SIGINT"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, skin.end, Terminated(number))
        except (NotImplementedError, RuntimeError, ValueError):
            # Not on this system, or not in this thread.
            continue
        handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)
