"""What the viewers of a table receive: each event encoded once for all who may see the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

import spades
from spades import SEATS, Seat
from spades_proto import wire
from spades_proto.frames import Frame, Goodbye, Heartbeat
from spades_proto.table import (
    PresenceChanged,
    RecordKept,
    SeatLeft,
    SeatTaken,
    StandInChanged,
    TableClosed,
)
from spades_server.goodbyes import REPLACED, SEAT_LEFT
from spades_server.mailbox import MAILBOX, Sink
from spades_server.table import Table
from spades_server.table_log import Entry

RESUMABLE: Final = 200
"""How many missed events are sent one by one; a reader further behind gets a snapshot."""

SPECTATOR_TICK_S: Final = 0.25
"""How often the spectators of a table are served, all with the same bytes."""

SPECTATOR_BATCH: Final = MAILBOX // 4
"""How many events of a fast table its spectators are served at once, before the tick is due.

More than a mailbox holds would end the stream of a reader who keeps up.
"""

HEARTBEAT_S: Final = 5.0
"""How often idle streams are looked after: after one to two times this long they get a heartbeat."""

_FRAMES: Final = 1
"""The number of the field `frames`, the same in WatchResponse and SeatFrames."""

_FLUSHING: Final[frozenset[type[object]]] = frozenset(
    (spades.HandScored, spades.MatchEnded, spades.PlayTakenBack, RecordKept, TableClosed)
)
"""The events at the end of something, which are not held back for the next decision."""

_CLOCK_CHANGES: Final[frozenset[type[object]]] = frozenset((PresenceChanged, StandInChanged))
"""The events that may change the clock of a decision that is open already."""


class TableFeeds:
    """All viewers of one table: at most one for each seat, and any number of spectators."""

    def __init__(self, table: Table, clock: Callable[[], int]) -> None:
        self._table = table
        self._clock = clock
        self.seats: list[Sink | None] = [None, None, None, None]
        self.spectators: set[Sink] = set()
        self._ticking: asyncio.TimerHandle | None = None
        self._held: list[bytes] = []
        self._published = table.seq
        """The number of the last event that may be known: a table is ahead of it while it is written."""

    def attach(self, seat: Seat | None, sink: Sink, epoch: int, after: int) -> None:
        """Starts a feed: from a snapshot, or with what has been missed since ``after``."""
        if seat is None:
            self._tick()
            self.spectators.add(sink)
        else:
            older, self.seats[seat] = self.seats[seat], sink
            if older is not None and older is not sink:
                older.end(REPLACED, self._chunk(REPLACED))
        # A feed begins when all that the table has done is safe.
        self._published = self._table.seq
        chunk, frames = self._first(seat, epoch, after)
        if frames:
            sink.push(chunk, min(frames, MAILBOX), flush=True)

    def detach(self, seat: Seat | None, sink: Sink) -> bool:
        """Ends a feed; says whether a seat has nobody listening for it now."""
        if seat is None:
            self.spectators.discard(sink)
            return False
        if self.seats[seat] is not sink:
            return False
        self.seats[seat] = None
        return True

    def publish(self, entries: Iterable[Entry]) -> None:
        """Sends new events to everybody, each viewer's own way."""
        for entry in entries:
            self._published = entry.seq
            self._publish(entry)
            if isinstance(entry.event, SeatLeft | SeatTaken):
                # What the seat sees from now on is not for the eyes of whoever had it.
                self._end_seat(entry.event.seat)
        if len(self._held) >= SPECTATOR_BATCH:
            self._tick()
        elif self.spectators and self._held and self._ticking is None:
            loop = asyncio.get_running_loop()
            self._ticking = loop.call_later(SPECTATOR_TICK_S, self._tick)

    def end(self, goodbye: Goodbye) -> None:
        """Ends all feeds."""
        self._tick()
        chunk = self._chunk(goodbye)
        for sink in (*self.seats, *self.spectators):
            if sink is not None:
                sink.end(goodbye, chunk)

    def _end_seat(self, seat: Seat) -> None:
        sink, self.seats[seat] = self.seats[seat], None
        if sink is not None:
            sink.end(SEAT_LEFT, self._chunk(SEAT_LEFT))

    def goodbye(self, goodbye: Goodbye) -> bytes:
        """An encoded goodbye, for a stream that holds none of its own."""
        return self._chunk(goodbye)

    def heartbeat(self, echo: int = 0) -> bytes:
        """An encoded heartbeat, which shows the clock too; what spectators are to hear comes first."""
        self._tick()
        return self._chunk(Heartbeat(int(2 * HEARTBEAT_S * 1000), echo))

    def show_clock(self) -> None:
        """Shows everybody how the clock stands, where no event has told it."""
        if self._table.clock.seat is None:
            return
        chunk = self.heartbeat()
        for sink in (*self.seats, *self.spectators):
            if sink is not None:
                sink.push(chunk, 0, flush=False)

    def _publish(self, entry: Entry) -> None:
        event = entry.event
        if spades.has_secret(event):
            self._publish_secret(entry)
            return
        table = self._table
        frame = wire.event_frame_bytes(table.epoch, entry.seq, entry.time_us, event)
        frame += self._clock_field(entry)
        public = wire.field_bytes(_FRAMES, frame)
        flush = type(event) in _FLUSHING
        asked: Sink | None = None
        if entry.seq == table.decision_id and table.match is not None:
            turn = table.match.turn
            asked = None if turn is None else self.seats[turn]
            if asked is not None:
                request = table.decision_for(turn)
                assert request is not None, "the seat is to act"
                own = wire.field_bytes(_FRAMES, frame + wire.decision_field(request))
                asked.push(own, 1, flush=True)
        for sink in self.seats:
            if sink is not None and sink is not asked:
                sink.push(public, 1, flush=flush)
        if self.spectators:
            self._held.append(public)

    def _publish_secret(self, entry: Entry) -> None:
        """Sends each viewer the part of an event that it may see."""
        event = entry.event
        for seat, sink in zip(SEATS, self.seats, strict=True):
            if sink is not None:
                asks = self._asks(entry, seat)
                shown = isinstance(event, spades.HandShown) and event.seat is seat
                sink.push(self._event(entry, seat, decision=asks), 1, flush=asks or shown)
        if self.spectators:
            self._held.append(self._event(entry, None))

    def _tick(self) -> None:
        """Serves the spectators."""
        if self._ticking is not None:
            self._ticking.cancel()
            self._ticking = None
        if not self._held:
            return
        chunk, frames = b"".join(self._held), len(self._held)
        self._held.clear()
        for sink in self.spectators:
            sink.push(chunk, frames, flush=True)

    def _event(self, entry: Entry, viewer: Seat | None, *, decision: bool = False) -> bytes:
        event = entry.event
        if spades.has_secret(event):
            event = spades.redact(event, viewer)  # type: ignore[arg-type]  # the table's own have none
        frame = wire.event_frame_bytes(self._table.epoch, entry.seq, entry.time_us, event)
        frame += self._clock_field(entry)
        if decision:
            request = self._table.decision_for(viewer)
            if request is not None:
                frame += wire.decision_field(request)
        return wire.field_bytes(_FRAMES, frame)

    def _clock_field(self, entry: Entry) -> bytes:
        """The clock, where the event changed it."""
        table = self._table
        if entry.seq != table.decision_id and type(entry.event) not in _CLOCK_CHANGES:
            return b""
        reading = table.clock.reading
        return b"" if reading is None else wire.clock_field(reading)

    def _first(self, seat: Seat | None, epoch: int, after: int) -> tuple[bytes, int]:
        table = self._table
        missed = [entry for entry in table.log if entry.seq > after]
        resumable = (
            epoch == table.epoch
            and 0 < after <= table.seq
            and len(missed) == table.seq - after <= RESUMABLE
        )
        if not resumable:
            return self._snapshot(seat), 1
        chunks = [self._event(entry, seat, decision=self._asks(entry, seat)) for entry in missed]
        return b"".join(chunks), len(chunks)

    def _asks(self, entry: Entry, seat: Seat | None) -> bool:
        """Whether an event opened the decision that is open, or changed it by the seat's own look."""
        event, opened = entry.event, self._table.decision_id
        looked = isinstance(event, spades.HandShown) and event.seat is seat
        return entry.seq == opened or (looked and entry.seq > opened > 0)

    def _snapshot(self, seat: Seat | None) -> bytes:
        frame = Frame(
            self._table.epoch,
            self._table.seq,
            self._clock(),
            self._table.state.snapshot(seat),
            self._table.decision_for(seat),
            self._table.clock.reading,
        )
        return wire.field_bytes(_FRAMES, wire.frame_to_wire(frame).SerializeToString())

    def _chunk(self, payload: Heartbeat | Goodbye) -> bytes:
        # What is not published yet may be told by nothing, neither by its number nor by whose turn follows.
        told = isinstance(payload, Heartbeat) and self._published == self._table.seq
        clock = self._table.clock.reading if told else None
        frame = Frame(
            self._table.epoch, self._published, self._clock(), payload, decision=None, clock=clock
        )
        return wire.field_bytes(_FRAMES, wire.frame_to_wire(frame).SerializeToString())
