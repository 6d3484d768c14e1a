"""Frames, decisions, snapshots, goodbyes and refusals, and the shortcuts that encode the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spades
from spades import (
    CARDS,
    PRESETS,
    BlindNil,
    Deck,
    Match,
    Reason,
    Rules,
    Seat,
    SeededDeals,
    SpadesError,
    TableError,
    UndoRule,
    error_for,
    redact,
)
from spades_proto import wire
from spades_proto.frames import DecisionRequest, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.table import (
    Courtesy,
    CourtesySent,
    HostChanged,
    Occupant,
    OccupantKind,
    PresenceChanged,
    SeatStatus,
    SeatTaken,
    Snapshot,
    TableClosed,
    TableOpened,
    TableStage,
    TableState,
)
from spades_proto.timing import SeatClock
from spades_proto.v1 import error_pb2, event_pb2, frame_pb2

Wander = Callable[[Match, Random], Iterator[int]]

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
UINT64 = st.integers(0, 2**64 - 1)

decisions = st.builds(
    DecisionRequest,
    id=UINT64,
    kind=st.sampled_from(spades.DecisionKind),
    number=INT32,
    legal_bids=st.lists(st.from_type(spades.Bid), max_size=15).map(tuple),
    legal_plays=st.lists(st.sampled_from(CARDS), max_size=13).map(tuple),
    pass_count=INT32,
    may_look=st.booleans(),
    deadline_us=st.none() | INT64,
    bank_ms=st.none() | INT64,
    round_trip_us=st.none() | INT64,
)
goodbyes = st.builds(Goodbye, st.sampled_from(GoodbyeReason), st.text(), st.none() | INT32)
statuses = st.builds(SeatStatus)
snapshots = st.builds(
    Snapshot,
    opened=st.builds(TableOpened),
    stage=st.sampled_from(TableStage),
    seats=st.tuples(*[st.from_type(SeatStatus)] * 4),
    match=st.just(()),
    record=st.text(),
)
payloads = st.one_of(
    snapshots,
    st.builds(Heartbeat, INT32),
    goodbyes,
    st.from_type(spades.CardPlayed),
    st.from_type(spades.BidMade),
    st.from_type(SeatTaken),
    st.from_type(spades.MatchStarted),
    st.builds(TableClosed, st.text()),
)
frames = st.builds(
    Frame,
    epoch=UINT64,
    seq=UINT64,
    server_time_us=INT64,
    payload=payloads,
    decision=st.none() | decisions,
)


def as_sent(frame: Frame, viewer: Seat | None, deck: Deck = Deck.STANDARD) -> Frame | None:
    data = wire.frame_to_wire(frame).SerializeToString()
    return wire.frame_from_wire(frame_pb2.Frame.FromString(data), viewer, deck)


# There and back


@settings(deadline=None)
@given(decision=decisions)
def test_every_decision_crosses_the_wire_and_comes_back(decision: DecisionRequest) -> None:
    data = wire.decision_to_wire(decision).SerializeToString()
    assert wire.decision_from_wire(frame_pb2.Decision.FromString(data)) == decision


@settings(deadline=None, max_examples=60)
@given(frame=frames)
def test_every_frame_crosses_the_wire_and_comes_back(frame: Frame) -> None:
    assert as_sent(frame, None) == frame


@given(goodbye=goodbyes)
def test_every_goodbye_crosses_the_wire_and_comes_back(goodbye: Goodbye) -> None:
    data = wire.goodbye_to_wire(goodbye).SerializeToString()
    assert wire.goodbye_from_wire(frame_pb2.Goodbye.FromString(data)) == goodbye


def test_what_may_be_absent_is_absent_and_not_zero() -> None:
    decision = DecisionRequest(7, spades.DecisionKind.PLAY, 5)
    message = wire.decision_to_wire(decision)
    for name in ("deadline_us", "bank_ms", "round_trip_us"):
        assert not message.HasField(name)  # pyright: ignore[reportArgumentType]
        zero = wire.decision_to_wire(decision._replace(**{name: 0}))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        assert zero.HasField(name)  # pyright: ignore[reportArgumentType]
        assert getattr(wire.decision_from_wire(zero), name) == 0
    never = Goodbye(GoodbyeReason.REPLACED, "no")
    at_once = replace(never, retry_after_ms=0)
    assert not wire.goodbye_to_wire(never).HasField("retry_after_ms")
    assert wire.goodbye_from_wire(wire.goodbye_to_wire(at_once)) == at_once


def test_every_field_of_a_decision_and_a_frame_is_a_field_of_its_message() -> None:
    mine = set(DecisionRequest._fields)
    assert mine == set(frame_pb2.Decision.DESCRIPTOR.fields_by_name)
    whole = {field.name for field in fields(Frame)} - {"payload"}
    assert whole | {"event", "snapshot", "heartbeat", "goodbye"} == set(
        frame_pb2.Frame.DESCRIPTOR.fields_by_name
    )


@pytest.mark.parametrize("stage", TableStage)
@pytest.mark.parametrize("occupant", [None, *OccupantKind])
def test_every_stage_and_every_occupant_crosses_in_a_snapshot(
    occupant: OccupantKind | None, stage: TableStage
) -> None:
    who = None if occupant is None else Occupant(occupant, "Zoë")
    for away in (False, True):
        for stand_in in (False, True):
            seats = (SeatStatus(), SeatStatus(who, away, stand_in), SeatStatus(who), SeatStatus())
            opened = TableOpened(
                "QRST",
                "Zoë",
                PRESETS["nyc"],
                private=away,
                seed_chosen=stand_in,
                hints=away,
                tempo_ms=900,
            )
            snapshot = Snapshot(opened, stage, seats, (), "QRST-1")
            frame = Frame(1, 2, 3, snapshot)
            assert as_sent(frame, Seat.WEST) == frame


ROUGH = [
    replace(
        PRESETS[name],
        max_hands=2,
        undo=UndoRule.ON,
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=0,
        blind_exchange=2,
    )
    for name in PRESETS
]


@pytest.mark.parametrize("rules", ROUGH, ids=list(PRESETS))
def test_the_snapshots_of_a_match_cross_for_each_viewer_whatever_deck_was_known(
    rules: Rules, wander: Wander
) -> None:
    opened = TableOpened("QRST", "Zoë", rules, private=False, seed_chosen=False)
    state = TableState(opened)
    match = Match(rules, SeededDeals(bytes(32)))
    done = 0
    crossed = 0
    for number, _ in enumerate(wander(match, Random(3))):
        for event in match.log[done:]:
            state.apply(event)
        done = len(match.log)
        if number % 5 and match.outcome is None:
            continue
        for viewer in VIEWERS:
            frame = Frame(1, done, 9, state.snapshot(viewer))
            assert as_sent(frame, viewer, Deck.STANDARD) == frame
            crossed += 1
    assert crossed > 50


# The same bytes


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


# What cannot be read


def test_a_frame_of_an_unknown_kind_reads_as_none() -> None:
    assert wire.frame_from_wire(frame_pb2.Frame(seq=4), None, Deck.STANDARD) is None
    unknown = frame_pb2.Frame(seq=4, event=event_pb2.Event())
    assert wire.frame_from_wire(unknown, None, Deck.STANDARD) is None
    newer = frame_pb2.Frame.FromString(b"\x10\x04\xc2\x0c\x02\x08\x01")
    assert newer.seq == 4
    assert wire.frame_from_wire(newer, None, Deck.STANDARD) is None


def test_an_unknown_event_in_a_snapshot_is_passed_over() -> None:
    opened = TableOpened("QRST", "Zoë", Rules(), private=False, seed_chosen=False)
    message = wire.frame_to_wire(Frame(1, 2, 3, TableState(opened).snapshot(None)))
    message.snapshot.match.add()
    message.snapshot.match.add().courtesy_sent.CopyFrom(
        wire.event_to_wire(CourtesySent(Seat.WEST, Courtesy.SORRY)).courtesy_sent
    )
    frame = wire.frame_from_wire(message, None, Deck.STANDARD)
    assert frame is not None
    assert isinstance(frame.payload, Snapshot)
    assert frame.payload.match == ()


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (frame_pb2.Frame(goodbye=frame_pb2.Goodbye()), "The goodbye reason is missing."),
        (frame_pb2.Frame(snapshot=frame_pb2.Snapshot()), "The deck is missing."),
        (
            frame_pb2.Frame(heartbeat=frame_pb2.Heartbeat(), decision=frame_pb2.Decision(id=1)),
            "The decision kind is missing.",
        ),
        (
            frame_pb2.Frame(
                snapshot=frame_pb2.Snapshot(
                    rules=wire.rules_to_wire(Rules()), seats=[frame_pb2.SeatStatus()]
                )
            ),
            "The table state is missing.",
        ),
        (
            frame_pb2.Frame(
                snapshot=frame_pb2.Snapshot(
                    rules=wire.rules_to_wire(Rules()),
                    state=frame_pb2.TABLE_STATE_OPEN,
                    seats=[frame_pb2.SeatStatus()],
                )
            ),
            "The seat is missing.",
        ),
    ],
)
def test_a_frame_that_lacks_something_is_refused_with_a_sentence_that_names_it(
    message: frame_pb2.Frame, said: str
) -> None:
    with pytest.raises(TableError) as error:
        wire.frame_from_wire(message, None, Deck.STANDARD)
    assert error.value.reason is Reason.INVALID_FIELD
    assert error.value.sentence == said


# Refusals


@pytest.mark.parametrize("reason", Reason)
def test_every_refusal_crosses_as_the_error_that_it_was(reason: Reason) -> None:
    error = error_for(reason, f"No: {reason.value}.")
    data = wire.refusal_to_wire(error).SerializeToString()
    back = wire.refusal_from_wire(error_pb2.Refusal.FromString(data))
    assert type(back) is type(error)
    assert (back.reason, back.sentence) == (error.reason, error.sentence)


@pytest.mark.parametrize("number", [0, 999])
def test_a_refusal_for_an_unknown_reason_keeps_its_sentence(number: int) -> None:
    message = error_pb2.Refusal(reason=number, sentence="The moon is full.")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    error = wire.refusal_from_wire(message)
    assert isinstance(error, SpadesError)
    assert error.sentence == "The moon is full."
    assert error.reason is Reason.INVALID_FIELD


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
