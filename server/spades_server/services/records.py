"""`Records`: finished matches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spades import SpadesError
from spades_proto import wire
from spades_proto.v1 import records_pb2, records_pb2_grpc
from spades_server.journal import Journal
from spades_server.pages import page
from spades_server.services.calls import Context, Gate, refuse

if TYPE_CHECKING:
    from spades_server.competitions.office import Competitions


class RecordsService(records_pb2_grpc.RecordsServicer):
    """Translates between the calls of `Records` and the journal."""

    def __init__(self, journal: Journal, competitions: Competitions | None, gate: Gate) -> None:
        self._journal = journal
        self._competitions = competitions
        self._gate = gate

    async def GetRecord(
        self, request: records_pb2.GetRecordRequest, context: Context
    ) -> records_pb2.GetRecordResponse:
        """Gives the record of a match."""
        try:
            self._gate.caller(context)
            line = await self._record(request.match)
        except SpadesError as error:
            await refuse(context, error, "match")
        return records_pb2.GetRecordResponse(line=line)

    async def _record(self, match: str) -> str:
        """The record of a match, or of a table of a competition."""
        if self._competitions is not None:
            line = await self._competitions.record(match)
            if line is not None:
                return line
        return self._journal.record(match)

    async def ListRecords(
        self, request: records_pb2.ListRecordsRequest, context: Context
    ) -> records_pb2.ListRecordsResponse:
        """Lists the records, the newest first."""
        try:
            self._gate.caller(context)
            kept = {one.match: one for one in self._journal.records()}
            names, token = page(list(kept), request.page_size, request.page_token)
        except SpadesError as error:
            await refuse(context, error, "page_size")
        records = [
            records_pb2.RecordSummary(
                match=name,
                table=kept[name].table,
                ended_us=kept[name].ended_us,
                players=wire.players_to_wire(kept[name].players),
                outcome=wire.outcome_to_wire(self._journal.outcome(name)),
            )
            for name in names
        ]
        return records_pb2.ListRecordsResponse(records=records, next_page_token=token)
