"""A bot as a Python class: it bids what it can count and keeps its high cards for when they win.

spades agent run careful.py --server localhost:7450
"""

from spades_agents import Agent


class Careful(Agent):
    name = "careful"

    def bid(self, view):
        sure = sum(str(card)[0] in "AK" for card in view.hand)
        wanted = max(1, sure)
        return min(
            (bid for bid in view.legal_bids if not bid.is_nil),
            key=lambda bid: abs(bid.tricks - wanted),
        )

    def play(self, view):
        by_height = sorted(view.legal_plays, key=view.rules.deck.bits.__getitem__)
        needed = view.bids[view.seat].tricks - view.taken[view.seat]
        return by_height[-1] if needed > 0 and len(view.trick) == 3 else by_height[0]
