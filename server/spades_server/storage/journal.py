"""The journal that outlives the process, in a database under SQLAlchemy."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import Connection, Select, bindparam, delete, select, update
from sqlalchemy.exc import SQLAlchemyError

from spades import Outcome, Reason, TableError, format_rules, parse_rules
from spades_proto.profile import PlayedMatch
from spades_proto.records import Circumstances, parse_summary, summary_bytes, without_name
from spades_proto.timing import parse_time_control
from spades_server.commands import Player, TableCommand
from spades_server.config import ServerConfig
from spades_server.journal import Batch, Done, Stored, StoredTable
from spades_server.memo import TableMemo
from spades_server.players import Account
from spades_server.results import Career, FinishedMatch, results_by_player
from spades_server.storage.codec import CommandRow, decode, encode
from spades_server.storage.competitions import keep_document, records_of, stored_competitions
from spades_server.storage.database import Database
from spades_server.storage.deletion import delete_player, truncate_log
from spades_server.storage.errors import cause_of, explained
from spades_server.storage.memo_codec import decode_memo, encode_memo
from spades_server.storage.place import place_of
from spades_server.storage.results import career, history, result_row
from spades_server.storage.schema import (
    commands,
    competition_lines,
    memos,
    players,
    records,
    results,
    server,
    tables,
)
from spades_server.storage.writer import Writer
from spades_server.table_log import TableConfig

LISTED: Final = 2_000
"""How many of the newest records are listed; all of them can be asked for by name."""

_FORGET_COMMANDS: Final = delete(commands).where(commands.c.table == bindparam("code"))
_FORGET_MEMO: Final = delete(memos).where(memos.c.table == bindparam("code"))


class SqlJournal:
    """Writes everything before anybody hears of it, and reads it again after a restart."""

    def __init__(self, database: Database, *, power_safe: bool = False) -> None:
        self._database = database
        self._power_safe = power_safe
        self._incarnation = database.incarnation
        self._engine = database.engine
        self._writer: Writer | None = None
        self._broken: Callable[[str], None] | None = None
        self._numbers: dict[str, int] = {}
        self._listed: OrderedDict[str, tuple[Circumstances, Outcome]] = OrderedDict()

    # Writing.

    def start(self, broken: Callable[[str], None]) -> None:
        """Begins to write."""
        # A server may have been killed between the end of a player and the end of the file's trace of it.
        truncate_log(self._engine)
        self._broken = broken
        self._writer = Writer(self._database, broken)

    def close(self) -> None:
        """Writes what is left and closes the database."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        self._database.close()

    @property
    def _open_writer(self) -> Writer:
        assert self._writer is not None, "a journal is started before it is written to"
        return self._writer

    def commit(self, batch: Batch, done: Done) -> None:
        """Takes a batch in."""
        writer = self._open_writer
        if batch.opening is not None:
            config, host = batch.opening
            self._numbers[batch.table] = 0
            writer.insert(tables, _table_row(config, host, batch.epoch, batch.time_us))
        if batch.memo is not None:
            self._remember(batch.table, batch.memo())
        elif batch.command is not None:
            self._insert_command(batch.table, batch.time_us, batch.command)
        if batch.finished is not None:
            self._insert_finished(batch.finished, private=batch.private)
        writer.when_written(done)

    def _insert_finished(self, finished: FinishedMatch, *, private: bool) -> None:
        circumstances, outcome = finished.circumstances, finished.match.outcome
        assert outcome is not None, "only finished matches are kept"
        writer = self._open_writer
        # Writing the line takes a while, and is the writer's affair.
        writer.run(
            lambda connection: connection.execute(
                records.insert(),
                {
                    "match": circumstances.match,
                    "ended_us": circumstances.ended_us,
                    "private": private,
                    "summary": summary_bytes(circumstances, outcome),
                    "line": finished.line,
                },
            )
        )
        for player, result in results_by_player(finished).items():
            writer.insert(results, result_row(player, result))
        if not private:
            writer.when_written(lambda: self._list(circumstances, outcome))

    def _insert_command(self, table: str, time_us: int, command: TableCommand) -> None:
        number = self._numbers[table] = self._numbers[table] + 1
        kind, player, payload = encode(command)
        row: dict[str, object] = {
            "table": table,
            "number": number,
            "time_us": time_us,
            "kind": kind,
            "player": player,
            "payload": payload,
        }
        self._open_writer.insert(commands, row)

    def _remember(self, table: str, memo: TableMemo) -> None:
        """Puts a memo in the place of all commands so far; writing it takes a while, as a record does."""
        number = self._numbers[table] = self._numbers[table] + 1

        def replace(connection: Connection) -> None:
            connection.execute(_FORGET_COMMANDS, {"code": table})
            connection.execute(_FORGET_MEMO, {"code": table})
            row = {"table": table, "number": number, "payload": encode_memo(memo)}
            connection.execute(memos.insert(), row)

        self._open_writer.run(replace)

    def keep_player(self, account: Account, done: Done) -> None:
        """Keeps who a token belongs to."""
        writer = self._open_writer
        player = account.player
        row: dict[str, object] = {
            "id": player.id,
            "name": player.name,
            "digest": account.digest,
            "since_us": account.since_us,
        }
        writer.insert(players, row)
        writer.when_written(done)

    def replace_token(self, account: Account, done: Done) -> None:
        """Keeps the new token of a player in place of the old one."""
        change = update(players).where(players.c.id == account.player.id)
        change = change.values(digest=account.digest)
        writer = self._open_writer
        writer.run(lambda connection: connection.execute(change))
        writer.when_written(done)

    def delete_player(self, player: Player, done: Done) -> None:
        """Takes out a player, in one transaction, and leaves no trace of the name in the files."""

        def deleted() -> None:
            for match, (circumstances, outcome) in self._listed.items():
                self._listed[match] = (without_name(circumstances, player.name), outcome)
            done()

        writer = self._open_writer
        writer.run(lambda connection: delete_player(connection, player))
        writer.run_after(lambda: truncate_log(self._engine))
        writer.when_written(deleted)

    def seen(self, now_us: int) -> None:
        """Notes that the server runs."""
        row = {"id": 1, "seen_us": now_us, "incarnation": self._incarnation}

        def replace(connection: Connection) -> None:
            connection.execute(delete(server))
            connection.execute(server.insert(), row)

        self._open_writer.run(replace)

    def keep_competition(self, name: str, created_us: int, document: str, done: Done) -> None:
        """Keeps what is known of a competition."""
        writer = self._open_writer
        writer.run(lambda connection: keep_document(connection, name, created_us, document))
        writer.when_written(done)

    def keep_competition_line(
        self, name: str, number: int, line: str, records: str, done: Done
    ) -> None:
        """Keeps a line and its records in one transaction."""
        writer = self._open_writer
        row: dict[str, object] = {
            "competition": name,
            "number": number,
            "line": line,
            "records": records,
        }
        writer.insert(competition_lines, row)
        writer.when_written(done)

    def forget(self, table: str) -> None:
        """Takes a closed table out, with everything that was done at it; its records stay."""
        self._numbers.pop(table, None)
        self._open_writer.run(
            lambda connection: connection.execute(delete(tables).where(tables.c.code == table))
        )

    # Reading.

    def restore(self) -> Stored:
        """Reads everything that a server needs to go on."""
        newest = select(records.c.summary).where(~records.c.private)
        newest = newest.order_by(records.c.ended_us.desc()).limit(LISTED)
        where = self._database.place.shown
        with explained(f"{where} cannot be read"), self._engine.connect() as connection:
            known = [
                Account(Player(row["id"], row["name"]), row["digest"], row["since_us"])
                for row in _rows(connection, select(players))
            ]
            by_id = {account.player.id: account.player for account in known}
            done = _commands_by_table(connection, by_id)
            remembered = {
                code: (number, decode_memo(payload))
                for code, number, payload in connection.execute(
                    select(memos.c.table, memos.c.number, memos.c.payload)
                )
            }
            open_tables = _rows(connection, select(tables))
            last = next(iter(_rows(connection, select(server))), None)
            summaries = connection.scalars(newest).all()
            competitions = stored_competitions(connection)
        opened: list[StoredTable] = []
        for row in open_tables:
            code = row["code"]
            later = done.get(code, [])
            number, memo = remembered.get(code, (0, None))
            host = Player(row["host_id"], row["host_name"])
            opened.append(
                StoredTable(_config(row), host, row["epoch"], row["opened_us"], later, memo)
            )
            self._numbers[code] = number + len(later)
        for summary in reversed(summaries):
            self._list(*parse_summary(summary))
        seen_us, before = (0, "") if last is None else (last["seen_us"], last["incarnation"])
        crashed = bool(before) and before != self._incarnation
        lost = crashed and not self._power_safe
        return Stored(known, opened, competitions, seen_us, maybe_lost=lost)

    @contextmanager
    def _reading(self) -> Generator[None]:
        """Has the server stop if the database cannot be read.

        :raises TableError: if it cannot.
        """
        try:
            yield
        except SQLAlchemyError as error:
            if self._broken is not None:
                self._broken(f"The database cannot be read: {cause_of(error)}.")
            raise TableError(
                "The server has lost its records and is stopping.", Reason.DRAINING
            ) from error

    def _list(self, circumstances: Circumstances, outcome: Outcome) -> None:
        self._listed[circumstances.match] = (circumstances, outcome)
        if len(self._listed) > LISTED:
            self._listed.popitem(last=False)

    def record(self, match: str) -> str:
        """The record of a finished match."""
        query = select(records.c.line).where(records.c.match == match)
        with self._reading(), self._engine.connect() as connection:
            line = connection.execute(query).scalar_one_or_none()
        if line is None:
            raise TableError(f"There is no record of a match {match!r}.", Reason.RECORD_NOT_FOUND)
        return str(line)

    def records(self) -> Sequence[Circumstances]:
        """The finished matches of tables that are not private, the newest first."""
        return [circumstances for circumstances, _ in reversed(self._listed.values())]

    def outcome(self, match: str) -> Outcome:
        """How a listed match ended."""
        return self._listed[match][1]

    async def career(self, player: str) -> Career:
        """The sums; a thread makes them, since a program may have played a hundred thousand matches."""
        with self._reading():
            return await asyncio.to_thread(career, self._engine, player)

    async def competition_records(self, name: str, number: int) -> str:
        """The records that belong to a line of a competition's journal, or nothing."""
        with self._reading():
            return await asyncio.to_thread(records_of, self._engine, name, number)

    async def history(
        self, player: str, size: int, token: str
    ) -> tuple[Sequence[PlayedMatch], str]:
        """A page of a player's matches."""
        with self._reading():
            return await asyncio.to_thread(history, self._engine, player, size, token)


