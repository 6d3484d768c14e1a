"""The end of a program: what is still ending is given a moment, and what went wrong is told."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from typing import Any, Final

from spades import SpadesError
from spades_agents.failures import AgentFailure, in_words
from spades_client.phrases import printable, printable_lines

PATIENCE_S: Final = 1.0
"""The longest that the end of a program waits for what it has started."""


class Terminated(Exception):
    """A signal asked the program to end; the terminal has been given back."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


async def to_the_end(program: Coroutine[Any, Any, None]) -> None:
    """Runs a program and lets the tasks that it leaves behind end by themselves.

    gRPC's task for a call ends a moment after the server has, and writes a traceback past every logger
    if the end of the event loop cuts it short.
    """
    try:
        await program
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        if left:
            await asyncio.wait(left, timeout=PATIENCE_S)


def exit_status(program: Callable[[], None]) -> int:
    """Runs a program to its end and says what went wrong, if something did; returns the exit status."""
    try:
        program()
    except SpadesError as error:
        sys.stderr.write(printable(error.sentence) + "\n")
        return 1
    except AgentFailure as failure:
        sys.stderr.write(printable_lines(in_words(failure)) + "\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    return 0
