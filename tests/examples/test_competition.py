"""A small competition with the bots of the examples: a class, lines of JSON, and gRPC in JavaScript."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from spades_agents import Server, Trust, load_agent
from spades_agents.competitions import Competitions
from spades_arena.events import EventFolder
from spades_arena.reports import publish
from spades_arena.verification import verify_event
from spades_proto.competition import CompetitionFormat, CompetitionStage
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig
from tests.examples.grpc_bot import BOTS, ENDING, Bot, line_of, said_by
from tests.server.competitions.scene import competing, download, opened, over


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    """A server with TLS, as a bot in another language meets it."""
    async with running(ServerConfig(port=0, secure=True)) as it:
        yield it


async def test_bots_in_three_ways_play_a_competition_that_verifies(
    server: SpadesServer, bot: Bot, tmp_path: Path
) -> None:
    link = server.links[0]
    async with (
        Server(str(link), trust=Trust()) as ann,
        Server(str(link), trust=Trust()) as bob,
        Server(str(link), trust=Trust()) as cyd,
    ):
        await ann.register("Ann")
        await bob.register("Bob")
        await cyd.register("Cyd")
        made = await opened(ann, "gentle", kind=CompetitionFormat.ROUND_ROBIN, units=1)
        lines = f"cmd:'{sys.executable}' -I '{BOTS / 'lines.py'}'"
        script = await bot(link, "jay", f"--entry={made.id}")
        for said in (f"jay is entered in {made.id}.", "jay waits for seats."):
            assert await line_of(script) == said + "\n"
        async with (
            competing(bob, load_agent(str(BOTS / "careful.py"))(), made.id, "careful"),
            competing(cyd, load_agent(lines)(), made.id, "lines"),
        ):
            await Competitions(ann).start(made.id)
            ended = await over(ann, made.id)
        # Once for each of its tables, in its control too, in which it has all four seats.
        told = [await line_of(script) for _ in range(2 * 4)]
        assert await said_by(script) == (0, f"{made.id} is over.\n", "")
        assert len({line.split(":")[0] for line in told}) == 8
        assert all(ENDING.fullmatch(line) for line in told)
        assert ended.stage is CompetitionStage.FINISHED
        assert sorted(one.name for one in ended.entries) == ["careful", "gentle", "jay", "lines"]
        assert [(one.faults, one.forfeits, one.units) for one in ended.entries] == [(0, 0, 3)] * 4
        await download(ann, made.id, tmp_path)
    folder = EventFolder.open(tmp_path)
    state = folder.state()
    assert all(one.score == 1 and one.margin == 0 for one in state.controls)
    publish(folder, state)
    assert verify_event(tmp_path).holds


async def test_the_grpc_bot_ends_with_a_competition_that_is_called_off_and_does_not_begin_another_time(
    server: SpadesServer, bot: Bot
) -> None:
    link = server.links[0]
    async with Server(str(link), trust=Trust()) as ann, Server(str(link), trust=Trust()) as jay:
        await ann.register("Ann")
        await jay.register("jay")
        made = await opened(ann)
        script = await bot(link, "jay", f"--entry={made.id}", token=jay.token)
        for said in (f"jay is entered in {made.id}.", "jay waits for seats."):
            assert await line_of(script) == said + "\n"
        await Competitions(ann).call_off(made.id)
        off = (1, f"{made.id} was called off.\n", "")
        assert await said_by(script) == off
        assert await said_by(await bot(link, "jay", f"--entry={made.id}", token=jay.token)) == off
        late = await said_by(await bot(link, "joe", f"--entry={made.id}"))
    assert late == (1, "", f"{made.id} cannot be entered now: it was called off.\n")
