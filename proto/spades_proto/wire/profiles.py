"""Who played, and what came of it: results, achievements and histories."""

from __future__ import annotations

from collections.abc import Iterable

from spades import Seat
from spades_proto.profile import RESULT_FIELDS, Achievement, PlayedMatch, Profile, Results
from spades_proto.table import Occupant
from spades_proto.v1 import players_pb2, records_pb2
from spades_proto.wire.enums import (
    ACHIEVEMENT_KIND,
    END_REASON,
    MATCH_RESULT,
    NOT_COUNTED,
    SEAT,
)
from spades_proto.wire.seating import occupant_from_wire, occupant_to_wire


def players_to_wire(
    players: Iterable[tuple[Seat, Occupant]],
) -> list[records_pb2.RecordPlayer]:
    """Writes who played."""
    return [
        records_pb2.RecordPlayer(seat=SEAT.to_wire(seat), occupant=occupant_to_wire(occupant))
        for seat, occupant in players
    ]


def players_from_wire(
    messages: Iterable[records_pb2.RecordPlayer],
) -> tuple[tuple[Seat, Occupant], ...]:
    """Reads who played."""
    return tuple((SEAT.from_wire(one.seat), occupant_from_wire(one.occupant)) for one in messages)


def profile_to_wire(profile: Profile) -> players_pb2.GetProfileResponse:
    """Writes what everybody may know of a player."""
    return players_pb2.GetProfileResponse(
        name=profile.name,
        since_us=profile.since_us,
        results=_results_to_wire(profile.results),
        achievements=[
            players_pb2.Achievement(
                kind=ACHIEVEMENT_KIND.to_wire(one.kind), progress=one.progress, goal=one.goal
            )
            for one in profile.achievements
        ],
    )


def profile_from_wire(message: players_pb2.GetProfileResponse) -> Profile:
    """Reads what everybody may know of a player; a kind of achievement that is not known here is left out."""
    known = players_pb2.AchievementKind.values()
    return Profile(
        message.name,
        message.since_us,
        Results(*(getattr(message.results, name) for name in RESULT_FIELDS)),
        tuple(
            Achievement(ACHIEVEMENT_KIND.from_wire(one.kind), one.progress, one.goal)
            for one in message.achievements
            if one.kind in known
        ),
    )


def _results_to_wire(results: Results) -> players_pb2.Results:
    message = players_pb2.Results()
    for name in RESULT_FIELDS:
        setattr(message, name, getattr(results, name))
    return message


def played_match_to_wire(played: PlayedMatch) -> players_pb2.PlayedMatch:
    """Writes a match of a history."""
    return players_pb2.PlayedMatch(
        match=played.match,
        ended_us=played.ended_us,
        seats=[SEAT.to_wire(seat) for seat in played.seats],
        players=players_to_wire(played.players),
        result=MATCH_RESULT.to_wire(played.result),
        points=played.points,
        points_against=played.points_against,
        reason=END_REASON.to_wire(played.reason),
        not_counted=(
            players_pb2.NOT_COUNTED_UNSPECIFIED
            if played.not_counted is None
            else NOT_COUNTED.to_wire(played.not_counted)
        ),
    )


def played_match_from_wire(message: players_pb2.PlayedMatch) -> PlayedMatch:
    """Reads a match of a history."""
    return PlayedMatch(
        message.match,
        message.ended_us,
        tuple(map(SEAT.from_wire, message.seats)),
        players_from_wire(message.players),
        MATCH_RESULT.from_wire(message.result),
        message.points,
        message.points_against,
        END_REASON.from_wire(message.reason),
        NOT_COUNTED.from_wire(message.not_counted) if message.not_counted else None,
    )
