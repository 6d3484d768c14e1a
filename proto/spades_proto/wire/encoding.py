"""Frames as bytes, put together from parts that are encoded once.

Protobuf lets the encodings of parts be joined: a message is the concatenation of its fields, and a
field of a message type is its tag, its length and its bytes. So what is the same for many readers, or
many times, is encoded once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from spades import CardPlayed, DecisionKind
from spades.events import PLAYED
from spades_proto.frames import DecisionRequest
from spades_proto.table import AnyEvent
from spades_proto.timing import SeatClock
from spades_proto.v1 import frame_pb2
from spades_proto.wire.enums import CARD, SEAT
from spades_proto.wire.events import event_to_wire
from spades_proto.wire.frames import decision_to_wire

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
    """Encodes a frame with an event: the same bytes as of :func:`~spades_proto.wire.frames.frame_to_wire`."""
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
