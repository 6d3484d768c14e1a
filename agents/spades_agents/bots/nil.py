"""How safe a nil is: the chance that a hand takes no trick."""

from __future__ import annotations

from math import exp, log
from typing import Final

from spades_agents.bots.knowledge import Knowledge, bits_of

# The chance that a whole hand holds as a nil: a logistic regression on about 7,000 nils that sharp was made
# to bid in games among its kind. A card counts by the share of the unseen cards of its suit that it beats.
HARMLESS: Final = 2.0
"""The log-odds of a hand without any danger."""
SIDE_DANGER: Final = (1.05, 0.58, 0.24)
"""The weights of the lowest card of a side suit, the second and the third lowest."""
SPADE_DANGER: Final = 0.97
"""The weight of each spade."""
MANY_SPADES: Final = 1.2
"""What each spade past the third takes off the log-odds."""

# How safe what is left of a hand is, while it is played.
ROUNDS: Final = (0.4, 0.3, 0.15, 0.05)
"""How often the lowest card of a side suit, the second lowest and so on meets a round that the others leave
to it."""
LATE_ROUND: Final = 0.02
SPADE_ROUND: Final = 0.9
"""The same of any spade: spades must be played under spades."""


def nil_chance(knowledge: Knowledge) -> float:
    """The chance that a nil bid with a whole hand is made."""
    odds = HARMLESS
    for suit in knowledge.deck.suit_masks:
        mine, outside = knowledge.hand & suit, knowledge.out & suit
        if suit == knowledge.spades:
            if mine > outside:  # the highest spade of all
                return 0.0
            for bit in bits_of(mine):
                odds += SPADE_DANGER * log(1.0 - 0.99 * _beats(bit, outside) ** 2.5)
            odds -= MANY_SPADES * max(0, mine.bit_count() - 3)
        elif outside:
            for bit, weight in zip(bits_of(mine), SIDE_DANGER, strict=False):
                odds += weight * log(1.0 - 0.99 * _beats(bit, outside) ** 2.0)
    return 1.0 / (1.0 + exp(-odds))


def nil_safety(knowledge: Knowledge, hand: int) -> float:
    """How likely the cards of a nil bidder are to take none of the tricks to come.

    For comparing what different cards would leave behind, not for betting on.
    """
    safety = 1.0
    for suit in knowledge.deck.suit_masks:
        mine, outside = hand & suit, knowledge.out & suit
        if not mine or not outside:
            continue
        spades = suit == knowledge.spades
        for place, bit in enumerate(bits_of(mine)):
            if spades:
                weight = SPADE_ROUND if bit < outside else 1.0
                safety *= 1.0 - weight * _beats(bit, outside) ** 2.5
            else:
                weight = ROUNDS[place] if place < len(ROUNDS) else LATE_ROUND
                safety *= 1.0 - weight * _beats(bit, outside) ** 3.0
    return safety


def _beats(bit: int, outside: int) -> float:
    """The share of the unseen cards of its suit that a card beats."""
    return (outside & (bit - 1)).bit_count() / outside.bit_count()
