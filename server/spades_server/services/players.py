"""`Players`: names and tokens."""

from __future__ import annotations

import asyncio

from spades import SpadesError
from spades_proto import wire
from spades_proto.v1 import players_pb2, players_pb2_grpc
from spades_server.journal import Journal
from spades_server.lobby import Lobby
from spades_server.players import digest_of
from spades_server.services.calls import Context, Gate, refuse


class PlayersService(players_pb2_grpc.PlayersServicer):
    """Translates between the calls of `Players` and the list of players."""

    def __init__(self, lobby: Lobby, gate: Gate, journal: Journal) -> None:
        self._lobby = lobby
        self._gate = gate
        self._players = gate.players
        self._journal = journal

    async def Register(
        self, request: players_pb2.RegisterRequest, context: Context
    ) -> players_pb2.RegisterResponse:
        """Takes a name."""
        try:
            self._gate.stranger(context)
            player, token = self._players.register(request.name)
            kept = asyncio.Event()
            self._journal.keep_player(player, digest_of(token), kept.set)
            await kept.wait()
        except SpadesError as error:
            await refuse(context, error, "name")
        return players_pb2.RegisterResponse(token=token, name=player.name)

    async def GetMe(
        self, request: players_pb2.GetMeRequest, context: Context
    ) -> players_pb2.GetMeResponse:
        """Says whose token it is and where that player sits."""
        del request
        try:
            player = self._gate.caller(context)
        except SpadesError as error:
            await refuse(context, error)
        held = [
            players_pb2.HeldSeat(table=host.table.config.code, seat=wire.SEAT.to_wire(seat))
            for host, seat in self._lobby.seats_held(player)
        ]
        return players_pb2.GetMeResponse(name=player.name, seats=held)
