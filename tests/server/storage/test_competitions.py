"""Competitions outlive the server, whenever it ends."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from spades import Reason, SpadesError
from spades_agents import Server, compete
from spades_agents.competitions import Competitions
from spades_arena.cast import Cast
from spades_arena.events import EventFolder
from spades_arena.reports import publish
from spades_arena.schedule import Unit
from spades_arena.unit import play_unit, unit_work
from spades_arena.verification import verify_event
from spades_arena.watch import Unwatched
from spades_proto.competition import CompetitionFormat, CompetitionStage, CompetitionStatus
from spades_server.app import running
from spades_server.config import ServerConfig
from spades_server.storage.engine import engine_of
from spades_server.storage.place import place_of
from spades_server.storage.schema import competitions
from tests.server.competitions.scene import download, opened, over
from tests.server.storage.killing import Killed

pytestmark = pytest.mark.once


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


@pytest.mark.once
async def test_a_server_that_stops_in_the_middle_tells_who_watches_and_goes_on_later(
    kept: ServerConfig,
) -> None:
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        made = await opened(ann, "gentle", "beginner", units=40)
        await Competitions(ann).start(made.id)
        token = ann.token
        stopping: list[asyncio.Task[None]] = []

        async def watch() -> None:
            async for status in Competitions(ann).watch(made.id):
                if status.done >= 1 and not stopping:
                    stopping.append(asyncio.create_task(server.stop()))

        with pytest.raises(SpadesError) as sent_away:
            await watch()
        await stopping[0]
        assert sent_away.value.reason is Reason.DRAINING
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        ended = await over(ann, made.id)
        assert ended.stage is CompetitionStage.FINISHED
        assert ended.done == ended.planned == 42
        assert [one.faults for one in ended.entries] == [0, 0]


@pytest.mark.once
async def test_an_event_through_kills_at_any_moment_is_the_one_without(
    killed: Killed, tmp_path: Path
) -> None:
    """T01: each unit once, and the same unit lines as an event that nobody has killed."""
    dice = random.Random(3)
    target = f"127.0.0.1:{killed.port}"
    async with Server(target) as ann:
        await ann.register("Ann")
        made = await opened(ann, "gentle", "beginner", kind=CompetitionFormat.ROUND_ROBIN, units=8)
        token = ann.token
    told: list[str] = []
    agent = compete("sharp", target, made.id, token=token, entry="connected", report=told.append)
    playing = asyncio.create_task(agent)
    async with Server(target, token) as ann:
        async for status in Competitions(ann).watch(made.id):
            if len(status.entries) == 3 and all(one.connected for one in status.entries):
                break
        await Competitions(ann).start(made.id)
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
        # Whoever has played all of it may go before others see how it ended.
        assert still_connected(await playing) == still_connected(ended)
        # Once for each kill, and not for each seat that it held at the tables that are gone.
        assert sum("There is no table" in sentence for sentence in told) <= 4
        assert ended.done == ended.planned == 27
        assert [one.faults for one in ended.entries] == [0, 0, 0]
        served = tmp_path / "served"
        await download(ann, made.id, served)
    folder = EventFolder.open(served)
    publish(folder, folder.state())
    assert verify_event(served).findings == ()
    alone = [await played_in_process(folder, unit) for unit in folder.state().units]
    assert unit_lines(served) == {one["unit"]: one for one in alone}


def still_connected(status: CompetitionStatus) -> CompetitionStatus:
    """The same, but for who is there."""
    entries = tuple(replace(one, connected=True) for one in status.entries)
    return replace(status, entries=entries)


async def played_in_process(folder: EventFolder, unit: Unit) -> dict[str, Any]:
    """What a unit comes to without a server; the agent that was connected is named by what it is."""
    work = unit_work(folder.spec, unit, folder.seed)
    a, b = (
        replace(one, spec="sharp") if one.name == "connected" else one for one in (work.a, work.b)
    )
    played = await play_unit(replace(work, a=a, b=b), Cast(), Unwatched())
    return played.result.to_json()


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


async def test_a_competition_that_cannot_be_read_is_set_aside_and_the_others_are_there(
    kept: ServerConfig,
) -> None:
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        spoilt = await opened(ann, "gentle")
        good = await opened(ann, "gentle")
        token = ann.token
    engine = engine_of(place_of(kept))
    with engine.begin() as connection:
        change = update(competitions).where(competitions.c.name == spoilt.id)
        connection.execute(change.values(document="{}"))
    engine.dispose()
    async with running(kept) as server, Server(f"127.0.0.1:{server.port}", token) as ann:
        assert [one.id for one in await Competitions(ann).all()] == [good.id]
