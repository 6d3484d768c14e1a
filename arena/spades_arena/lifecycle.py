"""The methods that an agent may have beside its decisions: to get ready, hear of matches, and be closed."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Callable

from spades import Outcome, Rules, Seat
from spades_agents.agent import Agent

ENOUGH_S = 5.0
"""How long an agent may take over the end of a match: nothing depends on it any more."""


async def get_ready(agent: Agent, seat: Seat, rules: Rules) -> None:
    """Has an agent start what it needs, and tells it that a match begins for a seat."""
    await _call(agent, "get_ready")
    await _call(agent, "start_match", seat, rules)


async def say_goodbye(agent: Agent, seat: Seat, outcome: Outcome | None) -> None:
    """Tells an agent how its match ended, and closes it; whatever it does then changes nothing."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(ENOUGH_S):
            await _call(agent, "end_match", seat, outcome)
    with contextlib.suppress(Exception):
        async with asyncio.timeout(ENOUGH_S):
            await _call(agent, "close")


async def _call(agent: Agent, name: str, *arguments: object) -> None:
    hook: Callable[..., object] | None = getattr(agent, name, None)
    if hook is None:
        return
    if agent.blocking:
        answer = await asyncio.to_thread(hook, *arguments)
    else:
        answer = hook(*arguments)
    if inspect.isawaitable(answer):
        await answer
