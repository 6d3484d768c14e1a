"""Compares what clients were told with what the journal holds: every difference is a finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, Final, NamedTuple, cast

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

import spades
from spades import BidMade, CardPlayed, CardsPassed, Event, PlayTakenBack, Seat, redact
from spades.actions import Action
from spades_proto import wire
from spades_proto.frames import Frame
from spades_proto.table import AnyEvent, CourtesySent, TableOpened, TableState
from spades_proto.v1 import card_pb2, event_pb2, frame_pb2
from tests.faults.history import Deed, History, Stream
from tests.faults.truth import Truth
from tests.faults.visible import Visible, visible


class Law(Enum):
    """What must hold whatever happens to the server, the line and the clients."""

    LOST = "an acknowledged action is lost"
    DOUBLED = "an action was done twice"
    ORDER = "two viewers were told different things"
    LEAKED = "a card was shown to eyes it was not for"
    GAP = "a feed has a gap"
    AFTER_GOODBYE = "a feed went on after its goodbye"


class Finding(NamedTuple):
    """A law that was broken, and where."""

    law: Law
    sentence: str


def check(history: History, truths: Mapping[str, Truth]) -> list[Finding]:
    """Finds everything that was told or done otherwise than it should have been."""
    findings: list[Finding] = []
    for deed in history.deeds.values():
        findings += _check_deed(deed, truths.get(deed.command.table))
    for table, truth in truths.items():
        streams = [stream for stream in history.streams if stream.table == table]
        findings += _check_plays(truth)
        findings += _check_order(streams, truth)
        findings += _check_decisions(streams)
        seen = visible(truth.events)
        for stream in streams:
            findings += _check_numbers(stream)
            findings += _check_cards(stream, seen)
    known = set(truths)
    for stream in history.streams:
        if stream.frames and stream.table not in known:
            findings.append(Finding(Law.LOST, f"table {stream.table} is not in the journal"))
    return findings


# Actions.


def _check_deed(deed: Deed, truth: Truth | None) -> Iterator[Finding]:
    command = deed.command
    what = f"{command.request_id} of {deed.player} at {command.table}"
    if truth is None:
        if deed.answers:
            yield Finding(Law.LOST, f"{what}: the table is not in the journal")
        return
    times = truth.requests[deed.player, command.request_id]
    if times > 1:
        yield Finding(Law.DOUBLED, f"{what} is in the journal {times} times")
    if deed.answers and deed.refusals:
        yield Finding(Law.DOUBLED, f"{what} was done and refused ({deed.refusals[0]})")
    if len(set(deed.answers)) > 1:
        yield Finding(Law.DOUBLED, f"{what} has two answers: {deed.answers}")
    if not deed.answers:
        return
    if not times:
        yield Finding(Law.LOST, f"{what} was acknowledged and is not in the journal")
    seq = deed.answers[0]
    caused = truth.events[command.decision : seq]
    done = sum(_does(event, deed) for event in caused)
    if seq > len(truth.events) or not done:
        yield Finding(Law.LOST, f"{what} was acknowledged as {seq}, and no event shows it")
    elif command.decision and done > 1:
        yield Finding(Law.DOUBLED, f"{what} was done {done} times")


_SHOWN_BY: Final[dict[type[object], type[object]]] = {
    spades.MakeBid: BidMade,
    spades.Play: CardPlayed,
    spades.PassCards: CardsPassed,
    spades.Look: spades.HandShown,
    spades.Undo: PlayTakenBack,
    spades.Surrender: spades.SurrenderProposed,
    spades.NextHand: spades.NextHandAsked,
}


def _does(event: AnyEvent, deed: Deed) -> bool:
    """Whether an event is what a command does."""
    command = wire.command_from_wire(deed.command)
    shown: Any = event
    action = command.deed
    kind = _SHOWN_BY.get(type(action), CourtesySent)
    if not isinstance(event, kind):
        return False
    who = shown.giver if isinstance(event, CardsPassed) else shown.seat
    if command.seat is not None and who is not command.seat:
        return False
    return not _differs(event, cast("Action", action))


def _differs(event: AnyEvent, action: Action) -> bool:
    match event, action:
        case CardPlayed(), spades.Play():
            return event.card != action.card
        case BidMade(), spades.MakeBid():
            return event.bid != action.bid
        case _:
            return False


def _check_plays(truth: Truth) -> Iterator[Finding]:
    """No card is played twice in a hand and no seat bids twice, whoever sent what."""
    done: Counter[object] = Counter()
    for seq, event in enumerate(truth.events, 1):
        match event:
            case spades.HandDealt():
                done.clear()
            case CardPlayed():
                done[event.card] += 1
                if done[event.card] > 1:
                    yield Finding(Law.DOUBLED, f"{truth.table} {seq}: {event.card} once more")
            case PlayTakenBack():
                done[event.card] -= 1
            case BidMade():
                done[event.seat] += 1
                if done[event.seat] > 1:
                    yield Finding(Law.DOUBLED, f"{truth.table} {seq}: {event.seat} bids once more")
            case _:
                pass


# One order.


def public_bytes(event: event_pb2.Event) -> bytes:
    """The part of an event that is the same for all viewers."""
    public = event_pb2.Event.FromString(event.SerializeToString())
    if public.HasField("hand_dealt"):
        public.hand_dealt.ClearField("hand")
    if public.HasField("hand_shown"):
        public.hand_shown.ClearField("hand")
    if public.HasField("cards_passed"):
        public.cards_passed.ClearField("cards")
    return public.SerializeToString(deterministic=True)


def _shown(event: AnyEvent, viewer: Seat | None) -> AnyEvent:
    return redact(event, viewer) if isinstance(event, Event) else event


def _check_order(streams: Iterable[Stream], truth: Truth) -> Iterator[Finding]:
    stored = [public_bytes(wire.event_to_wire(_shown(one, None))) for one in truth.events]
    snapshots: dict[tuple[int, Seat | None], frame_pb2.Snapshot] = {}
    for stream in streams:
        for frame in stream.frames:
            where = f"{truth.table} {frame.seq}, {_name(stream)}"
            if frame.epoch != truth.epoch:
                yield Finding(Law.ORDER, f"{where}: epoch {frame.epoch}, not {truth.epoch}")
            elif frame.seq > len(stored):
                yield Finding(Law.LOST, f"{where}: told and not in the journal")
            elif frame.HasField("event"):
                if public_bytes(frame.event) != stored[frame.seq - 1]:
                    yield Finding(Law.ORDER, f"{where}: told otherwise than it is in the journal")
            elif frame.HasField("snapshot"):
                key = (frame.seq, stream.seat)
                if snapshots.setdefault(key, frame.snapshot) != frame.snapshot:
                    yield Finding(Law.ORDER, f"{where}: two snapshots differ")
    yield from _check_snapshots(snapshots, truth)


def _check_snapshots(
    told: Mapping[tuple[int, Seat | None], frame_pb2.Snapshot], truth: Truth
) -> Iterator[Finding]:
    """A snapshot shows what the events up to it make, and not more than its viewer may see."""
    opened = truth.events[0]
    assert isinstance(opened, TableOpened), "the first event opens the table"
    state = TableState(opened)
    wanted = sorted(told, key=lambda key: key[0])
    done = 1
    for seq, viewer in wanted:
        for event in truth.events[done:seq]:
            state.apply(event)
        done = max(done, seq)
        frame = wire.frame_to_wire(Frame(truth.epoch, seq, 0, state.snapshot(viewer)))
        if frame.snapshot != told[seq, viewer]:
            yield Finding(Law.ORDER, f"{truth.table} {seq}: the snapshot of {viewer} is another")


# Numbers.


def _check_numbers(stream: Stream) -> Iterator[Finding]:
    """Events follow on each other without a gap, and nothing follows on a goodbye."""
    where = f"{stream.table}, {_name(stream)}"
    last, begun, ended = stream.after, False, False
    for frame in stream.frames:
        if ended:
            yield Finding(Law.AFTER_GOODBYE, f"{where}: {frame.seq} after the goodbye")
        if frame.HasField("snapshot"):
            last = frame.seq
        elif frame.HasField("event"):
            if frame.seq != last + 1:
                yield Finding(Law.GAP, f"{where}: {frame.seq} after {last}")
            last = frame.seq
        elif frame.HasField("heartbeat"):
            if frame.seq != last:
                yield Finding(Law.GAP, f"{where}: a heartbeat at {frame.seq} after {last}")
        elif frame.HasField("goodbye"):
            ended = True
        if not begun and not stream.after and not frame.HasField("snapshot"):
            yield Finding(Law.GAP, f"{where}: begins with {frame.seq} and no snapshot")
        begun = True


# Cards.


def cards_in(message: Message) -> Iterator[int]:
    """The number of every card that a message names in any field, however deep."""
    for field, value in message.ListFields():
        values: list[Any] = [*value] if field.is_repeated else [value]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for one in values:
                yield from cards_in(one)
        elif field.enum_type is not None and field.enum_type.name == "Card":
            yield from cast("list[int]", values)


def _check_cards(stream: Stream, seen: list[Visible]) -> Iterator[Finding]:
    for frame in stream.frames:
        if not 0 < frame.seq <= len(seen):
            continue
        now = seen[frame.seq - 1]
        allowed = now.public | (0 if stream.seat is None else now.own[stream.seat])
        shown = set(cards_in(frame.decision))
        for event in frame.snapshot.match if frame.HasField("snapshot") else (frame.event,):
            if event.HasField("hand_scored"):
                # Earlier hands are open, whichever is played now.
                if event.hand_scored.number > now.hands_over:
                    yield Finding(Law.LEAKED, f"{stream.table} {frame.seq}: a deal before its end")
            else:
                shown |= set(cards_in(event))
            if event.HasField("match_ended") and not now.match_over:
                yield Finding(Law.LEAKED, f"{stream.table} {frame.seq}: a seed before its end")
        foreign = [card for card in shown if not allowed >> card & 1]
        if foreign:
            names = [card_pb2.Card.Name(cast("card_pb2.Card.ValueType", card)) for card in foreign]
            where = f"{stream.table} {frame.seq}, {_name(stream)}"
            yield Finding(Law.LEAKED, f"{where} was shown {', '.join(names)}")


def _check_decisions(streams: Iterable[Stream]) -> Iterator[Finding]:
    """A decision is one seat's, and nobody else hears of it."""
    owners: dict[tuple[int, int], Seat | None] = {}
    for stream in streams:
        for frame in stream.frames:
            if not frame.HasField("decision"):
                continue
            key = (frame.epoch, frame.decision.id)
            if stream.seat is None or owners.setdefault(key, stream.seat) is not stream.seat:
                where = f"{stream.table} {frame.seq}, {_name(stream)}"
                yield Finding(Law.LEAKED, f"{where} was shown another seat's decision")


def _name(stream: Stream) -> str:
    return "a spectator" if stream.seat is None else str(stream.seat)
