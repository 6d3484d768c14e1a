"""A line between clients and a server that fails by command: cut, held, swallowed, slow or half closed."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from enum import Enum
from random import Random
from typing import Final

from tests.lines import hung_up

PIECE: Final = 65_536
"""How many bytes are read at once."""

SLICES: Final = 20
"""Into how many pieces a second of a throttled line is cut."""


class Fault(Enum):
    """What can happen to a line."""

    CUT = "cut"
    BLACK_HOLE = "black hole"
    DELAY = "delayed"
    THROTTLE = "throttled"
    HALF_CLOSE = "half closed"


class Proxy:
    """Takes connections on a free port and carries them to another.

    What it is told holds for the lines that are open and for those that come, until :meth:`heal`; a cut and
    a half close happen once.
    """

    def __init__(self, to_port: int) -> None:
        self.to_port = to_port
        self.port = 0
        self.opened = 0
        """How many connections have come."""
        self._server: asyncio.Server | None = None
        self._lines: set[_Line] = set()
        self._passes = asyncio.Event()
        self._passes.set()
        self._delay_s = 0.0
        self._bytes_per_s = 0

    @property
    def target(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Listens."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Ends, with every line."""
        if self._server is not None:
            await hung_up(self._server)
        lines = list(self._lines)
        self.heal()
        self.cut()
        await asyncio.gather(*(line.ended() for line in lines))

    def cut(self) -> None:
        """Resets every line; new ones are taken."""
        lines, self._lines = self._lines, set()
        for line in lines:
            line.reset()

    def black_hole(self) -> None:
        """Lets nothing through and says nothing, as a network does that has lost its way.

        The sender goes on sending what was not acknowledged, so it arrives after all when the way is found
        again; a cut loses it.
        """
        self._passes.clear()

    def delay(self, seconds: float) -> None:
        """Lets everything through later."""
        self._delay_s = seconds

    def throttle(self, bytes_per_s: int) -> None:
        """Lets so much through and no more."""
        self._bytes_per_s = bytes_per_s

    def half_close(self, *, towards_server: bool) -> None:
        """Ends one direction of every line, in good order, and leaves the other open."""
        for line in self._lines:
            line.half_close(towards_server=towards_server)

    def heal(self) -> None:
        """Lets everything through at once again."""
        self._delay_s, self._bytes_per_s = 0.0, 0
        self._passes.set()

    def inflict(self, fault: Fault, dice: Random) -> None:
        """Does one of the faults, its measure drawn by the dice."""
        match fault:
            case Fault.CUT:
                self.cut()
            case Fault.BLACK_HOLE:
                self.black_hole()
            case Fault.DELAY:
                self.delay(dice.uniform(0.005, 0.05))
            case Fault.THROTTLE:
                self.throttle(dice.randint(4_000, 40_000))
            case Fault.HALF_CLOSE:
                self.half_close(towards_server=dice.random() < 0.5)

    async def carry(self, data: bytes, sink: asyncio.StreamWriter) -> None:
        """Brings bytes to the other side, as well as the line is now."""
        if self._delay_s:
            await asyncio.sleep(self._delay_s)
        size = max(self._bytes_per_s // SLICES, 1) if self._bytes_per_s else PIECE
        for start in range(0, len(data), size):
            if self._bytes_per_s:
                await asyncio.sleep(1 / SLICES)
            await self._passes.wait()
            sink.write(data[start : start + size])
            await sink.drain()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            writer.transport.abort()
            return
        line = _Line(self, (reader, writer), (far_reader, far_writer))
        self._lines.add(line)
        await line.ended()
        self._lines.discard(line)


_End = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Line:
    """One connection of a client and the one to the server behind it."""

    def __init__(self, proxy: Proxy, near: _End, far: _End) -> None:
        self._proxy = proxy
        self._near, self._far = near[1], far[1]
        self._up = asyncio.create_task(self._pump(near[0], far[1]))
        self._down = asyncio.create_task(self._pump(far[0], near[1]))

    async def ended(self) -> None:
        """Waits until nothing goes through any more."""
        await asyncio.wait({self._up, self._down})
        for writer in (self._near, self._far):
            writer.transport.abort()
        for writer in (self._near, self._far):
            # A socket is closed a turn of the loop later, which may be its last.
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def reset(self) -> None:
        """Breaks the line off without a word."""
        for task in (self._up, self._down):
            task.cancel()
        for writer in (self._near, self._far):
            wire = writer.get_extra_info("socket")
            with contextlib.suppress(OSError):
                # To linger for no time is to reset.
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()

    def half_close(self, *, towards_server: bool) -> None:
        """Ends one direction."""
        task, writer = (self._up, self._far) if towards_server else (self._down, self._near)
        task.cancel()
        with contextlib.suppress(OSError):
            writer.write_eof()

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(PIECE):
                await self._proxy.carry(data, sink)
            sink.write_eof()
