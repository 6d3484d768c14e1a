"""What the database says has happened: the journal of each open table, and the records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from spades import Event, MatchEnded, MatchStarted
from spades_proto.table import AnyEvent, RecordKept
from spades_proto.verification import verify
from spades_server.commands import Deed
from spades_server.journal import StoredTable
from spades_server.storage.database import Database
from spades_server.storage.journal import SqlJournal
from spades_server.storage.place import place_in
from spades_server.table import Table


@dataclass(frozen=True, slots=True)
class Truth:
    """The whole log of a table, with the hands of all four, and the requests that were done."""

    table: str
    epoch: int
    events: tuple[AnyEvent, ...]
    """The event with ``seq`` n stands at n - 1."""
    requests: Counter[tuple[str, str]]
    """How often each player's request was done."""


def read_truth(folder: Path) -> dict[str, Truth]:
    """Reads the database of a server that has ended, table by table.

    Every record of a match must tell the same match as the journal of its table.
    """
    database = Database(place_in(folder))
    try:
        journal = SqlJournal(database)
        truths = [_replayed(one) for one in journal.restore().tables]
        for truth in truths:
            _compare_records(truth, journal)
    finally:
        database.close()
    return {truth.table: truth for truth in truths}


def _replayed(stored: StoredTable) -> Truth:
    table = Table(stored.config, stored.host, stored.opened_us, stored.epoch)
    events: list[AnyEvent] = [entry.event for entry in table.opening]
    requests: Counter[tuple[str, str]] = Counter()
    for time_us, command in stored.commands:
        entries, _ = table.handle(command, time_us)
        table.take_finished()
        events += [entry.event for entry in entries]
        if isinstance(command, Deed):
            requests[command.player.name, command.command.request_id] += 1
    return Truth(stored.config.code, stored.epoch, tuple(events), requests)


def _compare_records(truth: Truth, journal: SqlJournal) -> None:
    match: list[Event] = []
    for event in truth.events:
        if isinstance(event, MatchStarted):
            match = []
        if isinstance(event, Event):
            match.append(event)
        if isinstance(event, RecordKept):
            assert isinstance(match[-1], MatchEnded), "a record follows the end of its match"
            told = verify(journal.record(event.match)).match.log
            assert tuple(told) == tuple(match), f"the record {event.match} tells another match"
