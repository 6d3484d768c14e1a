"""The shortcuts encode the same bytes as whole messages do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import PRESETS, Deck, Match, Rules, Seat, SeededDeals, redact
from spades_proto import wire
from spades_proto.frames import Frame, Goodbye, Heartbeat
from spades_proto.table import (
    HostChanged,
    Occupant,
    OccupantKind,
    PresenceChanged,
    SeatTaken,
    Snapshot,
)
from spades_proto.timing import SeatClock
from spades_proto.v1 import event_pb2, frame_pb2
from tests.proto.frame_values import ROUGH, frames

Wander = Callable[[Match, Random], Iterator[int]]

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)


@pytest.mark.parametrize("rules", ROUGH[::2], ids=list(PRESETS)[::2])
def test_an_event_frame_has_the_bytes_that_frame_to_wire_gives(
    rules: Rules, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(bytes(32)))
    for _ in wander(match, Random(4)):
        pass
    for seq, event in enumerate(match.log):
        for viewer in VIEWERS:
            form = redact(event, viewer)
            for epoch, number, time in [(1, seq, 1_700_000_000_000_000), (0, 0, 0)]:
                whole = wire.frame_to_wire(Frame(epoch, number, time, form)).SerializeToString()
                assert wire.event_frame_bytes(epoch, number, time, form) == whole


@settings(deadline=None, max_examples=60)
@given(
    frame=frames.filter(lambda frame: not isinstance(frame.payload, Snapshot | Heartbeat | Goodbye))
)
def test_an_event_frame_and_its_decision_joined_are_the_bytes_of_the_frame(frame: Frame) -> None:
    assert not isinstance(frame.payload, Snapshot | Heartbeat | Goodbye)
    data = wire.event_frame_bytes(frame.epoch, frame.seq, frame.server_time_us, frame.payload)
    if frame.decision is not None:
        data += wire.decision_field(frame.decision)
    assert data == wire.frame_to_wire(frame).SerializeToString()


def test_events_that_are_equal_in_python_but_not_on_the_wire_keep_their_own_bytes() -> None:
    for event in (
        PresenceChanged(Seat.WEST, away=True),
        PresenceChanged(Seat.WEST, away=False),
        SeatTaken(Seat.SOUTH, Occupant(OccupantKind.PERSON, "a")),
        HostChanged(""),
    ):
        whole = wire.frame_to_wire(Frame(1, 1, 1, event)).SerializeToString()
        assert wire.event_frame_bytes(1, 1, 1, event) == whole


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 300, 16_383, 16_384, 2_097_151, 2_097_152])
def test_a_field_of_any_length_is_encoded_as_protobuf_encodes_it(size: int) -> None:
    payload = b"x" * size
    for number in (1, 3):
        message = event_pb2.TableClosed() if number == 1 else frame_pb2.Goodbye()
        data = wire.field_bytes(number, payload)
        message.MergeFromString(data)
        assert message.sentence == payload.decode()
        if size:
            assert message.SerializeToString() == data


@given(
    seat=st.sampled_from(Seat),
    deadline_us=st.none() | st.integers(0, 1 << 60),
    bank_ms=st.integers(0, 1 << 40),
)
def test_a_clock_that_is_appended_is_a_field_of_its_frame(
    seat: Seat, deadline_us: int | None, bank_ms: int
) -> None:
    clock = SeatClock(seat, deadline_us, bank_ms)
    plain = Frame(1, 2, 3, Heartbeat(5))
    joined = wire.frame_to_wire(plain).SerializeToString() + wire.clock_field(clock)
    assert joined == wire.frame_to_wire(replace(plain, clock=clock)).SerializeToString()
    read = wire.frame_from_wire(frame_pb2.Frame.FromString(joined), None, Deck.STANDARD)
    assert read is not None and read.clock == clock
