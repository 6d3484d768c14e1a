"""Frames, decisions, snapshots, goodbyes and refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from random import Random

import pytest
from hypothesis import given, settings

import spades
from spades import (
    PRESETS,
    Deck,
    Match,
    Reason,
    Rules,
    Seat,
    SeededDeals,
    SpadesError,
    TableError,
    error_for,
)
from spades_proto import wire
from spades_proto.frames import DecisionRequest, Frame, Goodbye, GoodbyeReason
from spades_proto.table import (
    Courtesy,
    CourtesySent,
    Occupant,
    OccupantKind,
    SeatStatus,
    Snapshot,
    TableOpened,
    TableStage,
    TableState,
)
from spades_proto.v1 import error_pb2, event_pb2, frame_pb2
from tests.proto.frame_values import ROUGH, decisions, frames, goodbyes

Wander = Callable[[Match, Random], Iterator[int]]

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)


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
