"""`Tables`: one table, for people."""

from __future__ import annotations

import asyncio

from spades import Reason, Seat, SpadesError, TableError
from spades_proto import wire
from spades_proto.v1 import tables_pb2
from spades_server.commands import Player
from spades_server.host import TableHost
from spades_server.lobby import Lobby
from spades_server.mailbox import WatchSink
from spades_server.round_trips import RoundTrip
from spades_server.services.calls import Context, Gate, end, refuse
from spades_server.services.deeds import read_deed
from spades_server.streams import Stream, Streams


class TablesService:
    """Translates between the calls of `Tables` and the tables."""

    def __init__(self, lobby: Lobby, gate: Gate, streams: Streams) -> None:
        self._lobby = lobby
        self._gate = gate
        self._streams = streams

    async def watch(self, request: tables_pb2.WatchRequest, context: Context) -> None:
        """Feeds one viewer until one of the two ends goes away."""
        try:
            player = self._gate.caller(context)
            host = self._lobby.find(request.table)
            seat = wire.optional_seat(request.seat)
            _require_own(host, player, seat)
            _require_watchable(host, seat)
            self._streams.require_room(player.id)
        except SpadesError as error:
            await refuse(context, error)
        timed = seat is not None and bool(host.table.config.time_control)
        sink = WatchSink(RoundTrip() if timed else None)
        feeds = host.feeds
        stream = Stream(
            player.id,
            feeds.heartbeat,
            lambda goodbye: sink.end(goodbye, feeds.goodbye(goodbye)),
        )
        with self._streams.open(sink, stream):
            try:
                host.attach(player.id, seat, sink, request.epoch, request.after)
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
            player = self._gate.caller(context)
            deed = read_deed(self._lobby, player, request.command)
            answer = await self._lobby.find(deed.command.table).perform(deed)
        except SpadesError as error:
            await refuse(context, error, "command")
        if answer.refusal is not None:
            await refuse(context, answer.refusal, "command.action")
        return tables_pb2.ActResponse(seq=answer.seq, replayed=answer.replayed)

    async def echo(
        self, request: tables_pb2.EchoRequest, context: Context
    ) -> tables_pb2.EchoResponse:
        """Takes the echo of a heartbeat."""
        now_s = asyncio.get_running_loop().time()
        try:
            player = self._gate.caller(context)
            host = self._lobby.find(request.table)
            seat = wire.SEAT.from_wire(request.seat)
            _require_own(host, player, seat)
        except SpadesError as error:
            await refuse(context, error, "seat")
        sink = host.feeds.seats[seat]
        if isinstance(sink, WatchSink) and sink.round_trip is not None:
            round_trip_us = sink.round_trip.echoed(request.echo, now_s)
            if round_trip_us is not None:
                host.measured(seat, round_trip_us)
        return tables_pb2.EchoResponse()


def _require_watchable(host: TableHost, seat: Seat | None) -> None:
    """What one table of a competition shows, others play."""
    if seat is None and not host.table.watchable:
        raise TableError(
            "A table of a competition has no spectators: the same deals are played at other tables.",
            Reason.TABLE_STATE,
        )


def _require_own(host: TableHost, player: Player, seat: Seat | None) -> None:
    """The token, not the field, decides whose eyes these are."""
    if seat is not None and host.table.owners[seat] != player.id:
        raise TableError(f"{player.name} does not hold the seat {seat}.", Reason.NOT_YOUR_SEAT)
