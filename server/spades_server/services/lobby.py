"""`Lobby`: tables and seats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from spades import PRESETS, Reason, SpadesError, TableError, parse_rules
from spades_agents import HOUSE_BOTS
from spades_proto import wire
from spades_proto.link import Link
from spades_proto.software import VERSION
from spades_proto.table import OccupantKind
from spades_proto.v1 import event_pb2, lobby_pb2, lobby_pb2_grpc
from spades_proto.version import PROTOCOL
from spades_server.commands import Leave, Player, RemoveBot
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.lobby import Lobby
from spades_server.pages import page
from spades_server.services.calls import Context, Gate, refuse


class LobbyService(lobby_pb2_grpc.LobbyServicer):
    """Translates between the calls of `Lobby` and the lobby."""

    def __init__(
        self,
        lobby: Lobby,
        gate: Gate,
        config: ServerConfig,
        links: Callable[[], Iterable[Link]],
    ) -> None:
        self._lobby = lobby
        self._gate = gate
        self._config = config
        self._links = links

    async def GetServer(
        self, request: lobby_pb2.GetServerRequest, context: Context
    ) -> lobby_pb2.GetServerResponse:
        """Says what the server is."""
        del request
        try:
            self._gate.stranger(context)
        except SpadesError as error:
            await refuse(context, error)
        return lobby_pb2.GetServerResponse(
            protocol=PROTOCOL,
            version=VERSION,
            presets=list(PRESETS),
            bots=list(HOUSE_BOTS),
            allows_seeds=self._config.allow_seeds,
            links=map(str, self._links()),
        )

    async def CreateTable(
        self, request: lobby_pb2.CreateTableRequest, context: Context
    ) -> lobby_pb2.CreateTableResponse:
        """Opens a table, and does what else was asked for; if any of it is refused, nothing stays."""
        host: TableHost | None = None
        try:
            player = self._gate.caller(context)
            host = self._lobby.create(
                player,
                parse_rules(request.rules),
                private=request.private,
                many_seats=request.many_seats,
                tempo_ms=request.tempo_ms if request.HasField("tempo_ms") else None,
                seed=request.seed,
                time_control=(
                    wire.time_control_from_wire(request.time_control)
                    if request.HasField("time_control")
                    else None
                ),
                hints=not request.no_hints,
            )
            self._furnish(host, player, request)
            await host.safe()
        except SpadesError as error:
            if host is not None:
                self._lobby.discard(host)
            await refuse(context, error, _FIELDS.get(error.reason, ""))
        return lobby_pb2.CreateTableResponse(table=summary(host))

    def _furnish(
        self, host: TableHost, player: Player, request: lobby_pb2.CreateTableRequest
    ) -> None:
        kind = _kind(request.kind)
        if len(request.seats) > 1 and not request.many_seats:
            raise TableError("Several seats need a table with many_seats.", Reason.INVALID_FIELD)
        for seat in request.seats:
            self._lobby.sit(host, player, wire.SEAT.from_wire(seat), kind)
        for one in request.bots:
            self._lobby.add_bot(host, player, one.bot, wire.SEAT.from_wire(one.seat))
        if request.start:
            self._lobby.start(host, player)

    async def ListTables(
        self, request: lobby_pb2.ListTablesRequest, context: Context
    ) -> lobby_pb2.ListTablesResponse:
        """Lists the tables that are not private."""
        try:
            self._gate.caller(context)
            public = {
                host.table.config.code: host
                for host in self._lobby
                if not host.table.config.private
            }
            codes, token = page(sorted(public), request.page_size, request.page_token)
        except SpadesError as error:
            await refuse(context, error, "page_size")
        tables = [summary(public[code]) for code in codes]
        return lobby_pb2.ListTablesResponse(tables=tables, next_page_token=token)

    async def GetTable(
        self, request: lobby_pb2.GetTableRequest, context: Context
    ) -> lobby_pb2.GetTableResponse:
        """Shows one table."""
        try:
            self._gate.caller(context)
            host = self._lobby.find(request.table)
        except SpadesError as error:
            await refuse(context, error, "table")
        return lobby_pb2.GetTableResponse(table=summary(host))

    async def Sit(self, request: lobby_pb2.SitRequest, context: Context) -> lobby_pb2.SitResponse:
        """Takes a seat."""
        try:
            player = self._gate.caller(context)
            host = self._lobby.find(request.table)
            wanted = wire.optional_seat(request.seat)
            seat = self._lobby.sit(host, player, wanted, _kind(request.kind))
            await host.safe()
        except SpadesError as error:
            await refuse(context, error, "seat")
        return lobby_pb2.SitResponse(seat=wire.SEAT.to_wire(seat), table=summary(host))

    async def Leave(
        self, request: lobby_pb2.LeaveRequest, context: Context
    ) -> lobby_pb2.LeaveResponse:
        """Gives the seats at a table up."""
        try:
            player = self._gate.caller(context)
            await self._lobby.find(request.table).perform(Leave(player))
        except SpadesError as error:
            await refuse(context, error, "table")
        return lobby_pb2.LeaveResponse()

    async def AddBot(
        self, request: lobby_pb2.AddBotRequest, context: Context
    ) -> lobby_pb2.AddBotResponse:
        """Seats a house bot."""
        try:
            player = self._gate.caller(context)
            host = self._lobby.find(request.table)
            self._lobby.add_bot(host, player, request.bot, wire.optional_seat(request.seat))
            await host.safe()
        except SpadesError as error:
            await refuse(context, error, "bot")
        return lobby_pb2.AddBotResponse(table=summary(host))

    async def RemoveBot(
        self, request: lobby_pb2.RemoveBotRequest, context: Context
    ) -> lobby_pb2.RemoveBotResponse:
        """Takes a house bot away."""
        try:
            player = self._gate.caller(context)
            host = self._lobby.find(request.table)
            await host.perform(RemoveBot(player, wire.SEAT.from_wire(request.seat)))
        except SpadesError as error:
            await refuse(context, error, "seat")
        return lobby_pb2.RemoveBotResponse(table=summary(host))

    async def Start(
        self, request: lobby_pb2.StartRequest, context: Context
    ) -> lobby_pb2.StartResponse:
        """Starts the match, or a rematch."""
        try:
            player = self._gate.caller(context)
            host = self._lobby.find(request.table)
            self._lobby.start(host, player)
            await host.safe()
        except SpadesError as error:
            await refuse(context, error, "table")
        return lobby_pb2.StartResponse(table=summary(host))


_FIELDS: Final = {
    Reason.INVALID_OPTION: "rules",
    Reason.INVALID_FIELD: "seats",
    Reason.UNKNOWN_BOT: "bots",
    Reason.INVALID_NOTATION: "seed",
}
"""Which field of a request for a table is to blame for a refusal."""


def _kind(number: event_pb2.OccupantKind.ValueType) -> OccupantKind:
    """What a caller is at its seat; nobody can sit down as a house bot."""
    if number == event_pb2.OCCUPANT_KIND_AGENT:
        return OccupantKind.AGENT
    return OccupantKind.PERSON


def summary(host: TableHost) -> lobby_pb2.TableSummary:
    """Writes a table as the lobby shows it."""
    state = host.table.state
    return lobby_pb2.TableSummary(
        code=state.opened.code,
        host=state.opened.host,
        rules=wire.rules_to_wire(state.rules),
        state=wire.TABLE_STAGE.to_wire(state.stage),
        seats=wire.seats_to_wire(state.seats),
        private=state.opened.private,
        time_control=wire.time_control_to_wire(state.opened.time_control),
        no_hints=not state.opened.hints,
        tempo_ms=state.opened.tempo_ms,
    )
