"""The Gentle level."""

from __future__ import annotations

from typing import Final

from spades import Bid, Card, Rank, SeatView, quick_count
from spades_agents.agent import Agent
from spades_agents.bots.judgement import cheapest_winner, lowest, nearest_legal, partner_wins

SLIP: Final = 0.3
"""How often a card is simply drawn: three times in ten."""

WAVER: Final = 0.1
"""How often the bid is a trick high or low: now and then."""


class Gentle(Agent):
    """An easy opponent and a forgiving partner.

    It bids its aces, its guarded kings and its spades past three, now and then a trick high or low, and
    never nil. Three times in ten it simply plays a legal card at random; otherwise it wins a trick as
    cheaply as it can and plays low behind its partner. It leads an ace when it has one, else low.
    """

    name = "gentle"

    def bid(self, view: SeatView) -> Bid:
        """Makes the quick count (rules.md 8), which it does not always trust."""
        rng = view.rng()
        count = quick_count(view.hand, view.rules.deck)
        if rng.random() < WAVER:
            count += rng.choice((-1, 1))
        return nearest_legal(view, count)

    def play(self, view: SeatView) -> Card:
        """Plays at random or simply."""
        legal = view.legal_plays
        if len(legal) == 1:
            return legal[0]
        rng = view.rng()
        if rng.random() < SLIP:
            return rng.choice(legal)
        if not view.trick:
            aces = [card for card in legal if card.rank is Rank.ACE]
            return lowest(view, aces or legal)
        if partner_wins(view):
            return lowest(view, legal)
        return cheapest_winner(view, legal) or lowest(view, legal)
