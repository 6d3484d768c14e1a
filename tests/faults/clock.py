"""A round in which the wall clock of the server jumps, forwards and back."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Final

from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.table_log import SECOND
from spades_server.wall_clock import wall_clock
from tests.faults.checker import check
from tests.faults.history import History
from tests.faults.party import Stuck, seated, start
from tests.faults.scene import Figures, reaches
from tests.faults.truth import read_truth

JUMPS_S: Final = (-86_400, -3_600, -5, 5, 45, 3_600, 86_400)


async def jumping_clock(folder: Path, seed: str, *, times: int) -> Figures:
    """The clock jumps at events that the seed chooses; the match is played out all the same."""
    dice = Random(f"{seed} clock")
    figures = Figures("clock that jumps")
    history = History()
    shift = [0]
    config = ServerConfig(port=0, data=folder, tempo_ms=0)
    server = SpadesServer(config, clock=lambda: wall_clock() + shift[0])
    await server.start()
    try:
        async with seated(f"127.0.0.1:{server.port}", history, seed, agents=1) as party:
            await start(party)
            for _ in range(times):
                await reaches(party, party.seq + dice.randint(1, 9))
                shift[0] += dice.choice(JUMPS_S) * SECOND
                figures.faults += 1
            await figures.measure(party)
            await party.played_out()
    except Stuck as stuck:
        figures.complaints.append(str(stuck))
    finally:
        await server.stop()
    figures.findings += check(history, read_truth(folder))
    figures.acknowledged = history.acknowledged
    return figures