def open_journal(config: ServerConfig) -> SqlJournal:
    """The journal of a server that keeps its data, by its settings.

    :raises StorageError: if the data cannot be used.
    """
    database = Database(place_of(config), power_safe=config.power_safe)
    return SqlJournal(database, power_safe=config.power_safe)


def _table_row(config: TableConfig, host: Player, epoch: int, opened_us: int) -> dict[str, object]:
    return {
        "code": config.code,
        "host_id": host.id,
        "host_name": host.name,
        "rules": format_rules(config.rules),
        "private": config.private,
        "many_seats": config.many_seats,
        "seed_chosen": config.seed_chosen,
        "tempo_us": config.tempo_us,
        "grace_us": config.grace_us,
        "abandoned_us": config.abandoned_us,
        "stand_in": config.stand_in,
        "epoch": epoch,
        "opened_us": opened_us,
        "seed": config.seed,
        "time_control": str(config.time_control),
        "hints": config.hints,
    }


def _config(values: Mapping[str, Any]) -> TableConfig:
    return TableConfig(
        values["code"],
        parse_rules(values["rules"]),
        private=values["private"],
        many_seats=values["many_seats"],
        seed_chosen=values["seed_chosen"],
        tempo_us=values["tempo_us"],
        grace_us=values["grace_us"],
        abandoned_us=values["abandoned_us"],
        stand_in=values["stand_in"],
        seed=values["seed"],
        time_control=parse_time_control(values["time_control"]),
        hints=values["hints"],
    )


def _commands_by_table(
    connection: Connection, players: Mapping[str, Player]
) -> dict[str, list[tuple[int, TableCommand]]]:
    """What was done at each table, in order, with the time of each."""
    c = commands.c
    query = select(c.table, c.time_us, c.kind, c.player, c.payload).order_by(c.table, c.number)
    found: dict[str, list[tuple[int, TableCommand]]] = {}
    for table, time_us, *row in connection.execute(query):
        found.setdefault(table, []).append((time_us, decode(CommandRow(*row), players)))
    return found


def _rows(connection: Connection, query: Select[Any]) -> list[Mapping[str, Any]]:
    """The rows of a query, column by column."""
    return [dict(row) for row in connection.execute(query).mappings()]
