"""Plays a competition: opens the tables of its units and gathers what comes of them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from spades import SpadesError
from spades_arena.results import TableResult
from spades_arena.schedule import Unit
from spades_arena.table import PlayedTable
from spades_arena.unit import (
    PlayedUnit,
    UnitWork,
    score_unit,
    table_setting,
    unit_work,
    void_unit,
)
from spades_server.commands import Close
from spades_server.competitions.competition import Competition
from spades_server.competitions.sides import SideEntry
from spades_server.competitions.table import CompetitionTable
from spades_server.host import TableHost
from spades_server.lobby import Lobby

log: Final = logging.getLogger("spades.competitions")

ATTEMPTS: Final = 3
"""How often a unit is played anew that broke down on the server's side."""

Keep = Callable[[PlayedUnit], Awaitable[None]]


class Driver:
    """Everything around one running competition that has I/O."""

    def __init__(
        self,
        competition: Competition,
        lobby: Lobby,
        clock: Callable[[], int],
        keep: Keep,
        most_at_once: int,
    ) -> None:
        self._competition = competition
        self._lobby = lobby
        self._clock = clock
        self._keep = keep
        self._most = most_at_once
        self._seed = competition.seed
        self._running: dict[str, tuple[Unit, asyncio.Task[PlayedUnit]]] = {}
        self._changed = asyncio.Event()

    @property
    def playing(self) -> int:
        """How many units are being played."""
        return len(self._running)

    def look_again(self) -> None:
        """Notes that less may be to play than before: an entry was withdrawn."""
        self._changed.set()

    async def run(self) -> None:
        """Plays until nothing is missing; when it is cancelled, what is being played is dropped."""
        waiting = list(self._competition.state.missing)
        try:
            while True:
                self._fill(waiting)
                if not self._running:
                    return
                changed = await self._next()
                if changed:
                    waiting = await self._look()
        finally:
            await self._drop(list(self._running))

    async def _next(self) -> bool:
        """Waits for something to happen, and keeps what was played; says whether the schedule changes."""
        woken = asyncio.create_task(self._changed.wait())
        tasks = {task for _, task in self._running.values()}
        try:
            await asyncio.wait({woken, *tasks}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            woken.cancel()
        forfeited = False
        for name, (_, task) in list(self._running.items()):
            if task.done():
                del self._running[name]
                played = task.result()
                forfeited |= bool(played.result.losers)
                await self._keep(played)
        # Looked at last: somebody may have been withdrawn while that was written.
        changed = self._changed.is_set()
        self._changed.clear()
        return changed or forfeited

    async def _look(self) -> list[Unit]:
        """Asks the competition what is missing now, and drops what is not any more."""
        missing = self._competition.state.missing
        names = {unit.id for unit in missing}
        await self._drop([name for name in self._running if name not in names])
        return [unit for unit in missing if unit.id not in self._running]

    async def _drop(self, names: list[str]) -> None:
        tasks = [self._running.pop(name)[1] for name in names]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _fill(self, waiting: list[Unit]) -> None:
        """Begins every unit for which there is room, in the order of the schedule."""
        room = self._most - len(self._running)
        at_once = [one.at_once for one in self._competition.registration.entries]
        left = list(at_once)
        for unit, _ in self._running.values():
            for entry in {unit.a, unit.b}:
                left[entry] -= 1
        begun: list[Unit] = []
        for unit in waiting:
            if len(begun) >= room:
                break
            if left[unit.a] > 0 and left[unit.b] > 0:
                for entry in {unit.a, unit.b}:
                    left[entry] -= 1
                begun.append(unit)
        for unit in begun:
            waiting.remove(unit)
            self._running[unit.id] = (unit, asyncio.create_task(self._play(unit)))

    async def _play(self, unit: Unit) -> PlayedUnit:
        for attempt in range(1, ATTEMPTS + 1):
            played = await self._try(unit_work(self._competition.spec, unit, self._seed, attempt))
            if played is not None:
                return played
            log.warning("a unit is played anew", extra={"unit": unit.id, "attempt": attempt})
        return void_unit(unit, ATTEMPTS, "Its tables were closed by whoever runs the server.")

    async def _try(self, work: UnitWork) -> PlayedUnit | None:
        """Plays both tables, as the arena does; ``None`` if one was closed before its end."""
        results: list[TableResult] = []
        records: list[str] = []
        for place in (0, 1):
            played = await self._table(work, place)
            if played is None:
                return None
            results.append(played.result)
            if played.record:
                records.append(played.record)
            if played.result.forfeited:
                break
        return PlayedUnit(score_unit(work, tuple(results)), tuple(records))

    async def _table(self, work: UnitWork, place: int) -> PlayedTable | None:
        """Opens a table and waits for its end; a table that nobody waits for any more is closed."""
        registration = self._competition.registration
        first, second = (work.unit.a, work.unit.b) if place == 0 else (work.unit.b, work.unit.a)
        sides = (self._side(first), self._side(second))
        setting = table_setting(work, place)
        over = asyncio.Event()
        made: list[CompetitionTable] = []

        def make(code: str) -> CompetitionTable:
            name = f"{registration.id}-{setting.id}"
            made.append(CompetitionTable(code, setting, sides, name, self._clock()))
            return made[0]

        def closed(host: TableHost) -> None:
            del host
            over.set()

        host = self._lobby.open_competition_table(make, closed)
        try:
            await over.wait()
        except asyncio.CancelledError:
            with contextlib.suppress(SpadesError):
                host.submit(Close("The unit is not played on at this table."))
            raise
        return made[0].result

    def _side(self, entry: int) -> SideEntry:
        one = self._competition.registration.entries[entry]
        first, second = one.seated()
        return SideEntry(one.name, first, one.bot, second)
