"""The enums of both worlds, name by name: nothing is missing on either side."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import pytest
from google.protobuf.descriptor import EnumDescriptor, FileDescriptor

import spades
import spades_proto.v1
from spades import CARDS, Reason, Seat, TableError
from spades_proto import wire
from spades_proto.competition import CompetitionFormat, CompetitionStage
from spades_proto.frames import FailureKind, GoodbyeReason
from spades_proto.profile import AchievementKind, MatchResult, NotCounted
from spades_proto.table import Courtesy, NoteKind, OccupantKind, TableStage
from spades_proto.v1 import card_pb2
from spades_proto.wire import enums

Codec = enums.EnumCodec[Any, Any]


def members(kind: type[Enum]) -> Mapping[str, object]:
    return {member.name: member for member in kind}


CODECS: dict[str, tuple[Codec, Mapping[str, object]]] = {
    "Seat": (wire.SEAT, members(Seat)),
    "Side": (wire.SIDE, members(spades.Side)),
    "Card": (wire.CARD, {str(card): card for card in CARDS}),
    "Deck": (wire.DECK, members(spades.Deck)),
    "FirstDealer": (enums.FIRST_DEALER, members(spades.FirstDealer)),
    "SpadeLead": (enums.SPADE_LEAD, members(spades.SpadeLead)),
    "BlindNil": (enums.BLIND_NIL, members(spades.BlindNil)),
    "DoubleNil": (enums.DOUBLE_NIL, members(spades.DoubleNil)),
    "UndoRule": (enums.UNDO_RULE, members(spades.UndoRule)),
    "Part": (wire.PART, members(spades.Part)),
    "EndReason": (enums.END_REASON, members(spades.EndReason)),
    "OccupantKind": (wire.OCCUPANT_KIND, members(OccupantKind)),
    "Courtesy": (wire.COURTESY, members(Courtesy)),
    "FailureKind": (enums.FAILURE_KIND, members(FailureKind)),
    "TableState": (wire.TABLE_STAGE, members(TableStage)),
    "DecisionKind": (wire.DECISION_KIND, members(spades.DecisionKind)),
    "GoodbyeReason": (wire.GOODBYE_REASON, members(GoodbyeReason)),
    "NoteKind": (wire.NOTE_KIND, members(NoteKind)),
    "MatchResult": (enums.MATCH_RESULT, members(MatchResult)),
    "NotCounted": (enums.NOT_COUNTED, members(NotCounted)),
    "AchievementKind": (enums.ACHIEVEMENT_KIND, members(AchievementKind)),
    "CompetitionFormat": (wire.COMPETITION_FORMAT, members(CompetitionFormat)),
    "CompetitionStage": (wire.COMPETITION_STAGE, members(CompetitionStage)),
    "Reason": (wire.REASON, members(Reason)),
}
"""Each enum of the wire by name, its codec and the values behind it."""

WIRE_ONLY = {"Delivery": "how a stream is served is no value of the rules"}
"""The enums that have no codec, and why."""


def wire_enums() -> dict[str, EnumDescriptor]:
    found: dict[str, EnumDescriptor] = {}
    for module in pkgutil.iter_modules(spades_proto.v1.__path__):
        if module.name.endswith("_pb2"):
            file: FileDescriptor = importlib.import_module(
                f"spades_proto.v1.{module.name}"
            ).DESCRIPTOR
            found |= file.enum_types_by_name
            assert not any(one.enum_types for one in file.message_types_by_name.values())
    return found


def prefix_of(name: str) -> str:
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name)
    return words.removeprefix("_").upper() + "_"


def names_of(enum: EnumDescriptor) -> list[str]:
    return [value.name for value in enum.values]


def test_every_enum_of_the_wire_has_a_codec_or_a_reason_to_have_none() -> None:
    assert set(wire_enums()) == set(CODECS) | set(WIRE_ONLY)
    values: Iterable[object] = vars(enums).values()
    codecs = [value for value in values if type(value).__name__ == "EnumCodec"]
    assert sorted(map(id, codecs)) == sorted(id(codec) for codec, _ in CODECS.values())


@pytest.mark.parametrize("name", CODECS)
def test_an_enum_of_the_wire_has_one_value_for_each_member_and_unspecified(name: str) -> None:
    enum = wire_enums()[name]
    prefix = prefix_of(name)
    _, values = CODECS[name]
    assert names_of(enum) == [f"{prefix}UNSPECIFIED", *(prefix + member for member in values)]
    assert [value.number for value in enum.values] == list(range(len(values) + 1))


@pytest.mark.parametrize("name", CODECS)
def test_every_member_crosses_the_wire_and_comes_back(name: str) -> None:
    enum = wire_enums()[name]
    codec, values = CODECS[name]
    for member, value in values.items():
        number = codec.to_wire(value)
        assert number == enum.values_by_name[prefix_of(name) + member].number
        assert codec.from_wire(number) is value


@pytest.mark.parametrize("name", CODECS)
def test_a_missing_or_an_unknown_value_is_refused_in_a_sentence_that_names_the_field(
    name: str,
) -> None:
    codec, values = CODECS[name]
    what = prefix_of(name).replace("_", " ").strip().lower()
    for number, said in [
        (0, f"The {what} is missing."),
        (len(values) + 1, f"{len(values) + 1} is no {what}."),
        (-1, f"-1 is no {what}."),
        (2**31 - 1, f"{2**31 - 1} is no {what}."),
    ]:
        with pytest.raises(TableError) as error:
            codec.from_wire(number)
        assert error.value.reason is Reason.INVALID_FIELD
        assert error.value.sentence == said


def test_all_54_cards_are_in_the_order_of_their_index() -> None:
    assert [wire.CARD.to_wire(card) for card in CARDS] == list(range(1, 55))


def test_an_optional_seat_is_a_seat_or_none() -> None:
    seats: Iterable[Seat | None] = (None, *Seat)
    numbers = [wire.optional_seat_to_wire(seat) for seat in seats]
    assert numbers == list(card_pb2.Seat.values())
    assert [wire.optional_seat(number) for number in numbers] == list(seats)
    with pytest.raises(TableError, match="5 is no seat"):
        wire.optional_seat(5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
