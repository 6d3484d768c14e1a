"""Competitions for tests: short games on a real server, with house bots and connected agents."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from spades_agents import Server, compete
from spades_agents.agent import Agent
from spades_agents.competitions import Competitions
from spades_proto.competition import CompetitionFormat, CompetitionStatus

Join = Callable[[str], Awaitable[Server]]

RULES = "quick,target=100,floor=-100,max_hands=2"


async def opened(
    server: Server,
    *bots: str,
    kind: CompetitionFormat = CompetitionFormat.MATCH,
    units: int = 2,
    controls: int = 1,
    strict: bool = False,
) -> CompetitionStatus:
    """A competition of short games, with house bots entered."""
    competitions = Competitions(server)
    made = await competitions.create(
        "A test", kind, rules=RULES, units=units, controls=controls, strict=strict
    )
    for bot in bots:
        await competitions.enter(made.id, bot=bot)
    return await competitions.get(made.id)


async def over(server: Server, name: str) -> CompetitionStatus:
    """Waits for the end of a competition."""
    last: CompetitionStatus | None = None
    async for status in Competitions(server).watch(name):
        last = status
    assert last is not None, "what is watched is shown at least once"
    return last


async def reached(server: Server, name: str, done: int) -> CompetitionStatus:
    """Waits until so many units of a competition are done."""
    async for status in Competitions(server).watch(name):
        if status.done >= done:
            return status
    raise AssertionError(f"it was over before {done} units were done")


@asynccontextmanager
async def competing(
    server: Server, agent: Agent, competition: str, entry: str = "", *, partner: str = ""
) -> AsyncGenerator[asyncio.Task[CompetitionStatus]]:
    """An agent that has entered, and is connected, within the block."""
    said = asyncio.Event()

    def hear(sentence: str) -> None:
        if "is entered" in sentence:
            said.set()

    task = asyncio.create_task(
        compete(
            agent,
            server.target,
            competition,
            token=server.token,
            entry=entry,
            partner=partner,
            report=hear,
        )
    )
    try:
        waits = asyncio.create_task(said.wait())
        await asyncio.wait({task, waits}, return_when=asyncio.FIRST_COMPLETED)
        waits.cancel()
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def download(server: Server, name: str, folder: Path) -> None:
    """Writes the files of a competition into a folder."""
    async for file, data in Competitions(server).download(name):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as opened_file:
            opened_file.write(data)
