"""Competitions on the wire."""

from __future__ import annotations

from spades_proto.competition import (
    CompetitionEntry,
    CompetitionFault,
    CompetitionStatus,
    CompetitionTerms,
)
from spades_proto.v1 import competitions_pb2
from spades_proto.wire.enums import COMPETITION_FORMAT, COMPETITION_STAGE
from spades_proto.wire.rules import rules_from_wire, rules_to_wire
from spades_proto.wire.seating import time_control_from_wire, time_control_to_wire


def competition_to_wire(status: CompetitionStatus) -> competitions_pb2.Competition:
    """Writes a competition as it stands."""
    return competitions_pb2.Competition(
        id=status.id,
        title=status.title,
        organiser=status.organiser,
        stage=COMPETITION_STAGE.to_wire(status.stage),
        terms=_terms_to_wire(status.terms),
        seed_commitment=status.seed_commitment,
        event=status.event,
        streams_root=status.streams_root,
        entries=map(_entry_to_wire, status.entries),
        done=status.done,
        planned=status.planned,
        playing=status.playing,
        dropped=status.dropped,
    )


def competition_from_wire(message: competitions_pb2.Competition) -> CompetitionStatus:
    """Reads a competition.

    :raises SpadesError: if a field is missing or out of range.
    """
    return CompetitionStatus(
        id=message.id,
        title=message.title,
        organiser=message.organiser,
        stage=COMPETITION_STAGE.from_wire(message.stage),
        terms=_terms_from_wire(message.terms),
        seed_commitment=message.seed_commitment,
        event=message.event,
        streams_root=message.streams_root,
        entries=tuple(map(_entry_from_wire, message.entries)),
        done=message.done,
        planned=message.planned,
        playing=message.playing,
        dropped=message.dropped,
    )


def _terms_to_wire(terms: CompetitionTerms) -> competitions_pb2.CompetitionTerms:
    return competitions_pb2.CompetitionTerms(
        format=COMPETITION_FORMAT.to_wire(terms.format),
        boards=terms.boards,
        rules=rules_to_wire(terms.rules),
        units=terms.units,
        controls=terms.controls,
        challengers=terms.challengers,
        time_control=time_control_to_wire(terms.time_control),
        strikes=terms.strikes,
        strict=terms.strict,
        separate=terms.separate,
    )


def _terms_from_wire(message: competitions_pb2.CompetitionTerms) -> CompetitionTerms:
    return CompetitionTerms(
        format=COMPETITION_FORMAT.from_wire(message.format),
        boards=message.boards,
        rules=rules_from_wire(message.rules),
        units=message.units,
        controls=message.controls,
        challengers=message.challengers,
        time_control=time_control_from_wire(message.time_control),
        strikes=message.strikes,
        strict=message.strict,
        separate=message.separate,
    )


def _entry_to_wire(entry: CompetitionEntry) -> competitions_pb2.CompetitionEntry:
    return competitions_pb2.CompetitionEntry(
        name=entry.name,
        bot=entry.bot,
        connected=entry.connected,
        at_once=entry.at_once,
        rank=entry.rank,
        units=entry.units,
        points=entry.points,
        lead=entry.lead,
        forfeits=entry.forfeits,
        faults=entry.faults,
        withdrawn=entry.withdrawn,
        annulled=entry.annulled,
        two_players=entry.two_players,
        awaits=entry.awaits,
        awaited_by=entry.awaited_by,
        fault_causes=[
            competitions_pb2.CompetitionFault(
                cause=one.cause, count=one.count, unit=one.unit, sentence=one.sentence
            )
            for one in entry.fault_causes
        ],
    )


def _entry_from_wire(message: competitions_pb2.CompetitionEntry) -> CompetitionEntry:
    return CompetitionEntry(
        name=message.name,
        bot=message.bot,
        connected=message.connected,
        at_once=message.at_once,
        rank=message.rank,
        units=message.units,
        points=message.points,
        lead=message.lead,
        forfeits=message.forfeits,
        faults=message.faults,
        withdrawn=message.withdrawn,
        annulled=message.annulled,
        two_players=message.two_players,
        awaits=message.awaits,
        awaited_by=message.awaited_by,
        fault_causes=tuple(
            CompetitionFault(one.cause, one.count, one.unit, one.sentence)
            for one in message.fault_causes
        ),
    )
