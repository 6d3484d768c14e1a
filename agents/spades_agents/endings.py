"""The ends of matches and of tables, each told once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

from spades import Outcome, Seat
from spades_agents.news import Place
from spades_proto.table import TableStage, TableState


@dataclass(frozen=True, slots=True)
class Over:
    """A match at a table has ended, or with no outcome the table has."""

    table: str
    seats: tuple[Seat, ...]
    outcome: Outcome | None
    record: str


class Endings:
    """What is over at the tables of one player, in the order in which it ended."""

    def __init__(self) -> None:
        self._over: asyncio.Queue[Over] = asyncio.Queue()
        self._told: set[str] = set()
        """The records of the matches that were told of."""

    async def next(self) -> Over:
        """Waits for the next."""
        return await self._over.get()

    def pass_over(self, state: TableState | None) -> None:
        """Notes that a match that was over when the agent came was not its own."""
        if state is not None:
            self._told.add(state.record)

    def note(self, table: str, places: Iterable[Place], state: TableState | None) -> None:
        """Tells of a table's match once it is over and its record kept."""
        if state is not None and state.stage is TableStage.FINISHED:
            self._tell(table, places, state)

    def closed_with_its_match(
        self, table: str, places: Iterable[Place], state: TableState | None
    ) -> bool:
        """Whether a table that was closed had played its match to the end; that is told of."""
        if state is None or state.match is None or state.match.outcome is None or not state.record:
            return False
        self._tell(table, places, state)
        return True

    def table_gone(self, place: Place) -> None:
        """Tells that a player's last seat at a table is gone."""
        self._over.put_nowait(Over(place[0], (place[1],), None, ""))

    def _tell(self, table: str, places: Iterable[Place], state: TableState) -> None:
        if not state.record or state.record in self._told or state.match is None:
            return
        self._told.add(state.record)
        seats = tuple(seat for code, seat in places if code == table)
        self._over.put_nowait(Over(table, seats, state.match.outcome, state.record))
