"""A bot that gives its reasons."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from spades import BLIND_NIL, Bid, Card, DecisionKind, Look, MakeBid, PassCards, Play, SeatView
from spades_agents.agent import Agent
from spades_agents.bots.bidding import BidChoice
from spades_agents.bots.cardplay import prospects
from spades_agents.bots.exchange import cards_to_pass
from spades_agents.bots.explanation import explain
from spades_agents.bots.situation import Situation, Skill
from spades_agents.grounds import Advice, Ground, Why


class Thinker(Agent):
    """Ranks what it may do; the first of its own advice is what it does."""

    skill: ClassVar[Skill]

    @abstractmethod
    def bids(self, view: SeatView) -> list[BidChoice]:
        """The bids that come into question, the best first."""

    def blind_choice(self, view: SeatView) -> tuple[bool, Ground]:
        """Whether to bid nil blind, and why."""
        del view
        return False, Ground(Why.LOOK_FIRST)

    def bid(self, view: SeatView) -> Bid:
        """Makes the best of :meth:`bids`."""
        return self.bids(view)[0].bid

    def blind_bid(self, view: SeatView) -> bool:
        """Bids blind nil or looks."""
        return self.blind_choice(view)[0]

    def play(self, view: SeatView) -> Card:
        """Plays the card with the best prospect."""
        legal = view.legal_plays
        if len(legal) == 1:
            return legal[0]
        return prospects(Situation(view, self.skill))[0].card

    def pass_cards(self, view: SeatView) -> tuple[Card, ...]:
        """Passes danger away from a nil, and harmless cards to it."""
        return cards_to_pass(view)[0]

    def advise(self, view: SeatView) -> tuple[Advice, ...]:
        """Ranks what the seat may do now, with reasons; empty when nothing is asked of it."""
        decision = view.decision
        if decision is None:
            return ()
        me = view.seat
        if decision.kind is DecisionKind.PLAY:
            situation = Situation(view, self.skill)
            ranked = prospects(situation)
            return tuple(
                Advice(me, Play(one.card), explain(situation, one, ranked)) for one in ranked
            )
        if decision.kind is DecisionKind.PASS_CARDS:
            cards, why = cards_to_pass(view)
            return (Advice(me, PassCards(cards), (why,)),)
        if view.may_look:
            blind, why = self.blind_choice(view)
            return (Advice(me, MakeBid(BLIND_NIL) if blind else Look(), (why,)),)
        return tuple(Advice(me, MakeBid(one.bid), one.reasons) for one in self.bids(view))
