"""A unit: two tables on the same deals, with the sides changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spades import Rules, SeededDeals, Side
from spades_arena.cast import Cast
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.results import Status, TableResult, UnitResult
from spades_arena.schedule import Unit
from spades_arena.spec import Entry, EventSpec, Mode
from spades_arena.stream import stream_seed
from spades_arena.table import Table, TableSetting
from spades_arena.watch import Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitWork:
    """All that whoever plays a unit must know: one stream of deals, and never the event's seed."""

    unit: Unit
    a: Entry
    b: Entry
    mode: Mode
    rules: Rules
    seed: bytes
    """The seed of the stream."""
    limits: TimeLimits
    discipline: Discipline
    bag_equity: float
    seed_chosen: bool
    attempt: int = 1

    def entries_at(self, table: int) -> tuple[Entry, Entry]:
        """The entries by side: A has South and North at the first table, West and East at the second."""
        return (self.a, self.b) if table == 0 else (self.b, self.a)


@dataclass(frozen=True, slots=True)
class PlayedUnit:
    """A unit that is done: its result and the records of its tables."""

    result: UnitResult
    records: tuple[str, ...] = ()


def unit_work(spec: EventSpec, unit: Unit, seed: bytes, attempt: int = 1) -> UnitWork:
    """Makes the work of a unit from the event and its seed."""
    return UnitWork(
        unit=unit,
        a=spec.entries[unit.a],
        b=spec.entries[unit.b],
        mode=spec.mode,
        rules=spec.rules,
        seed=stream_seed(seed, unit.stream),
        limits=spec.limits,
        discipline=spec.discipline,
        bag_equity=spec.bag_equity,
        seed_chosen=spec.seed_chosen,
        attempt=attempt,
    )


async def play_unit(work: UnitWork, cast: Cast, watch: Watch) -> PlayedUnit:
    """Plays both tables; a forfeit at the first decides the unit, and the second is not played."""
    results: list[TableResult] = []
    records: list[str] = []
    for place in (0, 1):
        entries = work.entries_at(place)
        agents = await cast.start(entries * 2, work.rules, place, work.limits, watch)
        table = Table(table_setting(work, place), agents, watch)
        done = await table.play()
        await cast.dismiss(agents, table.outcome, place, watch)
        results.append(done.result)
        if done.record:
            records.append(done.record)
        if done.result.forfeited:
            break
    return PlayedUnit(score_unit(work, tuple(results)), tuple(records))


def table_setting(work: UnitWork, place: int) -> TableSetting:
    """What one of the two tables plays."""
    first, second = work.entries_at(place)
    return TableSetting(
        id=f"{work.unit.id}-t{place + 1}",
        place=place,
        rules=work.rules,
        deals=SeededDeals(work.seed),
        names=(first.name, second.name),
        limits=work.limits,
        discipline=work.discipline,
        seed_chosen=work.seed_chosen,
    )


def score_unit(work: UnitWork, tables: tuple[TableResult, ...]) -> UnitResult:
    """Scores a unit from its tables: pure, so that a verifier comes to the same."""
    unit, attempt = work.unit, work.attempt
    if any(table.forfeited for table in tables):
        return _forfeit(unit, tables, attempt)
    margin = sum(_lead(work, table) for table in tables)
    return UnitResult(
        unit=unit,
        status=Status.PLAYED,
        score=board_score(margin) if work.mode is Mode.BOARDS else game_score(tables),
        margin=margin,
        tables=tables,
        attempts=attempt,
    )


def _forfeit(unit: Unit, tables: tuple[TableResult, ...], attempt: int) -> UnitResult:
    """The worst bucket for the side at fault; nothing for anybody where both are."""
    losers = {side ^ table.place for table in tables for side in table.forfeited}
    both = len(losers) == len(Side)
    return UnitResult(
        unit=unit,
        status=Status.VOID if both else Status.FORFEIT,
        score=None if both else 2.0 * min(losers),
        margin=None,
        tables=tables,
        attempts=attempt,
        reason="Both sides forfeited." if both else "",
    )


def _lead(work: UnitWork, table: TableResult) -> float:
    """How far A was ahead at a table; a bag at the end of a board weighs what it will cost."""
    mine, theirs = table.place, 1 - table.place
    lead = float(table.totals[mine] - table.totals[theirs])
    if work.mode is Mode.BOARDS:
        lead += work.bag_equity * (table.bags[mine] - table.bags[theirs])
    return lead


def game_score(tables: Sequence[TableResult]) -> float:
    """The points of A over two games."""
    points = 0.0
    for table in tables:
        if table.winner is None:
            points += 0.5
        elif table.winner == Side(table.place):
            points += 1.0
    return points


def board_score(margin: float) -> float:
    """The points of A on a board: it is won or lost by both tables together."""
    return 1.0 + (margin > 0) - (margin < 0)


def void_unit(unit: Unit, attempts: int, reason: str) -> PlayedUnit:
    """A unit that could not be played, through no fault of the entries."""
    result = UnitResult(
        unit=unit,
        status=Status.VOID,
        score=None,
        margin=None,
        tables=(),
        attempts=attempts,
        reason=reason,
    )
    return PlayedUnit(result)
