"""The cursor in the player's own hand: where it is, and where a key takes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spades import Card, SeatView
from spades_client.screen.interface import Context, Interface, Sight, context_of
from spades_client.screen.keymap import Intent


def cursor_of(sight: Sight, interface: Interface) -> Card | None:
    """The card that the cursor is on: where the player left it, else the first that may be played."""
    view = sight.state.view
    if view is None or sight.sending is not None or not view.hand:
        return None
    if interface.cursor in view.hand:
        return interface.cursor
    context = context_of(sight, replace(interface, panel=None))
    if context is Context.PLAY:
        return view.legal_plays[0]
    return view.hand[0] if context is Context.PASS else None


def move_cursor(
    intent: Intent, sight: Sight, view: SeatView, interface: Interface
) -> Interface | None:
    """Moves the cursor along the hand; ``None`` for a key that does not move it."""
    hand = view.hand
    if intent not in _MOVES or not hand:
        return None
    card = cursor_of(sight, interface)
    if card is None:
        return replace(interface, cursor=hand[-1] if intent is Intent.FINAL else hand[0])
    place = hand.index(card)
    match intent:
        case Intent.LEFT:
            place = max(place - 1, 0)
        case Intent.RIGHT:
            place = min(place + 1, len(hand) - 1)
        case Intent.FIRST:
            place = 0
        case Intent.FINAL:
            place = len(hand) - 1
        case _:
            place = _other_suit(hand, place, view, 1 if intent is Intent.NEXT_SUIT else -1)
    return replace(interface, cursor=hand[place])


_MOVES = frozenset(
    (
        Intent.LEFT,
        Intent.RIGHT,
        Intent.FIRST,
        Intent.FINAL,
        Intent.NEXT_SUIT,
        Intent.FORMER_SUIT,
    )
)


def _other_suit(hand: Sequence[Card], place: int, view: SeatView, step: int) -> int:
    """The place of the first card of the next suit, or of the one before."""
    suit_of = view.rules.deck.suit_of
    suits = list(dict.fromkeys(map(suit_of, hand)))
    wanted = suits[(suits.index(suit_of(hand[place])) + step) % len(suits)]
    return next(number for number, card in enumerate(hand) if suit_of(card) is wanted)
