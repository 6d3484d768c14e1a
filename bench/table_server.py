"""A server for the benchmark: the shipped one, on a free port, until its input ends."""

from __future__ import annotations

import asyncio
import sys

from spades_server.app import running
from spades_server.config import ServerConfig
from spades_server.logs import configure


async def serve() -> None:
    """Serves and prints the port."""
    async with running(ServerConfig(port=0, allow_seeds=True)) as server:
        print(server.port, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    configure("error")
    asyncio.run(serve())
