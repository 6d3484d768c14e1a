"""Commands of a table as rows, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from spades import SEATS, Seat
from spades_proto.records import STRUCK_NAME
from spades_proto.table import OccupantKind
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
from spades_server.storage.deeds import (
    SEAT_DIGITS,
    format_command,
    format_deed,
    parse_action,
    parse_command,
)


class CommandRow(NamedTuple):
    """A command as it is stored, without its place and its time."""

    kind: str
    player: str
    payload: bytes


def encode(command: TableCommand) -> CommandRow:
    """Writes a command."""
    match command:
        case Deed(player, deed):
            return CommandRow("deed", player.id, format_command(deed).encode())
        case Unreadable():
            raise AssertionError("no table that is stored hears of it")
        case BotDeed(seat, decision, action):
            text = f"{SEAT_DIGITS[seat]} {decision} {format_deed(action)}"
            return CommandRow("bot_deed", "", text.encode())
        case Presence(seat, listening):
            return _row("presence", "", seat=seat, listening=listening)
        case Measured(seat, round_trip_us):
            return _row("measured", "", seat=seat, round_trip_us=round_trip_us)
        case Close(sentence):
            return _row("close", "", sentence=sentence)
        case Tick():
            return _row("tick", "")
        case Resume(epoch, since_us):
            return _row("resume", "", epoch=epoch, since_us=since_us)
        case Sit(player, kind, seat):
            return _row("sit", player.id, kind=kind.name, seat=seat)
        case Leave(player):
            return _row("leave", player.id)
        case PlayerGone(player):
            return _row("player_gone", player.id)
        case AddBot(player, bot, seat):
            return _row("add_bot", player.id, bot=bot, seat=seat)
        case RemoveBot(player, seat):
            return _row("remove_bot", player.id, seat=seat)
        case Start(player, seed):
            return CommandRow("start", player.id, seed)


def decode(row: CommandRow, players: Mapping[str, Player]) -> TableCommand:
    """Reads a command; a player who is not known any more keeps the id and loses the name."""
    player = players.get(row.player) or Player(row.player, STRUCK_NAME)
    if row.kind == "deed":
        return Deed(player, parse_command(row.payload.decode()))
    if row.kind == "bot_deed":
        seat, decision, action = row.payload.decode().split(" ")
        return BotDeed(SEATS[int(seat)], int(decision), parse_action(action))
    if row.kind == "start":
        return Start(player, row.payload)
    return _plain(row.kind, player, json.loads(row.payload))


def _plain(kind: str, player: Player, fields: dict[str, Any]) -> TableCommand:
    seat = None if fields.get("seat") is None else Seat(fields["seat"])
    match kind:
        case "tick":
            return Tick()
        case "close":
            return Close(fields["sentence"])
        case "resume":
            return Resume(fields.get("epoch", 0), fields.get("since_us", 0))
        case "sit":
            return Sit(player, OccupantKind[fields["kind"]], seat)
        case "leave":
            return Leave(player)
        case "player_gone":
            return PlayerGone(player)
        case "add_bot":
            return AddBot(player, fields["bot"], seat)
        case _:
            assert seat is not None, "all others are about a seat"
            if kind == "remove_bot":
                return RemoveBot(player, seat)
            if kind == "measured":
                return Measured(seat, fields["round_trip_us"])
            return Presence(seat, fields["listening"])


def _row(name: str, player: str, **fields: object) -> CommandRow:
    return CommandRow(name, player, json.dumps(fields).encode())
