"""The one way in which a record is written: JSON on one line, with its seal at the end.

It is what protobuf's JSON mapping gives. That takes long over the actions, of which a match has hundreds and
few that differ, so the text of each is made once and put where it belongs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from spades import Event, Seat
from spades.actions import PLAYS, Action, Play
from spades.replay import actions_of
from spades_proto.v1 import records_pb2
from spades_proto.wire.actions import action_to_wire
from spades_proto.wire.enums import SEAT

_GAP: Final = '"actions":[]'
"""Stands in a hand for its actions while the rest is written. No string holds it: its quotes are escaped."""


def to_json(message: Message) -> dict[str, Any]:
    """A message as JSON values, with the names that the protocol gives its fields."""
    return MessageToDict(message, preserving_proto_field_name=True)


def json_text(data: object) -> str:
    """JSON values as one line."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def sealed_text(record: records_pb2.MatchRecord) -> str:
    """Writes a record with the seal that belongs to it, whatever seal it has."""
    bare = records_pb2.MatchRecord()
    bare.CopyFrom(record)
    actions = [
        ",".join(_action_text(act.SerializeToString()) for act in hand.actions)
        for hand in record.game.hands
    ]
    for hand in bare.game.hands:
        del hand.actions[:]
    return sealed_with_actions(bare, actions)


def sealed_with_actions(bare: records_pb2.MatchRecord, actions: Sequence[str]) -> str:
    """Writes and seals a record whose hands have no actions yet; ``actions`` has the text of each hand's."""
    bare.ClearField("seal")
    data = to_json(bare)
    hands: list[dict[str, Any]] = data.get("game", {}).get("hands", [])
    for hand, text in zip(hands, actions, strict=True):
        if text:
            _leave_gap(hand)
    pieces = json_text(data).split(_GAP)
    parts = [pieces[0]]
    for text, piece in zip(filter(None, actions), pieces[1:], strict=True):
        parts += ('"actions":[', text, "]", piece)
    line = "".join(parts)
    # The seal is the last field, so that the rest need not be written twice.
    return f'{line[:-1]},"seal":"{text_digest(line)}"}}'


def text_digest(text: str) -> str:
    """The SHA-256 of a text, as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def actions_text(events: Iterable[Event]) -> str:
    """Writes the actions behind the events of a hand."""
    return ",".join(
        _PLAYS[action.card][seat] if type(action) is Play else _text_of(seat, action)
        for seat, action in actions_of(events)
    )


def seat_action(seat: Seat, action: Action) -> records_pb2.SeatAction:
    """One action as a message."""
    return records_pb2.SeatAction(seat=SEAT.to_wire(seat), action=action_to_wire(action))


@lru_cache(maxsize=1024)
def _text_of(seat: Seat, action: Action) -> str:
    return json_text(to_json(seat_action(seat, action)))


@lru_cache(maxsize=1024)
def _action_text(data: bytes) -> str:
    return json_text(to_json(records_pb2.SeatAction.FromString(data)))


_PLAYS: Final = {card: tuple(_text_of(seat, play) for seat in Seat) for card, play in PLAYS.items()}
"""The action of which a match has most, by card and seat."""


def _leave_gap(hand: dict[str, Any]) -> None:
    """Adds the gap where the number of the field puts it."""
    hand["actions"] = []
    for one in records_pb2.HandRecord.DESCRIPTOR.fields:
        if one.name in hand:
            hand[one.name] = hand.pop(one.name)
