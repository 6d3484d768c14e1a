"""The Sharp level."""

from __future__ import annotations

from typing import ClassVar

from spades import SeatView
from spades_agents.bots.bidding import BidChoice, sharp_bids, wants_blind_nil
from spades_agents.bots.situation import Skill
from spades_agents.bots.thinker import Thinker
from spades_agents.grounds import Ground


class Sharp(Thinker):
    """Plays like Steady and also counts every card and every void.

    It adjusts its bid for its partner's bid and the bags, bids nil when the hand allows, hunts an opponent's
    nil with low leads, ducks bags once its contract is safe, and bids blind nil when far behind if the rule
    is on.
    """

    name = "sharp"
    skill: ClassVar[Skill] = Skill(remembers=True, weighs=True, hunts=True)

    def bids(self, view: SeatView) -> list[BidChoice]:
        """Bids the hand at its table."""
        return sharp_bids(view)

    def blind_choice(self, view: SeatView) -> tuple[bool, Ground]:
        """Bids blind nil when far behind."""
        return wants_blind_nil(view)
