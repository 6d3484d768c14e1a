"""Verifying an event: from its seed to its tables, everything is come to again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from spades import EndReason, Match, Seat, SeededDeals, Side, SpadesError
from spades_arena.canonical import pretty, sha256
from spades_arena.commitment import commitments
from spades_arena.errors import ArenaError
from spades_arena.events import (
    COMMITMENTS,
    EVENT,
    JOURNAL,
    RECORDS,
    SEED,
    EventFolder,
)
from spades_arena.journal import Reading, read_journal
from spades_arena.lines import closing_line, unit_line, withdrawal_line
from spades_arena.reports import report_texts
from spades_arena.results import Status, TableResult, UnitResult, parse_result
from spades_arena.state import EventState, Kind
from spades_arena.tables import make_tables
from spades_arena.unit import UnitWork, score_unit, unit_work
from spades_proto.records import RecordError
from spades_proto.verification import Verified, verify

LOCK: Final = "journal.lock"


@dataclass(frozen=True, slots=True)
class Verification:
    """What came of verifying an event."""

    findings: tuple[str, ...]
    """Each says where something is not what it should be."""
    units: int
    records: int
    unfinished: bool
    progress: str = ""
    """How far the event is, in words."""

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def verify_event(path: Path, *, reports: bool = True) -> Verification:
    """Verifies the folder of an event; one that goes on is verified as far as it is.

    Without ``reports`` their files are not made again and compared, which takes longest.

    What is found in one file does not keep the others from being looked at, unless nothing can be told
    without it.
    """
    try:
        folder = EventFolder.open(path)
        reading = read_journal(_bytes(path / JOURNAL))
        state = folder.state_of(list(reading.lines))
    except SpadesError as error:
        return Verification((error.sentence,), 0, 0, unfinished=True)
    except (KeyError, TypeError, ValueError) as error:
        said = f"{JOURNAL}: a line tells nothing that is known: {error}."
        return Verification((said,), 0, 0, unfinished=True)
    verifier = _Verifier(folder, reading, state)
    findings = tuple(verifier.findings(reports=reports))
    progress = state.tally.words(decided=state.decided)
    return Verification(findings, verifier.units, verifier.records, not state.finished, progress)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ArenaError(f"{path.name} cannot be read: {error.strerror}.") from None


class _Verifier:
    """Looks at one event; counts what it has seen."""

    def __init__(self, folder: EventFolder, reading: Reading, state: EventState) -> None:
        self._folder = folder
        self._reading = reading
        self._state = state
        self._by_id = {unit.id: unit for unit in state.units}
        self._expected = {EVENT, SEED, COMMITMENTS, JOURNAL, LOCK}
        self._seed = folder.seed
        self.units = 0
        self.records = 0

    def findings(self, *, reports: bool) -> Iterator[str]:
        """Everything that is not as it should be."""
        yield from self._fixed()
        yield from self._journal()
        for line in self._reading.lines:
            if line["kind"] == Kind.UNIT.value:
                yield from self._unit(line)
        yield from self._reports(compare=reports)
        yield from self._strays()

    def _fixed(self) -> Iterator[str]:
        """The files that were written before the first card."""
        folder = self._folder
        seed = {
            "server_seed": folder.server_seed.hex(),
            "client_seeds": list(folder.client_seeds),
        }
        texts = {
            EVENT: folder.spec.line() + "\n",
            SEED: pretty(seed),
            COMMITMENTS: pretty(commitments(self._seed, folder.spec)),
        }
        for name, text in texts.items():
            yield from self._compare(name, text)

    def _compare(self, name: str, text: str) -> Iterator[str]:
        try:
            data = _bytes(self._folder.path / name)
        except ArenaError as error:
            yield error.sentence
            return
        if data == text.encode():
            return
        right = text.encode()
        at = next((i for i, (a, b) in enumerate(zip(data, right, strict=False)) if a != b), -1)
        at = min(len(data), len(right)) if at < 0 else at
        number = right[:at].count(b"\n") + 1
        yield f"{name}, line {number}: byte {at + 1} is not what follows from the rest of the event."

    def _journal(self) -> Iterator[str]:
        reading, state = self._reading, self._state
        lines = list(reading.lines)
        if reading.torn:
            yield f"{JOURNAL}: its last line is torn; `spades compete resume` drops it."
        if not lines or {**lines[0], "software": ""} != {**self._folder.opening(), "software": ""}:
            yield f"{JOURNAL}, line 1: it opens another event than the one of {EVENT}."
        seen: set[str] = set()
        for number, line in enumerate(lines[1:], 2):
            where = f"{JOURNAL}, line {number}"
            if number == len(lines) and line["kind"] == Kind.CLOSED.value:
                if line != closing_line(state) or not state.finished:
                    yield f"{where}: the event is not closed as it says."
            elif line["kind"] == Kind.WITHDRAWAL.value:
                if line != withdrawal_line(line["entry"], line["reason"]):
                    yield f"{where}: it is not written as a withdrawal is."
            elif line["kind"] != Kind.UNIT.value:
                yield f"{where}: a line of the kind {line['kind']!r} does not belong there."
            elif line["result"]["unit"] in seen:
                yield f"{where}: unit {line['result']['unit']} is there twice."
            else:
                seen.add(line["result"]["unit"])
        if state.finished and not state.closed:
            yield f"{JOURNAL}: all units are done, but the line that closes the event is missing."

    def _unit(self, line: dict[str, Any]) -> Iterator[str]:
        result = parse_result(line["result"], self._by_id)
        unit = result.unit
        self.units += 1
        work = unit_work(self._folder.spec, unit, self._seed, result.attempts)
        if unit_line(result) != line:
            yield f"{JOURNAL}: the line of unit {unit.id} is not written as one is."
        if result.tables and score_unit(work, result.tables) != result:
            yield f"{JOURNAL}: the score of unit {unit.id} does not follow from its tables."
        if not result.tables and result.status is not Status.VOID:
            yield f"{JOURNAL}: unit {unit.id} has a score and no tables."
        yield from self._records(work, result)

    def _records(self, work: UnitWork, result: UnitResult) -> Iterator[str]:
        """The records of a unit's tables, and that the results follow from them."""
        name = f"{RECORDS}/{work.unit.id}.jsonl"
        recorded = [table for table in result.tables if table.record]
        for table in result.tables:
            if not table.record and not table.forfeited:
                yield f"{JOURNAL}: table {table.place + 1} of unit {work.unit.id} has no record."
        if not recorded:
            return
        self._expected.add(name)
        try:
            text = _bytes(self._folder.path / name).decode()
        except (ArenaError, UnicodeDecodeError):
            yield f"{name}: it cannot be read, and the journal says that it is there."
            return
        *lines, rest = text.split("\n")
        if rest or len(lines) != len(recorded):
            yield f"{name}: it has not the {len(recorded)} lines that the journal knows."
            return
        for number, (line, table) in enumerate(zip(lines, recorded, strict=True), 1):
            self.records += 1
            found = _record_finding(line, work, table)
            if found:
                yield f"{name}, line {number}: {found}"

    def _reports(self, *, compare: bool) -> Iterator[str]:
        """The reports of an event that is over; one that goes on may have some of an earlier moment."""
        present = {name for name in _REPORTS if (self._folder.path / name).exists()}
        self._expected |= present
        if not compare or not self._state.closed:
            return
        texts = report_texts(make_tables(self._folder, self._state))
        for name, text in texts.items():
            if name in present:
                yield from self._compare(name, text)
            else:
                yield f"{name} is missing: `spades compete report` writes it."

    def _strays(self) -> Iterator[str]:
        if not self._state.closed:
            # A unit's records are there before its line is.
            self._expected |= {f"{RECORDS}/{unit.id}.jsonl" for unit in self._state.units}
        root, stderr = self._folder.path, self._folder.stderr
        # Whatever programs wrote there, and whether they did, is no part of the event.
        self._expected |= {
            stderr.path(entry).relative_to(root).as_posix() for entry in self._folder.spec.entries
        }
        for path in sorted(self._folder.path.rglob("*")):
            name = path.relative_to(self._folder.path).as_posix()
            if path.is_file() and name not in self._expected:
                yield f"{name}: this file does not belong to the event."
            elif name == LOCK and path.stat().st_size:
                yield f"{name}: this file is empty while nobody writes into it."


