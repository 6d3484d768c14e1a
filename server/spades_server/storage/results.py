"""What finished matches were for their players, as rows: sums and pages are made by the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import BigInteger, Engine, String, func, select, tuple_

from spades import EndReason, parse_seat
from spades_proto.profile import RESULT_FIELDS, NotCounted, PlayedMatch, Results
from spades_proto.records import parse_summary
from spades_server.pages import page_size
from spades_server.results import Career, PlayerMatch
from spades_server.storage.schema import records, results


def result_row(player: str, one: PlayerMatch) -> dict[str, object]:
    """A match of a player as it is stored."""
    return {
        "match": one.match,
        "player": player,
        "ended_us": one.ended_us,
        "seats": "".join(seat.letter for seat in one.seats),
        "points": one.points,
        "points_against": one.points_against,
        "reason": one.reason.name,
        "not_counted": one.not_counted.name if one.not_counted else "",
        **{name: getattr(one.results, name) for name in RESULT_FIELDS},
    }


def _player_match(row: Mapping[str, Any]) -> PlayerMatch:
    return PlayerMatch(
        row["match"],
        row["ended_us"],
        tuple(map(parse_seat, row["seats"])),
        row["points"],
        row["points_against"],
        EndReason[row["reason"]],
        Results(*(row[name] for name in RESULT_FIELDS)),
        NotCounted[row["not_counted"]] if row["not_counted"] else None,
    )


def career(engine: Engine, player: str) -> Career:
    """The matches of a player that count, added up: one row for each way a match may end."""
    sums = (func.coalesce(func.sum(results.c[name]), 0).label(name) for name in RESULT_FIELDS)
    query = select(results.c.reason, *sums).where(
        results.c.player == player, results.c.not_counted == ""
    )
    with engine.connect() as connection:
        found = connection.execute(query.group_by(results.c.reason)).mappings().all()
    total = Career()
    for row in found:
        part = Results(*(int(row[name]) for name in RESULT_FIELDS))
        total = total.with_sums(EndReason[row["reason"]], part)
    return total


def history(
    engine: Engine, player: str, size: int, token: str
) -> tuple[Sequence[PlayedMatch], str]:
    """A page of a player's matches, the newest first; the token is the last match of the page before.

    :raises TableError: if the size is out of range.
    """
    size = page_size(size)
    place = tuple_(results.c.ended_us, results.c.match)
    # The names are asked of the record, so that a name that was struck there is struck here.
    query = select(results, records.c.summary).join(records).where(results.c.player == player)
    with engine.connect() as connection:
        before = connection.execute(
            select(results.c.ended_us, results.c.match).where(
                results.c.player == player, results.c.match == token
            )
        ).one_or_none()
        if before is not None:
            # Times are too long for the type that a database would take a number for.
            last = tuple_(before.ended_us, before.match, types=(BigInteger, String))
            query = query.where(place < last)
        query = query.order_by(results.c.ended_us.desc(), results.c.match.desc()).limit(size + 1)
        rows = connection.execute(query).mappings().all()
    shown = [
        _player_match(dict(row)).shown(parse_summary(row["summary"])[0].players)
        for row in rows[:size]
    ]
    return shown, shown[-1].match if len(rows) > size else ""
