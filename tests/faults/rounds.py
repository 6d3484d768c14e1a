"""Rounds of one fault each: players play, something fails at moments that a seed fixes, and all is compared.

The tests run short rounds, `make soak` runs them for as long as it was told.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from tests.faults.checker import Finding, check
from tests.faults.history import History
from tests.faults.party import ONE_HAND, Party, seated, start
from tests.faults.proxy import Fault, Proxy
from tests.faults.serving import Serving
from tests.faults.truth import read_truth

LONG: Final = "classic,floor=none,target=10000,max_hands={hands},next_hand_wait=0"


@dataclass(slots=True)
class Figures:
    """What a round came to."""

    fault: str
    faults: int = 0
    """How often it was inflicted."""
    acknowledged: int = 0
    findings: list[Finding] = field(default_factory=list[Finding])
    complaints: list[str] = field(default_factory=list[str])
    """What else should not have been."""
    worst_s: float = 0.0
    """The longest time from the end of a fault to all clients at the same card."""

    async def measure(self, *parties: Party) -> None:
        """Waits until all clients are at the same card of their table, and notes how long it took.

        Nobody decides anything meanwhile; what was on its way still comes.
        """
        for party in parties:
            party.hold()
        begun = time.perf_counter()
        for party in parties:
            await party.together()
        self.worst_s = max(self.worst_s, time.perf_counter() - begun)
        for party in parties:
            party.go_on()


class Scene:
    """A server on a port of its own, a line to it that can fail, and what its clients see and do."""

    def __init__(self, serving: Serving, proxy: Proxy, figures: Figures) -> None:
        self.serving = serving
        self.proxy = proxy
        self.history = History()
        self.figures = figures

    async def compare(self) -> None:
        """Ends the server and compares what was told with what it has written."""
        await self.serving.close()
        truths = await asyncio.to_thread(read_truth, self.serving.folder)
        self.figures.findings += check(self.history, truths)
        self.figures.acknowledged += self.history.acknowledged
        if "Traceback" in (told := self.serving.told.read_text()):
            self.figures.complaints.append(f"the server wrote a traceback:\n{told}")


@asynccontextmanager
async def scene(folder: Path, fault: str, *options: str) -> AsyncGenerator[Scene]:
    """A server and a line to it within the block."""
    serving = Serving(folder, *options)
    await serving.start()
    proxy = Proxy(serving.port)
    await proxy.start()
    try:
        yield Scene(serving, proxy, Figures(fault))
    finally:
        await proxy.stop()
        await serving.close()


async def killed_at_events(folder: Path, seed: str, *, first: int = 1, every: int = 1) -> Figures:
    """SIGKILL whenever so many more events have been told, through a match of one hand."""
    async with scene(folder, "SIGKILL at every event") as it:
        async with seated(it.serving.target, it.history, seed, agents=1) as party:
            await start(party)
            goal = party.seq + first
            while await _reaches(party, goal):
                party.hold()
                await _restart(it, party)
                goal = party.seq + every
            await party.together()
        await it.compare()
    return it.figures


async def killed_under_load(folder: Path, seed: str, *, kills: int, tables: int = 3) -> Figures:
    """SIGKILL at random moments while several tables play, then all play on to the end."""
    dice = Random(seed)
    async with scene(folder, "SIGKILL under load") as it, AsyncExitStack() as stack:
        rules = LONG.format(hands=kills + 1)
        parties = [
            await stack.enter_async_context(
                seated(it.serving.target, it.history, f"{seed}{number}", rules=rules, agents=number)
            )
            for number in range(tables)
        ]
        for party in parties:
            await start(party)
        while it.figures.faults < kills:
            watched = dice.choice(parties)
            if not await _reaches(watched, watched.seq + dice.randint(1, 50)):
                break
            # Not always at the very moment in which somebody hears of something.
            await asyncio.sleep(dice.choice((0.0, dice.uniform(0.0, 0.01))))
            await _restart(it, *parties)
        await asyncio.gather(*(party.over.wait() for party in parties))
        await asyncio.gather(*(party.together() for party in parties))
        await it.compare()
    return it.figures


async def frozen(folder: Path, seed: str, *, times: int, longest_s: float = 0.1) -> Figures:
    """SIGSTOP and, a while later, SIGCONT: nobody is sent away and nothing is done twice."""
    dice = Random(seed)

    async def freeze(it: Scene, party: Party) -> None:
        it.serving.freeze()
        await asyncio.sleep(dice.uniform(0.0, longest_s))
        it.serving.thaw()
        await it.figures.measure(party)

    return await _while_playing(folder, "SIGSTOP, SIGCONT", seed, times, freeze)


async def bad_line(folder: Path, seed: str, fault: Fault, *, times: int) -> Figures:
    """One of the faults of a line, for all players at once."""
    dice = Random(f"{seed} {fault}")

    async def spoil(it: Scene, party: Party) -> None:
        it.proxy.inflict(fault, dice)
        match fault:
            case Fault.BLACK_HOLE:
                await asyncio.sleep(dice.uniform(0.0, 0.2))
                if dice.random() < 0.5:
                    # What was in the hole is lost with the line.
                    it.proxy.cut()
            case Fault.DELAY | Fault.THROTTLE:
                await _reaches(party, party.seq + dice.randint(1, 10))
            case Fault.CUT | Fault.HALF_CLOSE:
                party.hold()
                await party.lost()
        it.proxy.heal()
        await it.figures.measure(party)

    return await _while_playing(folder, f"line {fault.value}", seed, times, spoil)


async def full_disk(folder: Path, seed: str) -> Figures:
    """No room for another page: the server must end with a sentence and have everything it acknowledged."""
    dice = Random(seed)
    async with scene(folder, "full disk") as it:
        rules = LONG.format(hands=4)
        async with seated(it.serving.target, it.history, seed, rules=rules, agents=1) as party:
            await start(party)
            await _reaches(party, party.seq + dice.randint(1, 60))
            it.serving.limit_files(dice.randint(0, 40_000))
            status = await it.serving.ended()
            it.figures.faults += 1
            said = it.serving.told.read_text()
            if status != 1 or "cannot be written" not in said:
                it.figures.complaints.append(f"the server ended with {status}, saying: {said}")
            await party.lost()
            await it.serving.start()
            await it.figures.measure(party)
            await party.over.wait()
            await party.together()
        await it.compare()
    return it.figures


# What rounds are made of.


async def _while_playing(
    folder: Path,
    name: str,
    seed: str,
    times: int,
    inflict: Callable[[Scene, Party], Awaitable[None]],
) -> Figures:
    """Inflicts a fault so many times in a match, some events apart, and lets the match be played out."""
    dice = Random(f"{seed} moments")
    async with scene(folder, name) as it:
        async with seated(it.proxy.target, it.history, seed, rules=ONE_HAND, agents=1) as party:
            await start(party)
            pace = max(60 // times, 2)
            while it.figures.faults < times:
                if not await _reaches(party, party.seq + dice.randint(1, pace)):
                    break
                it.figures.faults += 1
                await inflict(it, party)
            await party.over.wait()
            await party.together()
        await it.compare()
    return it.figures


async def _reaches(party: Party, goal: int) -> bool:
    """Waits until somebody has heard of an event; says whether the match goes on."""
    await party.until(lambda: party.seq >= goal or party.over.is_set())
    return not party.over.is_set()


async def _restart(it: Scene, *parties: Party) -> None:
    """Kills the server, starts it again and waits until all are back."""
    await it.serving.kill()
    it.figures.faults += 1
    for party in parties:
        await party.lost()
    await it.serving.start()
    await it.figures.measure(*parties)
