"""Bots that misbehave, one in each way, for testing what plays them: ``misbehaving:silent`` and its like.

Up to its first card each of them plays as the beginner does, so that what is tested is a match that goes on.
Those that would take their host with them, or whose fault lies in what they say, are programs of their own.
:mod:`spades_agents.misbehaving.line` has what they do to a server.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Final

from spades_agents.agent import Agent
from spades_agents.misbehaving.agents import Crashing, Dying, Illegal, Silent, Slow
from spades_agents.misbehaving.programs import PROGRAMS
from spades_agents.pipe import PipeAgent

_IN_PROCESS: Final[dict[str, Callable[[], Agent]]] = {
    "silent": Silent,
    "slow": Slow,
    "illegal": Illegal,
    "crashing": Crashing,
}

MISBEHAVING: Final[dict[str, Callable[[], Agent]]] = {
    **_IN_PROCESS,
    **{
        kind: functools.partial(
            PipeAgent, (sys.executable, "-m", "spades_agents.misbehaving", kind)
        )
        for kind in PROGRAMS
    },
}
"""The misbehaving bots by the word after ``misbehaving:``."""

__all__ = ["MISBEHAVING", "Crashing", "Dying", "Illegal", "Silent", "Slow"]
