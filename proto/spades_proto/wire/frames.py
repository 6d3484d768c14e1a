"""Frames, decisions and snapshots."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import spades
from spades import CardPlayed, DecisionKind, Deck, Seat
from spades.events import PLAYED
from spades_proto.frames import DecisionRequest, Frame, Goodbye, Heartbeat
from spades_proto.table import (
    EMPTY_SEATS,
    AnyEvent,
    SeatStatus,
    Snapshot,
    TableEvent,
    TableOpened,
)
from spades_proto.timing import SeatClock
from spades_proto.v1 import frame_pb2
from spades_proto.wire.actions import bid_from_wire, bid_to_wire
from spades_proto.wire.enums import CARD, DECISION_KIND, GOODBYE_REASON, SEAT, TABLE_STAGE
from spades_proto.wire.events import (
    event_from_wire,
    event_to_wire,
    occupant_from_wire,
    occupant_to_wire,
    time_control_from_wire,
    time_control_to_wire,
)
from spades_proto.wire.rules import rules_from_wire, rules_to_wire


def decision_to_wire(decision: DecisionRequest) -> frame_pb2.Decision:
    """Writes a decision, for the seat's own feed only."""
    return frame_pb2.Decision(
        id=decision.id,
        kind=DECISION_KIND.to_wire(decision.kind),
        number=decision.number,
        legal_bids=[bid_to_wire(bid) for bid in decision.legal_bids],
        legal_plays=[CARD.to_wire(card) for card in decision.legal_plays],
        pass_count=decision.pass_count,
        may_look=decision.may_look,
        deadline_us=decision.deadline_us,
        bank_ms=decision.bank_ms,
        round_trip_us=decision.round_trip_us,
    )


def decision_from_wire(message: frame_pb2.Decision) -> DecisionRequest:
    """Reads a decision."""
    return DecisionRequest(
        message.id,
        DECISION_KIND.from_wire(message.kind),
        message.number,
        tuple(map(bid_from_wire, message.legal_bids)),
        tuple(map(CARD.from_wire, message.legal_plays)),
        message.pass_count,
        message.may_look,
        message.deadline_us if message.HasField("deadline_us") else None,
        message.bank_ms if message.HasField("bank_ms") else None,
        message.round_trip_us if message.HasField("round_trip_us") else None,
    )


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


def _snapshot_to_wire(snapshot: Snapshot) -> frame_pb2.Snapshot:
    opened = snapshot.opened
    return frame_pb2.Snapshot(
        code=opened.code,
        host=opened.host,
        rules=rules_to_wire(opened.rules),
        private=opened.private,
        seed_chosen=opened.seed_chosen,
        state=TABLE_STAGE.to_wire(snapshot.stage),
        seats=seats_to_wire(snapshot.seats),
        match=map(event_to_wire, snapshot.match),
        record=snapshot.record,
        time_control=time_control_to_wire(opened.time_control),
        no_hints=not opened.hints,
        tempo_ms=opened.tempo_ms,
    )


def _snapshot_from_wire(message: frame_pb2.Snapshot, viewer: Seat | None) -> Snapshot:
    rules = rules_from_wire(message.rules)
    opened = TableOpened(
        message.code,
        message.host,
        rules,
        message.private,
        message.seed_chosen,
        time_control_from_wire(message.time_control),
        not message.no_hints,
        message.tempo_ms,
    )
    match: list[spades.Event] = []
    for one in message.match:
        event = event_from_wire(one, viewer, rules.deck)
        if event is not None and not isinstance(event, TableEvent):
            match.append(event)
    return Snapshot(
        opened,
        TABLE_STAGE.from_wire(message.state),
        seats_from_wire(message.seats),
        tuple(match),
        message.record,
    )


def frame_to_wire(frame: Frame) -> frame_pb2.Frame:
    """Writes a frame."""
    message = frame_pb2.Frame(epoch=frame.epoch, seq=frame.seq, server_time_us=frame.server_time_us)
    match frame.payload:
        case Snapshot():
            message.snapshot.CopyFrom(_snapshot_to_wire(frame.payload))
        case Heartbeat():
            message.heartbeat.CopyFrom(heartbeat_to_wire(frame.payload))
        case Goodbye():
            message.goodbye.CopyFrom(goodbye_to_wire(frame.payload))
        case _:
            message.event.CopyFrom(event_to_wire(frame.payload))
    if frame.decision is not None:
        message.decision.CopyFrom(decision_to_wire(frame.decision))
    if frame.clock is not None:
        message.clock.CopyFrom(_clock_to_wire(frame.clock))
    return message


