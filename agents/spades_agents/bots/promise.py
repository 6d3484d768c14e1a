"""What a card promises: the chance that it takes a trick later in the hand.

A bid, the tricks that a side may still expect and the price of a card that is spent are all sums of these.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final

from spades import Seat, SeatView
from spades_agents.bots.knowledge import Knowledge, bits_of

SIDE_CARD: Final = ((0.98,), (0.3, 0.62, 0.68), (0.1, 0.2, 0.34), (0.03, 0.05, 0.08))
"""The chance of a side card that so many unseen cards beat (0 to 3), by the guards below it (0, 1, 2)."""

SPADE: Final = ((1.0,), (0.3, 0.85, 0.9, 0.92), (0.1, 0.25, 0.75, 0.8), (0.05, 0.1, 0.3, 0.6))
"""The same of a spade, with up to three guards."""

HOPELESS: Final = 0.02
"""The chance of a card that more unseen cards beat."""

RUFFS: Final = (0.95, 0.5, 0.18)
"""How many tricks a low spade may ruff in a side suit of none, one or two cards."""


class Promises:
    """The promise of each card of a hand, in tricks, by its bit."""

    __slots__ = ("by_bit", "total")

    def __init__(self, view: SeatView, knowledge: Knowledge) -> None:
        self.by_bit: dict[int, float] = {}
        for suit in knowledge.deck.suit_masks:
            mine = bits_of(knowledge.hand & suit)
            if suit == knowledge.spades:
                chances = _spades(knowledge, mine, view.seat)
            else:
                chances = _side_suit(knowledge, suit, mine, view.seat)
            # Within a suit a higher card is never worth less, whatever a guess about its neighbour says.
            self.by_bit.update(zip(mine, accumulate(sorted(chances), max), strict=True))
        self.total: float = sum(self.by_bit.values())


def _entry(table: tuple[tuple[float, ...], ...], higher: int, guards: int) -> float:
    if higher >= len(table):
        return HOPELESS
    row = table[higher]
    return row[min(guards, len(row) - 1)]


def _side_suit(knowledge: Knowledge, suit: int, mine: list[int], me: Seat) -> list[float]:
    """Side cards win while they are high and no opponent ruffs them."""
    spades = knowledge.out & knowledge.spades
    found: list[float] = []
    for guards, bit in enumerate(mine):
        higher = knowledge.higher(bit, suit).bit_count()
        chance = _entry(SIDE_CARD, higher, guards)
        if chance > HOPELESS and spades:
            # Its betters in the same hand go first, and the higher ones elsewhere must fall.
            rounds = len(mine) - 1 - guards + higher
            for foe in (me.left, me.right):
                follows = knowledge.chance_outlasts(foe, suit, rounds)
                unarmed = 1.0 - knowledge.chance_holds(foe, spades, knowledge.spades)
                chance *= follows + (1.0 - follows) * unarmed
        found.append(chance)
    return found


def _spades(knowledge: Knowledge, mine: list[int], me: Seat) -> list[float]:
    """Spades win by height, by length and by ruffing."""
    spades = knowledge.spades
    ruffs = _ruffs(knowledge)
    found: list[float] = []
    for guards, bit in enumerate(mine):
        higher = knowledge.higher(bit, spades).bit_count()
        loses = 1.0 - _entry(SPADE, higher, guards)
        before = len(mine) - 1 - guards
        longest = 1.0
        for other in (me.left, me.partner, me.right):
            longest *= 1.0 - knowledge.chance_outlasts(other, spades, before)
        loses *= 1.0 - longest
        if ruffs > 0.0 and loses > 0.3:
            ruff = min(ruffs, 1.0)
            ruffs -= ruff
            loses *= 1.0 - ruff
        found.append(1.0 - loses)
    return found


def _ruffs(knowledge: Knowledge) -> float:
    """How many tricks low spades may take by ruffing, from the short suits of a hand."""
    found = 0.0
    for suit in knowledge.deck.suit_masks:
        held = (knowledge.hand & suit).bit_count()
        led_again = suit != knowledge.spades and (knowledge.out & suit).bit_count() >= 3
        if led_again and held < len(RUFFS):
            found += RUFFS[held]
    return found
