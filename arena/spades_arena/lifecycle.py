"""The methods that an agent may have beside its decisions: to get ready, hear of matches, and be closed."""

from __future__ import annotations

import asyncio
import contextlib

from spades import Outcome, Rules, Seat
from spades_agents import hooks
from spades_agents.agent import Agent

ENOUGH_S = 5.0
"""How long each of the two may take at the end of a match: nothing depends on them any more."""


async def get_ready(agent: Agent, seat: Seat, rules: Rules) -> None:
    """Has an agent start what it needs, and tells it that a match begins for a seat."""
    await hooks.get_ready(agent)
    await hooks.start_match(agent, seat, rules)


async def say_goodbye(agent: Agent, seat: Seat, outcome: Outcome | None) -> None:
    """Tells an agent how its match ended, and closes it; whatever it does then changes nothing."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(ENOUGH_S):
            await hooks.end_match(agent, seat, outcome)
    with contextlib.suppress(Exception):
        async with asyncio.timeout(ENOUGH_S):
            await hooks.close(agent)
