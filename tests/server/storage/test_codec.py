"""Commands as rows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import (
    BLIND_NIL,
    Bid,
    Card,
    Look,
    MakeBid,
    NextHand,
    PassCards,
    Play,
    Seat,
    Surrender,
    Undo,
)
from spades_proto.frames import Command
from spades_proto.table import Courtesy, OccupantKind, TakeSeatBack
from spades_server.commands import (
    AddBot,
    BotDeed,
    Close,
    Deed,
    Leave,
    Measured,
    Player,
    PlayerGone,
    Presence,
    RemoveBot,
    Resume,
    Sit,
    Start,
    TableCommand,
    Tick,
    Unreadable,
)
from spades_server.storage.codec import decode, encode
from spades_server.storage.deeds import format_command, parse_command

ANN = Player("ann", "Ann")
DEEDS = (
    Look(), MakeBid(Bid(3)), MakeBid(BLIND_NIL), PassCards((Card("2C"), Card("AS"))), Play(Card("QS")),
    Undo(), Surrender(), NextHand(), Courtesy.SORRY, TakeSeatBack(),
)  # fmt: skip
COMMANDS: list[TableCommand] = [
    *(Deed(ANN, Command("TABLE", one, Seat.WEST, "r-1", 7, 1, 2)) for one in DEEDS),
    Deed(ANN, Command("TABLE", Look(), None, "x")),
    BotDeed(Seat.SOUTH, 9, Look()),
    BotDeed(Seat.WEST, 9, MakeBid(Bid(0))),
    BotDeed(Seat.NORTH, 9, PassCards((Card("2C"), Card("AS")))),
    BotDeed(Seat.EAST, 9, Play(Card("QS"))),
    *(Sit(ANN, kind, seat) for kind in OccupantKind for seat in (*Seat, None)),
    Leave(ANN),
    AddBot(ANN, "gentle"),
    AddBot(ANN, "random", Seat.EAST),
    RemoveBot(ANN, Seat.SOUTH),
    Start(ANN, bytes(range(32))),
    Presence(Seat.NORTH, listening=True),
    Presence(Seat.NORTH, listening=False),
    Measured(Seat.EAST, 40_000),
    Close("Good night."),
    Tick(),
    Resume(),
    Resume(1_800_000_000_000_000),
    PlayerGone(ANN),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: type(one).__name__)
def test_every_command_is_read_as_it_was_written(command: TableCommand) -> None:
    assert decode(encode(command), {"ann": ANN}) == command


@given(table=st.text(), request_id=st.text(), seat=st.none() | st.sampled_from(Seat))
def test_names_may_hold_anything(table: str, request_id: str, seat: Seat | None) -> None:
    for deed in (*DEEDS, MakeBid(Bid(-1)), MakeBid(Bid(99, blind=True)), PassCards(())):
        command = Command(table, deed, seat, request_id, 5, 1_800_000_000_000_000, 3)
        assert parse_command(format_command(command)) == command


def test_there_is_a_row_for_every_kind_of_command() -> None:
    # Of what cannot be read only the tables of competitions hear, which are not stored.
    assert {type(one) for one in COMMANDS} == set(TableCommand.__args__) - {Unreadable}


def test_a_player_who_is_gone_is_somebody() -> None:
    assert decode(encode(Leave(ANN)), {}) == Leave(Player("ann", "somebody"))
