"""A table of a competition: no stand-in plays for anybody, and every fault is booked."""

from __future__ import annotations

from typing import Final

import spades
from spades import (
    SEATS,
    ActionKind,
    IllegalUndo,
    Look,
    Match,
    Reason,
    Seat,
    SeatView,
    Side,
    SpadesError,
    TableError,
    error_for,
)
from spades_agents.failures import shortened
from spades_agents.fallback import fallback
from spades_arena.fault_book import FaultBook
from spades_arena.faults import Cause, Evidence, evidence_of
from spades_arena.table import PlayedTable, TableSetting, played_table
from spades_proto.frames import Answer, Command, Failure
from spades_proto.table import (
    Courtesy,
    Occupant,
    OccupantKind,
    RecordKept,
    SeatTaken,
    TableClosed,
    TableStage,
    TakeSeatBack,
)
from spades_proto.timing import TimeControl
from spades_server.clock import DecisionClock
from spades_server.commands import Deed, Kind, Leave, Player, PlayerGone, Presence, Unreadable
from spades_server.competitions.sides import SideEntry
from spades_server.table import Table
from spades_server.table_log import TableConfig

MS: Final = 1_000
"""Microseconds in a millisecond."""


def table_config(code: str, setting: TableSetting) -> TableConfig:
    """What is settled at a table of a competition."""
    limits = setting.limits
    return TableConfig(
        code,
        setting.rules,
        private=True,
        many_seats=True,
        tempo_us=0,
        grace_us=limits.silence_ms * MS,
        time_control=limits.control or TimeControl(limits.silence_ms, 0),
        hints=False,
    )


