"""Competitions outlive the server, whenever it ends."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

from spades_agents import Server
from spades_agents.competitions import Competitions
from spades_arena.events import EventFolder
from spades_arena.executor import InProcess
from spades_arena.reports import publish
from spades_arena.runner import Run
from spades_arena.verification import verify_event
from spades_proto.competition import CompetitionFormat, CompetitionStage
from spades_server.app import running
from spades_server.config import ServerConfig
from tests.server.competitions.scene import download, opened, over
from tests.server.storage.killing import Killed


def unit_lines(folder: Path) -> dict[str, Any]:
    lines = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
    return {one["result"]["unit"]: one["result"] for one in lines if one["kind"] == "unit"}


async def test_what_was_opened_entered_and_played_is_there_after_a_restart(
    kept: ServerConfig,
) -> None:
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        entered = await opened(ann, "gentle")
        played = await opened(ann, "gentle", "beginner", units=1)
        await Competitions(ann).start(played.id)
        ended = await over(ann, played.id)
        token = ann.token
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        assert await Competitions(ann).get(entered.id) == entered
        assert await Competitions(ann).get(played.id) == ended
        assert [one.id for one in await Competitions(ann).all()] == [played.id, entered.id]
        await Competitions(ann).enter(entered.id, bot="sharp")
        await Competitions(ann).start(entered.id)
        assert (await over(ann, entered.id)).stage is CompetitionStage.FINISHED
        assert await ann.record(f"{played.id}-m0001-u00001-t2")


async def test_an_event_through_kills_at_any_moment_is_the_one_without(
    killed: Killed, tmp_path: Path
) -> None:
    """T01: each unit once, and the same unit lines as an event that nobody has killed."""
    dice = random.Random(3)
    target = f"127.0.0.1:{killed.port}"
    async with Server(target) as ann:
        await ann.register("Ann")
        made = await opened(
            ann, "gentle", "beginner", "sharp", kind=CompetitionFormat.ROUND_ROBIN, units=8
        )
        await Competitions(ann).start(made.id)
        token = ann.token
    for _ in range(4):
        more = dice.randint(1, 4)
        async with Server(target, token) as ann:
            first: int | None = None
            async for status in Competitions(ann).watch(made.id):
                first = status.done if first is None else first
                if status.over or status.done >= first + more:
                    break
        killed.kill()
        await asyncio.to_thread(killed.start)
    async with Server(target, token) as ann:
        ended = await over(ann, made.id)
        assert ended.done == ended.planned == 27
        served = tmp_path / "served"
        await download(ann, made.id, served)
    folder = EventFolder.open(served)
    publish(folder, folder.state())
    assert verify_event(served).findings == ()
    local = EventFolder.create(tmp_path / "local", folder.spec, folder.server_seed)
    await asyncio.to_thread(lambda: Run(local, InProcess(), lambda _progress: None).play())
    assert unit_lines(served) == unit_lines(tmp_path / "local")


async def test_a_player_who_was_deleted_is_in_no_competition_that_is_stored(
    kept: ServerConfig,
) -> None:
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann Unmistakable")
        made = await opened(ann, "gentle")
        await ann.delete_me("Ann Unmistakable")
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as bob:
        await bob.register("Bob")
        assert (await Competitions(bob).get(made.id)).organiser == "somebody"
    if kept.data is not None:
        files = [path for path in kept.data.rglob("*") if path.is_file()]
        assert not any(b"Ann Unmistakable" in path.read_bytes() for path in files)
