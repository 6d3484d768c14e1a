"""The house bots: ordinary agents that every server has."""

from collections.abc import Callable
from typing import Final

from spades_agents.agent import Agent
from spades_agents.bots.beginner import Beginner
from spades_agents.bots.gentle import Gentle
from spades_agents.bots.random_bot import RandomBot
from spades_agents.bots.sharp import Sharp
from spades_agents.bots.steady import Steady
from spades_agents.bots.thinker import Thinker

HOUSE_BOTS: Final[dict[str, Callable[[], Agent]]] = {
    "random": RandomBot,
    "beginner": Beginner,
    "gentle": Gentle,
    "steady": Steady,
    "sharp": Sharp,
}
"""The bots by the names under which they are asked for, the weakest first."""

__all__ = ["HOUSE_BOTS", "Beginner", "Gentle", "RandomBot", "Sharp", "Steady", "Thinker"]
