"""Rounds of many: clients that are killed all at once, and matches one after the other."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from spades_agents import Server, play
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig
from tests.faults.scene import Figures
from tests.faults.serving import Serving

ROOT: Final = Path(__file__).parents[2]
AT_ONCE: Final = 10
"""How many tables are played at once in the round of many matches."""

SETTLED: Final = 50
"""After how many matches the memory is looked at first."""

MORE_MB: Final = 16.0
"""What caches, the list of the newest records, both bounded, and the allocator may take meanwhile: a table
that leaked would be 200 KB, and 450 of them 90 MB."""

PATIENCE: Final = 60.0


async def vanishing_clients(folder: Path, *, clients: int) -> Figures:
    """S14: so many clients, a connection and a feed each, are killed at once; nothing stays of them."""
    figures = Figures("clients killed at once", faults=clients)
    config = ServerConfig(port=0, tempo_ms=0, abandoned_s=0.2, max_tables=clients, data=folder)
    async with running(config) as server:
        at_first = len(asyncio.all_tasks())
        crowd = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.faults.many_clients", str(server.port), str(clients)),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert crowd.stdout is not None
        async with asyncio.timeout(PATIENCE):
            line = await crowd.stdout.readline()
        if line.strip() != b"open" or len(server.streams) != clients:
            figures.complaints.append(f"{len(server.streams)} feeds of {clients} were open")
        figures.acknowledged = clients
        crowd.kill()
        await crowd.communicate()
        for what, gone in _left(server, at_first).items():
            if not await _eventually(gone):
                figures.complaints.append(f"of {clients} killed clients {what} stay")
    return figures


def _left(server: SpadesServer, tasks: int) -> dict[str, Callable[[], bool]]:
    return {
        "streams": lambda: len(server.streams) == 0,
        "tables": lambda: len(server.lobby) == 0,
        "tasks": lambda: len(asyncio.all_tasks()) <= tasks,
    }


async def _eventually(condition: Callable[[], bool]) -> bool:
    try:
        async with asyncio.timeout(PATIENCE):
            while not condition():  # noqa: ASYNC110  # nothing tells of what is counted here
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    return True


async def many_matches(folder: Path, seed: str, *, matches: int) -> Figures:
    """S20: matches of one hand one after the other, each table closed; the memory stays flat."""
    figures = Figures("matches, memory flat")
    serving = Serving(folder)
    await serving.start()
    try:
        async with Server(serving.target) as registrar:
            await registrar.register(f"{seed} plays")
            token = registrar.token
            settled = 0.0
            while figures.faults < matches:
                results = await play(
                    "random",
                    serving.target,
                    token=token,
                    tables=AT_ONCE,
                    rules="quick,max_hands=1",
                    against=("random", "random", "random"),
                    report=lambda _: None,
                )
                figures.faults += len(results)
                if figures.faults == SETTLED:
                    settled = serving.memory_mb()
            more = serving.memory_mb() - settled
            if settled and more > MORE_MB:
                figures.complaints.append(
                    f"{more:.1f} MB more after {matches} matches than after {SETTLED}"
                )
            if left := await registrar.list_tables():
                figures.complaints.append(f"{len(left)} tables stay open")
    finally:
        await serving.close()
    figures.acknowledged = figures.faults
    return figures
