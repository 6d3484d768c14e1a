"""What the tests' own servers of plain sockets need when they end."""

from __future__ import annotations

import asyncio

TURNS = 5


async def hung_up(server: asyncio.Server) -> None:
    """Ends a server so that no socket outlives the loop.

    A connection that was taken in the last moment has no transport before a turn of the loop later; whoever
    stops the loop before that leaves its socket to the collector, which reports it in some other test.
    """
    server.close()
    for _ in range(TURNS):
        await asyncio.sleep(0)
