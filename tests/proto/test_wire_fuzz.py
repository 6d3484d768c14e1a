"""Whatever a message holds, reading it gives a value or a refusal in a sentence, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import Deck, Seat, SpadesError
from spades_proto import wire
from spades_proto.v1 import action_pb2, error_pb2, event_pb2, frame_pb2, rules_pb2

Read = Callable[[Any], object]

READERS: dict[type[Message], Read] = {
    rules_pb2.Rules: wire.rules_from_wire,
    action_pb2.Bid: wire.bid_from_wire,
    action_pb2.Action: wire.action_from_wire,
    action_pb2.Command: wire.command_from_wire,
    event_pb2.Event: lambda message: wire.event_from_wire(message, Seat.NORTH, Deck.JOKERS),
    event_pb2.Occupant: wire.occupant_from_wire,
    event_pb2.SideScore: wire.side_score_from_wire,
    event_pb2.Outcome: wire.outcome_from_wire,
    event_pb2.Opening: lambda message: wire.opening_from_wire(message, Deck.JOKERS_NYC),
    frame_pb2.Frame: lambda message: wire.frame_from_wire(message, None, Deck.STANDARD),
    frame_pb2.Decision: wire.decision_from_wire,
    frame_pb2.Goodbye: wire.goodbye_from_wire,
    error_pb2.Refusal: wire.refusal_from_wire,
}
"""Each message with the function that reads it."""

_INT32 = st.integers(-(2**31), 2**31 - 1)
_NUMBERS: dict[int, st.SearchStrategy[int]] = {
    FieldDescriptor.TYPE_INT32: st.integers(-2, 20) | _INT32,
    FieldDescriptor.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    FieldDescriptor.TYPE_UINT64: st.integers(0, 2**64 - 1),
}
_TEXTS = st.text() | st.sampled_from(
    [
        "",
        "00" * 32,
        "f" * 64,
        "S:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432",
        "S:... ... ... ...",
        "W:AKQJT98765432B... . . .",
    ]
)


def values(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    """Values of one field, more often than not ones that make sense."""
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        assert field.message_type is not None
        return messages(field.message_type, depth - 1)
    if field.type == FieldDescriptor.TYPE_ENUM:
        assert field.enum_type is not None
        return st.integers(-1, len(field.enum_type.values)) | _INT32
    if field.type == FieldDescriptor.TYPE_BOOL:
        return st.booleans()
    if field.type == FieldDescriptor.TYPE_STRING:
        return _TEXTS
    return _NUMBERS[field.type]


@st.composite
def messages(draw: st.DrawFn, kind: Descriptor, depth: int = 4) -> dict[str, Any]:
    """The fields of a message, by name, as its constructor takes them."""
    fields = [
        field for field in kind.fields if depth > 0 or field.type != FieldDescriptor.TYPE_MESSAGE
    ]
    if not fields:
        return {}
    # Nearly all fields, or a few of them.
    left_out = draw(st.sets(st.sampled_from([field.name for field in fields]), max_size=2))
    if draw(st.booleans()) and not kind.oneofs:
        chosen = [field for field in fields if field.name not in left_out]
    else:
        chosen = draw(st.lists(st.sampled_from(fields), max_size=3))
    found: dict[str, Any] = {}
    for field in chosen:
        if field.is_repeated:
            found[field.name] = draw(st.lists(values(field, depth), max_size=5))
        else:
            found[field.name] = draw(values(field, depth))
    return found


def read(kind: type[Message], message: Message) -> bool:
    """Reads a message; says whether it gave a value. Any error but a refusal comes through."""
    try:
        READERS[kind](message)
    except SpadesError as error:
        said = error.sentence.strip()
    else:
        return True
    assert said
    return False


@pytest.mark.parametrize("kind", READERS, ids=lambda kind: kind.__name__)
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=80))
def test_random_bytes_read_as_a_value_or_a_refusal(kind: type[Message], data: bytes) -> None:
    message = kind()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return
    read(kind, message)


@pytest.mark.parametrize("kind", READERS, ids=lambda kind: kind.__name__)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_fields_read_as_a_value_or_a_refusal(
    kind: type[Message], data: st.DataObject
) -> None:
    descriptor = cast("Descriptor", kind.DESCRIPTOR)
    read(kind, kind(**data.draw(messages(descriptor))))


def test_the_readers_are_tried_with_messages_that_they_accept_and_that_they_refuse() -> None:
    assert read(action_pb2.Bid, action_pb2.Bid(tricks=3))
    assert not read(action_pb2.Action, action_pb2.Action())
