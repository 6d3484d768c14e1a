"""The end of what was running beside."""

from __future__ import annotations

import asyncio
from typing import Any

from spades import SpadesError
from spades_agents.failures import AgentFailure


async def end(*tasks: asyncio.Task[Any]) -> None:
    """Cancels tasks and waits for their end; a refusal or a failed agent concerns nobody any more.

    What else one of them has raised is raised once all have ended.
    """
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
    for task in tasks:
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, SpadesError | AgentFailure):
            raise error
