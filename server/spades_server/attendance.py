"""Who is at a table and who is away, who plays for the absent, and whose time runs."""

from __future__ import annotations

from collections.abc import Iterable

from spades import SEATS, Match, Seat, error_for
from spades_proto.records import Note
from spades_proto.table import (
    AnyEvent,
    NoteKind,
    OccupantKind,
    PresenceChanged,
    SeatStatus,
    StandInChanged,
    TableStage,
)
from spades_server.clock import STRIKES, DecisionClock
from spades_server.commands import ANSWERS, Kind, Player, Presence, State, Verdict, state_of
from spades_server.table_log import TableConfig, TableLog


class Attendance(TableLog):
    """The players of a table: who listens, who is waited for, and for whom a house bot stands in."""

    def __init__(self, config: TableConfig, host: Player, now_us: int, epoch: int) -> None:
        super().__init__(config, host, now_us, epoch)
        self.host_id = host.id
        self.match: Match | None = None
        """The running or the last match."""
        self.owners: list[str | None] = [None, None, None, None]
        """The ids of the players who hold the seats; ``None`` for bots and empty seats."""
        self._bots: list[str] = ["", "", "", ""]
        self._names: dict[str, str] = {host.id: host.name}
        self._away_us: list[int | None] = [None, None, None, None]
        self._listening = [False, False, False, False]
        self._awaited_us = [0, 0, 0, 0]
        """Since when a player who does not listen yet is expected to."""
        self._awaited = False
        self._nobody_us = now_us
        self._opened_us = now_us
        """When the open decision was opened, or its bot took over."""
        self._present = False
        """Whether a player, who is no house bot, is at the table: else nobody is kept waiting."""
        self._absent = False
        """Whether a player is away."""
        self._person_present = False
        self._people: frozenset[Seat] = frozenset()
        """The seats that persons play now (rules.md 5.5, 5.6)."""
        self.clock = DecisionClock(config.time_control)
        """The time of the open decision."""
        self._waiting: frozenset[str] = frozenset()
        """The ids of the players who are there: the clock runs for whoever others wait for."""
        self.decision_id = 0
        """The ``seq`` of the event that opened the current decision, 0 while none is open."""
        self._retaken = 0
        """The decision whose seat was taken back while it was open: that gives time once."""
        self._courtesies = [0, 0, 0, 0]
        """How often each seat was courteous since the last deal."""
        self._timed = False
        """Whether decisions are timed: not where one player has all seats that are not bots'."""
        self._notes: list[Note] = []
        self._actions_in_hand = 0

    @property
    def now_state(self) -> State:
        """The column of the table of answers that holds now."""
        phase = self.match.phase if self.match else None
        return state_of(self.state.stage, phase)

    def _require(self, kind: Kind) -> Verdict:
        """Asks the table of answers, and refuses what it refuses."""
        state = self.now_state
        cell = ANSWERS[kind][state]
        if isinstance(cell, Verdict):
            return cell
        raise error_for(cell, f"One cannot {kind.value} now: {state.value}.")

    def _presence(self, command: Presence) -> None:
        if self._require(Kind.PRESENCE) is Verdict.IGNORE:
            return
        seat = command.seat
        if self.owners[seat] is None:
            return
        self._listening[seat] = command.listening
        if not command.listening:
            self._go_away(seat, self._now_us)
            return
        self._away_us[seat] = None
        away = self.state.seats[seat].away
        self._take_seat_back(seat)
        if away:
            self._note(NoteKind.BACK, seat)
            self._take(PresenceChanged(seat, away=False))
        self._thaw(seat)

    def _take_seat_back(self, seat: Seat) -> None:
        """Ends the stand-in, if there is one; a decision that is still open has all its time again."""
        self.clock.strikes[seat] = 0
        if self.state.seats[seat].stand_in:
            self._end_stand_in(seat)

    def _end_stand_in(self, seat: Seat) -> None:
        self._note(NoteKind.STAND_IN_ENDED, seat)
        self._take(StandInChanged(seat, active=False))
        if self.match is not None and self.match.turn is seat:
            self._open_clock(seat, again=self._retaken == self.decision_id)
            self._retaken = self.decision_id

    def _open_clock(self, seat: Seat, *, again: bool = False) -> None:
        """Begins to count the time of a decision, unless a bot takes it.

        Whoever takes a seat back has the decision's own time once more; ``again``: the second time none.
        """
        if not self._timed or self.owners[seat] is None or self.state.seats[seat].stand_in:
            self.clock.stop()
        else:
            self.clock.open(seat, self._now_us, runs=self._is_awaited(seat), spent=again)

    def _keeps_time(self, players: int) -> bool:
        """Whether anybody could be kept waiting, with so many players at the table."""
        return players > 1

    def _is_awaited(self, seat: Seat) -> bool:
        """Whether another player is there who waits for a seat."""
        return len(self._waiting) > 1 or not self._waiting <= {self.owners[seat]}

    def _thaw(self, seat: Seat) -> None:
        """Lets a clock go on that waited for its player after a restart."""
        if self.clock.frozen and self.clock.seat is seat:
            self.clock.frozen = False
            self.clock.run(self._now_us, runs=self._is_awaited(seat))

    def _time_out(self) -> None:
        """Has a house bot take the decision whose time is over, and the seat if it was not the first."""
        seat = self.clock.seat
        assert seat is not None, "a clock runs for somebody"
        self.clock.timed_out()
        self._note(NoteKind.TIMED_OUT, seat)
        self._note(NoteKind.STAND_IN, seat)
        # Its time is over, so the bot takes none.
        self._opened_us = self._now_us - self.config.tempo_us
        self._take(StandInChanged(seat, active=True))

    def _is_pardoned(self, seat: Seat) -> bool:
        """Whether a stand-in was there for one decision only, which it has taken."""
        status = self.state.seats[seat]
        return status.stand_in and not status.away and self.clock.strikes[seat] < STRIKES

    def _go_away(self, seat: Seat, since_us: int) -> None:
        self._away_us[seat] = since_us
        if not self.state.seats[seat].away:
            self._note(NoteKind.AWAY, seat)
            self._take(PresenceChanged(seat, away=True))
        if not self._present:
            self._nobody_us = self._now_us
        self._thaw(seat)

    def _await_players(self, seats: Iterable[Seat]) -> None:
        """Gives the players who have just sat down, or whose match begins, the grace to open a feed."""
        for seat in seats:
            self._awaited_us[seat] = self._now_us
        self._awaited = True

    def _never_came(self) -> list[tuple[Seat, int]]:
        """The seats whose players do not listen yet, and when each counts as away."""
        if not self._awaited:
            return []
        silent = [
            (seat, self._awaited_us[seat] + self.config.grace_us)
            for seat in SEATS
            if self.owners[seat] is not None
            and not self._listening[seat]
            and self._away_us[seat] is None
        ]
        self._awaited = bool(silent)
        return silent

    def _come_back(self, before_us: int) -> None:
        """Nobody listens after a restart; what was waited for is waited for as long as before."""
        down_us = self._now_us - before_us
        self.clock.freeze(before_us)
        self._nobody_us += down_us
        self._opened_us += down_us
        self._away_us = [None if away is None else away + down_us for away in self._away_us]
        self._listening = [False, False, False, False]
        self._await_players(SEATS)

    def _take(self, event: AnyEvent) -> None:
        super()._take(event)
        self._look_around()

    def _look_around(self) -> None:
        """Notes who is here: asked for at every card, and changed only by the table's own events."""
        seats = self.state.seats
        players = [status for status in seats if status.occupant and not _is_bot(status)]
        self._present = any(not status.away for status in players)
        self._absent = any(status.away for status in players)
        self._person_present = any(_is_person(status) and not status.away for status in seats)
        self._people = frozenset(
            seat
            for seat, status in zip(SEATS, seats, strict=True)
            if _is_person(status) and not status.stand_in
        )
        if self.match is not None:
            self.match.people = self._people
        owners = {owner for owner in self.owners if owner is not None}
        self._timed = bool(self.config.time_control) and self._keeps_time(len(owners))
        self._waiting = frozenset(
            owner
            for owner, status in zip(self.owners, seats, strict=True)
            if owner is not None and not status.away
        )
        if not self._timed:
            self.clock.stop()
        elif self.clock.seat is not None:
            self.clock.run(self._now_us, runs=self._is_awaited(self.clock.seat))

    def _note(self, kind: NoteKind, seat: Seat) -> None:
        if self.state.stage is TableStage.PLAYING:
            self._notes.append(Note(kind, seat, self._hand_number(), self._actions_in_hand))

    def _hand_number(self) -> int:
        return self.match.hand_number if self.match else 0


def _is_person(status: SeatStatus) -> bool:
    return status.occupant is not None and status.occupant.kind is OccupantKind.PERSON


def _is_bot(status: SeatStatus) -> bool:
    return status.occupant is not None and status.occupant.kind is OccupantKind.HOUSE_BOT
