"""`Admin`: for whoever runs the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spades import SpadesError
from spades_proto import wire
from spades_proto.software import VERSION
from spades_proto.table import TableStage
from spades_proto.v1 import admin_pb2, admin_pb2_grpc
from spades_server.host import TableHost
from spades_server.services.calls import Context, refuse

if TYPE_CHECKING:
    from spades_server.app import SpadesServer

CLOSED = "Whoever runs the server has closed the table."


class AdminService(admin_pb2_grpc.AdminServicer):
    """Translates between the calls of `Admin` and the server."""

    def __init__(self, server: SpadesServer) -> None:
        self._server = server

    async def GetStatus(
        self, request: admin_pb2.GetStatusRequest, context: Context
    ) -> admin_pb2.GetStatusResponse:
        """Says how the server is doing."""
        del request, context
        server = self._server
        playing = [one for one in server.lobby if one.table.state.stage is TableStage.PLAYING]
        return admin_pb2.GetStatusResponse(
            version=VERSION,
            started_us=server.started_us,
            tables=len(server.lobby),
            matches=len(playing),
            streams=len(server.streams),
            players=len(server.players),
            links=map(str, server.links),
        )

    async def ListAllTables(
        self, request: admin_pb2.ListAllTablesRequest, context: Context
    ) -> admin_pb2.ListAllTablesResponse:
        """Lists all tables."""
        del request, context
        hosts = sorted(self._server.lobby, key=lambda host: host.table.config.code)
        return admin_pb2.ListAllTablesResponse(tables=map(_shown, hosts))

    async def CloseTable(
        self, request: admin_pb2.CloseTableRequest, context: Context
    ) -> admin_pb2.CloseTableResponse:
        """Closes a table."""
        try:
            lobby = self._server.lobby
            await lobby.close_table(lobby.find(request.table), request.sentence or CLOSED)
        except SpadesError as error:
            await refuse(context, error, "table")
        return admin_pb2.CloseTableResponse()

    async def RevokeToken(
        self, request: admin_pb2.RevokeTokenRequest, context: Context
    ) -> admin_pb2.RevokeTokenResponse:
        """Makes a player's token worthless."""
        try:
            await self._server.revoke_token(request.name)
        except SpadesError as error:
            await refuse(context, error, "name")
        return admin_pb2.RevokeTokenResponse()

    async def Stop(
        self, request: admin_pb2.StopRequest, context: Context
    ) -> admin_pb2.StopResponse:
        """Stops the server."""
        del request, context
        self._server.asked_to_stop.set()
        return admin_pb2.StopResponse()


def _shown(host: TableHost) -> admin_pb2.AdminTable:
    table = host.table
    playing = table.match is not None and table.state.stage is TableStage.PLAYING
    return admin_pb2.AdminTable(
        code=table.config.code,
        host=table.state.opened.host,
        state=wire.TABLE_STAGE.to_wire(table.state.stage),
        seats=wire.seats_to_wire(table.state.seats),
        private=table.config.private,
        hand=table.match.hand_number if playing and table.match is not None else 0,
        spectators=len(host.feeds.spectators),
    )
