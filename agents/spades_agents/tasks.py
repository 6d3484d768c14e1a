"""The end of what was running beside."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from spades import SpadesError
from spades_agents.failures import AgentFailure


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks, one after the other, and waits for their end; how they fail concerns nobody any more."""
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, SpadesError, AgentFailure):
            await task
