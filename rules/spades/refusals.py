"""The refusals of the referee: what was tried, what is allowed and why.

When to refuse is for :class:`spades.Match` to judge; here is what it says then.
"""

from __future__ import annotations

from collections.abc import Sequence

from spades.bids import MAX_BID, Bid
from spades.cards import Card, format_cards
from spades.errors import (
    IllegalAction,
    IllegalBid,
    IllegalPass,
    IllegalPlay,
    IllegalUndo,
    NotYourTurn,
    Reason,
)
from spades.phases import ActionKind, Phase
from spades.rules import BlindNil, UndoRule
from spades.seats import Seat
from spades.state import MatchState


def wrong_phase(seat: Seat, kind: ActionKind, phase: Phase) -> IllegalAction:
    """Says that the phase does not allow an action to anybody."""
    return IllegalAction(
        f"{seat} cannot {kind.value} now: the match is in the phase {phase.value!r}.",
        Reason.WRONG_PHASE,
    )


def not_your_turn(seat: Seat, kind: ActionKind, turn: Seat | None) -> NotYourTurn:
    """Says whose turn it is."""
    return NotYourTurn(
        f"{seat} cannot {kind.value} now: it is {turn}'s turn.", Reason.NOT_YOUR_TURN
    )


def already_looked(seat: Seat) -> IllegalBid:
    """Says that a seat has turned its cards up (rules.md 2.5)."""
    return IllegalBid(f"{seat} sees its cards already.", Reason.ALREADY_LOOKED)


def illegal_blind_bid(state: MatchState, seat: Seat, bid: Bid) -> IllegalBid:
    """Says why a seat may not bid blind (rules.md 2.5)."""
    if bid.tricks:
        sentence = f"A blind bid of {bid} is not possible: only a nil can be blind."
    elif state.rules.blind_nil is BlindNil.OFF:
        sentence = "Blind nil is not possible: blind_nil=off."
    elif state.deficit(seat.side) < state.rules.blind_nil_deficit:
        sentence = (
            f"Blind nil is not possible: only a side that trails by"
            f" {state.rules.blind_nil_deficit} or more may bid it."
        )
    else:
        sentence = f"Blind nil is not possible: {seat} has seen its cards."
    return IllegalBid(sentence, Reason.BLIND_NIL_NOT_ALLOWED)


def bid_out_of_range(bid: Bid) -> IllegalBid:
    """Says which bids there are (rules.md 2.1)."""
    return IllegalBid(
        f"A bid of {bid.tricks} is not possible: nil and 1 to {MAX_BID} are.",
        Reason.BID_OUT_OF_RANGE,
    )


def bid_before_look(seat: Seat, bid: Bid) -> IllegalBid:
    """Says that cards are looked at before they are bid on (rules.md 2.5)."""
    return IllegalBid(
        f"A bid of {bid} is not possible while {seat}'s cards are face down:"
        " look at them first, or bid blind nil.",
        Reason.CARDS_FACE_DOWN,
    )


def bid_under_team_minimum(state: MatchState, seat: Seat, bid: Bid) -> IllegalBid:
    """Says what the second bid of a side must reach (rules.md 2.4)."""
    least = state.rules.min_team_bid
    partner = state.bids[seat.partner]
    assert partner is not None, "only a second bid can be too low"
    return IllegalBid(
        f"A bid of {bid} is not possible: {seat.partner} bid {partner} and the side must"
        f" reach {least}, so nil and {least - partner.tricks} to {MAX_BID} are.",
        Reason.BID_UNDER_TEAM_MINIMUM,
    )


def wrong_pass_count(cards: Sequence[Card], count: int) -> IllegalPass:
    """Says how many cards are passed (rules.md 2.6)."""
    return IllegalPass(
        f"{format_cards(cards) or 'Nothing'} cannot be passed: {count} different cards are to be.",
        Reason.WRONG_PASS_COUNT,
    )


def card_not_held(seat: Seat, card: Card) -> IllegalPlay:
    """Says that a card is somewhere else; for the eyes of the seat that tried."""
    return IllegalPlay(f"{card} is not in {seat}'s hand.", Reason.CARD_NOT_HELD)


def illegal_play(state: MatchState, seat: Seat, card: Card, hand: int) -> IllegalPlay:
    """Says why a card cannot be played (rules.md 3); for the eyes of the seat that tried."""
    deck = state.deck
    if not hand & deck.bits.get(card, 0):
        return card_not_held(seat, card)
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


def undo_not_allowed(rule: UndoRule) -> IllegalUndo:
    """Says which rule keeps cards where they were played (rules.md 5.5)."""
    why = "undo=off" if rule is UndoRule.OFF else "undo=solo, and others than house bots play"
    return IllegalUndo(f"Cards are not taken back here: {why}.", Reason.UNDO_NOT_ALLOWED)


def nothing_to_take_back(seat: Seat) -> IllegalUndo:
    """Says which card can be taken back (rules.md 5.5)."""
    return IllegalUndo(
        f"{seat} has no card to take back: only the last card can be,"
        " and only until another is played.",
        Reason.UNDO_NOT_ALLOWED,
    )


def already_proposed(seat: Seat) -> IllegalAction:
    """Says whose agreement a surrender waits for (rules.md 5.3)."""
    return IllegalAction(
        f"{seat} has proposed to surrender already: {seat.partner} must agree.",
        Reason.ALREADY_ASKED,
    )


def already_asked(seat: Seat) -> IllegalAction:
    """Says that a seat need not ask for the next hand twice (rules.md 5.6)."""
    return IllegalAction(f"{seat} has asked for the next hand already.", Reason.ALREADY_ASKED)


def no_deal_now(phase: Phase) -> IllegalAction:
    """Says where the match stands in place of the end of a hand."""
    return IllegalAction(
        f"No hand can be dealt now: the match is in the phase {phase.value!r}.",
        Reason.WRONG_PHASE,
    )
