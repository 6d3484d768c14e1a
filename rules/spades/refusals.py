"""The longer explanations of the referee: what was tried, what is allowed and why."""

from __future__ import annotations

from spades.cards import Card, format_cards
from spades.errors import IllegalPlay, Reason
from spades.rules import BlindNil
from spades.seats import Seat
from spades.state import MatchState


def why_not_blind(state: MatchState, seat: Seat) -> str:
    """Says why a seat may not bid blind nil (rules.md 2.5)."""
    if state.rules.blind_nil is BlindNil.OFF:
        return "Blind nil is not possible: blind_nil=off."
    if state.deficit(seat.side) < state.rules.blind_nil_deficit:
        return (
            f"Blind nil is not possible: only a side that trails by"
            f" {state.rules.blind_nil_deficit} or more may bid it."
        )
    return f"Blind nil is not possible: {seat} has seen its cards."


def illegal_play(state: MatchState, seat: Seat, card: Card, hand: int) -> IllegalPlay:
    """Says why a card cannot be played (rules.md 3); for the eyes of the seat that tried."""
    deck = state.deck
    if not hand & deck.bits.get(card, 0):
        return IllegalPlay(f"{card} is not in {seat}'s hand.", Reason.CARD_NOT_HELD)
    legal = format_cards(deck.unmask(state.legal_mask(hand)))
    if state.trick:
        suit = deck.suit_of(state.trick[0])
        return IllegalPlay(
            f"{card} is not legal: {suit} were led and {seat} holds {legal}.",
            Reason.MUST_FOLLOW_SUIT,
        )
    return IllegalPlay(
        f"{card} cannot be led: spades are not broken and {seat} holds {legal}.",
        Reason.SPADES_NOT_BROKEN,
    )
