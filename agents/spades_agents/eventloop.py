"""The event loop of a program that only serves or plays: a server, or the runner of a bot."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

R = TypeVar("R")


def run(program: Coroutine[Any, Any, R]) -> R:
    """Runs a program to its end, on uvloop where the extra ``spades[fast]`` has brought it."""
    try:
        import uvloop  # noqa: PLC0415  # optional, and 40 ms that no other program needs
    except ImportError:
        return asyncio.run(program)
    return uvloop.run(program)
