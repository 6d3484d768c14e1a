from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator

import pytest

from spades_proto.link import Link
from tests.examples.grpc_bot import BLIND, BOTS, Bot, node_with_grpc


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    """The bot in JavaScript. What a test that failed has left running is killed."""
    started: list[asyncio.subprocess.Process] = []

    async def start(link: Link | str, *words: str, token: str = "") -> asyncio.subprocess.Process:
        environment = {**os.environ, "SPADES_RULES": BLIND}
        if token:
            environment["SPADES_TOKEN"] = token
        process = await asyncio.create_subprocess_exec(
            node_with_grpc(),
            str(BOTS / "grpc" / "bot.mjs"),
            str(link),
            *words,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.returncode is None:
            process.kill()
            await process.communicate()
