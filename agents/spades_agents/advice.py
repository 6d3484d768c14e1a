"""Advice for a seat: ranked choices, each with its reasons, from what the seat can see."""

from __future__ import annotations

from spades import SeatView
from spades_agents.bots.sharp import Sharp
from spades_agents.bots.thinker import Thinker
from spades_agents.grounds import Advice

__all__ = ["Advice", "advise"]


def advise(view: SeatView, thinker: Thinker | None = None) -> tuple[Advice, ...]:
    """Ranks what a seat may do now, the best first; empty when nothing is asked of it.

    Uses the view alone: the seat's own cards, every bid and every card played. The ranking is that of
    ``sharp`` unless another bot that gives its reasons is asked.
    """
    return (thinker or Sharp()).advise(view)
