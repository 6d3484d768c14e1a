"""The exchange of a blind nil: which cards to pass (rules.md 2.6)."""

from __future__ import annotations

from spades import Card, SeatView
from spades_agents.bots.knowledge import Knowledge
from spades_agents.bots.nil import nil_safety
from spades_agents.grounds import Ground, Why


def cards_to_pass(view: SeatView) -> tuple[tuple[Card, ...], Ground]:
    """The cards that a seat passes, and why: a nil bidder's most dangerous, its partner's most harmless."""
    bid = view.bids[view.seat]
    if bid is not None and bid.is_nil:
        cards = _most_dangerous(view)
        return cards, Ground(Why.PASS_DANGEROUS, cards=cards)
    cards = _most_harmless(view)
    return cards, Ground(Why.PASS_HARMLESS, cards=cards)


def _most_dangerous(view: SeatView) -> tuple[Card, ...]:
    """One by one the card without which the rest is safest; of equals the highest spade."""
    knowledge = Knowledge(view)
    bits, spades = knowledge.deck.bits, knowledge.spades
    hand, found = knowledge.hand, list[Card]()
    for _ in range(view.pass_count):
        left = [card for card in view.hand if card not in found]
        best = max(
            left,
            key=lambda card: (
                nil_safety(knowledge, hand & ~bits[card]),
                bool(bits[card] & spades),
                card.rank,
                bits[card],
            ),
        )
        found.append(best)
        hand &= ~bits[best]
    return tuple(found)


def _most_harmless(view: SeatView) -> tuple[Card, ...]:
    """The lowest side cards, from short suits first: the partner of a nil wants high cards and ruffs."""
    knowledge = Knowledge(view)
    bits, spades = knowledge.deck.bits, knowledge.spades

    def harm(card: Card) -> tuple[bool, int, int, int]:
        suit = knowledge.suit_of(bits[card])
        length = (knowledge.hand & suit).bit_count()
        return suit == spades, card.rank, length, bits[card]

    return tuple(sorted(view.hand, key=harm)[: view.pass_count])
