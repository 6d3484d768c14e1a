"""The shipped server, as `spades serve` runs it: it prints its port and stops when its input ends.

With a folder as its argument it keeps its data there, without one in memory.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from spades_agents import eventloop
from spades_agents.collector import settle
from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.logs import configure
from spades_server.serving import serve


def ready(server: SpadesServer) -> None:
    """Prints the port, and has the end of the input end the server."""
    print(server.port, flush=True)

    def wait() -> None:
        sys.stdin.read()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    configure("error")
    settle()
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    eventloop.run(serve(ServerConfig(port=0, allow_seeds=True, data=folder), ready))
