"""What an author writes: a class with two methods."""

from __future__ import annotations

import asyncio
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Sequence
from typing import Final, cast

from spades import (
    BLIND_NIL,
    Bid,
    Card,
    DecisionKind,
    Look,
    MakeBid,
    NotationError,
    Outcome,
    PassCards,
    Play,
    Rules,
    Seat,
    SeatView,
    parse_card,
)
from spades.actions import Action
from spades_agents.failures import Exited, Malformed

BidAnswer = Bid | int
CardAnswer = Card | str


class Agent(ABC):
    """A player. Each method gets the seat's view and may be ``async``.

    A view holds all that the seat may know, so one agent can play any number of seats at once.
    :meth:`get_ready`, :meth:`start_match`, :meth:`end_match` and :meth:`close` are for those that
    keep something of their own.

    >>> class Modest(Agent):
    ...     def bid(self, view):
    ...         return 1
    ...     def play(self, view):
    ...         return view.legal_plays[0]
    """

    blocking: bool = False
    """Whether the methods compute for long: then they are called in a thread of their own."""

    name: str = ""
    """The name that others see; the class's own unless it is set."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "name" not in vars(cls):
            cls.name = cls.__name__

    @abstractmethod
    def bid(self, view: SeatView) -> BidAnswer | Awaitable[BidAnswer]:
        """Bids: a number from 0, which is nil, to 13, or a :class:`~spades.Bid`."""

    @abstractmethod
    def play(self, view: SeatView) -> CardAnswer | Awaitable[CardAnswer]:
        """Plays one of ``view.legal_plays``; a text such as ``"QS"`` will do."""

    def blind_bid(self, view: SeatView) -> bool | Awaitable[bool]:
        """Whether to bid blind nil rather than look; asked only where it is possible."""
        del view
        return False

    def pass_cards(self, view: SeatView) -> Sequence[Card] | Awaitable[Sequence[Card]]:
        """Chooses ``view.pass_count`` cards for the partner (rules.md 2.6).

        A nil bidder passes its highest cards by default, the partner its lowest.
        """
        by_height = sorted(view.hand, key=lambda card: (card.rank, card.suit))
        bid = view.bids[view.seat]
        if bid is not None and bid.is_nil:
            by_height.reverse()
        return by_height[: view.pass_count]

    def get_ready(self) -> Awaitable[None] | None:
        """Does what must be done once before the first match; if it fails, nothing is begun."""
        return None

    def start_match(self, seat: Seat, rules: Rules) -> Awaitable[None] | None:
        """Hears that a match begins for a seat, before it is asked anything there.

        An agent that plays several seats hears it for each. What it loads here costs no time of a decision.
        """
        del seat, rules
        return None

    def end_match(self, seat: Seat, outcome: Outcome | None) -> Awaitable[None] | None:
        """Hears how a match of a seat ended; ``None`` if it was broken off."""
        del seat, outcome
        return None

    def close(self) -> Awaitable[None] | None:
        """Gives up what the agent holds: files, threads, programs. Nothing is asked of it afterwards.

        Whoever made an agent closes it: what plays a class or a spec does, what was given an agent does not.
        """
        return None


def decide(agent: Agent, view: SeatView) -> Action | Awaitable[Action]:
    """Asks an agent for the decision of a view; a plain method is answered without a coroutine.

    :raises Malformed: if the agent answers with something that is no bid or card.
    :raises Exited: if it calls ``sys.exit``.
    """
    decision = view.decision
    assert decision is not None, "only the seat to act is asked"
    if agent.blocking:
        return _decide_in_thread(agent, view, decision.kind)
    return finish(decision.kind, ask(agent, view, decision.kind))


def ask(agent: Agent, view: SeatView, kind: DecisionKind) -> object:
    """Calls the method that a decision is for, and gives back what it answered or what can be awaited.

    :raises Exited: if it calls ``sys.exit``.
    """
    try:
        if kind is DecisionKind.PLAY:
            return agent.play(view)
        if kind is DecisionKind.PASS_CARDS:
            return agent.pass_cards(view)
        return agent.blind_bid(view) if view.may_look else agent.bid(view)
    except SystemExit as error:
        raise Exited(error) from error


def finish(kind: DecisionKind, answer: object) -> Action | Awaitable[Action]:
    """Makes an action of what a method answered, or of what it will answer."""
    if isinstance(answer, Card) and kind is DecisionKind.PLAY:
        # Nearly all answers are cards, and asking whether something can be awaited is dear.
        return Play(answer)
    if inspect.isawaitable(answer):
        return _await(kind, answer)
    return _action(kind, answer)


async def _await(kind: DecisionKind, answer: Awaitable[object]) -> Action:
    return _action(kind, await _awaited(answer))


async def _decide_in_thread(agent: Agent, view: SeatView, kind: DecisionKind) -> Action:
    answer = await asyncio.to_thread(ask, agent, view, kind)
    return _action(kind, await _awaited(answer) if inspect.isawaitable(answer) else answer)


async def _awaited(answer: Awaitable[object]) -> object:
    try:
        return await answer
    except SystemExit as error:
        raise Exited(error) from error


def _action(kind: DecisionKind, answer: object) -> Action:
    """Makes an action of an answer; whether it is legal the referee says."""
    if kind is DecisionKind.PLAY:
        return Play(_card(answer))
    if kind is DecisionKind.PASS_CARDS:
        if not isinstance(answer, Sequence):
            raise Malformed(f"pass_cards() answered {answer!r}: a sequence of cards is expected.")
        cards = cast("Sequence[object]", answer)
        return PassCards(tuple(map(_card, cards)))
    if isinstance(answer, bool):
        return MakeBid(BLIND_NIL) if answer else Look()
    bid = Bid(answer) if isinstance(answer, int) else answer
    # A Bid may be made of anything, and what no message can carry the referee could not be told.
    if isinstance(bid, Bid) and type(bid.tricks) is int and abs(bid.tricks) <= _MOST:
        return MakeBid(bid)
    raise Malformed(f"bid() answered {answer!r}: a number or a Bid is expected.")


_MOST: Final = 1_000
"""No number beyond is a bid that anybody means."""


def _card(answer: object) -> Card:
    """Takes a card or its text."""
    if isinstance(answer, Card):
        return answer
    if not isinstance(answer, str):
        raise Malformed(f"{answer!r} is no card: a Card or a text such as 'QS' is expected.")
    try:
        return parse_card(answer)
    except NotationError as error:
        raise Malformed(error.sentence) from error
