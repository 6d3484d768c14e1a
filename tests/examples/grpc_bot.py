"""The bot in JavaScript as the tests start it, and what it says."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from pathlib import Path
from typing import Protocol

import pytest

from spades_proto.link import Link

BOTS = Path(__file__).parents[2] / "examples" / "bots"
BLIND = "max_hands=3,floor=none,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
PATIENCE = 60.0
ENDING = re.compile(
    r"Table \w+: (South and North have won|West and East have won|a draw) -?\d+ to -?\d+\.\n"
)
"""The line about a match that was played to its end: two sides can end level."""


class Bot(Protocol):
    """Starts the bot with a link and further words; whatever the test comes to, it is ended with it."""

    async def __call__(
        self, link: Link | str, *words: str, token: str = ""
    ) -> asyncio.subprocess.Process: ...


def node() -> str:
    """The path of node; the test is skipped without it."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("node is not installed: apt-get install nodejs npm")
    return found


def node_with_grpc() -> str:
    """The path of node; the test is skipped without the packages of the bot, but in CI."""
    found = node()
    if not (BOTS / "grpc" / "node_modules" / "@grpc" / "grpc-js").is_dir():
        missing = "the packages of the gRPC bot are not installed: make examples"
        assert "CI" not in os.environ, missing
        pytest.skip(missing)
    return found


async def line_of(process: asyncio.subprocess.Process) -> str:
    """The next line that it says."""
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), PATIENCE)).decode()


async def said_by(process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
    """Its exit status, and what it says and complains of until its end."""
    out, err = await asyncio.wait_for(process.communicate(), PATIENCE)
    return process.returncode, out.decode(), err.decode()
