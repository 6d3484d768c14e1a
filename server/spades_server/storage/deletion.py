"""Deleting a player: rows go, and names are struck where rows stay."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, Engine, delete, select, text, update

from spades_proto.records import (
    STRUCK_NAME,
    parse_summary,
    strike_name,
    summary_bytes,
    without_name,
)
from spades_server.commands import Player
from spades_server.storage.memo_codec import decode_memo, encode_memo
from spades_server.storage.schema import memos, players, records, results, tables

AT_ONCE: Final = 100
"""How many records are in memory at once."""


def delete_player(connection: Connection, player: Player) -> None:
    """Takes a player out of the database, within the transaction of the connection."""
    matches = _matches_of(connection, player)
    for start in range(0, len(matches), AT_ONCE):
        _strike(connection, matches[start : start + AT_ONCE], player.name)
    opened = update(tables).where(tables.c.host_id == player.id)
    connection.execute(opened.values(host_name=STRUCK_NAME))
    _strike_memos(connection, player)
    connection.execute(delete(results).where(results.c.player == player.id))
    connection.execute(delete(players).where(players.c.id == player.id))


def _matches_of(connection: Connection, player: Player) -> list[str]:
    """The matches whose records may name a player."""
    own = select(results.c.match).where(results.c.player == player.id)
    # Records from before there were results are known by nothing but the name.
    nobodys = select(records.c.match).except_(select(results.c.match))
    named = select(records.c.match).where(
        records.c.match.in_(nobodys),
        records.c.line.contains(json.dumps(player.name, ensure_ascii=False), autoescape=True),
    )
    return [*connection.execute(own).scalars(), *connection.execute(named).scalars()]


def _strike(connection: Connection, matches: list[str], name: str) -> None:
    wanted = records.c.match.in_(matches)
    found = connection.execute(select(records).where(wanted)).mappings().all()
    for row in found:
        circumstances, outcome = parse_summary(row["summary"])
        struck = summary_bytes(without_name(circumstances, name), outcome)
        change = update(records).where(records.c.match == row["match"])
        connection.execute(change.values(line=strike_name(row["line"], name), summary=struck))


def _strike_memos(connection: Connection, player: Player) -> None:
    """Strikes the name from what running tables remember; the tables themselves are told afterwards."""
    mark = player.id.encode()
    for table, payload in connection.execute(select(memos.c.table, memos.c.payload)).all():
        if mark not in payload:
            continue
        memo = decode_memo(payload)
        struck = encode_memo(replace(memo, seating=memo.seating.without_name(player.id)))
        change = update(memos).where(memos.c.table == table)
        connection.execute(change.values(payload=struck))


def truncate_log(engine: Engine) -> None:
    """Has SQLite move everything into its file and empty the log beside it, which keeps what was replaced."""
    if engine.dialect.name != "sqlite":
        return
    with engine.connect() as connection:
        connection.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))
