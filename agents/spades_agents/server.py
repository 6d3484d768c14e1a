"""A server, seen from outside: the calls that are not the game itself."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Self, TypeVar

import grpc
from grpc import aio

from spades import Reason, Rules, Seat, SpadesError, TableError
from spades_agents.trust import ServerUnreachable, Trust, is_loopback, open_channel, remember
from spades_proto import wire
from spades_proto.frames import Command
from spades_proto.link import Link, parse_link
from spades_proto.profile import PlayedMatch, Profile
from spades_proto.software import SOFTWARE
from spades_proto.status import error_of
from spades_proto.table import OccupantKind, SeatStatus, TableStage
from spades_proto.timing import TimeControl
from spades_proto.v1 import (
    agents_pb2_grpc,
    lobby_pb2,
    lobby_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    records_pb2,
    records_pb2_grpc,
    tables_pb2,
    tables_pb2_grpc,
)
from spades_proto.version import METADATA_KEY, PROTOCOL, check_protocol

CALL_TIMEOUT: Final = 10.0
"""How many seconds a call may take, the time to connect included."""

MOST_WAIT_S: Final = 5.0
"""How long a call waits at most for a server that takes no more requests at the moment."""

MATCHES_AT_ONCE: Final = 100
"""How many matches of a history are asked for in one call."""

Request = TypeVar("Request")
Response = TypeVar("Response")
Metadata = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What a server says of itself."""

    version: str
    presets: tuple[str, ...]
    bots: tuple[str, ...]
    allows_seeds: bool
    links: tuple[str, ...]
    """The links by which it is reached."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the lobby shows it."""

    code: str
    host: str
    rules: Rules
    stage: TableStage
    seats: tuple[SeatStatus, ...]
    private: bool
    time_control: TimeControl
    hints: bool
    """Whether clients may give hints."""
    tempo_ms: int
    """How long house bots take for a card while people play."""


def _table(message: lobby_pb2.TableSummary) -> Table:
    return Table(
        message.code,
        message.host,
        wire.rules_from_wire(message.rules),
        wire.TABLE_STAGE.from_wire(message.state),
        wire.seats_from_wire(message.seats),
        message.private,
        wire.time_control_from_wire(message.time_control),
        not message.no_hints,
        message.tempo_ms,
    )


UNKNOWN: Final = Trust()


