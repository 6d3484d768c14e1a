"""When an agent hears that a match begins and ends: its optional methods, plain or ``async``."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager

from spades import Match, Outcome, Rules, Seat
from spades_agents.agent import Agent
from spades_agents.failures import Exited


async def get_ready(agent: Agent) -> None:
    """Has an agent get ready for its first match."""
    await _call(agent, agent.get_ready)


async def start_match(agent: Agent, seat: Seat, rules: Rules) -> None:
    """Tells an agent that a match begins for a seat."""
    await _call(agent, lambda: agent.start_match(seat, rules))


async def end_match(agent: Agent, seat: Seat, outcome: Outcome | None) -> None:
    """Tells an agent that a match of a seat is over, or with ``None`` that it was broken off."""
    await _call(agent, lambda: agent.end_match(seat, outcome))


async def close(agent: Agent) -> None:
    """Has an agent give up what it holds."""
    await _call(agent, agent.close)


async def _call(agent: Agent, hook: Callable[[], Awaitable[None] | None]) -> None:
    try:
        answer = await asyncio.to_thread(hook) if agent.blocking else hook()
        if inspect.isawaitable(answer):
            await answer
    except SystemExit as error:
        raise Exited(error) from error


def hears_matches(agent: Agent) -> bool:
    """Whether an agent has a method that wants to know when matches begin or end."""
    kind = type(agent)
    return kind.start_match is not Agent.start_match or kind.end_match is not Agent.end_match


@asynccontextmanager
async def in_match(agents: Sequence[Agent], match: Match) -> AsyncGenerator[None]:
    """Tells four agents that a match begins before the block, and after it how it ended for each."""
    async with contextlib.AsyncExitStack() as stack:
        for seat, agent in zip(Seat, agents, strict=True):
            if hears_matches(agent):
                await start_match(agent, seat, match.rules)
                stack.push_async_callback(_tell_end, agent, seat, match)
        yield


async def _tell_end(agent: Agent, seat: Seat, match: Match) -> None:
    await end_match(agent, seat, match.outcome)


@asynccontextmanager
async def closing(agents: Iterable[Agent]) -> AsyncGenerator[None]:
    """Closes agents after the block, whatever happened there; each of them once."""
    async with contextlib.AsyncExitStack() as stack:
        for agent in {id(agent): agent for agent in agents}.values():
            stack.push_async_callback(close, agent)
        yield
