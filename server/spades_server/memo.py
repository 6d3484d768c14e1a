"""What a table remembers of itself, so that it can be made again without all that was ever done at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from spades import CARDS, SEATS, Match, Rules, Seat, SeededDeals
from spades.actions import Action, Look, MakeBid, NextHand, PassCards, Play, Surrender, Undo
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
    TrickWon,
)
from spades_proto.frames import Answer, Command
from spades_proto.records import STRUCK_NAME, Note
from spades_proto.table import SeatStatus, TableStage, TableState
from spades_server.clock import ClockMemo

Move = tuple[Seat, Action] | None
"""What was done to the referee: a seat's action, or the next hand dealt without one."""

_PLAYED: Final = {card: tuple((seat, Play(card)) for seat in SEATS) for card in CARDS}
"""For each card, who may have played it: seats are slow as keys."""


@dataclass(frozen=True, slots=True)
class MatchMemo:
    """A match: the same moves make it again, with every event."""

    seed: bytes
    former: Seat | None
    """The first dealer of the match before."""
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class SeatingMemo:
    """The seats; each field is what the attribute of that name holds."""

    host_id: str
    host: str
    stage: TableStage
    seats: tuple[SeatStatus, ...]
    record: str
    owners: tuple[str | None, ...]
    bots: tuple[str, ...]
    names: Mapping[str, str]
    away_us: tuple[int | None, ...]
    listening: tuple[bool, ...]
    awaited_us: tuple[int, ...]
    awaited: bool
    nobody_us: int
    opened_us: int
    clock: ClockMemo
    notes: tuple[Note, ...]
    actions_in_hand: int
    retaken: int
    courtesies: tuple[int, ...]

    def without_name(self, player: str) -> SeatingMemo:
        """The same without the name of a player, by its id."""
        seats = tuple(
            replace(status, occupant=replace(status.occupant, name=STRUCK_NAME))
            if owner == player and status.occupant is not None
            else status
            for owner, status in zip(self.owners, self.seats, strict=True)
        )
        names = {one: STRUCK_NAME if one == player else name for one, name in self.names.items()}
        host = STRUCK_NAME if self.host_id == player else self.host
        return replace(self, seats=seats, names=names, host=host)


@dataclass(frozen=True, slots=True)
class TableMemo:
    """A table after one of its commands: with the later ones, the same table again.

    The events before are not in it: whoever has missed some of them gets a snapshot.
    """

    epoch: int
    seq: int
    now_us: int
    seating: SeatingMemo
    match: MatchMemo | None
    match_number: int
    decision_id: int
    last_decision: tuple[int, ...]
    started_us: int
    hand_over_us: int
    answers: tuple[tuple[str, Command, Answer], ...]
    """The requests that were answered, each with the id of its player, the oldest first."""


def moves_of(events: Iterable[Event]) -> Iterator[Move]:
    """Lists what was done to the referee, looks and readiness too, from what came of it."""
    shown_by_bid: Seat | None = None
    for event in events:
        if isinstance(event, CardPlayed):
            # Most are cards, and a long match has thousands of them.
            yield _PLAYED[event.card][event.seat]
        elif isinstance(event, TrickWon):
            continue
        elif isinstance(event, BidMade):
            yield event.seat, MakeBid(event.bid)
            shown_by_bid = event.seat if event.bid.blind else None
        elif isinstance(event, HandShown):
            # A blind bid turns the cards up by itself.
            if event.seat is not shown_by_bid:
                yield event.seat, Look()
            shown_by_bid = None
        elif isinstance(event, HandDealt):
            if event.number > 1:
                yield None
        else:
            yield from _rare_move(event)


def _rare_move(event: Event) -> Iterator[Move]:
    match event:
        case CardsPassed(giver=seat):
            assert event.cards is not None, "the referee's own events are whole"
            yield seat, PassCards(event.cards)
        case PlayTakenBack(seat=seat):
            yield seat, Undo()
        case SurrenderProposed(seat=seat):
            yield seat, Surrender()
        case NextHandAsked(seat=seat):
            yield seat, NextHand()
        case _:
            pass


def memo_of(match: Match, former: Seat | None) -> MatchMemo:
    """Remembers a match."""
    assert isinstance(match.deals, SeededDeals), "a table deals from a seed"
    return MatchMemo(match.deals.seed, former, tuple(moves_of(match.log)))


def play_again(memo: MatchMemo, rules: Rules, state: TableState) -> Match:
    """Makes a match again, and has a table's state take in its events.

    Who the people were decided then what was allowed, and is not asked again.
    """
    match = Match(rules, SeededDeals(memo.seed), former_first_dealer=memo.former)
    state.match = match.state
    for event in match.log:
        state.keep(event)
    keep = state.keep
    for move in memo.moves:
        if move is None:
            events = match.deal_next()
        else:
            seat, action = move
            events = match.play(seat, action.card) if type(action) is Play else match.act(*move)
        for event in events:
            keep(event)
    return match
