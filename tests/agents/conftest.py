"""What the tests of the SDK share: a real server whose bots do not dawdle."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    async with running(ServerConfig(port=0, allow_seeds=True, tempo_ms=0)) as it:
        yield it


@pytest.fixture
def target(server: SpadesServer) -> str:
    return f"127.0.0.1:{server.port}"
