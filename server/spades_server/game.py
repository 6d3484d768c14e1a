"""The match at a table: its decisions, and what follows when one is taken."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import spades
from spades import (
    SEATS,
    DecisionKind,
    Look,
    Match,
    Play,
    Seat,
    SeatView,
    SeededDeals,
    Surrender,
)
from spades.actions import Action
from spades_proto.frames import DecisionRequest
from spades_proto.records import Circumstances
from spades_proto.software import SOFTWARE
from spades_proto.table import NoteKind, Occupant, OccupantKind, RecordKept
from spades_server.commands import Player
from spades_server.results import FinishedMatch
from spades_server.seating import Seating
from spades_server.table_log import TableConfig

_OPENERS: Final[frozenset[type[spades.Event]]] = frozenset(
    (
        spades.CardPlayed,
        spades.TrickWon,
        spades.BidMade,
        spades.HandDealt,
        spades.CardsPassed,
        spades.PlayTakenBack,
    )
)
"""The events that can open a decision; its id is the number of the last of them."""


_DEEDS: Final[frozenset[type[spades.Event]]] = frozenset(
    (spades.CardPlayed, spades.BidMade, spades.CardsPassed)
)
"""The events with which a player has answered."""


@dataclass(frozen=True, slots=True)
class BotTask:
    """A decision that a house bot is to take, from a time on."""

    seat: Seat
    bot: str
    decision: int
    due_us: int


class Game(Seating):
    """The part of a table that is the game: the referee's events become the table's, and open decisions."""

    def __init__(self, config: TableConfig, host: Player, now_us: int, epoch: int) -> None:
        super().__init__(config, host, now_us, epoch)
        self.match_number = 0
        self.finished: FinishedMatch | None = None
        """The last match with what its record says beside the game; taken by :meth:`take_finished`."""
        self._last_decision = [0, 0, 0, 0]
        self._former: Seat | None = None
        self._started_us = 0
        self._hand_over_us: int = 0

    @property
    def events_of_match(self) -> int:
        """How many events the running or the last match has."""
        return len(self.match.log) if self.match else 0

    def bot_task(self) -> BotTask | None:
        """The decision that a house bot is to take, if there is one."""
        match = self.match
        if match is None or (seat := match.turn) is None:
            return None
        status = self.state.seats[seat]
        bot = self.config.stand_in if status.stand_in else self._bots[seat]
        if not bot:
            return None
        tempo = self.config.tempo_us if self._person_present else 0
        return BotTask(seat, bot, self.decision_id, self._opened_us + tempo)

    def bot_view(self, seat: Seat) -> SeatView:
        """What a house bot sees from a seat; its secret follows from the seed."""
        match = self.match
        assert match is not None and isinstance(match.deals, SeededDeals), "a match is dealt"
        return spades.view(match, seat, spades.agent_secret(match.deals.seed, seat))

    def take_finished(self) -> FinishedMatch | None:
        """Hands out the match that has just finished, once."""
        finished, self.finished = self.finished, None
        return finished

    def decision_for(self, seat: Seat | None) -> DecisionRequest | None:
        """The decision that is open for a seat, with what is legal: for that seat's eyes only."""
        match = self.match
        if seat is None or match is None or match.turn is not seat:
            return None
        state = match.state
        kind = state.decision
        assert kind is not None, "the seat is to act"
        view = SeatView(state, seat)
        clock = self.clock.reading
        deadline, bank = (None, None) if clock is None else (clock.deadline_us, clock.bank_ms)
        trip = None if clock is None else self.clock.round_trips_us[seat]
        if kind is DecisionKind.PLAY:
            plays = view.legal_plays
            return DecisionRequest(
                self.decision_id, kind, state.turn_number, (), plays, 0, False, deadline, bank, trip
            )
        return DecisionRequest(
            self.decision_id,
            kind,
            state.turn_number,
            view.legal_bids,
            view.legal_plays,
            view.pass_count,
            view.may_look,
            deadline,
            bank,
            trip,
        )

    def _start_match(self, seed: bytes) -> None:
        former = self.match.state.first_dealer if self.match else None
        self.match = Match(
            self.config.rules,
            SeededDeals(seed),
            former_first_dealer=former,
            people=self._people,
        )
        self._former = former
        self.match_number += 1
        self._started_us = self._now_us
        self._notes = []
        self.clock.start_match()
        self._await_players(SEATS)
        self._take_match(tuple(self.match.log))

    def _act(self, seat: Seat, action: Action, *, by_player: bool = False) -> None:
        match = self.match
        assert match is not None, "the table of answers lets no action pass without a match"
        if isinstance(action, Play):
            # The one action of which there are many skips what is only for the others.
            played = match.play(seat, action.card)
            if by_player and self.state.seats[seat].stand_in:
                self._take_seat_back(seat)
            self._take_match(played)
            return
        events = match.act(seat, action)
        if by_player and self.state.seats[seat].stand_in:
            self._take_seat_back(seat)
        if isinstance(action, Look):
            self._note(NoteKind.LOOKED, seat)
        if isinstance(action, Surrender) and match.outcome is None:
            partner = self.state.seats[seat.partner].occupant
            # A house bot agrees; one that stands in for an absent player does not (rules.md 5.3).
            if partner is not None and partner.kind is OccupantKind.HOUSE_BOT:
                events += match.surrender(seat.partner)
        self._take_match(events)

    def _take_match(self, events: tuple[spades.Event, ...]) -> None:
        match = self.match
        assert match is not None, "events come from a match"
        before = self.decision_id
        # The referee has applied the events; the table's state shares the referee's.
        self.state.match = match.state
        for event in events:
            self.state.keep(event)
            self._log(event)
            kind = type(event)
            if kind in _OPENERS:
                self.decision_id = self.seq
                self._actions_in_hand += kind is not spades.TrickWon
            if kind is spades.HandDealt:
                self._actions_in_hand = 0
                self._courtesies = [0, 0, 0, 0]
            elif kind is spades.HandScored:
                self._hand_over_us = self._now_us
        turn = match.turn
        if turn is None:
            self.decision_id = 0
        else:
            self._last_decision[turn] = self.decision_id
            self._opened_us = self._now_us
        if self._timed and before != self.decision_id:
            self._count_time(events[0], turn)
        if isinstance(events[-1], spades.MatchEnded):
            self._finish(match)

    def _count_time(self, event: spades.Event, turn: Seat | None) -> int:
        """Ends the time of the decision that was taken, and begins that of the next.

        Returns how long was thought, in microseconds.
        """
        if type(event) in _DEEDS:
            thought_us = self.clock.answered(self._now_us)
        else:
            thought_us = self.clock.thought_us(self._now_us)
            self.clock.stop()
        if turn is not None:
            self._open_clock(turn)
        return thought_us

    def _finish(self, match: Match) -> None:
        started = match.log[0]
        assert isinstance(started, spades.MatchStarted), "a match begins with its start"
        name = f"{self.config.code}-{self.match_number}-{started.commitment[:8]}"
        circumstances = Circumstances(
            match=name,
            table=self.config.code,
            started_us=self._started_us,
            ended_us=self._now_us,
            players=tuple(self._players()),
            software=SOFTWARE,
            seed_chosen=self.config.seed_chosen,
            notes=tuple(self._notes),
        )
        # Who is away too long loses the seat now that the match is over, and the match counts all the same.
        self.finished = FinishedMatch(match, circumstances, self._former, tuple(self.owners))
        self._take(RecordKept(name))

    def _players(self) -> Iterable[tuple[Seat, Occupant]]:
        for seat, status in zip(Seat, self.state.seats, strict=True):
            if status.occupant is not None:
                yield seat, status.occupant
