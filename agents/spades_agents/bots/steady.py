"""The Steady level."""

from __future__ import annotations

from typing import ClassVar

from spades import SeatView
from spades_agents.bots.bidding import BidChoice, steady_bids
from spades_agents.bots.situation import Skill
from spades_agents.bots.thinker import Thinker


class Steady(Thinker):
    """A real opponent that counts neither cards nor bags.

    It values its hand trick by trick, bids nil with a hand that cannot win anything, covers its partner's
    nil, plays high in third seat and low in second, and never overtakes a nil bidder's winning card.
    """

    name = "steady"
    skill: ClassVar[Skill] = Skill(remembers=False, weighs=False, hunts=False)

    def bids(self, view: SeatView) -> list[BidChoice]:
        """Bids the hand by itself."""
        return steady_bids(view)
