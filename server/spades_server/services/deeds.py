"""What a player sends to a table, read; a competition hears of what cannot be."""

from __future__ import annotations

import contextlib

from spades import Seat, SpadesError
from spades_proto import wire
from spades_proto.v1 import action_pb2
from spades_server.commands import Deed, Player, Unreadable
from spades_server.lobby import Lobby


def read_deed(lobby: Lobby, player: Player, message: action_pb2.Command) -> Deed:
    """Reads a command, with what it says of a failure.

    :raises SpadesError: if it cannot be read. A table that books faults has heard of it then.
    """
    try:
        return Deed(player, wire.command_from_wire(message), wire.failure_from_wire(message))
    except SpadesError as error:
        if message.decision:
            _tell(lobby, player, message, error.sentence)
        raise


def _tell(lobby: Lobby, player: Player, message: action_pb2.Command, sentence: str) -> None:
    seat: Seat | None = None
    # The seat may be what cannot be read, and the table one that is not there.
    with contextlib.suppress(SpadesError):
        seat = wire.optional_seat(message.seat)
    with contextlib.suppress(SpadesError):
        host = lobby.find(message.table)
        if host.table.books_faults:
            host.submit(Unreadable(player, seat, message.decision, sentence))
