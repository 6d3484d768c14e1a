"""The competitions of a server, seen from outside."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from grpc import aio

from spades_agents.caller import explained
from spades_agents.server import Server
from spades_proto import wire
from spades_proto.competition import CompetitionFormat, CompetitionStatus
from spades_proto.timing import TimeControl
from spades_proto.v1 import competitions_pb2 as pb
from spades_proto.v1 import competitions_pb2_grpc

AT_A_TIME = 100


class Competitions:
    """The calls about competitions, for the player of a connection."""

    def __init__(self, server: Server) -> None:
        self._server = server

    @property
    def _stub(self) -> competitions_pb2_grpc.CompetitionsStub:
        return competitions_pb2_grpc.CompetitionsStub(self._server.channel)

    async def create(
        self,
        title: str,
        kind: CompetitionFormat,
        *,
        boards: bool = False,
        rules: str = "",
        units: int = 0,
        controls: int | None = None,
        challengers: int = 0,
        time_control: TimeControl | None = None,
        strikes: int = 0,
        strict: bool = False,
        separate: bool = False,
    ) -> CompetitionStatus:
        """Opens a competition; see ``CreateCompetitionRequest`` in the protocol for each field."""
        request = pb.CreateCompetitionRequest(
            title=title,
            format=wire.COMPETITION_FORMAT.to_wire(kind),
            boards=boards,
            rules=rules,
            units=units,
            controls=controls,
            challengers=challengers,
            time_control=(
                None if time_control is None else wire.whole_time_control_to_wire(time_control)
            ),
            strikes=strikes,
            strict=strict,
            separate=separate,
        )
        answer = await self._server.call(self._stub.CreateCompetition, request)
        return wire.competition_from_wire(answer.competition)

    async def all(self) -> tuple[CompetitionStatus, ...]:
        """Lists the competitions, the newest first."""
        found: list[CompetitionStatus] = []
        token = ""
        while True:
            request = pb.ListCompetitionsRequest(page_size=AT_A_TIME, page_token=token)
            answer = await self._server.call(self._stub.ListCompetitions, request)
            found += map(wire.competition_from_wire, answer.competitions)
            token = answer.next_page_token
            if not token:
                return tuple(found)

    async def get(self, name: str) -> CompetitionStatus:
        """Shows a competition."""
        request = pb.GetCompetitionRequest(competition=name)
        answer = await self._server.call(self._stub.GetCompetition, request)
        return wire.competition_from_wire(answer.competition)

    async def enter(
        self, name: str, entry: str = "", *, bot: str = "", at_once: int = 0, partner: str = ""
    ) -> str:
        """Enters one's own agent, or as the organiser a house bot; gives the name of the entry.

        ``partner`` is the name of another player, who has to enter with oneself as partner too.
        """
        request = pb.EnterCompetitionRequest(
            competition=name, name=entry, bot=bot, at_once=at_once, partner=partner
        )
        return (await self._server.call(self._stub.EnterCompetition, request)).name

    async def withdraw(self, name: str, entry: str = "") -> CompetitionStatus:
        """Takes an entry out, one's own if none is named."""
        request = pb.WithdrawEntryRequest(competition=name, name=entry)
        answer = await self._server.call(self._stub.WithdrawEntry, request)
        return wire.competition_from_wire(answer.competition)

    async def start(self, name: str) -> CompetitionStatus:
        """Closes the entries and begins to play."""
        request = pb.StartCompetitionRequest(competition=name)
        answer = await self._server.call(self._stub.StartCompetition, request)
        return wire.competition_from_wire(answer.competition)

    async def call_off(self, name: str) -> CompetitionStatus:
        """Calls a competition off that has not begun."""
        request = pb.CallOffCompetitionRequest(competition=name)
        answer = await self._server.call(self._stub.CallOffCompetition, request)
        return wire.competition_from_wire(answer.competition)

    async def watch(self, name: str) -> AsyncGenerator[CompetitionStatus]:
        """Shows a competition now and whenever it has changed, until it is over."""
        request = pb.WatchCompetitionRequest(competition=name)
        call = self._stub.WatchCompetition(request, metadata=self._server.metadata)
        try:
            async for answer in call:
                yield wire.competition_from_wire(answer.competition)
        except aio.AioRpcError as error:
            raise explained(error, self._server.target) from error
        finally:
            call.cancel()

    async def download(self, name: str) -> AsyncGenerator[tuple[str, bytes]]:
        """The files of a competition that is over, piece by piece, each with its name."""
        request = pb.DownloadCompetitionRequest(competition=name)
        call = self._stub.DownloadCompetition(request, metadata=self._server.metadata)
        try:
            async for answer in call:
                yield answer.file, answer.data
        except aio.AioRpcError as error:
            raise explained(error, self._server.target) from error
        finally:
            call.cancel()
