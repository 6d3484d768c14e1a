"""What the tests of the server share: a table with a clock of its own, a real server and its clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from spades import parse_rules
from spades_agents import Server
from spades_proto.timing import parse_time_control
from spades_server.app import SpadesServer, running
from spades_server.commands import Player
from spades_server.config import ServerConfig
from spades_server.table import Table
from spades_server.table_log import SECOND, TableConfig


def make_table(
    rules: str = "", *, host: str = "Ann", many_seats: bool = False, clock: str = "none"
) -> Table:
    """Opens a table at the time 0, with a second of tempo, a minute of grace, ten until it is abandoned."""
    config = TableConfig(
        "TABLE",
        parse_rules(rules),
        many_seats=many_seats,
        tempo_us=SECOND,
        grace_us=60 * SECOND,
        abandoned_us=600 * SECOND,
        time_control=parse_time_control(clock),
    )
    return Table(config, Player(host.lower(), host), 0)


@pytest.fixture(scope="session")
def open_table() -> Callable[..., Table]:
    return make_table


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    """A server on a free port, whose bots do not dawdle."""
    async with running(ServerConfig(port=0, allow_seeds=True, tempo_ms=0)) as it:
        yield it


@pytest.fixture
async def join(server: SpadesServer) -> AsyncIterator[Callable[[str], Awaitable[Server]]]:
    """Registers a name at the server and connects as its player."""
    async with AsyncExitStack() as stack:

        async def joined(name: str) -> Server:
            client = await stack.enter_async_context(Server(f"127.0.0.1:{server.port}"))
            await client.register(name)
            return client

        yield joined
