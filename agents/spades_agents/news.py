"""What an agent on a stream hears of its matches: that they begin and end, in order for each seat."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Final

from spades import Seat
from spades.state import MatchState
from spades_agents.agent import Agent
from spades_agents.failures import in_words
from spades_agents.hooks import end_match, hears_matches, start_match

Place = tuple[str, Seat]
"""A table and a seat there."""

LAST_WORDS_S: Final = 5.0
"""How many seconds an agent has to take in what it hears last."""


class MatchNews:
    """Follows the matches of an agent's seats, and tells it what is new.

    An agent that has no use for the news costs nothing here.
    """

    def __init__(self, agent: Agent, report: Callable[[str], None]) -> None:
        self._agent = agent
        self._report = report
        self._hears = hears_matches(agent)
        self._open: dict[Place, str] = {}
        """The commitment of the match that has begun for a seat and not ended."""
        self._last: dict[Place, asyncio.Task[None]] = {}
        """What each seat's agent is being told now."""

    def follow(self, place: Place, match: MatchState | None) -> None:
        """Compares a seat's match with what the agent knows of it."""
        if not self._hears or match is None:
            return
        known = self._open.get(place, "")
        if match.outcome is not None:
            if known:
                del self._open[place]
                # Of a match whose end was missed nothing more is known.
                outcome = match.outcome if known == match.commitment else None
                self._tell(place, end_match(self._agent, place[1], outcome))
        elif known != match.commitment:
            self.drop(place)
            self._open[place] = match.commitment
            self._tell(place, start_match(self._agent, place[1], match.rules))

    def drop(self, place: Place) -> None:
        """Notes that nothing more will be heard of a seat's match."""
        if self._open.pop(place, ""):
            self._tell(place, end_match(self._agent, place[1], None))

    def pending(self, place: Place) -> asyncio.Task[None] | None:
        """What an agent must hear before it is asked for a decision, if there is something."""
        return self._last.get(place)

    async def finish(self) -> None:
        """Tells the agent that what goes on is broken off, and waits a little until it has heard."""
        for place in tuple(self._open):
            self.drop(place)
        tasks = set(self._last.values())
        if not tasks:
            return
        _, deaf = await asyncio.wait(tasks, timeout=LAST_WORDS_S)
        for task in deaf:
            task.cancel()
        await asyncio.gather(*deaf, return_exceptions=True)

    def _tell(self, place: Place, telling: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(self._after(self._last.get(place), place, telling))
        self._last[place] = task
        task.add_done_callback(lambda done: self._told(place, done))

    def _told(self, place: Place, task: asyncio.Task[None]) -> None:
        if self._last.get(place) is task:
            del self._last[place]

    async def _after(
        self,
        former: asyncio.Task[None] | None,
        place: Place,
        telling: Coroutine[None, None, None],
    ) -> None:
        try:
            if former is not None:
                await asyncio.wait((former,))
            await telling
        except Exception as error:  # noqa: BLE001  # the author's code: its fault is reported and played over
            self._report(
                f"Table {place[0]}, {place[1]}: {self._agent.name} did not take in the news of"
                f" its match: {in_words(error)}"
            )
        finally:
            telling.close()