def heartbeat_to_wire(heartbeat: Heartbeat) -> frame_pb2.Heartbeat:
    """Writes a heartbeat."""
    return frame_pb2.Heartbeat(next_within_ms=heartbeat.next_within_ms, echo=heartbeat.echo)


def _clock_to_wire(clock: SeatClock) -> frame_pb2.Clock:
    return frame_pb2.Clock(
        seat=SEAT.to_wire(clock.seat), deadline_us=clock.deadline_us, bank_ms=clock.bank_ms
    )


def _clock_from_wire(message: frame_pb2.Clock) -> SeatClock:
    deadline = message.deadline_us if message.HasField("deadline_us") else None
    return SeatClock(SEAT.from_wire(message.seat), deadline, message.bank_ms)


def frame_from_wire(message: frame_pb2.Frame, viewer: Seat | None, deck: Deck) -> Frame | None:
    """Reads a frame; ``None`` if it holds a kind that is not known here.

    ``deck`` is the deck of the last snapshot, which a snapshot itself does not need.

    :raises SpadesError: if a field is missing or out of range.
    """
    payload: Snapshot | AnyEvent | Heartbeat | Goodbye | None
    match message.WhichOneof("payload"):
        case "event":
            payload = event_from_wire(message.event, viewer, deck)
        case "snapshot":
            payload = _snapshot_from_wire(message.snapshot, viewer)
        case "heartbeat":
            payload = Heartbeat(message.heartbeat.next_within_ms, message.heartbeat.echo)
        case "goodbye":
            payload = goodbye_from_wire(message.goodbye)
        case None:
            payload = None
    if payload is None:
        return None
    decision = decision_from_wire(message.decision) if message.HasField("decision") else None
    clock = _clock_from_wire(message.clock) if message.HasField("clock") else None
    return Frame(message.epoch, message.seq, message.server_time_us, payload, decision, clock)


def goodbye_to_wire(goodbye: Goodbye) -> frame_pb2.Goodbye:
    """Writes why a stream ends."""
    return frame_pb2.Goodbye(
        reason=GOODBYE_REASON.to_wire(goodbye.reason),
        retry_after_ms=goodbye.retry_after_ms,
        sentence=goodbye.sentence,
    )


def goodbye_from_wire(message: frame_pb2.Goodbye) -> Goodbye:
    """Reads why a stream ends."""
    retry = message.retry_after_ms if message.HasField("retry_after_ms") else None
    return Goodbye(GOODBYE_REASON.from_wire(message.reason), message.sentence, retry)


# Protobuf lets the encodings of parts be joined: a message is the concatenation of its fields, and a
# field of a message type is its tag, its length and its bytes. So what is the same for many readers, or
# many times, is encoded once.

_FRAME_EVENT: Final = frame_pb2.Frame.EVENT_FIELD_NUMBER
_FRAME_DECISION: Final = frame_pb2.Frame.DECISION_FIELD_NUMBER
_FRAME_CLOCK: Final = frame_pb2.Frame.CLOCK_FIELD_NUMBER
_SHORT: Final = tuple(
    bytes((number,)) if number < 0x80 else bytes((number & 0x7F | 0x80, number >> 7))
    for number in range(0x1000)
)
"""Lengths, seats, decisions, and the events of all but the longest matches."""
_TAGS: Final = tuple(bytes((number << 3 | 2,)) for number in range(16))
"""The tags of fields that have a length."""
_EPOCH_TAG, _SEQ_TAG, _TIME_TAG = (
    bytes((number << 3,))
    for number in (
        frame_pb2.Frame.EPOCH_FIELD_NUMBER,
        frame_pb2.Frame.SEQ_FIELD_NUMBER,
        frame_pb2.Frame.SERVER_TIME_US_FIELD_NUMBER,
    )
)
_ID_TAG: Final = bytes((frame_pb2.Decision.ID_FIELD_NUMBER << 3,))
_KIND_PLAY: Final = frame_pb2.Decision(kind=frame_pb2.DECISION_KIND_PLAY).SerializeToString()
_NUMBER_TAG: Final = bytes((frame_pb2.Decision.NUMBER_FIELD_NUMBER << 3,))
_LEGAL_PLAYS: Final = frame_pb2.Decision.LEGAL_PLAYS_FIELD_NUMBER
_CLOCK_SEAT, _CLOCK_DEADLINE, _CLOCK_BANK = (
    bytes((number << 3,))
    for number in (
        frame_pb2.Clock.SEAT_FIELD_NUMBER,
        frame_pb2.Clock.DEADLINE_US_FIELD_NUMBER,
        frame_pb2.Clock.BANK_MS_FIELD_NUMBER,
    )
)
_DEADLINE_TAG, _BANK_TAG, _TRIP_TAG = (
    bytes((number << 3,))
    for number in (
        frame_pb2.Decision.DEADLINE_US_FIELD_NUMBER,
        frame_pb2.Decision.BANK_MS_FIELD_NUMBER,
        frame_pb2.Decision.ROUND_TRIP_US_FIELD_NUMBER,
    )
)


