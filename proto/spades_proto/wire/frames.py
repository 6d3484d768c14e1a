"""Frames, decisions and snapshots."""

from __future__ import annotations

import spades
from spades import Deck, Seat
from spades_proto.frames import DecisionRequest, Frame, Goodbye, Heartbeat
from spades_proto.table import AnyEvent, Snapshot, TableEvent, TableOpened
from spades_proto.timing import SeatClock
from spades_proto.v1 import frame_pb2
from spades_proto.wire.actions import bid_from_wire, bid_to_wire
from spades_proto.wire.enums import CARD, DECISION_KIND, GOODBYE_REASON, SEAT, TABLE_STAGE
from spades_proto.wire.events import event_from_wire, event_to_wire
from spades_proto.wire.rules import rules_from_wire, rules_to_wire
from spades_proto.wire.seating import (
    seats_from_wire,
    seats_to_wire,
    time_control_from_wire,
    time_control_to_wire,
)


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
