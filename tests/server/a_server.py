"""A server of its own process, which says its port and serves until it is told to stop."""

from __future__ import annotations

import asyncio

from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.serving import serve


def ready(server: SpadesServer) -> None:
    print(server.port, flush=True)


if __name__ == "__main__":
    asyncio.run(serve(ServerConfig(port=0, tempo_ms=0), ready))
