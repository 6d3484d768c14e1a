"""The scripted beginner."""

from __future__ import annotations

from spades import Bid, Card, Rank, SeatView, Suit
from spades_agents.agent import Agent
from spades_agents.bots.judgement import cheapest_winner, lowest, nearest_legal


class Beginner(Agent):
    """Plays simple, sensible cards and looks at nobody else.

    It bids one trick for every ace and king and one for every spade past three, and never nil. It leads an
    ace when it has one and otherwise its lowest card, wins as cheaply as it can, and trumps with its lowest
    winning spade when it cannot follow suit. A joker counts as an ace does.
    """

    name = "beginner"

    def bid(self, view: SeatView) -> Bid:
        """Counts aces, kings and spades past three."""
        deck = view.rules.deck
        honours = sum(card.rank >= Rank.KING for card in view.hand)
        spades = sum(deck.suit_of(card) is Suit.SPADES for card in view.hand)
        return nearest_legal(view, honours + max(0, spades - 3))

    def play(self, view: SeatView) -> Card:
        """Leads an ace or low; wins cheaply or plays low."""
        legal = view.legal_plays
        if not view.trick:
            aces = [card for card in legal if card.rank is Rank.ACE]
            return lowest(view, aces or legal)
        return cheapest_winner(view, legal) or lowest(view, legal)
