"""A match against bots: a real server in this process, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from spades import Seat
from spades_agents import Server, Trust
from spades_client.session import TableSession
from spades_server.app import running
from spades_server.config import ServerConfig


@dataclass(frozen=True, slots=True)
class SoloTable:
    """What to play."""

    rules: str
    levels: Sequence[str]
    """The house bots to the left, across and to the right."""
    name: str
    seed: str = ""
    tempo_ms: int | None = None
    hints: bool = True


OWN: Final = Trust(insecure=True)
"""The server is a part of this program and listens on loopback: there is nobody to hide from."""


@asynccontextmanager
async def solo_session(table: SoloTable) -> AsyncGenerator[TableSession]:
    """A session at a table of an embedded server, South's seat taken and the match started."""
    config = ServerConfig(port=0, allow_seeds=bool(table.seed), competitions=False)
    async with running(config) as server, Server(f"127.0.0.1:{server.port}", trust=OWN) as player:
        await player.register(table.name)
        bots = tuple(zip(Seat.WEST.clockwise(), table.levels, strict=False))
        opened = await player.create_table(
            table.rules,
            private=True,
            seats=(Seat.SOUTH,),
            bots=bots,
            start=True,
            tempo_ms=table.tempo_ms,
            seed=table.seed,
            hints=table.hints,
        )
        yield TableSession(player, opened.code, Seat.SOUTH)
