"""What a state asks of its player, for every client alike."""

from __future__ import annotations

from enum import Enum

from spades import Phase, SeatView, quick_count
from spades.bids import MAX_BID
from spades_client.state import ClientState
from spades_proto.table import TableStage


class Ask(Enum):
    """What the client waits for from its player."""

    NOTHING = "nothing"
    DECISION = "a decision"
    STAND_IN = "the seat, which a house bot plays"
    NEXT_HAND = "the next hand"
    REMATCH = "a rematch"
    LOBBY = "the start"


def ask_of(state: ClientState) -> Ask:
    """What a player is waited for with."""
    table = state.table
    if table is None or state.seat is None:
        return Ask.NOTHING
    if table.stage is TableStage.OPEN:
        return Ask.LOBBY
    if table.stage is TableStage.FINISHED:
        return Ask.REMATCH
    if table.seats[state.seat].stand_in:
        return Ask.STAND_IN
    if state.decision is not None:
        return Ask.DECISION
    match = table.match
    waiting = match is not None and match.phase is Phase.HAND_OVER
    if waiting and match is not None and state.seat not in match.asked:
        return Ask.NEXT_HAND
    return Ask.NOTHING


def offered_bid(view: SeatView) -> int:
    """The quick count (rules.md 8), moved into the legal bids; nil is never offered where there is another.

    Nil is a promise of its own, which nobody should make by pressing a key once too often.
    """
    count = min(quick_count(view.hand, view.rules.deck), MAX_BID)
    legal = [bid.tricks for bid in view.legal_bids]
    return min((tricks for tricks in legal if tricks), key=lambda one: abs(one - count), default=0)