_REPORTS: Final = ("report.json", "report.md", "report.html", "tables.csv", "faults.jsonl")


def _record_finding(line: str, work: UnitWork, table: TableResult) -> str:
    """Says what is wrong with a record, or nothing."""
    if sha256(line) != table.record:
        return "it is not the record whose digest is in the journal."
    try:
        verified = verify(line)
    except RecordError as error:
        return error.sentence
    return next((said for said, holds in _CLAIMS if not holds(verified, work, table)), "")


Claim = Callable[[Verified, UnitWork, TableResult], bool]


def _plays_its_stream(verified: Verified, work: UnitWork, table: TableResult) -> bool:
    del table
    match = verified.match
    return match.deals == SeededDeals(work.seed) and match.rules == work.rules


def _names_its_players(verified: Verified, work: UnitWork, table: TableResult) -> bool:
    entries = work.entries_at(table.place)
    players = {seat: who.name for seat, who in verified.circumstances.players}
    named = all(players.get(seat) == entries[seat.side].name for seat in Seat)
    return named and verified.circumstances.match == f"{work.unit.id}-t{table.place + 1}"


def _has_its_result(verified: Verified, work: UnitWork, table: TableResult) -> bool:
    del work
    match = verified.match
    assert match.outcome is not None, "a record is of a match that is over"
    first, second = match.standings
    said = replace(table, faults=(), forfeited=(), record="")
    return said == TableResult(
        place=table.place,
        winner=match.outcome.winner,
        totals=(first.total, second.total),
        bags=(first.bags, second.bags),
        hands=len(match.sheet),
    )


def _is_forfeited_as_told(verified: Verified, work: UnitWork, table: TableResult) -> bool:
    del work
    return table.forfeited == _given_up(verified.match)


def _given_up(match: Match) -> tuple[Side, ...]:
    """The side that gave the game up, which in a competition is how a forfeited one ends."""
    outcome = match.outcome
    if outcome is None or outcome.reason is not EndReason.SURRENDER or outcome.winner is None:
        return ()
    return (outcome.winner.other,)


_CLAIMS: Final[tuple[tuple[str, Claim], ...]] = (
    ("it is not played on the event's deals, or by its rules.", _plays_its_stream),
    ("it names other players, or another table.", _names_its_players),
    ("the journal has another result of this table.", _has_its_result),
    ("the journal has another side forfeit it.", _is_forfeited_as_told),
)
