"""The SDK: write an agent, play it in process, connect it to a server.

>>> from spades_agents import Agent, play_local
>>> class Modest(Agent):
...     def bid(self, view):
...         return 1
...     def play(self, view):
...         return view.legal_plays[0]
>>> match = play_local([Modest, "beginner", Modest, "beginner"], "quick", seed="7")
>>> match.outcome.winner
Side.WEST_EAST
"""

from spades_agents.advice import Advice, advise
from spades_agents.agent import Agent
from spades_agents.bots import HOUSE_BOTS
from spades_agents.connection import Delivery
from spades_agents.failures import (
    AgentFailure,
    Crashed,
    DidNotStart,
    Ended,
    GivenUp,
    Malformed,
)
from spades_agents.grounds import Ground, Why
from spades_agents.local import LocalMatch, play_local, play_local_async
from spades_agents.reconnection import ConnectionLost
from spades_agents.runner import Result, compete, play, run
from spades_agents.server import Server
from spades_agents.specs import SpecError, load_agent
from spades_agents.stdio import serve_stdio
from spades_agents.trust import NotTrusted, ServerUnreachable, Trust

__all__ = [
    "HOUSE_BOTS",
    "Advice",
    "Agent",
    "AgentFailure",
    "ConnectionLost",
    "Crashed",
    "Delivery",
    "DidNotStart",
    "Ended",
    "GivenUp",
    "Ground",
    "LocalMatch",
    "Malformed",
    "NotTrusted",
    "Result",
    "Server",
    "ServerUnreachable",
    "SpecError",
    "Trust",
    "Why",
    "advise",
    "compete",
    "load_agent",
    "play",
    "play_local",
    "play_local_async",
    "run",
    "serve_stdio",
]
