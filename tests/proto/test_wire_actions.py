"""Rules, bids, actions and commands cross the wire and come back."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import (
    BIDS,
    BLIND_NIL,
    CARDS,
    PRESETS,
    Action,
    Bid,
    BlindNil,
    Look,
    MakeBid,
    NextHand,
    OptionError,
    PassCards,
    Play,
    Reason,
    Rules,
    Seat,
    Surrender,
    TableError,
    Undo,
    option_names,
)
from spades_proto import wire
from spades_proto.frames import Command, Failure, FailureKind
from spades_proto.table import Courtesy, TakeSeatBack
from spades_proto.v1 import action_pb2, rules_pb2
from spades_proto.wire.actions import MAX_FAILURE, MAX_REQUEST_ID, MAX_TABLE

UINT64 = st.integers(0, 2**64 - 1)

bids = st.from_type(Bid)
actions: st.SearchStrategy[Action] = st.one_of(
    bids.map(MakeBid),
    st.sampled_from(CARDS).map(Play),
    st.lists(st.sampled_from(CARDS), max_size=14).map(lambda cards: PassCards(tuple(cards))),
    st.sampled_from([Look(), Undo(), Surrender(), NextHand()]),
)
commands = st.builds(
    Command,
    table=st.text(max_size=MAX_TABLE),
    deed=actions | st.sampled_from(Courtesy),
    seat=st.none() | st.sampled_from(Seat),
    request_id=st.text(min_size=1, max_size=MAX_REQUEST_ID),
    decision=UINT64,
    epoch=UINT64,
    hand_number=st.integers(-(2**31), 2**31 - 1),
)


def as_sent(action: Action) -> Action:
    message = wire.action_to_wire(action)
    return wire.action_from_wire(action_pb2.Action.FromString(message.SerializeToString()))


# Rules


@given(rules=...)
def test_rules_cross_the_wire_and_come_back(rules: Rules) -> None:
    data = wire.rules_to_wire(rules).SerializeToString()
    assert wire.rules_from_wire(rules_pb2.Rules.FromString(data)) == rules


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_crosses_the_wire_and_comes_back(name: str) -> None:
    assert wire.rules_from_wire(wire.rules_to_wire(PRESETS[name])) == PRESETS[name]


def test_every_option_has_a_field_of_its_name() -> None:
    assert set(rules_pb2.Rules.DESCRIPTOR.fields_by_name) == set(option_names())


def test_no_floor_is_no_field_and_not_zero() -> None:
    assert not wire.rules_to_wire(PRESETS["larch"]).HasField("floor")
    assert wire.rules_to_wire(PRESETS["classic"]).floor == -200


@pytest.mark.parametrize(
    "name", ["deck", "first_dealer", "spade_lead", "blind_nil", "double_nil", "undo"]
)
def test_rules_with_an_option_missing_or_unknown_are_refused(name: str) -> None:
    message = wire.rules_to_wire(Rules())
    for number in (0, 9):
        setattr(message, name, number)
        with pytest.raises(TableError) as error:
            wire.rules_from_wire(message)
        assert error.value.reason is Reason.INVALID_FIELD
        assert name.partition("_")[0] in error.value.sentence


@pytest.mark.parametrize("name", ["target", "bag_limit"])
def test_rules_with_a_number_missing_are_refused_as_out_of_range(name: str) -> None:
    message = wire.rules_to_wire(Rules())
    message.ClearField(name)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(OptionError, match=f"{name}=0 is out of range"):
        wire.rules_from_wire(message)


def test_rules_that_contradict_themselves_are_refused() -> None:
    rules = replace(Rules(), blind_nil=BlindNil.BEHIND, blind_exchange=2)
    message = wire.rules_to_wire(rules)
    message.blind_nil = rules_pb2.BLIND_NIL_OFF
    with pytest.raises(OptionError, match="blind_exchange=2 contradicts blind_nil=off"):
        wire.rules_from_wire(message)


# Actions


@pytest.mark.parametrize("bid", [*BIDS, BLIND_NIL, Bid(14), Bid(-1), Bid(3, blind=True)], ids=str)
def test_every_bid_crosses_the_wire_also_a_wrong_one_for_the_referee_to_refuse(bid: Bid) -> None:
    assert wire.bid_from_wire(wire.bid_to_wire(bid)) == bid
    assert as_sent(MakeBid(bid)) == MakeBid(bid)


def test_every_card_can_be_played_over_the_wire() -> None:
    for card in CARDS:
        assert as_sent(Play(card)) == Play(card)


@given(action=actions)
def test_every_action_crosses_the_wire_and_comes_back(action: Action) -> None:
    assert as_sent(action) == action


def test_every_kind_of_action_has_a_field_and_every_field_a_kind() -> None:
    samples: list[Action] = [
        Look(),
        MakeBid(BLIND_NIL),
        PassCards(CARDS[:2]),
        Play(CARDS[0]),
        Undo(),
        Surrender(),
        NextHand(),
    ]
    assert {type(one) for one in samples} == set(get_args(Action))
    written = [wire.action_to_wire(one).WhichOneof("kind") for one in samples]
    assert sorted(map(str, written)) == sorted(action_pb2.Action.DESCRIPTOR.fields_by_name)
    assert [as_sent(one) for one in samples] == samples


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (action_pb2.Action(), "The action is missing."),
        (action_pb2.Action(play=action_pb2.Action().play), "The card is missing."),
        (action_pb2.Action(play=77), "77 is no card."),  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        (action_pb2.Action(pass_cards=action_pb2.PassCards(cards=[1, 55])), "55 is no card."),  # type: ignore[list-item]  # pyright: ignore[reportArgumentType]
    ],
)
def test_an_action_that_says_nothing_or_an_unknown_card_is_refused(
    message: action_pb2.Action, said: str
) -> None:
    with pytest.raises(TableError) as error:
        wire.action_from_wire(message)
    assert error.value.reason is Reason.INVALID_FIELD
    assert error.value.sentence == said


# Commands


@given(command=commands)
def test_every_command_crosses_the_wire_and_comes_back(command: Command) -> None:
    data = wire.command_to_wire(command).SerializeToString()
    assert wire.command_from_wire(action_pb2.Command.FromString(data)) == command


@pytest.mark.parametrize("courtesy", Courtesy)
def test_every_courtesy_is_a_deed(courtesy: Courtesy) -> None:
    command = Command("QRST", courtesy, Seat.EAST, "r")
    assert wire.command_from_wire(wire.command_to_wire(command)) == command


def test_taking_the_seat_back_is_a_deed() -> None:
    command = Command("QRST", TakeSeatBack(), Seat.EAST, "r")
    assert wire.command_from_wire(wire.command_to_wire(command)) == command


def test_every_field_of_a_command_is_a_field_of_its_message() -> None:
    mine = set(Command._fields) - {"deed"} | {"action", "courtesy", "take_seat_back"}
    # What stands beside a command is no part of what is asked for.
    assert mine | {"failure"} == set(action_pb2.Command.DESCRIPTOR.fields_by_name)


def refused(**changes: object) -> str:
    message = wire.command_to_wire(Command("QRST", Look(), Seat.EAST, "r"))
    for name, value in changes.items():
        if value is None:
            message.ClearField(name)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        else:
            setattr(message, name, value)
    with pytest.raises(TableError) as error:
        wire.command_from_wire(message)
    assert error.value.reason is Reason.INVALID_FIELD
    return error.value.sentence


def test_a_command_that_lacks_something_is_refused_with_a_sentence_that_names_it() -> None:
    assert refused(action=None) == "The action is missing."
    assert refused(courtesy=0) == "The courtesy is missing."
    assert refused(courtesy=9) == "9 is no courtesy."
    assert refused(seat=9) == "9 is no seat."


@pytest.mark.parametrize("length", [0, MAX_REQUEST_ID + 1, 100_000])
def test_a_request_id_has_1_to_64_characters(length: int) -> None:
    said = refused(request_id="♠" * length)
    assert said == f"A request id has 1 to 64 characters; this one has {length}."


def test_a_request_id_of_64_characters_is_taken() -> None:
    command = Command("QRST", Look(), None, "♠" * MAX_REQUEST_ID)
    assert wire.command_from_wire(wire.command_to_wire(command)) == command


# What stands beside an action that is not the agent's own


@given(
    st.builds(Failure, kind=st.sampled_from(FailureKind), sentence=st.text(max_size=MAX_FAILURE))
)
def test_a_failure_crosses_the_wire_and_comes_back(failure: Failure) -> None:
    command = action_pb2.Command(failure=wire.failure_to_wire(failure))
    sent = action_pb2.Command.FromString(command.SerializeToString())
    assert wire.failure_from_wire(sent) == failure


def test_a_command_without_a_failure_has_none() -> None:
    assert wire.failure_from_wire(action_pb2.Command()) is None


@pytest.mark.parametrize("kind", [0, 99])
def test_a_failure_of_a_kind_that_is_not_known_is_a_crash_and_its_sentence_is_cut(
    kind: int,
) -> None:
    message = action_pb2.Command(failure=action_pb2.Failure(sentence="x" * 10_000))
    message.failure.kind = kind  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    expected = Failure(FailureKind.CRASHED, "x" * MAX_FAILURE)
    assert wire.failure_from_wire(message) == expected
