"""What the arena costs beside bare matches, and what a second process brings."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from report import Row

from spades import parse_rules, parse_seed
from spades_agents import play_local
from spades_arena.events import EventFolder
from spades_arena.executor import Executor, InProcess
from spades_arena.runner import Run
from spades_arena.schedule import schedule
from spades_arena.spec import Entry, EventSpec, Format, competition_rules
from spades_arena.stream import seed_commitment, stream_seed
from spades_arena.workers import Workers

AGENT = os.environ.get("AGENT", "gentle")
"""Who plays on both sides: AGENT=sharp make bench ARGS=arena."""

UNITS = int(os.environ.get("UNITS", "40"))
SEED = parse_seed("bench")


def _event() -> EventSpec:
    return EventSpec(
        format=Format.MATCH,
        entries=(Entry("a", AGENT), Entry("b", AGENT)),
        rules=competition_rules(parse_rules("classic")),
        units=UNITS,
        controls=0,
        seed_commitment=seed_commitment(SEED),
    )


def _bare(spec: EventSpec) -> tuple[float, int]:
    """Seconds of CPU time for the same games by `play_local` alone, and their number."""
    with tempfile.TemporaryDirectory() as place:
        seed = EventFolder(Path(place), spec, SEED).seed
    start = time.process_time()
    games = 0
    for unit in schedule(spec):
        for _ in range(2):
            play_local([AGENT] * 4, spec.rules, stream_seed(seed, unit.stream))
            games += 1
    return time.process_time() - start, games


def _arena(spec: EventSpec, executor: Executor, clock: Callable[[], float]) -> float:
    with tempfile.TemporaryDirectory() as place:
        folder = EventFolder.create(Path(place) / "event", spec, SEED)
        start = clock()
        Run(folder, executor, lambda step: None).play()
        return clock() - start


def rows() -> list[Row]:
    """Measures and compares; by turns, and the best of each."""
    spec = _event()
    bare = inside = one = two = float("inf")
    games = 0
    for _ in range(3):
        seconds, games = _bare(spec)
        bare = min(bare, seconds)
        inside = min(inside, _arena(spec, InProcess(), time.process_time))
        one = min(one, _arena(spec, Workers(1), time.perf_counter))
        two = min(two, _arena(spec, Workers(2), time.perf_counter))
    return [
        Row(f"play_local, {AGENT}", f"{games / bare:,.1f} games/s of CPU", "", ""),
        Row(
            "arena with records and journal",
            f"{games / inside:,.1f} games/s of CPU",
            f"{100 * (inside / bare - 1):+.1f} %",
            "<= +10 % (sharp)",
        ),
        Row("--jobs 1", f"{games / one:,.1f} games/s", "", ""),
        Row("--jobs 2", f"{games / two:,.1f} games/s", f"{one / two:.2f} x", ">= 1.6 (idle cores)"),
    ]