def field_bytes(number: int, payload: bytes) -> bytes:
    """Encodes a field of a message, bytes or string type with a number up to 15."""
    return _TAGS[number] + varint(len(payload)) + payload


def varint(number: int) -> bytes:
    """Encodes a number that is not negative, seven bits to a byte, the lowest first."""
    if number < 0x1000:
        return _SHORT[number]
    return _long_varint(number)


@lru_cache(maxsize=64)
def _long_varint(number: int) -> bytes:
    """Encodes a long number; a time mostly stands in several frames, and twice in the one of a decision."""
    if 1 << 49 <= number < 1 << 56:
        # The times of this epoch, in microseconds.
        return bytes(
            (
                number & 0x7F | 0x80,
                number >> 7 & 0x7F | 0x80,
                number >> 14 & 0x7F | 0x80,
                number >> 21 & 0x7F | 0x80,
                number >> 28 & 0x7F | 0x80,
                number >> 35 & 0x7F | 0x80,
                number >> 42 & 0x7F | 0x80,
                number >> 49,
            )
        )
    rest = bytearray()
    while number >= 0x80:
        rest.append(number & 0x7F | 0x80)
        number >>= 7
    rest.append(number)
    return bytes(rest)


@lru_cache(maxsize=1 << 10)
def _event_field(event: AnyEvent) -> bytes:
    return field_bytes(_FRAME_EVENT, event_to_wire(event).SerializeToString())


_PLAYED_FIELDS: Final = {
    card: tuple(map(_event_field, by_seat)) for card, by_seat in PLAYED.items()
}
"""The event of which a match has most, by card and seat."""


def event_frame_bytes(epoch: int, seq: int, server_time_us: int, event: AnyEvent) -> bytes:
    """Encodes a frame with an event: the same bytes as of :func:`frame_to_wire`."""
    encoded = (
        _PLAYED_FIELDS[event.card][event.seat]
        if isinstance(event, CardPlayed)
        else _event_field(event)
    )
    if epoch > 0 and seq > 0 and server_time_us > 0:
        return b"".join(
            (
                _EPOCH_TAG,
                varint(epoch),
                _SEQ_TAG,
                varint(seq),
                _TIME_TAG,
                varint(server_time_us),
                encoded,
            )
        )
    # A field that is 0 is left out, and a negative number is written in another way.
    head = frame_pb2.Frame(epoch=epoch, seq=seq, server_time_us=server_time_us)
    return head.SerializeToString() + encoded


def decision_field(decision: DecisionRequest) -> bytes:
    """Encodes a decision so that it can be appended to the bytes of the frame that opened it."""
    id_, kind, number, bids, plays, passes, look, deadline_us, bank_ms, trip_us = decision
    plain = kind is DecisionKind.PLAY and not (bids or passes or look)
    if not (plain and id_ and number and plays):
        return field_bytes(_FRAME_DECISION, decision_to_wire(decision).SerializeToString())
    # There is one of these for every card of a match, and joining the few fields is the cheapest.
    cards = bytes(map(CARD.to_wire, plays))
    fields = [
        _ID_TAG,
        varint(id_),
        _KIND_PLAY,
        _NUMBER_TAG,
        varint(number),
        field_bytes(_LEGAL_PLAYS, cards),
    ]
    if deadline_us is not None:
        fields += (_DEADLINE_TAG, varint(deadline_us))
    if bank_ms is not None:
        fields += (_BANK_TAG, varint(bank_ms))
    if trip_us is not None:
        fields += (_TRIP_TAG, varint(trip_us))
    return field_bytes(_FRAME_DECISION, b"".join(fields))


def clock_field(clock: SeatClock) -> bytes:
    """Encodes a clock so that it can be appended to the bytes of the frame that changed it."""
    seat, deadline_us, bank_ms = clock
    fields = [_CLOCK_SEAT, varint(SEAT.to_wire(seat))]
    if deadline_us is not None:
        fields += (_CLOCK_DEADLINE, varint(deadline_us))
    if bank_ms:
        fields += (_CLOCK_BANK, varint(bank_ms))
    return field_bytes(_FRAME_CLOCK, b"".join(fields))
