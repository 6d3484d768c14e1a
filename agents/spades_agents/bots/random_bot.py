"""The bot that knows the rules and nothing else."""

from __future__ import annotations

from spades import Bid, Card, SeatView
from spades_agents.agent import Agent


class RandomBot(Agent):
    """Bids and plays anything legal, each choice as likely as the next."""

    name = "random"

    def bid(self, view: SeatView) -> Bid:
        """Draws one of the legal bids."""
        legal = view.legal_bids
        return legal[view.rng_seed % len(legal)]

    def play(self, view: SeatView) -> Card:
        """Draws one of the legal cards.

        The seed is a uniform number of 256 bits, so its remainder is as good a draw as a generator's.
        """
        legal = view.legal_plays
        return legal[0] if len(legal) == 1 else legal[view.rng_seed % len(legal)]