class Server:
    """A connection to a server, for one player once there is a token.

    It may be made anywhere and is opened by ``async with``, in whose event loop it then lives; it can be
    opened again after it was closed. Refusals come as the same errors that the referee raises in process.
    """

    def __init__(self, address: str, token: str = "", trust: Trust = UNKNOWN) -> None:
        """``address`` is a join link, or ``HOST`` or ``HOST:PORT``.

        A distant server is trusted by the fingerprint of a link or by an authority; ``trust`` says what else.

        :raises NotationError: if it is neither.
        """
        self.link = parse_link(address)
        self.target = self.link.target
        """The server's ``host:port``."""
        self.token = token
        self.links: tuple[str, ...] = ()
        """The links by which others reach the server, once it has said what it is."""
        self.fingerprint = ""
        """Of the certificate by which the server is recognised, if it is by one."""
        self._trust = trust
        self._channel: aio.Channel | None = None

    async def __aenter__(self) -> Self:
        self._channel, self.fingerprint = await open_channel(self.link, self._trust)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    @property
    def recognised_by(self) -> str:
        """The fingerprint, by which a server is the same under all its addresses, else the address."""
        return self.fingerprint or self.target

    @property
    def address(self) -> str:
        """Where the server is, with the fingerprint by which it was to be recognised, if there was one."""
        return str(self.link.to_table("")) if self.link.fingerprint else self.target

    @property
    def invitation(self) -> str:
        """What others need to find the server: a link where one is known, else its address."""
        if is_loopback(self.link.host):
            distant = (one for one in self.links if not is_loopback(parse_link(one).host))
            return next(distant, self.target)
        return (
            str(Link(self.target, fingerprint=self.fingerprint))
            if self.fingerprint
            else self.target
        )

    @property
    def whole_link(self) -> str:
        """The same with the fingerprint, also of a server of this machine.

        Whoever copies it elsewhere can tell the server from any other.
        """
        if self.fingerprint and self.invitation == self.target:
            return str(Link(self.target, fingerprint=self.fingerprint))
        return self.invitation

    @property
    def channel(self) -> aio.Channel:
        """The open channel."""
        if self._channel is None:
            raise RuntimeError(
                f"The connection to {self.target} is closed: open it with 'async with' first."
            )
        return self._channel

    @property
    def metadata(self) -> Metadata:
        """What goes with every call: who calls, and which protocol it speaks."""
        version = (METADATA_KEY, str(PROTOCOL))
        if not self.token:
            return (version, ("spades-software", SOFTWARE))
        return (
            version,
            ("spades-software", SOFTWARE),
            ("authorization", f"Bearer {self.token}"),
        )

    def tables(self) -> tables_pb2_grpc.TablesStub:
        """The service for watching and acting."""
        return tables_pb2_grpc.TablesStub(self.channel)

    def agents(self) -> agents_pb2_grpc.AgentsStub:
        """The service for agents."""
        return agents_pb2_grpc.AgentsStub(self.channel)

    async def info(self) -> ServerInfo:
        """Asks what the server is, and makes sure that both ends speak the same protocol.

        :raises TableError: if they do not.
        :raises ServerUnreachable: if nothing answers, or something else does.
        """
        answer = await self.call(self._lobby().GetServer, lobby_pb2.GetServerRequest())
        check_protocol(answer.protocol, who="server")
        self.links = tuple(answer.links)
        remember(self.link, self._trust, self.fingerprint)
        return ServerInfo(
            answer.version,
            tuple(answer.presets),
            tuple(answer.bots),
            answer.allows_seeds,
            self.links,
        )

    async def register(self, name: str) -> str:
        """Takes a name; the token of this connection is the new player's from now on."""
        answer = await self.call(self._players().Register, players_pb2.RegisterRequest(name=name))
        self.token = answer.token
        return answer.name

    async def me(self) -> tuple[str, tuple[tuple[str, Seat], ...]]:
        """Asks whose token this is: the name, and the tables and seats held."""
        answer = await self.call(self._players().GetMe, players_pb2.GetMeRequest())
        held = ((one.table, wire.SEAT.from_wire(one.seat)) for one in answer.seats)
        return answer.name, tuple(held)

    async def profile(self, name: str = "") -> Profile:
        """Shows a player's results: one's own if no name is given."""
        request = players_pb2.GetProfileRequest(name=name)
        return wire.profile_from_wire(await self.call(self._players().GetProfile, request))

    async def matches(self, most: int | None = None) -> tuple[PlayedMatch, ...]:
        """Lists one's finished matches, the newest first: all of them, or at most so many."""
        found: list[PlayedMatch] = []
        token = ""
        while most is None or len(found) < most:
            size = MATCHES_AT_ONCE if most is None else min(most - len(found), MATCHES_AT_ONCE)
            request = players_pb2.ListMatchesRequest(page_size=size, page_token=token)
            page = await self.call(self._players().ListMatches, request)
            found += map(wire.played_match_from_wire, page.matches)
            token = page.next_page_token
            if not token:
                break
        return tuple(found)

    async def replace_token(self) -> str:
        """Gets a new token, which is this connection's from now on; the old one is worth nothing any more.

        Streams that were opened with the old one end, those of this connection among them.
        """
        answer = await self.call(self._players().ReplaceToken, players_pb2.ReplaceTokenRequest())
        self.token = answer.token
        return answer.token

    async def delete_me(self, name: str) -> None:
        """Deletes the player, for good; ``name`` is the own name once more, as a confirmation."""
        await self.call(self._players().DeleteMe, players_pb2.DeleteMeRequest(name=name))
        self.token = ""

    async def create_table(
        self,
        rules: str = "",
        *,
        private: bool = False,
        seats: Sequence[Seat] = (),
        bots: Sequence[tuple[Seat, str]] = (),
        start: bool = False,
        many_seats: bool = False,
        tempo_ms: int | None = None,
        seed: str = "",
        kind: OccupantKind = OccupantKind.PERSON,
        time_control: TimeControl | None = None,
        hints: bool = True,
    ) -> Table:
        """Opens a table; see ``CreateTableRequest`` in the protocol for each field."""
        request = lobby_pb2.CreateTableRequest(
            rules=rules,
            private=private,
            seats=map(wire.SEAT.to_wire, seats),
            bots=[lobby_pb2.BotSeat(seat=wire.SEAT.to_wire(seat), bot=bot) for seat, bot in bots],
            start=start,
            many_seats=many_seats,
            tempo_ms=tempo_ms,
            seed=seed,
            kind=wire.OCCUPANT_KIND.to_wire(kind),
            no_hints=not hints,
        )
        if time_control is not None:
            # What is set is meant, also where it says that there is no limit.
            request.time_control.SetInParent()
            request.time_control.decision_ms = time_control.decision_ms
            request.time_control.bank_ms = time_control.bank_ms
        return _table((await self.call(self._lobby().CreateTable, request)).table)

    async def list_tables(self) -> tuple[Table, ...]:
        """Lists the tables that are not private."""
        tables: list[Table] = []
        token = ""
        while True:
            request = lobby_pb2.ListTablesRequest(page_size=100, page_token=token)
            page = await self.call(self._lobby().ListTables, request)
            tables += map(_table, page.tables)
            token = page.next_page_token
            if not token:
                return tuple(tables)

    async def get_table(self, code: str) -> Table:
        """Shows one table."""
        request = lobby_pb2.GetTableRequest(table=code)
        return _table((await self.call(self._lobby().GetTable, request)).table)

    async def sit(
        self, code: str, seat: Seat | None = None, kind: OccupantKind = OccupantKind.PERSON
    ) -> Seat:
        """Takes a seat, the first free one if none is named."""
        request = lobby_pb2.SitRequest(table=code, kind=wire.OCCUPANT_KIND.to_wire(kind))
        if seat is not None:
            request.seat = wire.SEAT.to_wire(seat)
        return wire.SEAT.from_wire((await self.call(self._lobby().Sit, request)).seat)

    async def leave(self, code: str) -> None:
        """Gives the seats at a table up."""
        await self.call(self._lobby().Leave, lobby_pb2.LeaveRequest(table=code))

    async def add_bot(self, code: str, bot: str, seat: Seat | None = None) -> Table:
        """Seats a house bot, at every free seat if none is named."""
        request = lobby_pb2.AddBotRequest(table=code, bot=bot)
        if seat is not None:
            request.seat = wire.SEAT.to_wire(seat)
        return _table((await self.call(self._lobby().AddBot, request)).table)

    async def remove_bot(self, code: str, seat: Seat) -> Table:
        """Takes a house bot away."""
        request = lobby_pb2.RemoveBotRequest(table=code, seat=wire.SEAT.to_wire(seat))
        return _table((await self.call(self._lobby().RemoveBot, request)).table)

    async def start(self, code: str) -> Table:
        """Starts the match, or a rematch."""
        request = lobby_pb2.StartRequest(table=code)
        return _table((await self.call(self._lobby().Start, request)).table)

    async def act(self, command: Command) -> int:
        """Does something at a table; returns the number of the last event that it caused."""
        request = tables_pb2.ActRequest(command=wire.command_to_wire(command))
        return (await self.call(self.tables().Act, request)).seq

    async def echo(self, table: str, seat: Seat, echo: int) -> None:
        """Sends a heartbeat's echo back."""
        request = tables_pb2.EchoRequest(table=table, seat=wire.SEAT.to_wire(seat), echo=echo)
        await self.call(self.tables().Echo, request)

    async def record(self, match: str) -> str:
        """Gets the record of a match: one line of JSON."""
        stub = records_pb2_grpc.RecordsStub(self.channel)
        answer = await self.call(stub.GetRecord, records_pb2.GetRecordRequest(match=match))
        return answer.line

    def _players(self) -> players_pb2_grpc.PlayersStub:
        return players_pb2_grpc.PlayersStub(self.channel)

    def _lobby(self) -> lobby_pb2_grpc.LobbyStub:
        return lobby_pb2_grpc.LobbyStub(self.channel)

    async def call(
        self, method: aio.UnaryUnaryMultiCallable[Request, Response], request: Request
    ) -> Response:
        """Makes a call as the player of this connection.

        :raises SpadesError: if it is refused, or nothing answers.
        """
        for last in (False, False, True):
            try:
                return await method(request, metadata=self.metadata, timeout=CALL_TIMEOUT)
            except aio.AioRpcError as error:
                refusal = explained(error, self.target)
                wait_s = refusal.retry_after_s if isinstance(refusal, TableError) else None
                if last or wait_s is None or wait_s > MOST_WAIT_S:
                    raise refusal from error
            # The server takes the next request then: whoever asked too often is served a little later.
            await asyncio.sleep(wait_s)
        raise AssertionError("the last try returns or raises")


def explained(error: aio.AioRpcError, target: str) -> SpadesError:
    """Says in a sentence what a failed call means."""
    refusal = error_of(error)
    if refusal is not None:
        return refusal
    match error.code():
        case (
            grpc.StatusCode.UNAVAILABLE
            | grpc.StatusCode.DEADLINE_EXCEEDED
            # What a server that is stopping makes of a call that comes too late.
            | grpc.StatusCode.CANCELLED
        ):
            return ServerUnreachable(
                f"No server answers at {target}: is it running, and is the address right?"
            )
        case grpc.StatusCode.UNIMPLEMENTED:
            return ServerUnreachable(f"What answers at {target} is not a Spades server.")
        case code:
            return TableError(
                f"The call to {target} failed: {code.name}: {error.details()}", Reason.TABLE_STATE
            )
