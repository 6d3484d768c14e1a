"""A table without I/O: commands and the time go in, events and an answer come out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NoReturn

import spades
from spades import (
    SEATS,
    ActionKind,
    DecisionKind,
    Look,
    Match,
    NotYourTurn,
    Play,
    Reason,
    Seat,
    SeatView,
    SeededDeals,
    SpadesError,
    Surrender,
    TableError,
    error_for,
)
from spades.actions import Action
from spades.phases import HAND_OVER
from spades_proto.frames import Answer, Command, DecisionRequest
from spades_proto.records import Circumstances
from spades_proto.software import SOFTWARE
from spades_proto.table import (
    Courtesy,
    CourtesySent,
    NoteKind,
    Occupant,
    OccupantKind,
    RecordKept,
    TableClosed,
    TableStage,
    TakeSeatBack,
)
from spades_server.answered import AnsweredRequests
from spades_server.commands import (
    DEED_KINDS,
    AddBot,
    BotDeed,
    Close,
    Deed,
    Kind,
    Leave,
    Measured,
    Player,
    PlayerGone,
    Presence,
    RemoveBot,
    Resume,
    Sit,
    Start,
    TableCommand,
    Tick,
    Unreadable,
    Verdict,
)
from spades_server.memo import TableMemo, memo_of, play_again
from spades_server.results import FinishedMatch
from spades_server.seating import Seating
from spades_server.table_log import SECOND, Entry, TableConfig

COURTESIES: Final = 4
"""How often one may be courteous between two hands."""

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


class Table(Seating):
    """One table: its seats, its matches and its log.

    Refusals raise and change nothing. One command is handled at a time, by whoever owns the table.
    """

    watchable: bool = True
    """Whether there may be spectators."""

    books_faults: bool = False
    """Whether it wants to hear of what failed on an agent's side, and of what could not be read."""

    def __init__(self, config: TableConfig, host: Player, now_us: int, epoch: int = 1) -> None:
        super().__init__(config, host, now_us, epoch)
        self.match_number = 0
        self.finished: FinishedMatch | None = None
        """The last match with what its record says beside the game; taken by :meth:`take_finished`."""
        self._answered = AnsweredRequests()
        self._last_decision = [0, 0, 0, 0]
        self._former: Seat | None = None
        self._started_us = 0
        self._hand_over_us = 0
        self._take(self.state.opened)
        self.opening = tuple(self._new)
        """The first entry of the log."""
        self._new = []

    # Commands.

    def handle(self, command: TableCommand, now_us: int) -> tuple[tuple[Entry, ...], Answer]:
        """Does one command at a time, and what follows from it at once.

        :raises SpadesError: if it is refused; nothing has changed then. A player's deed is not raised but
            answered with its refusal, since the same request gets the same answer again.
        """
        before, self._now_us = self._now_us, max(now_us, self._now_us)
        self._new = []
        answer = Answer()
        match command:
            case Deed():
                answer = self._deed(command)
            case BotDeed():
                self._bot_deed(command)
            case Unreadable():
                self._unreadable(command)
            case Presence():
                self._presence(command)
            case Measured(seat, round_trip_us):
                self.clock.round_trips_us[seat] = round_trip_us
            case Close(sentence):
                self._require(Kind.CLOSE)
                self._take(TableClosed(sentence))
            case Tick():
                pass
            case Sit():
                self._sit(command)
            case Leave():
                self._leave(command)
            case AddBot():
                self._add_bot(command)
            case RemoveBot():
                self._remove_bot(command)
            case Start():
                self._start(command)
            case Resume(epoch, since_us):
                self.epoch = epoch or self.epoch
                self._resume(max(before, min(since_us, self._now_us)))
            case PlayerGone():
                self._player_gone(command)
        self._settle()
        return tuple(self._new), answer

    @property
    def events_of_match(self) -> int:
        """How many events the running or the last match has."""
        return len(self.match.log) if self.match else 0

    def memo(self) -> TableMemo:
        """All that is needed to make this table again; what is not safe yet is in it too."""
        return TableMemo(
            epoch=self.epoch,
            seq=self.seq,
            now_us=self._now_us,
            seating=self._remember_seats(),
            match=None if self.match is None else memo_of(self.match, self._former),
            match_number=self.match_number,
            decision_id=self.decision_id,
            last_decision=tuple(self._last_decision),
            started_us=self._started_us,
            hand_over_us=self._hand_over_us,
            answers=self._answered.memo(),
        )

    @classmethod
    def recall(cls, config: TableConfig, memo: TableMemo) -> Table:
        """The table that a memo is of, without the events before."""
        host = Player(memo.seating.host_id, memo.seating.host)
        table = cls(config, host, memo.now_us, memo.epoch)
        table.seq = memo.seq
        table.log.clear()
        if memo.match is not None:
            table.match = play_again(memo.match, config.rules, table.state)
            table._former = memo.match.former
        table.match_number = memo.match_number
        table.decision_id = memo.decision_id
        table._last_decision = list(memo.last_decision)
        table._started_us = memo.started_us
        table._hand_over_us = memo.hand_over_us
        table._answered.recall(memo.answers)
        table._recall_seats(memo.seating)
        return table

    def next_deadline(self) -> int | None:
        """When a :class:`~spades_server.commands.Tick` is due, by the clock of the commands."""
        if self.state.stage is TableStage.CLOSED:
            return None
        if not self._present:
            return self._nobody_us + self.config.abandoned_us
        deadlines: list[int] = []
        if self.match and self.match.phase is HAND_OVER:
            deadlines.append(self._hand_over_us + self.config.rules.next_hand_wait * SECOND)
        limit = self.clock.limit_us
        if limit is not None:
            deadlines.append(limit)
        deadlines += [due for _, due in self._never_came()]
        if self._absent:
            deadlines += [
                away + self.config.grace_us
                for seat, away in zip(SEATS, self._away_us, strict=True)
                if away is not None and not self.state.seats[seat].stand_in
            ]
        return min(deadlines, default=None)

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

    def _start(self, command: Start) -> None:
        self._require(Kind.START)
        self._require_host(command.player, Kind.START)
        empty = [str(seat) for seat in Seat if self.state.seats[seat].occupant is None]
        if empty:
            raise TableError(
                f"The match cannot start: nobody sits {' and '.join(empty)}.",
                Reason.TABLE_NOT_READY,
            )
        former = self.match.state.first_dealer if self.match else None
        self.match = Match(
            self.config.rules,
            SeededDeals(command.seed),
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

    def _resume(self, before_us: int) -> None:
        """Goes on after a restart: every clock stands where it stood, and all have the grace to come back."""
        self._hand_over_us += self._now_us - before_us
        self._come_back(before_us)

    # The players' side.

    def _deed(self, deed: Deed) -> Answer:
        command = deed.command
        before = self._answered.repeat(deed.player.id, command)
        if before is not None:
            return before
        seat = self._acting_seat(deed)
        try:
            self._do(seat, command)
            answer = Answer(self.seq)
        except SpadesError as refusal:
            answer = Answer(refusal=refusal)
        self._answered.keep(deed.player.id, command, answer)
        return answer

    def _unreadable(self, command: Unreadable) -> None:
        """Takes no note of what whoever read it has refused already."""

    def _acting_seat(self, deed: Deed) -> Seat:
        """The seat that a token may act for: its own, whatever a field says."""
        seat = deed.command.seat
        if seat is None:
            seat = self.seat_of(deed.player)
            if seat is None:
                raise TableError(f"{deed.player.name} has no seat here.", Reason.NOT_SEATED)
            return seat
        if self.owners[seat] != deed.player.id:
            raise TableError(
                f"{deed.player.name} does not hold the seat {seat}.", Reason.NOT_YOUR_SEAT
            )
        return seat

    def _do(self, seat: Seat, command: Command) -> None:
        deed = command.deed
        if isinstance(deed, Courtesy):
            self._require(Kind.COURTESY)
            if self._courtesies[seat] >= COURTESIES:
                raise TableError(
                    f"{seat} has been courteous {COURTESIES} times: that is enough between two hands.",
                    Reason.ALREADY_ASKED,
                )
            self._courtesies[seat] += 1
            self._take(CourtesySent(seat, deed))
            return
        if isinstance(deed, TakeSeatBack):
            self._require(Kind.TAKE_SEAT_BACK)
            self._take_seat_back(seat)
            return
        verdict = self._require(DEED_KINDS[deed.kind])
        if command.epoch and command.epoch != self.epoch:
            raise TableError(
                f"The table is in epoch {self.epoch}, not {command.epoch}: ask for a snapshot.",
                Reason.EPOCH_CHANGED,
            )
        if deed.kind in _ANSWERS_DECISION:
            self._require_current(seat, command.decision, verdict)
        elif command.hand_number != self._hand_number():
            raise error_for(
                Reason.WRONG_HAND,
                f"The {deed.kind.value} names hand {command.hand_number},"
                f" and hand {self._hand_number()} is on the table.",
            )
        self._act(seat, deed, by_player=True)

    def _require_current(self, seat: Seat, decision: int, verdict: Verdict) -> None:
        if decision == self.decision_id and verdict is Verdict.JUDGE and decision:
            return
        turn = self.match.turn if self.match else None
        was_mine = decision and decision == self._last_decision[seat]
        if turn is not None and turn is not seat and not was_mine:
            raise NotYourTurn(f"{seat} cannot act now: it is {turn}'s turn.", Reason.NOT_YOUR_TURN)
        self._refuse_stale(decision)

    def _refuse_stale(self, decision: int) -> NoReturn:
        if decision and decision == self.decision_id:
            raise TableError(
                f"The decision {decision} is for something else: {self.now_state.value}.",
                Reason.STALE_DECISION,
            )
        now = f"{self.decision_id} is" if self.decision_id else "none is"
        raise TableError(
            f"The decision {decision} is not open any more: {now}.", Reason.STALE_DECISION
        )

    def _bot_deed(self, deed: BotDeed) -> None:
        verdict = self._require(Kind.BOT_DEED)
        task = self.bot_task()
        stale = verdict is Verdict.STALE or deed.decision != self.decision_id
        if stale or task is None or task.seat is not deed.seat:
            self._refuse_stale(deed.decision)
        self._act(deed.seat, deed.action)
        if self.decision_id != deed.decision and self._is_pardoned(deed.seat):
            self._end_stand_in(deed.seat)

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

    # What follows from a command, or from time.

    def _settle(self) -> None:
        """Does everything that is due: stand-ins, the next hand, the end of an abandoned table."""
        if self.state.stage is TableStage.CLOSED:
            return
        if not self._present:
            if self._now_us >= self._nobody_us + self.config.abandoned_us:
                self._take(TableClosed("Everybody has left the table."))
            return
        for seat, due in self._never_came():
            if self._now_us >= due:
                self._go_away(seat, self._awaited_us[seat])
        limit = self.clock.limit_us
        if limit is not None and self._now_us >= limit:
            self._time_out()
        if self._absent:
            for seat, away in zip(SEATS, tuple(self._away_us), strict=True):
                if away is not None and self._now_us >= away + self.config.grace_us:
                    self._replace_absent(seat)
        match = self.match
        if match is None or match.phase is not HAND_OVER:
            return
        waited = self._now_us >= self._hand_over_us + match.rules.next_hand_wait * SECOND
        if waited or self._people <= match.state.asked:
            self._take_match(match.deal_next())

    # The log.

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


_ANSWERS_DECISION: Final = frozenset({ActionKind.BID, ActionKind.PASS_CARDS, ActionKind.PLAY})
