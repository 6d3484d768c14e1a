"""A table without I/O: commands and the time go in, events and an answer come out."""

from __future__ import annotations

from typing import Final, NoReturn

from spades import (
    SEATS,
    ActionKind,
    NotYourTurn,
    Reason,
    Seat,
    SpadesError,
    TableError,
    error_for,
)
from spades.phases import HAND_OVER
from spades_proto.frames import Answer, Command
from spades_proto.table import (
    Courtesy,
    CourtesySent,
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
from spades_server.game import Game
from spades_server.memo import TableMemo, memo_of, play_again
from spades_server.table_log import SECOND, Entry, TableConfig

COURTESIES: Final = 4
"""How often one may be courteous between two hands."""


class Table(Game):
    """One table: its seats, its matches and its log.

    Refusals raise and change nothing. One command is handled at a time, by whoever owns the table.
    """

    watchable: bool = True
    """Whether there may be spectators."""

    books_faults: bool = False
    """Whether it wants to hear of what failed on an agent's side, and of what could not be read."""

    def __init__(self, config: TableConfig, host: Player, now_us: int, epoch: int = 1) -> None:
        super().__init__(config, host, now_us, epoch)
        self._answered = AnsweredRequests()
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

    def _start(self, command: Start) -> None:
        self._require(Kind.START)
        self._require_host(command.player, Kind.START)
        empty = [str(seat) for seat in Seat if self.state.seats[seat].occupant is None]
        if empty:
            raise TableError(
                f"The match cannot start: nobody sits {' and '.join(empty)}.",
                Reason.TABLE_NOT_READY,
            )
        self._start_match(command.seed)

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


_ANSWERS_DECISION: Final = frozenset({ActionKind.BID, ActionKind.PASS_CARDS, ActionKind.PLAY})
