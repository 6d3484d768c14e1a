"""Which rounds are run, in which order and for how long."""

from __future__ import annotations

import itertools
import tempfile
import time
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from soak.table import Totals
from tests.faults import clock, crowd, rounds, rude
from tests.faults.proxy import Fault
from tests.faults.scene import Figures

Play = Callable[[Path, str], Awaitable[Figures]]

LONG_RUN_S: Final = 300.0
"""From how many seconds on the rounds are run that take minutes themselves."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round with a fault of its own."""

    name: str
    play: Play


def _line(fault: Fault, times: int) -> Round:
    return Round(
        f"line {fault.value}",
        lambda folder, seed: rounds.bad_line(folder, seed, fault, times=times),
    )


def short_rounds() -> list[Round]:
    """Every fault once: what the shortest run does."""
    return [
        Round(
            "SIGKILL under load",
            lambda folder, seed: rounds.killed_under_load(folder, seed, kills=3),
        ),
        *(_line(fault, 4) for fault in Fault),
        Round("SIGSTOP", lambda folder, seed: rounds.frozen(folder, seed, times=5, longest_s=1.0)),
        Round("SIGTERM", lambda folder, seed: rounds.stopped(folder, seed, times=2)),
        Round("full disk", rounds.full_disk),
        Round("clock", lambda folder, seed: clock.jumping_clock(folder, seed, times=6)),
        Round("rude clients", lambda folder, seed: rude.rude_clients(folder, seed, times=3)),
        Round("killed clients", lambda folder, _: crowd.vanishing_clients(folder, clients=200)),
        Round("matches", lambda folder, seed: crowd.many_matches(folder, seed, matches=500)),
    ]


def long_rounds() -> list[Round]:
    """What is worth most of a long run: kills, at every event and at random moments."""
    return [
        Round("SIGKILL at every event", rounds.killed_at_events),
        Round(
            "SIGKILL under load",
            lambda folder, seed: rounds.killed_under_load(folder, seed, kills=25),
        ),
    ]


def some_events(number: int) -> Round:
    """A match that is killed at every tenth event, beginning with another one each time."""
    first = 1 + number % 10
    return Round(
        "SIGKILL at events",
        lambda folder, seed: rounds.killed_at_events(folder, seed, first=first, every=10),
    )


def plan(seconds: float) -> Iterator[Round]:
    """Every fault once, then kills, and so on; a run of a few minutes leaves the longest rounds out."""
    for number in itertools.count():
        yield some_events(number)
        yield from short_rounds()
        if seconds >= LONG_RUN_S:
            yield from long_rounds()


async def run_for(seconds: float, seed: str, totals: Totals) -> None:
    """Runs rounds until the time is up; the one that is under way is played to its end."""
    ends = time.monotonic() + seconds
    for number, one in enumerate(plan(seconds)):
        if time.monotonic() >= ends:
            return
        named = f"{seed}-{number}"
        begun = time.monotonic()
        try:
            with tempfile.TemporaryDirectory(prefix="spades-soak-") as folder:
                figures = await one.play(Path(folder) / "data", named)
        except Exception as error:  # noqa: BLE001  # a round that fails is reported, and the run goes on
            trace = "".join(traceback.format_exception(error))
            figures = Figures(one.name, complaints=[f"the round failed:\n{trace}"])
        totals.add(figures)
        wrong = len(figures.findings) + len(figures.complaints)
        took = time.monotonic() - begun
        print(f"  {named}  {figures.fault}: {took:.1f} s, {wrong or 'nothing'} wrong", flush=True)
        for sentence in (*(str(one) for one in figures.findings[:5]), *figures.complaints[:5]):
            print(f"    {sentence}", flush=True)
