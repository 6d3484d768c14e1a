"""Actions and commands."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from spades import (
    Bid,
    Look,
    MakeBid,
    NextHand,
    PassCards,
    Play,
    Reason,
    Surrender,
    TableError,
    Undo,
)
from spades.actions import PLAYS, Action
from spades_proto.frames import Command, Deed, Failure, FailureKind
from spades_proto.table import Courtesy, TakeSeatBack
from spades_proto.v1 import action_pb2
from spades_proto.wire.enums import CARD, COURTESY, FAILURE_KIND, SEAT, optional_seat

MAX_REQUEST_ID: Final = 64
"""The longest request id, in characters."""

MAX_TABLE: Final = 32
"""The longest code of a table, in characters."""

MAX_FAILURE: Final = 400
"""How many characters are read of the sentence that tells of a failure."""


@lru_cache(maxsize=64)
def bid_to_wire(bid: Bid) -> action_pb2.Bid:
    """Writes a bid, for reading only: there are few that differ, and a decision lists nearly all of them."""
    return action_pb2.Bid(tricks=bid.tricks, blind=bid.blind)


def bid_from_wire(message: action_pb2.Bid) -> Bid:
    """Reads a bid; the referee judges its size."""
    return Bid(message.tricks, message.blind)


def action_to_wire(action: Action) -> action_pb2.Action:
    """Writes an action."""
    match action:
        case Play(card):
            return action_pb2.Action(play=CARD.to_wire(card))
        case MakeBid(bid):
            return action_pb2.Action(bid=bid_to_wire(bid))
        case PassCards(cards):
            passed = action_pb2.PassCards(cards=map(CARD.to_wire, cards))
            return action_pb2.Action(pass_cards=passed)
        case Look():
            return action_pb2.Action(look=action_pb2.Look())
        case Undo():
            return action_pb2.Action(undo=action_pb2.Undo())
        case Surrender():
            return action_pb2.Action(surrender=action_pb2.Surrender())
        case NextHand():
            return action_pb2.Action(next_hand=action_pb2.NextHand())


def action_from_wire(message: action_pb2.Action) -> Action:
    """Reads an action.

    :raises TableError: if none is set, or a card is missing or unknown.
    """
    match message.WhichOneof("kind"):
        case "play":
            return PLAYS[CARD.from_wire(message.play)]
        case "bid":
            return MakeBid(bid_from_wire(message.bid))
        case "pass_cards":
            return PassCards(tuple(map(CARD.from_wire, message.pass_cards.cards)))
        case "look":
            return Look()
        case "undo":
            return Undo()
        case "surrender":
            return Surrender()
        case "next_hand":
            return NextHand()
        case None:
            raise TableError("The action is missing.", Reason.INVALID_FIELD)


def command_to_wire(command: Command) -> action_pb2.Command:
    """Writes a command."""
    message = action_pb2.Command(
        table=command.table,
        request_id=command.request_id,
        decision=command.decision,
        epoch=command.epoch,
        hand_number=command.hand_number,
    )
    if command.seat is not None:
        message.seat = SEAT.to_wire(command.seat)
    if isinstance(command.deed, Courtesy):
        message.courtesy = COURTESY.to_wire(command.deed)
    elif isinstance(command.deed, TakeSeatBack):
        message.take_seat_back.SetInParent()
    else:
        message.action.CopyFrom(action_to_wire(command.deed))
    return message


def command_from_wire(message: action_pb2.Command) -> Command:
    """Reads a command.

    :raises TableError: naming the field that is missing, unknown or too long.
    """
    request_id = message.request_id
    if not 0 < len(request_id) <= MAX_REQUEST_ID:
        raise TableError(
            f"A request id has 1 to {MAX_REQUEST_ID} characters; this one has {len(request_id)}.",
            Reason.INVALID_FIELD,
        )
    if len(message.table) > MAX_TABLE:
        raise TableError(
            f"The code of a table has at most {MAX_TABLE} characters; this one has {len(message.table)}.",
            Reason.INVALID_FIELD,
        )
    deed: Deed
    match message.WhichOneof("deed"):
        case "action":
            deed = action_from_wire(message.action)
        case "courtesy":
            deed = COURTESY.from_wire(message.courtesy)
        case "take_seat_back":
            deed = TakeSeatBack()
        case None:
            raise TableError("The action is missing.", Reason.INVALID_FIELD)
    return Command(
        message.table,
        deed,
        optional_seat(message.seat),
        request_id,
        message.decision,
        message.epoch,
        message.hand_number,
    )


def failure_to_wire(failure: Failure) -> action_pb2.Failure:
    """Writes what stands beside an action that is not the agent's own."""
    return action_pb2.Failure(
        kind=FAILURE_KIND.to_wire(failure.kind), sentence=failure.sentence[:MAX_FAILURE]
    )


def failure_from_wire(message: action_pb2.Command) -> Failure | None:
    """Reads what stands beside the action of a command, if something does."""
    if not message.HasField("failure"):
        return None
    said = message.failure
    try:
        kind = FAILURE_KIND.from_wire(said.kind)
    except TableError:
        kind = FailureKind.CRASHED
    return Failure(kind, said.sentence[:MAX_FAILURE])
