"""Who sits at a table, and how much time they have."""

from __future__ import annotations

from collections.abc import Iterable

from spades import Seat
from spades_proto.table import EMPTY_SEATS, Occupant, SeatStatus
from spades_proto.timing import UNLIMITED, TimeControl
from spades_proto.v1 import event_pb2, frame_pb2
from spades_proto.wire.enums import OCCUPANT_KIND, SEAT


def occupant_to_wire(occupant: Occupant) -> event_pb2.Occupant:
    """Writes who plays a seat."""
    return event_pb2.Occupant(kind=OCCUPANT_KIND.to_wire(occupant.kind), name=occupant.name)


def occupant_from_wire(message: event_pb2.Occupant) -> Occupant:
    """Reads who plays a seat."""
    return Occupant(OCCUPANT_KIND.from_wire(message.kind), message.name)


def time_control_to_wire(control: TimeControl) -> event_pb2.TimeControl | None:
    """Writes how much time a decision has; nothing where there is no limit."""
    return None if control == UNLIMITED else whole_time_control_to_wire(control)


def whole_time_control_to_wire(control: TimeControl) -> event_pb2.TimeControl:
    """Writes it where nothing stands for something else: no limit is an empty message."""
    return event_pb2.TimeControl(decision_ms=control.decision_ms, bank_ms=control.bank_ms)


def time_control_from_wire(message: event_pb2.TimeControl) -> TimeControl:
    """Reads how much time a decision has.

    :raises NotationError: if a time is negative or longer than a day.
    """
    return TimeControl(message.decision_ms, message.bank_ms)


def seats_to_wire(seats: Iterable[SeatStatus]) -> list[frame_pb2.SeatStatus]:
    """Writes the four seats."""
    return [
        frame_pb2.SeatStatus(
            seat=SEAT.to_wire(seat),
            occupant=None if status.occupant is None else occupant_to_wire(status.occupant),
            away=status.away,
            stand_in=status.stand_in,
        )
        for seat, status in zip(Seat, seats, strict=True)
    ]


def seats_from_wire(messages: Iterable[frame_pb2.SeatStatus]) -> tuple[SeatStatus, ...]:
    """Reads the four seats."""
    seats = list(EMPTY_SEATS)
    for one in messages:
        occupant = occupant_from_wire(one.occupant) if one.HasField("occupant") else None
        seats[SEAT.from_wire(one.seat)] = SeatStatus(occupant, one.away, one.stand_in)
    return tuple(seats)
