"""What the tests of the full screen share: states of whole matches, a stage in process whose screen can be
read, and real terminals.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import shlex
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import pexpect
import pyte
import pytest
from prompt_toolkit.data_structures import Size as TerminalSize
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from spades import Seat
from spades_client.asks import ask_of
from spades_client.screen.interface import Sight
from spades_client.screen.terminal import Page, show
from spades_client.state import ClientState, reduce
from spades_proto.frames import Frame

GUARD_S = float(os.environ.get("GUARD", "60"))
"""After how long a test that waits in vain fails; nothing is ever measured against it."""


class Snapshots(Protocol):
    """The part of a step of an evening that is used here."""

    def snapshot(self, viewer: Seat | None) -> Frame: ...


def sight_of(step: Snapshots, viewer: Seat | None, **more: Any) -> Sight:
    """What a viewer knows after a step."""
    state = reduce(ClientState(viewer), step.snapshot(viewer))
    return Sight(state, ask_of(state), **more)


@pytest.fixture(scope="session")
def look() -> Callable[..., Sight]:
    """Makes what a viewer knows after a step of an evening."""
    return sight_of


def _shows(seen: str | Callable[[str], bool]) -> Callable[[str], bool]:
    def holds(text: str) -> bool:
        return seen in text if isinstance(seen, str) else seen(text)

    return holds


# A stage in process


@dataclass
class Stage:
    """A page on a terminal that is a pyte screen, with keys that come from a pipe."""

    keys: PipeInput
    columns: int = 80
    rows: int = 24
    written: io.StringIO = field(default_factory=io.StringIO)
    showing: asyncio.Task[None] | None = None
    _fed: int = 0

    def __post_init__(self) -> None:
        self.screen = pyte.Screen(self.columns, self.rows)
        self._stream = pyte.Stream(self.screen)

    def size(self) -> TerminalSize:
        return TerminalSize(self.rows, self.columns)

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.screen.resize(rows, columns)

    def press(self, text: str) -> None:
        self.keys.send_text(text)

    @property
    def lines(self) -> list[str]:
        """The screen as it is now."""
        text = self.written.getvalue()
        fresh, self._fed = text[self._fed :], len(text)
        self._stream.feed(fresh)
        return list(self.screen.display)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    async def until(self, seen: str | Callable[[str], bool]) -> str:
        """Waits until the screen shows something."""
        wanted = _shows(seen)
        try:
            async with asyncio.timeout(GUARD_S):
                while not wanted(text := self.text):
                    if self.showing is not None and self.showing.done():
                        self.showing.result()
                        raise AssertionError(f"It ended before {seen!r}:\n{text}")
                    await asyncio.sleep(0.01)
        except TimeoutError:
            raise AssertionError(f"{seen!r} was never shown:\n{self.text}") from None
        return text

    async def click(self, words: str) -> None:
        """Presses and lets go the left button on the first place that shows some words."""
        await self.until(words)
        row, line = next((row, line) for row, line in enumerate(self.lines) if words in line)
        column = line.index(words)
        self.press(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")


class OpenStage(Protocol):
    def __call__(self, page: Page, columns: int = 80, rows: int = 24) -> Any: ...


@pytest.fixture
def on_stage() -> OpenStage:
    """Shows a page; the block ends when the page has."""

    @asynccontextmanager
    async def opened(
        page: Page,
        columns: int = 80,
        rows: int = 24,
        depth: ColorDepth = ColorDepth.DEPTH_24_BIT,
    ) -> AsyncGenerator[Stage]:
        with create_pipe_input() as keys:
            stage = Stage(keys, columns, rows)
            output = Vt100_Output(
                cast("Any", stage.written), stage.size, term="xterm-256color",
                default_color_depth=depth,
            )  # fmt: skip
            showing = stage.showing = asyncio.create_task(show(page, keys, output))
            try:
                yield stage
                await asyncio.wait_for(showing, GUARD_S)
            finally:
                showing.cancel()
                await asyncio.gather(showing, return_exceptions=True)

    return opened


# Real terminals


@dataclass
class Terminal:
    """The command `spades` on a pty of its own, with what it shows."""

    child: Any
    screen: pyte.Screen
    raw: str = ""

    def __post_init__(self) -> None:
        self._stream = pyte.Stream(self.screen)

    def take(self, wait: float = 0.05) -> bool:
        """Takes in what has been written; says whether there was something."""
        try:
            text = self.child.read_nonblocking(65_536, timeout=wait)
        except pexpect.TIMEOUT:
            return False
        self.raw += text
        # pyte knows no private sequences with a > or a space in them.
        self._stream.feed(re.sub(r"\x1b\[[>?]?[0-9;]* ?q|\x1b\[>[0-9;]*[a-z]", "", text))
        return True

    @property
    def text(self) -> str:
        return "\n".join(self.screen.display)

    def until(self, seen: str | Callable[[str], bool]) -> str:
        """Waits until the screen shows something, and nothing more is being drawn."""
        wanted = _shows(seen)
        end = time.monotonic() + GUARD_S
        while True:
            try:
                fresh = self.take()
            except pexpect.EOF:
                raise AssertionError(f"It ended before {seen!r}:\n{self.text}") from None
            if not fresh and wanted(self.text):
                return self.text
            if time.monotonic() > end:
                raise AssertionError(f"{seen!r} was never shown:\n{self.text}")

    def press(self, keys: str) -> None:
        self.child.send(keys)

    def click(self, words: str) -> None:
        """Clicks on the first place that shows some words."""
        self.until(words)
        rows = self.screen.display
        row, line = next((row, line) for row, line in enumerate(rows) if words in line)
        where = f"{line.index(words) + 1};{row + 1}"
        self.press(f"\x1b[<0;{where}M\x1b[<0;{where}m")

    def resize(self, columns: int, rows: int) -> None:
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def ended(self) -> int:
        """Waits for the end; the exit status, or minus the signal that ended it."""
        end = time.monotonic() + GUARD_S
        while True:
            try:
                self.take()
            except pexpect.EOF:
                break
            assert time.monotonic() < end, f"it did not end:\n{self.text}"
        self.child.wait()
        status = self.child.exitstatus
        return -int(self.child.signalstatus or 0) if status is None else int(status)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Starts `spades` on a terminal of its own, with settings and identities of its own."""
    children: list[Any] = []

    def start(
        *arguments: str, columns: int = 80, rows: int = 24, shell: str = "", **environ: str
    ) -> Terminal:
        settings = tmp_path / "settings.toml"
        if not settings.exists():
            settings.write_text("pause_ms = 0\n")
        command = [str(Path(sys.executable).with_name("spades")), *arguments]
        if shell:
            command = ["sh", "-c", shell.format(spades=shlex.join(command))]
        child: pexpect.spawn[str] = pexpect.spawn(
            command[0],
            command[1:],
            env={
                **{key: value for key, value in os.environ.items() if key != "NO_COLOR"},
                "TERM": "xterm-256color",
                "LC_ALL": "C.UTF-8",
                "SPADES_STATE": str(tmp_path / "state"),
                "SPADES_CONFIG": str(settings),
                **environ,
            },
            encoding="utf-8",
            timeout=GUARD_S,
            dimensions=(rows, columns),
        )
        children.append(child)
        return Terminal(child, pyte.Screen(columns, rows))

    yield start
    for child in children:
        child.close(force=True)


Show = Callable[..., Awaitable[None]]
