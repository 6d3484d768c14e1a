"""`Competitions`: bots against one another on the same deals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from spades import Reason, SpadesError, TableError, parse_rules
from spades_arena.limits import USUAL
from spades_proto import wire
from spades_proto.competition import CompetitionStatus, CompetitionTerms
from spades_proto.v1 import competitions_pb2 as pb
from spades_proto.v1 import competitions_pb2_grpc
from spades_server.competitions.competition import Competition
from spades_server.competitions.office import Competitions
from spades_server.pages import page
from spades_server.services.calls import Context, Gate, refuse
from spades_server.streams import Streams

USUAL_UNITS: Final = 32
USUAL_STRIKES: Final = 3

LOOK_S: Final = 2.0
"""How often a competition is looked at of which there is no news: who is connected changes too."""

PAUSE_S: Final = 0.25
"""How long whoever watches is told nothing after something was told."""

SHARE: Final = 20
"""How many times as long as the counting took whoever watches waits for the next."""

PIECE: Final = 1 << 16
"""How many letters of a file are sent in one message."""


class CompetitionsService(competitions_pb2_grpc.CompetitionsServicer):
    """Translates between the calls of `Competitions` and the competitions."""

    def __init__(self, competitions: Competitions, gate: Gate, streams: Streams) -> None:
        self._competitions = competitions
        self._gate = gate
        self._streams = streams

    async def CreateCompetition(
        self, request: pb.CreateCompetitionRequest, context: Context
    ) -> pb.CreateCompetitionResponse:
        """Opens a competition."""
        try:
            player = self._gate.caller(context)
            made = await self._competitions.create(player, request.title, _terms(request))
        except SpadesError as error:
            await refuse(context, error, _FIELDS.get(error.reason, ""))
        return pb.CreateCompetitionResponse(competition=self._shown(made))

    async def ListCompetitions(
        self, request: pb.ListCompetitionsRequest, context: Context
    ) -> pb.ListCompetitionsResponse:
        """Lists competitions."""
        try:
            self._gate.caller(context)
            known = self._competitions.newest_first
            names, token = page(list(known), request.page_size, request.page_token)
        except SpadesError as error:
            await refuse(context, error, "page_size")
        shown = [self._shown(known[name]) for name in names]
        return pb.ListCompetitionsResponse(competitions=shown, next_page_token=token)

    async def GetCompetition(
        self, request: pb.GetCompetitionRequest, context: Context
    ) -> pb.GetCompetitionResponse:
        """Shows a competition."""
        try:
            self._gate.caller(context)
            found = self._competitions.find(request.competition)
        except SpadesError as error:
            await refuse(context, error, "competition")
        return pb.GetCompetitionResponse(competition=self._shown(found))

    async def EnterCompetition(
        self, request: pb.EnterCompetitionRequest, context: Context
    ) -> pb.EnterCompetitionResponse:
        """Enters an agent."""
        try:
            player = self._gate.caller(context)
            found = self._competitions.find(request.competition)
            name = await self._competitions.enter(
                found, player, request.name, request.bot, request.at_once, request.partner
            )
        except SpadesError as error:
            await refuse(context, error, "name")
        return pb.EnterCompetitionResponse(competition=self._shown(found), name=name)

    async def WithdrawEntry(
        self, request: pb.WithdrawEntryRequest, context: Context
    ) -> pb.WithdrawEntryResponse:
        """Takes an entry out."""
        try:
            player = self._gate.caller(context)
            found = self._competitions.find(request.competition)
            await self._competitions.withdraw(found, player, request.name)
        except SpadesError as error:
            await refuse(context, error, "name")
        return pb.WithdrawEntryResponse(competition=self._shown(found))

    async def StartCompetition(
        self, request: pb.StartCompetitionRequest, context: Context
    ) -> pb.StartCompetitionResponse:
        """Begins to play."""
        try:
            player = self._gate.caller(context)
            found = self._competitions.find(request.competition)
            await self._competitions.start(found, player)
        except SpadesError as error:
            await refuse(context, error, "competition")
        return pb.StartCompetitionResponse(competition=self._shown(found))

    async def CallOffCompetition(
        self, request: pb.CallOffCompetitionRequest, context: Context
    ) -> pb.CallOffCompetitionResponse:
        """Calls a competition off."""
        try:
            player = self._gate.caller(context)
            found = self._competitions.find(request.competition)
            await self._competitions.call_off(found, player)
        except SpadesError as error:
            await refuse(context, error, "competition")
        return pb.CallOffCompetitionResponse(competition=self._shown(found))

    async def WatchCompetition(
        self, request: pb.WatchCompetitionRequest, context: Context
    ) -> AsyncIterator[pb.WatchCompetitionResponse]:
        """Shows a competition whenever it has changed."""
        try:
            player = self._gate.caller(context)
            found = self._competitions.find(request.competition)
            self._streams.require_room(player.id)
        except SpadesError as error:
            await refuse(context, error, "competition")
        with self._streams.reserved(player.id):
            async for status in self._changes(found):
                shown = wire.competition_to_wire(status)
                yield pb.WatchCompetitionResponse(competition=shown)
        if self._competitions.stopping.is_set():
            stopping = TableError("The server is stopping; come back in a while.", Reason.DRAINING)
            await refuse(context, stopping)

    async def _changes(self, competition: Competition) -> AsyncIterator[CompetitionStatus]:
        """How it stands now, and then whenever that is something else, until it is over."""
        last: CompetitionStatus | None = None
        clock = asyncio.get_running_loop().time
        while not self._competitions.stopping.is_set():
            began = clock()
            seen = len(competition.lines), competition.registration
            status = self._competitions.status(competition)
            # A long competition takes a while to count, which others wait for.
            pause_s = max(PAUSE_S, SHARE * (clock() - began))
            if status != last:
                last = status
                yield status
                if status.over:
                    return
                await asyncio.sleep(pause_s)
            if seen == (len(competition.lines), competition.registration):
                await self._competitions.news(competition, LOOK_S)

    async def DownloadCompetition(
        self, request: pb.DownloadCompetitionRequest, context: Context
    ) -> AsyncIterator[pb.DownloadCompetitionResponse]:
        """Sends the files of a competition that is over."""
        try:
            player = self._gate.caller(context)
            found = self._competitions.find(request.competition)
            self._streams.require_room(player.id)
            with self._streams.reserved(player.id):
                async for name, text in self._competitions.files(found):
                    for start in range(0, len(text), PIECE):
                        data = text[start : start + PIECE].encode()
                        yield pb.DownloadCompetitionResponse(file=name, data=data)
        except SpadesError as error:
            await refuse(context, error, "competition")

    def _shown(self, competition: Competition) -> pb.Competition:
        return wire.competition_to_wire(self._competitions.status(competition))


def _terms(request: pb.CreateCompetitionRequest) -> CompetitionTerms:
    control = USUAL
    if request.HasField("time_control"):
        control = wire.time_control_from_wire(request.time_control)
    return CompetitionTerms(
        format=wire.COMPETITION_FORMAT.from_wire(request.format),
        boards=request.boards,
        rules=parse_rules(request.rules or "classic"),
        units=request.units or USUAL_UNITS,
        controls=request.controls if request.HasField("controls") else 1,
        challengers=request.challengers or 1,
        time_control=control,
        strikes=request.strikes or USUAL_STRIKES,
        strict=request.strict,
        separate=request.separate,
    )


_FIELDS: Final = {
    Reason.INVALID_OPTION: "rules",
    Reason.INVALID_NOTATION: "rules",
    Reason.NAME_INVALID: "title",
    Reason.INVALID_FIELD: "units",
}
"""Which field of a request for a competition is to blame for a refusal."""
