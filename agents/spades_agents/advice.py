"""Advice for a seat: ranked choices, each with its reasons, from what the seat can see."""

from __future__ import annotations

from dataclasses import dataclass

from spades import DecisionKind, Look, MakeBid, PassCards, Play, Seat, SeatView, quick_count
from spades.actions import Action
from spades_agents.bots.judgement import cheapest_winner, lowest, nearest_legal
from spades_agents.grounds import Ground, Why


@dataclass(frozen=True, slots=True)
class Advice:
    """A choice and why it is one."""

    seat: Seat
    action: Action
    reasons: tuple[Ground, ...]
    """The grounds, the weightiest first; at least one."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The reasons in words, each a clause without a full stop, said to the player."""
        return tuple(reason.in_words(self.seat) for reason in self.reasons)


def advise(view: SeatView) -> tuple[Advice, ...]:
    """Ranks what a seat may do now, the best first; empty when nothing is asked of it.

    Uses the view alone: the seat's own cards, every bid and every card played.
    """
    decision = view.decision
    if decision is None:
        return ()
    action, reason = _choose(view, decision.kind)
    return (Advice(view.seat, action, (reason,)),)


def _choose(view: SeatView, kind: DecisionKind) -> tuple[Action, Ground]:
    if kind is DecisionKind.PLAY:
        legal = view.legal_plays
        winner = cheapest_winner(view, legal)
        if view.trick and winner is not None:
            return Play(winner), Ground(Why.CHEAPEST_WINNER, card=winner)
        card = lowest(view, legal)
        return Play(card), Ground(Why.LOWEST, card=card)
    if kind is DecisionKind.PASS_CARDS:
        return PassCards(view.hand[: view.pass_count]), Ground(Why.ONLY_CHOICE)
    if view.may_look:
        return Look(), Ground(Why.ONLY_CHOICE)
    count = quick_count(view.hand, view.rules.deck)
    return MakeBid(nearest_legal(view, count)), Ground(Why.HAND_IS_WORTH, number=count)
