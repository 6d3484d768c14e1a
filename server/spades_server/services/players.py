"""`Players`: names and tokens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from spades import Reason, SpadesError, TableError
from spades_proto import wire
from spades_proto.profile import Profile
from spades_proto.v1 import players_pb2, players_pb2_grpc
from spades_server.commands import Player
from spades_server.goodbyes import PLAYER_DELETED, TOKEN_REPLACED
from spades_server.journal import Journal
from spades_server.lobby import Lobby
from spades_server.services.calls import Context, Gate, refuse
from spades_server.streams import Streams

if TYPE_CHECKING:
    from spades_server.competitions.office import Competitions

NAME_COST: Final = 10.0
"""For how many requests one counts that takes a name: names are taken for good."""


class PlayersService(players_pb2_grpc.PlayersServicer):
    """Translates between the calls of `Players` and the list of players."""

    def __init__(
        self,
        lobby: Lobby,
        competitions: Competitions | None,
        gate: Gate,
        journal: Journal,
        streams: Streams,
    ) -> None:
        self._lobby = lobby
        self._competitions = competitions
        self._gate = gate
        self._players = gate.players
        self._journal = journal
        self._streams = streams

    async def Register(
        self, request: players_pb2.RegisterRequest, context: Context
    ) -> players_pb2.RegisterResponse:
        """Takes a name."""
        try:
            self._gate.stranger(context, NAME_COST)
            account, token = self._players.register(request.name)
            kept = asyncio.Event()
            self._journal.keep_player(account, kept.set)
            await kept.wait()
        except SpadesError as error:
            await refuse(context, error, "name")
        return players_pb2.RegisterResponse(token=token, name=account.player.name)

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

    async def GetProfile(
        self, request: players_pb2.GetProfileRequest, context: Context
    ) -> players_pb2.GetProfileResponse:
        """Shows a player's results."""
        try:
            player = self._gate.caller(context)
            account = self._players.named(request.name or player.name)
            career = await self._journal.career(account.player.id)
        except SpadesError as error:
            await refuse(context, error, "name")
        return wire.profile_to_wire(
            Profile(account.player.name, account.since_us, career.results, career.achievements)
        )

    async def ListMatches(
        self, request: players_pb2.ListMatchesRequest, context: Context
    ) -> players_pb2.ListMatchesResponse:
        """Lists the caller's matches."""
        try:
            player = self._gate.caller(context)
            played, token = await self._journal.history(
                player.id, request.page_size, request.page_token
            )
        except SpadesError as error:
            await refuse(context, error, "page_size")
        return players_pb2.ListMatchesResponse(
            matches=map(wire.played_match_to_wire, played), next_page_token=token
        )

    async def ReplaceToken(
        self, request: players_pb2.ReplaceTokenRequest, context: Context
    ) -> players_pb2.ReplaceTokenResponse:
        """Gives out a new token."""
        del request
        try:
            token = await self.renew_token(self._gate.caller(context))
        except SpadesError as error:
            await refuse(context, error)
        return players_pb2.ReplaceTokenResponse(token=token)

    async def renew_token(self, player: Player) -> str:
        """Makes the token of a player worthless, with all that came by it, and gives a new one."""
        account, token = self._players.replace_token(player)
        self._streams.end_of(player.id, TOKEN_REPLACED)
        kept = asyncio.Event()
        self._journal.replace_token(account, kept.set)
        await kept.wait()
        return token

    async def DeleteMe(
        self, request: players_pb2.DeleteMeRequest, context: Context
    ) -> players_pb2.DeleteMeResponse:
        """Deletes the caller."""
        try:
            player = self._gate.caller(context)
            _require_own_name(player, request.name)
            self._players.delete(player)
            self._streams.end_of(player.id, PLAYER_DELETED)
            gone = asyncio.Event()
            self._journal.delete_player(player, gone.set)
            hosts = self._lobby.lose(player)
            await gone.wait()
            if self._competitions is not None:
                await self._competitions.lose(player)
            for host in hosts:
                await host.safe()
        except SpadesError as error:
            await refuse(context, error, "name")
        return players_pb2.DeleteMeResponse()


def _require_own_name(player: Player, name: str) -> None:
    """A confirmation: what is deleted is gone for good."""
    if name != player.name:
        raise TableError(
            f"Nothing was deleted: to delete {player.name!r}, repeat that name exactly.",
            Reason.INVALID_FIELD,
        )
