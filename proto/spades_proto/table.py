"""What a table's feed tells: the events around a match, and the state that they and the match's make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

import spades
from spades import MatchState, Rules, Seat
from spades.phases import Label
from spades_proto.tempo import NORMAL_MS
from spades_proto.timing import UNLIMITED, TimeControl


class OccupantKind(Enum):
    """Who plays a seat."""

    PERSON = "person"
    AGENT = "agent"
    HOUSE_BOT = "house bot"


class Courtesy(Enum):
    """The words that may be sent between hands: there is no chat."""

    WELL_PLAYED = "well played"
    THANK_YOU = "thank you"
    GOOD_LUCK = "good luck"
    SORRY = "sorry"


@dataclass(frozen=True, slots=True)
class TakeSeatBack:
    """A player whose seat a house bot plays is there again."""


class TableStage(Label):
    """Where a table stands."""

    OPEN = "open"
    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"


class NoteKind(Enum):
    """What a note of a record is about."""

    LOOKED = "looked"
    AWAY = "away"
    BACK = "back"
    STAND_IN = "a house bot stands in"
    STAND_IN_ENDED = "the stand-in ended"
    TIMED_OUT = "the time ran out"


@dataclass(frozen=True, slots=True)
class Occupant:
    """Who plays a seat, as everybody may know it."""

    kind: OccupantKind
    name: str


@dataclass(frozen=True, slots=True)
class SeatStatus:
    """A seat and who plays it."""

    occupant: Occupant | None = None
    away: bool = False
    """Whether nobody listens for it now."""
    stand_in: bool = False
    """Whether a house bot plays for the player, who is absent or whose time ran out."""


@dataclass(frozen=True, slots=True)
class TableOpened:
    """The first event of a table's log."""

    code: str
    host: str
    rules: Rules
    private: bool
    seed_chosen: bool
    time_control: TimeControl = UNLIMITED
    hints: bool = True
    """Whether clients may give hints."""
    tempo_ms: int = NORMAL_MS
    """How long house bots take for a card while people play."""


@dataclass(frozen=True, slots=True)
class SeatTaken:
    """Somebody sat down."""

    seat: Seat
    occupant: Occupant


@dataclass(frozen=True, slots=True)
class SeatLeft:
    """A seat is free."""

    seat: Seat


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    """A connection was lost or is back."""

    seat: Seat
    away: bool


@dataclass(frozen=True, slots=True)
class StandInChanged:
    """A house bot began, or ceased, to play for a player who is absent or whose time ran out."""

    seat: Seat
    active: bool


@dataclass(frozen=True, slots=True)
class HostChanged:
    """The former host left."""

    host: str


@dataclass(frozen=True, slots=True)
class CourtesySent:
    """A player was courteous."""

    seat: Seat
    courtesy: Courtesy


@dataclass(frozen=True, slots=True)
class RecordKept:
    """The record of the match that has just ended can be asked for."""

    match: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The last event of a table's log."""

    sentence: str


TableEvent = (
    TableOpened
    | SeatTaken
    | SeatLeft
    | PresenceChanged
    | StandInChanged
    | HostChanged
    | CourtesySent
    | RecordKept
    | TableClosed
)
AnyEvent = TableEvent | spades.Event

