"""A bot against itself on mirrored deals: whatever it plays, it must come out even."""

from __future__ import annotations

from typing import Final

from spades_agents.agent import Agent
from spades_agents.conformance.findings import Noted
from spades_agents.local import LocalMatch, play_local_async
from spades_proto.records import game_json

PAIRS: Final = 20
"""How many pairs of matches are played."""

RULES: Final = "classic,max_hands=1"


MOST_S: Final = 120.0
"""How long they may take: of a bot that thinks for long fewer are played."""

_DECISIONS: Final = 112
"""How many a pair has."""


def pairs_within(mean_s: float) -> int:
    """How many pairs to play with a bot that takes so long for an answer."""
    return max(1, min(PAIRS, int(MOST_S / (mean_s * _DECISIONS + 1e-9))))


async def tie_with_itself(one: Agent, other: Agent, pairs: int = PAIRS) -> str:
    """Plays pairs of matches on the same deals with the sides swapped, and says how they ended.

    :raises Noted: if one is not a tie: then the bot decides by something that is not in the view.
    """
    lead = 0
    for number in range(pairs):
        seed = f"mirror {number}"
        first = await play_local_async([one, other, one, other], RULES, seed)
        second = await play_local_async([other, one, other, one], RULES, seed)
        margin = _margin(first) - _margin(second)
        if margin or game_json(first.match) != game_json(second.match):
            raise Noted(
                f"not deterministic: the same deals were played in another way when the sides were"
                f" swapped (pair {number + 1}, {margin:+} points)"
            )
        lead += margin
    return f"{pairs} pairs, {lead} points ahead"


def _margin(played: LocalMatch) -> int:
    south_north, west_east = played.match.standings
    return south_north.total - west_east.total
