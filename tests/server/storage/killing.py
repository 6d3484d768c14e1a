"""A server in a process of its own that is killed and started again."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

from spades_server.config import ServerConfig

SPADES = str(Path(sys.executable).with_name("spades"))


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Killed:
    """`spades serve` that is killed and started again on the same port and data."""

    def __init__(self, kept: ServerConfig) -> None:
        self.port = free_port()
        self._where = ["--database", kept.database] if kept.database else ["--data", str(kept.data)]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [SPADES, "serve", "--port", str(self.port), *self._where,
                   "--tempo", "0", "--log-level", "error"]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        assert re.search(r"127\.0\.0\.1:\d+", self._process.stdout.readline())

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
