"""`Tables`: one table, for people."""

from __future__ import annotations

from spades import Reason, Seat, SpadesError, TableError
from spades_proto import wire
from spades_proto.v1 import tables_pb2
from spades_server.commands import Deed, Player
from spades_server.feeds import WatchSink
from spades_server.host import TableHost
from spades_server.lobby import Lobby
from spades_server.players import Players
from spades_server.services.calls import Context, caller, end, refuse
from spades_server.streams import Stream, Streams


class TablesService:
    """Translates between the calls of `Tables` and the tables."""

    def __init__(self, lobby: Lobby, players: Players, streams: Streams) -> None:
        self._lobby = lobby
        self._players = players
        self._streams = streams

    async def watch(self, request: tables_pb2.WatchRequest, context: Context) -> None:
        """Feeds one viewer until one of the two ends goes away."""
        try:
            player = caller(context, self._players)
            host = self._lobby.find(request.table)
            seat = wire.optional_seat(request.seat)
            _require_own(host, player, seat)
            self._streams.require_room()
        except SpadesError as error:
            await refuse(context, error)
        sink = WatchSink()
        feeds = host.feeds
        stream = Stream(
            player.id,
            feeds.heartbeat,
            lambda goodbye: sink.end(goodbye, feeds.goodbye(goodbye)),
        )
        with self._streams.open(sink, stream):
            try:
                host.attach(seat, sink, request.epoch, request.after)
                host.when_safe(lambda: sink.greet(feeds.heartbeat()))
                await self._feed(host, sink, context)
            finally:
                host.detach(seat, sink)

    async def _feed(self, host: TableHost, sink: WatchSink, context: Context) -> None:
        while True:
            data = await sink.drain()
            if not data and sink.goodbye is not None:
                # A reader that was given up has an empty mailbox, and is told why all the same.
                data = host.feeds.goodbye(sink.goodbye)
            if data:
                await context.write(data)
            if sink.goodbye is not None:
                end(context, sink.goodbye)
                return

    async def act(self, request: tables_pb2.ActRequest, context: Context) -> tables_pb2.ActResponse:
        """Has a table do something, and answers when it is done."""
        try:
            player = caller(context, self._players)
            command = wire.command_from_wire(request.command)
            answer = await self._lobby.find(command.table).perform(Deed(player, command))
        except SpadesError as error:
            await refuse(context, error, "command")
        if answer.refusal is not None:
            await refuse(context, answer.refusal, "command.action")
        return tables_pb2.ActResponse(seq=answer.seq, replayed=answer.replayed)


def _require_own(host: TableHost, player: Player, seat: Seat | None) -> None:
    """The token, not the field, decides whose eyes these are."""
    if seat is not None and host.table.owners[seat] != player.id:
        raise TableError(f"{player.name} does not hold the seat {seat}.", Reason.NOT_YOUR_SEAT)
