"""The stage of a round: a server, a line to it that can fail, and the figures that the round comes to."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.checker import Finding, check
from tests.faults.history import History
from tests.faults.party import Party, Stuck
from tests.faults.proxy import Proxy
from tests.faults.serving import Serving
from tests.faults.truth import read_truth


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


@dataclass(slots=True)
class Scene:
    """A server on a port of its own, a line to it that can fail, and what its clients see and do."""

    serving: Serving
    proxy: Proxy
    figures: Figures
    history: History = field(default_factory=History)


@asynccontextmanager
async def scene(figures: Figures, folder: Path, *options: str) -> AsyncGenerator[Scene]:
    """A server and a line to it within the block; then what was told is compared with what was written."""
    serving = Serving(folder, *options)
    await serving.start()
    proxy = Proxy(serving.port)
    await proxy.start()
    it = Scene(serving, proxy, figures)
    try:
        yield it
    except Stuck as stuck:
        figures.complaints.append(str(stuck))
    finally:
        await proxy.stop()
        await serving.close()
    truths = await asyncio.to_thread(read_truth, serving.folder)
    figures.findings += check(it.history, truths)
    figures.acknowledged += it.history.acknowledged
    if "Traceback" in (told := serving.told.read_text()):
        figures.complaints.append(f"the server wrote a traceback:\n{told}")


async def reaches(party: Party, goal: int) -> bool:
    """Waits until somebody has heard of an event; says whether the match goes on."""
    await party.until(lambda: party.seq >= goal or party.over.is_set())
    return not party.over.is_set()
