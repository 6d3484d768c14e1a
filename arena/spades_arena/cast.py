"""The agents of a table, made from their specs; one that cannot start is evidence and no accident."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from spades import Outcome, Rules, Seat
from spades_agents.agent import Agent
from spades_agents.failures import AgentFailure, raised, shortened
from spades_agents.pipe import PipeAgent
from spades_agents.specs import AgentFactory, SpecError, load_agent
from spades_arena.faults import Evidence
from spades_arena.lifecycle import get_ready, say_goodbye
from spades_arena.limits import END_MS, TimeLimits
from spades_arena.spec import Entry
from spades_arena.stderr import StderrFiles
from spades_arena.watch import Watch


class Cast:
    """Makes agents, a new one for each seat and game; what a spec names is looked up once."""

    def __init__(self, stderr: StderrFiles | None = None) -> None:
        """``stderr`` keeps what programs write there."""
        self._factories: dict[str, AgentFactory] = {}
        self._stderr = stderr

    async def start(
        self, entries: Sequence[Entry], rules: Rules, table: int, limits: TimeLimits, watch: Watch
    ) -> tuple[Agent | Evidence, ...]:
        """Makes the agents of four seats; where one does not start there is the evidence.

        All four are tried, whoever fails first.
        """
        made: list[Agent | Evidence] = []
        for seat, entry in zip(Seat, entries, strict=True):
            watch.begin(table, seat, limits.start_ms, starting=True)
            made.append(await self._make(entry, seat, rules, limits.start_ms))
            watch.end()
        return tuple(made)

    async def _make(
        self, entry: Entry, seat: Seat, rules: Rules, start_ms: int
    ) -> Agent | Evidence:
        limit = asyncio.timeout(start_ms / 1000)
        try:
            if entry.spec not in self._factories:
                self._factories[entry.spec] = load_agent(entry.spec)
            agent = self._factories[entry.spec]()
            if isinstance(agent, PipeAgent) and self._stderr is not None:
                agent.on_errors = self._stderr.of(entry)
            async with limit:
                await get_ready(agent, seat, rules)
        except (SpecError, AgentFailure) as error:
            return Evidence(no_start=shortened(str(error)))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody else's code
            if limit.expired():
                return Evidence(no_start=f"It was not ready within {start_ms / 1000:g} s.")
            return Evidence(no_start=raised(error))
        return agent

    async def dismiss(
        self, agents: Sequence[Agent | Evidence], outcome: Outcome | None, table: int, watch: Watch
    ) -> None:
        """Tells the agents of four seats how it ended, and closes them."""
        for seat, agent in zip(Seat, agents, strict=True):
            if isinstance(agent, Agent):
                watch.begin(table, seat, END_MS)
                await say_goodbye(agent, seat, outcome)
                watch.end()
