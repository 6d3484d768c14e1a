"""A server in a process of its own: it runs until it is told to stop, or can write no more."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from spades import Reason, SpadesError
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig


class StorageBroken(SpadesError):
    """What is done can no longer be written down."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.TABLE_STATE)


async def serve(config: ServerConfig, ready: Callable[[SpadesServer], None]) -> None:
    """Serves until SIGTERM or SIGINT; a second signal ends it at once.

    :raises CannotListen: if the address is taken or not there.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if stopping.is_set():
            # The process is asked again: the default action ends it now.
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)
            signal.raise_signal(signal.SIGTERM)
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    async with running(config) as server:
        ready(server)
        waits = {
            asyncio.create_task(one.wait())
            for one in (stopping, server.broken, server.asked_to_stop)
        }
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
    if server.why_broken:
        raise StorageBroken(server.why_broken)
