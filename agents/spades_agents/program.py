"""A program of somebody's: a process group of its own that talks in lines."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import weakref
from collections.abc import Callable, Sequence
from typing import Final, cast

from spades_proto.wire.lines import MAX_LINE

STDIN, STDOUT, STDERR = range(3)

ERRORS_KEPT: Final = 8_192
"""How many bytes of a program's error stream are kept, the last ones."""

GRACE_S: Final = 1.0
"""How many seconds a program has to end by itself once its input has ended."""


class Program(asyncio.SubprocessProtocol):
    """A running program. Its methods are called in the event loop in which it was started."""

    def __init__(
        self,
        on_line: Callable[[bytes], None],
        on_end: Callable[[], None],
        on_errors: Callable[[bytes], None] | None = None,
    ) -> None:
        """``on_errors`` takes all that is written to the error stream, piece by piece."""
        self._on_line = on_line
        self._on_end = on_end
        self._on_errors = on_errors
        self._line = bytearray()
        self._errors = bytearray()
        self._transport: asyncio.SubprocessTransport | None = None
        self._gone = asyncio.Event()
        self._group: weakref.finalize[[int], Program] | None = None
        self.talks_too_long = False
        """Whether it has begun a line longer than any may be."""

    async def start(self, command: Sequence[str]) -> None:
        """Starts the program in the folder of its caller.

        :raises OSError: if there is no such program, or it may not be run.
        """
        # Python buffers what goes into a pipe, and a bot that forgets to flush would wait for ever.
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        await asyncio.get_running_loop().subprocess_exec(
            lambda: self, *command, env=environment, start_new_session=True
        )

    @property
    def ended(self) -> bool:
        """Whether it is gone, with its pipes."""
        return self._gone.is_set()

    @property
    def errors(self) -> str:
        """The end of what it has written to its error stream."""
        return self._errors.decode(errors="replace")

    @property
    def how_it_ended(self) -> str:
        """What became of it, as the end of a sentence."""
        code = None if self._transport is None else self._transport.get_returncode()
        if code is None:
            return "closed its output"
        if code >= 0:
            return f"ended with exit code {code}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"

    def write(self, line: bytes) -> None:
        """Sends a line; to a program that is gone nothing is sent."""
        if self._transport is None or self.ended:
            return
        pipe = self._transport.get_pipe_transport(STDIN)
        if pipe is not None and not pipe.is_closing():
            cast("asyncio.WriteTransport", pipe).write(line)

    async def stop(self) -> None:
        """Ends its input and, if it does not end by itself soon, the program and all that it has started."""
        if self._transport is None:
            return
        pipe = self._transport.get_pipe_transport(STDIN)
        if pipe is not None:
            pipe.close()
        try:
            async with asyncio.timeout(GRACE_S):
                await self._gone.wait()
        except TimeoutError:
            await self.kill()

    async def kill(self) -> None:
        """Ends the program and all that it has started, now."""
        self.end_now()
        if self._transport is not None:
            # Something that left the group may still hold the pipes.
            self._transport.close()
            await self._gone.wait()

    def end_now(self) -> None:
        """Kills the program and all that it has started, without waiting; once is enough."""
        if self._group is not None:
            self._group()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The program runs."""
        self._transport = cast("asyncio.SubprocessTransport", transport)
        # Also when the interpreter ends and nobody has stopped it.
        self._group = weakref.finalize(self, _kill_group, self._transport.get_pid())

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """The program has written something."""
        if fd == STDERR:
            self._errors += data
            del self._errors[:-ERRORS_KEPT]
            if self._on_errors is not None:
                self._on_errors(data)
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line += line
            whole = bytes(self._line)
            self._line.clear()
            if len(whole) > MAX_LINE:
                self.talks_too_long = True
                self.end_now()
                return
            self._on_line(whole)
        self._line += rest
        if len(self._line) > MAX_LINE:
            self.talks_too_long = True
            self._line.clear()
            self.end_now()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """The program has closed one of its streams; without an output it is of no use."""
        del exc
        if fd == STDOUT and self._transport is not None:
            loop = asyncio.get_running_loop()
            loop.call_later(GRACE_S, self.end_now)

    def process_exited(self) -> None:
        """The program has ended; so does what it has started, which may hold its pipes."""
        self.end_now()
        asyncio.get_running_loop().call_later(GRACE_S, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        """The program and its pipes are gone."""
        del exc
        self._close()
        self._gone.set()
        self._on_end()

    def _close(self) -> None:
        if self._transport is not None:
            self._transport.close()


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
