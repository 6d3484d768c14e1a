"""`Agents`: all seats of one player on one stream."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from grpc import aio

from spades import Reason, Seat, SpadesError, TableError
from spades_proto import wire
from spades_proto.frames import Answer, Heartbeat
from spades_proto.v1 import action_pb2, agents_pb2
from spades_proto.version import PROTOCOL, check_protocol
from spades_server.commands import Player
from spades_server.feeds import HEARTBEAT_S
from spades_server.goodbyes import DRAINING, FLOODED, REPLACED
from spades_server.host import TableHost
from spades_server.lane import Lane, LaneSink
from spades_server.lobby import Lobby
from spades_server.services.calls import Context, Gate, end, refuse
from spades_server.services.deeds import read_deed
from spades_server.streams import Stream, Streams

HELLO_S: Final = 10.0
"""Within how many seconds a stream must begin."""


def heartbeat(echo: int) -> bytes:
    """An encoded heartbeat."""
    beat = wire.heartbeat_to_wire(Heartbeat(int(2_000 * HEARTBEAT_S), echo))
    return agents_pb2.ConnectResponse(heartbeat=beat).SerializeToString()


class AgentsService:
    """Translates between the stream of an agent and the tables at which it sits."""

    def __init__(self, lobby: Lobby, gate: Gate, streams: Streams) -> None:
        self._lobby = lobby
        self._gate = gate
        self._streams = streams
        self._lanes: dict[str, _Seats] = {}
        lobby.watchers.append(self._seat_taken)

    async def connect(self, _requests: object, context: Context) -> None:
        """Feeds an agent and takes its answers until one of the two ends goes away."""
        try:
            who = self._gate.caller(context).id
            self._streams.require_room(who)
            with self._streams.reserved(who):
                first = await _first(context)
            # The token may have been replaced, or its player deleted, while the hello was waited for.
            player = self._gate.caller(context)
            check_protocol(first.hello.protocol, who="client")
        except SpadesError as error:
            await refuse(context, error, "hello")
        on_decision = first.hello.delivery == agents_pb2.DELIVERY_ON_DECISION
        lane = Lane(on_decision=on_decision)
        seats = _Seats(player, lane)
        older = self._lanes.get(player.id)
        if older is not None:
            older.lane.end(REPLACED)
        self._lanes[player.id] = seats
        welcome = agents_pb2.Welcome(protocol=PROTOCOL, name=player.name)
        lane.add(agents_pb2.ConnectResponse(welcome=welcome).SerializeToString())
        with self._streams.open(lane, Stream(player.id, heartbeat, lane.end)):
            try:
                self._attach_all(seats, first.hello)
                self._commands(seats, first)
                await self._serve(seats, context)
            finally:
                if self._lanes.get(player.id) is seats:
                    del self._lanes[player.id]
                seats.detach_all()

    def is_connected(self, player: str) -> bool:
        """Whether a player, by id, has a stream open."""
        return player in self._lanes

    def end(self) -> None:
        """Says goodbye to all agents."""
        for seats in self._lanes.values():
            seats.lane.end(DRAINING)

    def _attach_all(self, seats: _Seats, hello: agents_pb2.Hello) -> None:
        points = {(one.table, one.seat): one for one in hello.resume}
        for host, seat in self._lobby.seats_held(seats.player):
            point = points.get((host.table.config.code, wire.SEAT.to_wire(seat)))
            seats.attach(host, seat, point)

    def _seat_taken(self, host: TableHost, player: Player, seat: Seat) -> None:
        seats = self._lanes.get(player.id)
        if seats is not None:
            seats.attach(host, seat, None)

    async def _serve(self, seats: _Seats, context: Context) -> None:
        """Reads and writes at once; when one of them ends, so does the other."""
        reader = asyncio.create_task(self._read(seats, context))
        writer = asyncio.create_task(_write(seats.lane, context))
        try:
            await asyncio.wait({reader, writer}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (reader, writer):
                task.cancel()
        for task in (reader, writer):
            if task.done() and not task.cancelled():
                # A failure of one side is the failure of the call.
                task.result()
        goodbye = seats.lane.goodbye
        if goodbye is not None:
            end(context, goodbye)

    async def _read(self, seats: _Seats, context: Context) -> None:
        while True:
            request = await context.read()
            if request is aio.EOF:
                return
            self._commands(seats, request)

    def _commands(self, seats: _Seats, request: agents_pb2.ConnectRequest) -> None:
        if seats.lane.goodbye is not None:
            # Whoever is sent away has nothing more to say, whether it has heard so or not.
            return
        for message in request.commands:
            self._command(seats, message)
        if request.echoes:
            seats.echoed(request.echoes)

    def _command(self, seats: _Seats, message: action_pb2.Command) -> None:
        def done(answer: Answer) -> None:
            # What was accepted is answered by its event.
            if answer.refusal is not None or answer.replayed:
                seats.lane.add(_answered(message, answer))
                self._count_refusal(seats)

        try:
            deed = read_deed(self._lobby, seats.player, message)
            if not deed.command.decision:
                # What answers no decision is bounded by nothing but this.
                self._gate.limits.spend(seats.player.id)
            self._lobby.find(deed.command.table).submit(deed, done)
        except SpadesError as error:
            done(Answer(refusal=error))

    def _count_refusal(self, seats: _Seats) -> None:
        """Ends a stream on which nonsense comes faster than any agent errs."""
        try:
            self._gate.limits.spend(f"refused {seats.player.id}")
        except TableError:
            seats.lane.end(FLOODED)


class _Seats:
    """The seats of one player and the lane that feeds them."""

    def __init__(self, player: Player, lane: Lane) -> None:
        self.player = player
        self.lane = lane
        self._sinks: dict[tuple[TableHost, Seat], LaneSink] = {}

    def attach(self, host: TableHost, seat: Seat, point: agents_pb2.ResumePoint | None) -> None:
        """Feeds a seat from now on."""
        key = (host, seat)
        if key in self._sinks:
            return
        sink = self.lane.sink(host.table.config.code, seat, lambda: self._sinks.pop(key, None))
        self._sinks[key] = sink
        epoch, after = (point.epoch, point.after) if point is not None else (0, 0)
        host.attach(self.player.id, seat, sink, epoch, after)

    def echoed(self, numbers: Iterable[int]) -> None:
        """Takes the echoes of heartbeats: the round trip is the same for all seats."""
        now_s = asyncio.get_running_loop().time()
        for number in numbers:
            round_trip_us = self.lane.round_trip.echoed(number, now_s)
            if round_trip_us is None:
                continue
            for host, seat in self._sinks:
                if host.table.config.time_control:
                    host.measured(seat, round_trip_us)

    def detach_all(self) -> None:
        """Feeds no seat any more."""
        sinks, self._sinks = self._sinks, {}
        for (host, seat), sink in sinks.items():
            host.detach(seat, sink)


async def _first(context: Context) -> agents_pb2.ConnectRequest:
    try:
        async with asyncio.timeout(HELLO_S):
            first = await context.read()
    except TimeoutError:
        raise TableError(
            f"The stream said no hello within {HELLO_S:.0f} seconds.", Reason.INVALID_FIELD
        ) from None
    if first is aio.EOF or not first.HasField("hello"):
        raise TableError("The first message of the stream must be a hello.", Reason.INVALID_FIELD)
    request: agents_pb2.ConnectRequest = first
    return request


async def _write(lane: Lane, context: Context) -> None:
    while True:
        data = await lane.drain()
        if data:
            await context.write(data)
        if lane.goodbye is not None:
            return


def _answered(message: action_pb2.Command, answer: Answer) -> bytes:
    refusal = None if answer.refusal is None else wire.refusal_to_wire(answer.refusal)
    answered = agents_pb2.Answered(
        request_id=message.request_id[: wire.MAX_REQUEST_ID],
        seq=answer.seq,
        refusal=refusal,
        replayed=answer.replayed,
        table=message.table[: wire.MAX_TABLE],
        seat=message.seat,
    )
    return agents_pb2.ConnectResponse(answered=[answered]).SerializeToString()
