"""What the network takes from a competition: the same event on a server and in process."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from report import Row
from wire import process

from spades import parse_rules
from spades_agents import Server, compete, eventloop
from spades_agents.competitions import Competitions
from spades_arena.events import EventFolder
from spades_arena.executor import Executor, InProcess
from spades_arena.runner import Run
from spades_arena.spec import Entry, EventSpec, Format, competition_rules
from spades_arena.stream import seed_commitment
from spades_arena.workers import Workers
from spades_proto.competition import CompetitionFormat

AGENT = "random"
UNITS = 400
AT_ONCE = 64
RULES = "classic"
SEED = bytes(32)


def rows() -> list[Row]:
    """Measures and compares; by turns, and the best of each."""
    local = one = house = connected = float("inf")
    for _ in range(3):
        local = min(local, _played_by(InProcess()))
        one = min(one, _played_by(Workers(1)))
        with process("table_server.py") as (port, _):
            house = min(house, eventloop.run(_on_a_server(port, connects=False)))
            connected = min(connected, eventloop.run(_on_a_server(port, connects=True)))
    return [
        Row(f"in process, {AGENT}", f"{UNITS / local:,.1f} units/s", "", ""),
        Row(
            "in a process of its own (--jobs 1)",
            f"{UNITS / one:,.1f} units/s",
            f"{local / one:.2f} x",
            "",
        ),
        Row(
            "on a server, house bots", f"{UNITS / house:,.1f} units/s", f"{local / house:.2f} x", ""
        ),
        Row(
            "on a server, connected agents",
            f"{UNITS / connected:,.1f} units/s",
            f"{local / connected:.2f} x",
            ">= 0.33",
        ),
    ]


def _played_by(executor: Executor) -> float:
    spec = EventSpec(
        format=Format.MATCH,
        entries=(Entry("a", AGENT), Entry("b", AGENT)),
        rules=competition_rules(parse_rules(RULES)),
        units=UNITS,
        controls=0,
        seed_commitment=seed_commitment(SEED),
    )
    with tempfile.TemporaryDirectory() as place:
        folder = EventFolder.create(Path(place) / "event", spec, SEED)
        start = time.perf_counter()
        Run(folder, executor, lambda _step: None).play()
        return time.perf_counter() - start


async def _on_a_server(port: int, *, connects: bool) -> float:
    target = f"127.0.0.1:{port}"
    kind = "c" if connects else "h"
    async with Server(target) as ann, Server(target) as bob:
        await ann.register(f"Ann {kind}")
        await bob.register(f"Bob {kind}")
        competitions = Competitions(ann)
        made = await competitions.create(
            "bench", CompetitionFormat.MATCH, rules=RULES, units=UNITS, controls=0
        )
        playing: list[asyncio.Task[object]] = []
        if connects:
            for one in (ann, bob):
                agent = compete(
                    AGENT, target, made.id, token=one.token, at_once=AT_ONCE, report=_nothing
                )
                playing.append(asyncio.create_task(agent))
        else:
            for name in ("a", "b"):
                await competitions.enter(made.id, name, bot=AGENT)
        async for status in competitions.watch(made.id):
            if len(status.entries) == 2 and all(one.connected for one in status.entries):
                break
        start = time.perf_counter()
        await competitions.start(made.id)
        async for _ in competitions.watch(made.id):
            pass
        seconds = time.perf_counter() - start
        await asyncio.gather(*playing)
        return seconds


def _nothing(_sentence: str) -> None:
    """Says nothing."""
