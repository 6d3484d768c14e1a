"""What a viewer may know of the cards, counted from a whole log and not by the filter that is tested."""

from __future__ import annotations

from collections.abc import Iterable

from spades import Card, CardPlayed, CardsPassed, HandDealt, HandShown, Seat


def seen_by(log: Iterable[object], viewer: Seat | None) -> set[Card]:
    """The cards of the last hand that a viewer held, was passed or saw played."""
    seen: set[Card] = set()
    hands: tuple[int | None, ...] = ()
    for event in log:
        match event:
            case HandDealt():
                seen, hands = set(), event.masks
                if viewer is not None and viewer not in event.face_down:
                    seen |= set(event.deck.unmask(hands[viewer] or 0))
            case HandShown(seat, deck) if seat is viewer:
                seen |= set(deck.unmask(hands[seat] or 0))
            case CardsPassed() if viewer is not None and viewer.side is event.giver.side:
                seen |= set(event.cards or ())
            case CardPlayed(card=card):
                seen.add(card)
            case _:
                pass
    return seen
