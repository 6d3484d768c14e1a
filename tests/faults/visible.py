"""Which cards each viewer may know after each event; apart from the product's own filter, to check it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from spades import Card, CardPlayed, CardsPassed, HandDealt, HandScored, HandShown, MatchEnded, Seat
from spades_proto import wire
from spades_proto.table import AnyEvent

EVERY_CARD: Final = (1 << 55) - 1
"""Cards are bits, by their numbers on the wire."""


@dataclass(frozen=True, slots=True)
class Visible:
    """What may be known."""

    public: int = EVERY_CARD
    """By everybody: what was played, and everything between hands."""
    own: tuple[int, ...] = (0, 0, 0, 0)
    """By each seat, beyond that."""
    hands_over: int = 0
    match_over: bool = False


def visible(events: Iterable[AnyEvent]) -> list[Visible]:
    """What may be known after each event of a table's whole log."""
    now = Visible()
    known: list[Visible] = []
    dealt = (0, 0, 0, 0)
    for event in events:
        match event:
            case HandDealt():
                south, west, north, east = (_bits(event.hand(seat) or ()) for seat in Seat)
                dealt = (south, west, north, east)
                own = tuple(0 if seat in event.face_down else dealt[seat] for seat in Seat)
                hands_over = 0 if event.number == 1 else now.hands_over
                now = Visible(0, own, hands_over, match_over=False)
            case HandShown():
                now = _add(now, event.seat, dealt[event.seat])
            case CardsPassed():
                cards = _bits(event.cards or ())
                for seat in (event.giver, event.giver.partner):
                    now = _add(now, seat, cards)
            case CardPlayed():
                now = replace(now, public=now.public | _bits((event.card,)))
            case HandScored():
                now = replace(now, public=EVERY_CARD, hands_over=event.number)
            case MatchEnded():
                now = replace(now, match_over=True)
            case _:
                pass
        known.append(now)
    return known


def _add(now: Visible, seat: Seat, cards: int) -> Visible:
    own = tuple(
        mask | cards if one is seat else mask for one, mask in zip(Seat, now.own, strict=True)
    )
    return replace(now, own=own)


def _bits(cards: Iterable[Card]) -> int:
    bits = 0
    for card in cards:
        bits |= 1 << int(wire.CARD.to_wire(card))
    return bits
