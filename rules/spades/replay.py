"""A match again from its rules, its deals and its actions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spades.actions import PLAYS, Action, MakeBid, NextHand, PassCards, Surrender, Undo
from spades.deals import ExplicitDeals, SeededDeals
from spades.events import (
    BidMade,
    CardPlayed,
    CardsPassed,
    Event,
    HandDealt,
    HandShown,
    NextHandAsked,
    PlayTakenBack,
    SurrenderProposed,
)
from spades.match import Match
from spades.phases import Phase
from spades.rules import Rules
from spades.seats import Seat


def actions_of(events: Iterable[Event]) -> Iterator[tuple[Seat, Action]]:
    """Lists the actions behind events, but for looks and readiness, which decide nothing.

    That a seat looked follows from a bid that is not blind; the next hand follows from its first
    action, unless that is a surrender, which may come before the deal as well as after it.
    """
    just_dealt = False
    for event in events:
        if type(event) is CardPlayed:
            # What a hand has most of is asked for first.
            yield event.seat, PLAYS[event.card]
            continue
        match event:
            case HandDealt(number=number):
                just_dealt = number > 1
            case BidMade(seat, bid):
                just_dealt = False
                yield seat, MakeBid(bid)
            case CardsPassed():
                assert event.cards is not None, "a match is replayed from whole events"
                yield event.giver, PassCards(event.cards)
            case PlayTakenBack(seat):
                yield seat, Undo()
            case SurrenderProposed(seat):
                if just_dealt:
                    just_dealt = False
                    yield seat, NextHand()
                yield seat, Surrender()
            case _:
                pass


def game_events(events: Iterable[Event]) -> Iterator[Event]:
    """Leaves out the events that depend on circumstances: who looked early and who was ready."""
    return (event for event in events if not isinstance(event, HandShown | NextHandAsked))


def replay(
    rules: Rules,
    deals: SeededDeals | ExplicitDeals,
    actions: Iterable[tuple[Seat, Action]],
    *,
    former_first_dealer: Seat | None = None,
) -> Match:
    """Plays a match again; :func:`game_events` of it equal those of the match it came from.

    :raises IllegalAction: if the referee refuses one of the actions.
    """
    match = Match(rules, deals, former_first_dealer=former_first_dealer)
    for seat, action in actions:
        step(match, seat, action)
    return match


def step(match: Match, seat: Seat, action: Action) -> None:
    """Does one recorded action, and before it the look or the deal that it implies."""
    if match.phase is Phase.HAND_OVER and not isinstance(action, Surrender):
        match.deal_next()
    if isinstance(action, NextHand):
        return
    if isinstance(action, MakeBid) and not action.bid.blind and seat in match.state.face_down:
        match.look(seat)
    match.act(seat, action)
