"""Rounds of one fault each: players play, something fails at moments that a seed fixes, and all is compared.

The tests run short rounds, `make soak` runs them for as long as it was told.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random

from tests.faults.party import Party, hands, seated, start
from tests.faults.proxy import Fault
from tests.faults.scene import Figures, Scene, reaches, scene


async def killed_at_events(folder: Path, seed: str, *, first: int = 1, every: int = 1) -> Figures:
    """SIGKILL whenever so many more events have been told, through a match of one hand."""
    figures = Figures("SIGKILL at every event" if every == 1 else f"SIGKILL every {every} events")
    async with (
        scene(figures, folder) as it,
        seated(it.serving.target, it.history, seed, agents=1) as party,
    ):
        # With a kill at every event nobody is a card ahead of it.
        party.one_by_one = every == 1
        await start(party)
        goal = party.seq + first
        while await reaches(party, goal):
            party.hold()
            await _restart(it, party)
            goal = party.seq + every
        await party.together()
    return figures


async def killed_under_load(folder: Path, seed: str, *, kills: int, tables: int = 3) -> Figures:
    """SIGKILL at random moments while several tables play, then all play on to the end."""
    dice = Random(seed)
    figures = Figures("SIGKILL under load")
    async with scene(figures, folder) as it, AsyncExitStack() as stack:
        rules = hands(kills + 1)
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
            if not await reaches(watched, watched.seq + dice.randint(1, 50)):
                break
            # Not always at the very moment in which somebody hears of something.
            await asyncio.sleep(dice.choice((0.0, dice.uniform(0.0, 0.01))))
            await _restart(it, *parties)
        for party in parties:
            await party.played_out()
    return figures


async def stopped(folder: Path, seed: str, *, times: int) -> Figures:
    """SIGTERM and another start: everybody is told, comes back and goes on."""

    async def stop(it: Scene, party: Party) -> None:
        status = await it.serving.kill(signal.SIGTERM)
        if status:
            it.figures.complaints.append(f"the server ended with {status} when it was told to stop")
        await party.lost()
        await it.serving.start()
        await it.figures.measure(party)

    return await _while_playing(folder, "SIGTERM, restart", seed, times, stop)


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
                await reaches(party, party.seq + dice.randint(1, 10))
            case Fault.CUT | Fault.HALF_CLOSE:
                party.hold()
                await party.lost()
        it.proxy.heal()
        await it.figures.measure(party)

    return await _while_playing(folder, f"line {fault.value}", seed, times, spoil)


async def full_disk(folder: Path, seed: str) -> Figures:
    """No room for another page: the server must end with a sentence and have everything it acknowledged."""
    dice = Random(seed)
    figures = Figures("full disk")
    async with scene(figures, folder) as it:
        rules = hands(4)
        async with seated(it.serving.target, it.history, seed, rules=rules, agents=1) as party:
            await start(party)
            await reaches(party, party.seq + dice.randint(1, 60))
            it.serving.limit_files(dice.randint(0, 40_000))
            status = await it.serving.ended()
            it.figures.faults += 1
            said = it.serving.told.read_text()
            if status != 1 or "cannot be written" not in said:
                it.figures.complaints.append(f"the server ended with {status}, saying: {said}")
            await party.lost()
            await it.serving.start()
            await it.figures.measure(party)
            await party.played_out()
    return figures


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
    figures = Figures(name)
    async with (
        scene(figures, folder) as it,
        seated(it.proxy.target, it.history, seed, agents=1) as party,
    ):
        await start(party)
        pace = max(60 // times, 2)
        while it.figures.faults < times:
            if not await reaches(party, party.seq + dice.randint(1, pace)):
                break
            it.figures.faults += 1
            await inflict(it, party)
        await party.played_out()
    return figures


async def _restart(it: Scene, *parties: Party) -> None:
    """Kills the server, starts it again and waits until all are back."""
    await it.serving.kill()
    it.figures.faults += 1
    for party in parties:
        await party.lost()
    await it.serving.start()
    await it.figures.measure(*parties)
