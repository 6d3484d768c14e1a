"""What is done where an agent's own answer cannot be: always legal, so that no table waits for ever."""

from __future__ import annotations

from spades import DecisionKind, Look, MakeBid, PassCards, Play, SeatView
from spades.actions import Action
from spades_agents.bots.judgement import lowest


def fallback(view: SeatView) -> Action:
    """The lowest legal card, the lowest bid that is no nil, the first cards of the hand, or a look."""
    decision = view.decision
    assert decision is not None, "only an open decision has a fallback"
    if decision.kind is DecisionKind.PLAY:
        return Play(lowest(view, view.legal_plays))
    if decision.kind is DecisionKind.PASS_CARDS:
        return PassCards(view.hand[: view.pass_count])
    if view.may_look:
        return Look()
    return MakeBid(next(bid for bid in view.legal_bids if not bid.is_nil))
