"""An event loop in a thread of its own, for what must outlive the loops that use it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

R = TypeVar("R")


class LoopThread:
    """Runs coroutines for callers of any thread and any event loop; the thread starts when it is needed."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    async def run(self, program: Coroutine[Any, Any, R]) -> R:
        """Runs a coroutine there and waits for it here; if the waiting is cancelled, so is the coroutine."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(program, self._running()))

    def stop(self) -> None:
        """Ends the thread; what runs there has come to an end before."""
        loop, thread = self._loop, self._thread
        self._loop = self._thread = None
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            # Not whatever loop is installed: only asyncio's own starts processes beside the main thread.
            self._loop = asyncio.SelectorEventLoop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name=self._name, daemon=True
            )
            self._thread.start()
        return self._loop
