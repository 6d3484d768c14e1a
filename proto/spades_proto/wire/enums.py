"""The enums of both worlds, name by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

import spades
from spades import Card, Reason, Seat, TableError
from spades_proto import competition, frames, profile, table
from spades_proto.v1 import (
    action_pb2,
    card_pb2,
    competitions_pb2,
    error_pb2,
    event_pb2,
    frame_pb2,
    players_pb2,
    records_pb2,
    rules_pb2,
)

Value = TypeVar("Value")
Number = TypeVar("Number", bound=int)
Number_co = TypeVar("Number_co", bound=int, covariant=True)


class _Wrapper(Protocol[Number_co]):
    """The part of a generated enum that is used here."""

    def Value(self, name: str) -> Number_co: ...  # noqa: N802  # protobuf's name


class EnumCodec(Generic[Value, Number]):
    """Both directions between the values of one enum and its numbers on the wire."""

    def __init__(
        self, wrapper: _Wrapper[Number], prefix: str, values: Iterable[tuple[str, Value]]
    ) -> None:
        self._what = prefix.lower().replace("_", " ").strip()
        self._to = {value: wrapper.Value(prefix + name) for name, value in values}
        self._from = {number: value for value, number in self._to.items()}

        self.to_wire: Callable[[Value], Number] = self._to.__getitem__
        """The number of a value: the dictionary's own look-up, since it is asked for at every card."""

    def from_wire(self, number: Number) -> Value:
        """The value of a number.

        :raises TableError: if the field was not set, or holds a number that is not known here.
        """
        try:
            return self._from[number]
        except KeyError:
            said = f"{number} is no {self._what}" if number else f"The {self._what} is missing"
            raise TableError(f"{said}.", Reason.INVALID_FIELD) from None


def _members(kind: type[Value]) -> Iterable[tuple[str, Value]]:
    return [(member.name, member) for member in kind]  # type: ignore[attr-defined]  # an Enum


SEAT = EnumCodec(card_pb2.Seat, "SEAT_", _members(Seat))
SIDE = EnumCodec(card_pb2.Side, "SIDE_", _members(spades.Side))
CARD = EnumCodec[Card, card_pb2.Card.ValueType](
    card_pb2.Card, "CARD_", [(str(card), card) for card in spades.CARDS]
)
DECK = EnumCodec(rules_pb2.Deck, "DECK_", _members(spades.Deck))
FIRST_DEALER = EnumCodec(rules_pb2.FirstDealer, "FIRST_DEALER_", _members(spades.FirstDealer))
SPADE_LEAD = EnumCodec(rules_pb2.SpadeLead, "SPADE_LEAD_", _members(spades.SpadeLead))
BLIND_NIL = EnumCodec(rules_pb2.BlindNil, "BLIND_NIL_", _members(spades.BlindNil))
DOUBLE_NIL = EnumCodec(rules_pb2.DoubleNil, "DOUBLE_NIL_", _members(spades.DoubleNil))
UNDO_RULE = EnumCodec(rules_pb2.UndoRule, "UNDO_RULE_", _members(spades.UndoRule))
PART = EnumCodec(event_pb2.Part, "PART_", _members(spades.Part))
END_REASON = EnumCodec(event_pb2.EndReason, "END_REASON_", _members(spades.EndReason))
OCCUPANT_KIND = EnumCodec(event_pb2.OccupantKind, "OCCUPANT_KIND_", _members(table.OccupantKind))
COURTESY = EnumCodec(action_pb2.Courtesy, "COURTESY_", _members(table.Courtesy))
FAILURE_KIND = EnumCodec(action_pb2.FailureKind, "FAILURE_KIND_", _members(frames.FailureKind))
TABLE_STAGE = EnumCodec(frame_pb2.TableState, "TABLE_STATE_", _members(table.TableStage))
DECISION_KIND = EnumCodec(frame_pb2.DecisionKind, "DECISION_KIND_", _members(spades.DecisionKind))
GOODBYE_REASON = EnumCodec(
    frame_pb2.GoodbyeReason, "GOODBYE_REASON_", _members(frames.GoodbyeReason)
)
NOTE_KIND = EnumCodec(records_pb2.NoteKind, "NOTE_KIND_", _members(table.NoteKind))
MATCH_RESULT = EnumCodec(players_pb2.MatchResult, "MATCH_RESULT_", _members(profile.MatchResult))
NOT_COUNTED = EnumCodec(players_pb2.NotCounted, "NOT_COUNTED_", _members(profile.NotCounted))
ACHIEVEMENT_KIND = EnumCodec(
    players_pb2.AchievementKind, "ACHIEVEMENT_KIND_", _members(profile.AchievementKind)
)
COMPETITION_FORMAT = EnumCodec(
    competitions_pb2.CompetitionFormat,
    "COMPETITION_FORMAT_",
    _members(competition.CompetitionFormat),
)
COMPETITION_STAGE = EnumCodec(
    competitions_pb2.CompetitionStage, "COMPETITION_STAGE_", _members(competition.CompetitionStage)
)
REASON = EnumCodec(error_pb2.Reason, "REASON_", _members(Reason))


def optional_seat_to_wire(seat: Seat | None) -> card_pb2.Seat.ValueType:
    """The number of a seat, or of none."""
    return card_pb2.SEAT_UNSPECIFIED if seat is None else SEAT.to_wire(seat)


def optional_seat(number: card_pb2.Seat.ValueType) -> Seat | None:
    """The seat of a field that may be left out."""
    return SEAT.from_wire(number) if number else None
