"""How fast the full screen answers a key: from the byte in the pipe to the last byte of the redraw."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any, cast

from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size as TerminalSize
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from report import Row

from spades_client.desk import DeskOptions
from spades_client.screen.canvas import Click, Piece, Size
from spades_client.screen.canvas import Row as Line
from spades_client.screen.looks import UNICODE
from spades_client.screen.table_page import TablePage
from spades_client.screen.terminal import Page, show
from spades_client.settings import Settings
from spades_client.solo import SoloTable, solo_session

PRESSES = 300
SIZES = ((80, 24), (200, 60))


class Terminal(io.StringIO):
    """Counts what is written, and tells when."""

    def __init__(self) -> None:
        super().__init__()
        self.drawn = asyncio.Event()
        self.at = 0.0

    def write(self, text: str) -> int:
        """Notes the time of the last byte."""
        self.at = time.perf_counter()
        self.drawn.set()
        return len(text)


class Counter:
    """The least page there is: one number that a key counts up."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.changed: Callable[[], None] = lambda: None
        self.question: tuple[str, str] | None = None
        self.done = asyncio.Event()
        self._count = 0

    def answered(self, text: str | None) -> None:
        """Asks nothing."""
        del text

    def draw(self, size: Size) -> list[Line]:
        """Draws the number."""
        del size
        return [(Piece(str(self._count)),)]

    def press(self, key: str) -> None:
        """Counts."""
        del key
        self._count += 1

    def click(self, click: Click) -> None:
        """Takes no click."""
        del click

    async def run(self) -> None:
        """Lives until it is done."""
        await self.done.wait()


async def presses(page: Page, columns: int, rows: int, keys: tuple[str, str]) -> list[float]:
    """Milliseconds from a key to the end of its redraw."""
    terminal = Terminal()
    with create_pipe_input() as pipe:
        output = Vt100_Output(
            cast("Any", terminal),
            lambda: TerminalSize(rows, columns),
            default_color_depth=ColorDepth.DEPTH_24_BIT,
        )
        with create_app_session():
            showing = asyncio.create_task(show(page, pipe, output))
            await asyncio.sleep(2.0)
            taken: list[float] = []
            for number in range(PRESSES):
                terminal.drawn.clear()
                start = time.perf_counter()
                pipe.send_text(keys[number % 2])
                await terminal.drawn.wait()
                await asyncio.sleep(0.01)
                taken.append((terminal.at - start) * 1000)
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
    return taken


async def table(columns: int, rows: int, keys: tuple[str, str]) -> list[float]:
    """Keys at a table that waits for a bid."""
    solo = SoloTable("classic", ["gentle"] * 3, "Ann", "7", 0)
    async with solo_session(solo) as session:
        page = TablePage(
            session, DeskOptions(solo=True), Settings(), lambda _: UNICODE, lambda _: ""
        )
        return await presses(page, columns, rows, keys)


def rows() -> list[Row]:
    """Measures the least page and the table, by turns in one run."""
    least = asyncio.run(presses(Counter(), 80, 24, ("a", "b")))
    base = median(least)
    found = [Row("a page with one number", f"median {base:.1f} ms", "", "")]
    for columns, lines in SIZES:
        taken = asyncio.run(table(columns, lines, ("+", "-")))
        last = quantiles(taken, n=20)[-1]
        found.append(
            Row(
                f"a key at the table, {columns}x{lines}",
                f"median {median(taken):.1f} ms, 95th percentile {last:.1f} ms",
                f"{median(taken) / base:.1f} x the least",
                "<= 50 ms at the 95th",
            )
        )
    escapes = quantiles(asyncio.run(table(*SIZES[0], ("\x1b", "\x1b"))), n=20)[-1]
    found.append(Row("Esc, 80x24", f"95th percentile {escapes:.1f} ms", "", "<= 100 ms"))
    return found