class CompetitionTable(Table):
    """One of the two tables of a unit.

    All four seats are taken from the beginning. It starts when both sides are there, plays its one match,
    and closes. Nothing of it is stored: a unit that was broken off is played again.
    """

    watchable = False
    books_faults = True

    def __init__(
        self,
        code: str,
        setting: TableSetting,
        sides: tuple[SideEntry, SideEntry],
        name: str,
        now_us: int,
    ) -> None:
        """``sides`` are indexed by :class:`~spades.Side`; ``name`` is the id of its record."""
        super().__init__(table_config(code, setting), Player("", "the competition"), now_us)
        self.result: PlayedTable | None = None
        """What came of it, once something did."""
        self._setting = setting
        self._sides = sides
        self._name = name
        self._opened_table_us = now_us
        self.fault_book = FaultBook(setting.limits, setting.discipline)
        """What went wrong so far."""
        self._thought_us = [0, 0]
        self._overlong: Seat | None = None
        """The seat with whose answer a side had thought for too long in the game."""
        self._absence_booked: set[tuple[str | None, Side]] = set()
        """The players, each with the side, whose absence has cost that its strike."""
        self._failure: Failure | None = None
        """What the deed that is being done says of its agent's failure."""
        self.clock = DecisionClock(self.config.time_control, setting.limits.margin_ms * MS)
        self._seat_everybody()

    def _seat_everybody(self) -> None:
        for seat in SEATS:
            entry = self._sides[seat.side]
            player = entry.player_of(seat)
            kind = OccupantKind.HOUSE_BOT if player is None else OccupantKind.AGENT
            if player is None:
                self._bots[seat] = entry.bot
            else:
                self.owners[seat] = player.id
                self._names[player.id] = entry.name
            self._take(SeatTaken(seat, Occupant(kind, entry.name)))
        self.opening += tuple(self._new)
        self._new = []

    # What is asked of it.

    def next_deadline(self) -> int | None:
        """When something is due: the time to come, that of a decision, or that of an absence."""
        if self.state.stage is TableStage.CLOSED:
            return None
        if self.state.stage is TableStage.OPEN:
            return self._opened_table_us + self._setting.limits.start_ms * MS
        limit = self.clock.limit_us
        if not self._absent:
            return limit
        deadlines = [away + self.config.grace_us for away in self._away_us if away is not None]
        if limit is not None:
            deadlines.append(limit)
        return min(deadlines, default=None)

    def _keeps_time(self, players: int) -> bool:
        """A competition always waits."""
        del players
        return True

    def _is_awaited(self, seat: Seat) -> bool:
        del seat
        return True

    def _look_around(self) -> None:
        super()._look_around()
        # Where nobody is there the competition is, and it wants to go on.
        self._present = True

    def _leave(self, command: Leave) -> None:
        raise TableError(
            f"{command.player.name} cannot leave a table of a competition: withdraw the entry instead.",
            Reason.TABLE_STATE,
        )

    def _player_gone(self, command: PlayerGone) -> None:
        """The competition withdraws the entry, and closes the table."""

    def _presence(self, command: Presence) -> None:
        super()._presence(command)
        if command.listening:
            self._absence_booked.discard(self._absentee(command.seat))

    def _absentee(self, seat: Seat) -> tuple[str | None, Side]:
        """Whose absence it is: a player in both seats of a side is away from both at once."""
        return self.owners[seat], seat.side

    def _deed(self, deed: Deed) -> Answer:
        self._failure = deed.failure
        return super()._deed(deed)

    def _unreadable(self, command: Unreadable) -> None:
        """Books what a seat sent in place of an answer that was due, and could not be read."""
        turn = None if self.match is None else self.match.turn
        if turn is None or self.owners[turn] != command.player.id:
            return
        if command.decision == self.decision_id and command.seat in (None, turn):
            self._book(turn, Evidence(malformed=shortened(command.sentence)), only_one=True)

    def _do(self, seat: Seat, command: Command) -> None:
        deed = command.deed
        if isinstance(deed, Courtesy | TakeSeatBack):
            super()._do(seat, command)
            return
        if deed.kind is ActionKind.UNDO:
            raise IllegalUndo("Cards are not taken back in a competition.", Reason.UNDO_NOT_ALLOWED)
        if deed.kind is ActionKind.SURRENDER:
            self._resign(seat, command)
            return
        turn = None if self.match is None else self.match.turn
        asked = command.decision != 0 and command.decision == self.decision_id and turn is seat
        if self._failure is not None and (asked or self._looks(seat, command)):
            self._book_failure(seat, self._failure)
            return
        try:
            super()._do(seat, command)
        except SpadesError as refusal:
            if asked and refusal.reason not in _NO_FAULT:
                self._book(seat, Evidence(illegal=shortened(refusal.sentence)), only_one=True)
            raise

    def _looks(self, seat: Seat, command: Command) -> bool:
        """Whether a command is a look that is open for the seat: it names its hand, and no decision."""
        match = self.match
        return (
            isinstance(command.deed, Look)
            and match is not None
            and match.turn is seat
            and command.hand_number == self._hand_number()
            and SeatView(match.state, seat).may_look
        )

    def _book_failure(self, seat: Seat, failure: Failure) -> None:
        """Books what failed on the agent's side, as it would be booked in process."""
        clean = Failure(failure.kind, shortened(failure.sentence))
        self._book(seat, evidence_of(clean), only_one=True)

    def _resign(self, seat: Seat, command: Command) -> None:
        """Ends a game that one seat gives up for its entry (rules.md 5.3)."""
        self._require(Kind.SURRENDER)
        if command.hand_number != self._hand_number():
            raise error_for(
                Reason.WRONG_HAND,
                f"The surrender names hand {command.hand_number},"
                f" and hand {self._hand_number()} is on the table.",
            )
        self._book(seat, Evidence(resigned="It gave the game up."))

    # What follows from a command, or from time.

    def _settle(self) -> None:
        if self.state.stage is TableStage.OPEN:
            self._gather()
        while self.state.stage is TableStage.PLAYING and self._go_on():
            pass
        if self.state.stage is TableStage.FINISHED:
            self._take(TableClosed("The game is over."))

    def _gather(self) -> None:
        """Starts when everybody is there; a side that does not come in time has not started."""
        missing = [
            seat for seat in SEATS if self.owners[seat] is not None and not self._listening[seat]
        ]
        if not missing:
            self._begin()
        elif self._now_us >= self._opened_table_us + self._setting.limits.start_ms * MS:
            self._walk_over(missing)

    def _new_match(self) -> Match:
        return Match(self.config.rules, self._setting.deals, people=frozenset(), opens=False)

    def _begin(self) -> None:
        self.match = self._new_match()
        self.match_number = 1
        self.clock.start_match()
        self._take_match(tuple(self.match.log))

    def _walk_over(self, missing: list[Seat]) -> None:
        """Nobody is shown a card: whoever is there may meet these deals again."""
        seconds = self._setting.limits.start_ms / 1_000
        said = f"was not connected within {seconds:g} s."
        self.fault_book.did_not_start(
            {seat: Evidence(no_start=f"{self._sides[seat.side].name} {said}") for seat in missing}
        )
        absent = self.fault_book.forfeited
        match = self._new_match()
        if len(absent) == 1:
            for seat in absent[0].seats:
                match.surrender(seat)
        self._conclude(match)
        names = " and ".join(self._sides[side].name for side in absent)
        self._take(TableClosed(f"{names} did not come, so nothing was played."))

    def _go_on(self) -> bool:
        """Does one thing that is due; says whether there was one."""
        match = self.match
        assert match is not None, "a table that plays has a match"
        gone = self._gone() if self._absent else None
        if gone is not None:
            gone_s = self.config.grace_us / 1_000_000
            said = f"Its line was lost for more than {gone_s:g} s."
            self._book(gone, Evidence(disconnected=said), fatal=True)
            return True
        if self._overlong is not None:
            self._book(self._overlong, Evidence(late=self.fault_book.too_long_in_all), fatal=True)
            return True
        turn = match.turn
        if turn is None:
            self._take_match(match.deal_next())
            return True
        limit = self.clock.limit_us
        overdue = limit is not None and self._now_us >= limit
        if self._away_us[turn] is not None and (
            overdue or self._absentee(turn) in self._absence_booked
        ):
            self._play_for_absent(turn)
            return True
        if overdue:
            self._book(turn, self._overdue(turn))
            return True
        return False

    def _gone(self) -> Seat | None:
        """A seat that was away for too long."""
        for seat, away in zip(SEATS, self._away_us, strict=True):
            if away is not None and self._now_us >= away + self.config.grace_us:
                return seat
        return None

    def _overdue(self, seat: Seat) -> Evidence:
        limits = self._setting.limits
        return self.fault_book.overdue(limits.allowed_ms(self.clock.banks_us[seat] // MS))

    def _play_for_absent(self, seat: Seat) -> None:
        """An absence costs one strike, however many decisions fall into it."""
        if self._absentee(seat) in self._absence_booked:
            self._play_fallback(seat)
            return
        self._absence_booked.add(self._absentee(seat))
        self._book(seat, Evidence(disconnected="Its line was lost when it had to act."))

    def _book(
        self, seat: Seat, evidence: Evidence, *, fatal: bool = False, only_one: bool = False
    ) -> None:
        """Books a fault, and acts for the seat or ends the game that its side forfeits.

        With ``only_one`` nothing but the next action is taken from the seat: after a look it bids itself.
        """
        match = self.match
        assert match is not None, "there are faults in a match only"
        hand, number = SeatView(match.state, seat).hand_number, match.state.turn_number
        cause = self.fault_book.book(seat, hand, number, evidence, hopeless=fatal)
        if cause is Cause.TIMEOUT:
            self.clock.banks_us[seat] = 0
        if seat.side in self.fault_book.forfeited:
            first, second = seat.side.seats
            self._take_match(match.surrender(first) + match.surrender(second))
        else:
            self._play_fallback(seat, only_one=only_one)

    def _play_fallback(self, seat: Seat, *, only_one: bool = False) -> None:
        match = self.match
        assert match is not None, "somebody is to act"
        action = fallback(SeatView(match.state, seat))
        self._act(seat, action)
        if isinstance(action, Look) and match.turn is seat and not only_one:
            # The decision is still open, and its time is over.
            self._act(seat, fallback(SeatView(match.state, seat)))

    def _count_time(self, event: spades.Event, turn: Seat | None) -> int:
        seat = self.clock.seat
        thought_us = super()._count_time(event, turn)
        if seat is not None:
            side = seat & 1
            self._thought_us[side] += thought_us
            if self._thought_us[side] > self._setting.limits.game_ms * MS:
                self._overlong = seat
        return thought_us

    def _finish(self, match: Match) -> None:
        self._conclude(match)
        self._take(RecordKept(self._name))

    def _conclude(self, match: Match) -> None:
        self.result = played_table(self._setting, match, self.fault_book)


_NO_FAULT: Final = frozenset({Reason.STALE_DECISION, Reason.EPOCH_CHANGED, Reason.NOT_YOUR_TURN})
"""Refusals that say nothing of how an agent plays."""