EMPTY_SEATS: Final = (SeatStatus(), SeatStatus(), SeatStatus(), SeatStatus())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that one viewer may know of a table."""

    opened: TableOpened
    stage: TableStage
    seats: tuple[SeatStatus, ...]
    match: tuple[spades.Event, ...]
    """The match, shortened: its start, earlier scores, and the last hand event by event."""
    record: str


class TableState:
    """The fold of a table's events, whole for the server and redacted for a viewer."""

    __slots__ = ("_log", "match", "opened", "record", "seats", "stage")

    def __init__(self, opened: TableOpened) -> None:
        self.opened = opened
        self.stage = TableStage.OPEN
        self.seats: tuple[SeatStatus, ...] = EMPTY_SEATS
        self.match: MatchState | None = None
        """The state of the running or the last match."""
        self.record = ""
        """The id of the last finished match's record."""
        self._log: list[spades.Event] = []

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> TableState:
        """Makes the state that the snapshot was taken of."""
        state = cls(snapshot.opened)
        for event in snapshot.match:
            state.apply(event)
        state.stage = snapshot.stage
        state.seats = snapshot.seats
        state.record = snapshot.record
        return state

    def copy(self) -> TableState:
        """A state that goes its own way from here."""
        other = object.__new__(TableState)
        other.opened = self.opened
        other.stage = self.stage
        other.seats = self.seats
        other.match = self.match.copy() if self.match else None
        other.record = self.record
        other._log = list(self._log)
        return other

    @property
    def rules(self) -> Rules:
        """The rules in force."""
        return self.opened.rules

    def name_of(self, seat: Seat) -> str:
        """The name of who plays a seat; the seat's own where nobody does."""
        occupant = self.seats[seat].occupant
        return occupant.name if occupant else str(seat)

    def apply(self, event: AnyEvent) -> None:
        """Takes in one event."""
        change = _APPLY.get(type(event))
        if change is not None:
            change(self, event)
            return
        # What is not the table's own belongs to its match.
        if isinstance(event, spades.MatchStarted):
            self.match = MatchState(event)
        assert self.match is not None, "a match's first event starts it"
        self.match.apply(event)  # type: ignore[arg-type]
        self.keep(event)  # type: ignore[arg-type]

    def keep(self, event: spades.Event) -> None:
        """Notes an event of the match whose effect on :attr:`match` has been applied already."""
        kind = type(event)
        if kind is spades.MatchStarted:
            self.stage = TableStage.PLAYING
            self._log = [event]
        elif kind is spades.HandDealt:
            assert self.match is not None, "a match's first event starts it"
            self._log = [self._log[0], *self.match.sheet, event]
        else:
            self._log.append(event)
            if kind is spades.MatchEnded:
                self.stage = TableStage.FINISHED

    def snapshot(self, viewer: Seat | None) -> Snapshot:
        """Shows everything that a viewer may know."""
        match = tuple(spades.redact(event, viewer) for event in self._log)
        return Snapshot(self.opened, self.stage, self.seats, match, self.record)

    def seat_taken(self, event: SeatTaken) -> None:
        """Somebody sat down."""
        self._set(event.seat, SeatStatus(event.occupant))

    def seat_left(self, event: SeatLeft) -> None:
        """A seat is free."""
        self._set(event.seat, SeatStatus())

    def presence_changed(self, event: PresenceChanged) -> None:
        """A connection was lost or is back."""
        self._set(event.seat, replace(self.seats[event.seat], away=event.away))

    def stand_in_changed(self, event: StandInChanged) -> None:
        """A house bot stands in, or no longer."""
        self._set(event.seat, replace(self.seats[event.seat], stand_in=event.active))

    def host_changed(self, event: HostChanged) -> None:
        """There is another host."""
        self.opened = replace(self.opened, host=event.host)

    def record_kept(self, event: RecordKept) -> None:
        """There is a record."""
        self.record = event.match

    def closed(self, _event: TableClosed) -> None:
        """The table is gone."""
        self.stage = TableStage.CLOSED

    def ignored(self, _event: TableEvent) -> None:
        """The event changes nothing that lasts."""

    def _set(self, seat: Seat, status: SeatStatus) -> None:
        seats = list(self.seats)
        seats[seat] = status
        self.seats = tuple(seats)


_APPLY: Final[dict[type[Any], Callable[[TableState, Any], None]]] = {
    TableOpened: TableState.ignored,
    SeatTaken: TableState.seat_taken,
    SeatLeft: TableState.seat_left,
    PresenceChanged: TableState.presence_changed,
    StandInChanged: TableState.stand_in_changed,
    HostChanged: TableState.host_changed,
    CourtesySent: TableState.ignored,
    RecordKept: TableState.record_kept,
    TableClosed: TableState.closed,
}
