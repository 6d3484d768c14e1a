"""Weighing the cards of a hand: what each is likely to win or lose, in points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spades import Card
from spades_agents.bots.nil import nil_safety
from spades_agents.bots.situation import Situation

# Found by playing pairs against each other on the same deals with the sides swapped.
KEEP: Final = 0.55
"""The price of a card that is spent on a trick, as a part of what it promises: not all promises are kept."""
KEEP_LEADING: Final = 0.25
"""The same of a card that is led: winners are cashed early, before somebody runs out of the suit."""
SHORTENING: Final = 0.12
"""What it is worth, in tricks, to come nearer to a ruff by leading or discarding from a short suit."""
COVER: Final = 10.0
"""What it is worth, in points, to keep a card that can save the partner's nil."""
SETTLE: Final = 0.05
"""Between cards that do the same, the lower one; when tricks are unwanted, the higher one."""
ASIDE: Final = 0.3
"""How much a nil bidder looks at what else becomes of the trick."""


@dataclass(frozen=True, slots=True)
class Prospect:
    """One card and what is likely to come of it."""

    card: Card
    bit: int
    score: float
    """Points; only differences between the cards of one decision mean something."""
    chances: tuple[float, float, float, float]
    """The chance of each seat to win the trick."""


def prospects(situation: Situation) -> list[Prospect]:
    """The legal cards, the best first."""
    weigh = _nil_score if situation.my_nil else _score
    bits = situation.knowledge.deck.bits
    found: list[Prospect] = []
    for card in situation.view.legal_plays:
        bit = bits[card]
        chances = situation.outlook.after(bit)
        found.append(Prospect(card, bit, weigh(situation, card, bit, chances), chances))
    found.sort(key=lambda one: one.score, reverse=True)
    return found


def _score(
    situation: Situation, card: Card, bit: int, chances: tuple[float, float, float, float]
) -> float:
    """What the trick brings, less what the card would have brought later."""
    worth, me = situation.worth, situation.me
    mine = worth[me]
    south, west, north, east = chances
    score = south * worth[0] + west * worth[1] + north * worth[2] + east * worth[3]
    keep = KEEP if situation.view.trick else KEEP_LEADING
    score -= keep * situation.promises.by_bit[bit] * mine
    if mine > 0:
        score += SHORTENING * mine * _shortens(situation, bit)
    score -= SETTLE * card.rank if mine > 0 else -SETTLE * card.rank
    if situation.partner_nil:
        score -= COVER * cover_value(situation, bit)
    return score


def _nil_score(
    situation: Situation, card: Card, bit: int, chances: tuple[float, float, float, float]
) -> float:
    """How safe a nil of one's own remains: this trick is not won, and what is left does not win either."""
    worth, me, knowledge = situation.worth, situation.me, situation.knowledge
    safety = (1.0 - chances[me]) * nil_safety(knowledge, knowledge.hand & ~bit)
    others = sum(chances[seat] * worth[seat] for seat in (me.left, me.partner, me.right))
    return -worth[me] * safety + ASIDE * others + SETTLE * card.rank


def _shortens(situation: Situation, bit: int) -> bool:
    """Whether a card brings its holder nearer to a ruff: from a short side suit, with a spade at hand."""
    knowledge = situation.knowledge
    spades = knowledge.spades
    if bit & spades or not knowledge.hand & spades:
        return False
    suit = knowledge.suit_of(bit)
    follows = bool(suit & situation.outlook.led)
    return not follows and (knowledge.hand & suit).bit_count() <= 2


def cover_value(situation: Situation, bit: int) -> float:
    """How much a card is needed to save the partner's nil, from 0 to 1.

    High cards of suits in which the partner may be left with a high card, and any spade.
    """
    knowledge, partner = situation.knowledge, situation.me.partner
    suit = knowledge.suit_of(bit)
    outside = (knowledge.out & suit).bit_count()
    below = knowledge.lower(bit, suit)
    value = 0.0
    if outside:
        value = knowledge.chance_holds(partner, below, suit) * below.bit_count() / outside
    return max(value, 0.5) if suit == knowledge.spades else value
