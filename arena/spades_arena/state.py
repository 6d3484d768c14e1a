"""Where an event stands: a fold of its journal and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any

from spades_arena.counts import Tally
from spades_arena.errors import ArenaError
from spades_arena.results import Status, UnitResult, parse_result
from spades_arena.schedule import Unit, schedule
from spades_arena.spec import EventSpec


class Kind(Enum):
    """What a line of the journal tells."""

    OPENED = "opened"
    UNIT = "unit"
    WITHDRAWAL = "withdrawal"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """An entry that plays no more."""

    entry: int
    reason: str
    forced: bool
    """Whether its forfeits withdrew it."""
    annulled: bool = False
    """Whether its results do not count either: it was forced out before half of its units were done."""


Stop = Callable[[Sequence[UnitResult]], int | None]
"""Says after how many counted units a sequential test is decided, or ``None``."""


@dataclass(frozen=True)
class EventState:
    """An event at one moment."""

    spec: EventSpec
    units: tuple[Unit, ...]
    controls: tuple[UnitResult, ...]
    """Entries against themselves."""
    counted: tuple[UnitResult, ...]
    """What the tables are made of, in the order of the schedule."""
    annulled: tuple[UnitResult, ...]
    """What would count, had one of its entries not been withdrawn."""
    withdrawals: tuple[Withdrawal, ...]
    missing: tuple[Unit, ...]
    """What is still to be played, in order."""
    sealed: frozenset[int] = frozenset()
    """The streams whose deals may still be dealt at some table.

    Until nothing is missing these are those of all units that are not done and that no entry has itself
    withdrawn from: an entry that its forfeits have withdrawn is back when others, that come earlier in the
    schedule, turn out to have forfeited.
    """
    journaled: int = 0
    """How many units the journal has, those that count for nothing among them."""
    decided: bool = False
    """Whether a sequential test came to its end."""
    closed: bool = False

    @property
    def done(self) -> int:
        """How many units need not be played any more."""
        return len(self.controls) + len(self.counted)

    @property
    def tally(self) -> Tally:
        """How far it is, as it is told everywhere."""
        planned = len(self.units)
        return Tally(planned, self.journaled, planned - self.journaled - len(self.missing))

    @property
    def finished(self) -> bool:
        """Whether nothing is to be played any more."""
        return not self.missing

    @cached_property
    def played(self) -> tuple[UnitResult, ...]:
        """The units that were played to the end at both tables."""
        return tuple(one for one in self.counted if one.status is Status.PLAYED)

    @cached_property
    def scored(self) -> tuple[UnitResult, ...]:
        """The units that brought points: played or forfeited."""
        return tuple(one for one in self.counted if one.score is not None)

    def name_of(self, entry: int) -> str:
        """The name of an entry."""
        return self.spec.entries[entry].name

    def withdrawal_of(self, entry: int) -> Withdrawal | None:
        """The withdrawal of an entry, if it is withdrawn."""
        return next((one for one in self.withdrawals if one.entry == entry), None)


def fold(
    spec: EventSpec, lines: Iterable[Mapping[str, Any]], stop: Stop | None = None
) -> EventState:
    """Folds a journal: what it says in whatever order its units were finished.

    An entry's own withdrawal holds from its line on. A withdrawal for forfeits holds from a place in the
    schedule, so that it does not depend on which units happened to be done first; what was played beyond it
    does not count, nor do the units of that entry against itself, which nobody need wait for. The same is
    true of the end of a sequential test.
    """
    units = schedule(spec)
    by_id = {unit.id: unit for unit in units}
    results: dict[str, UnitResult] = {}
    journaled: set[str] = set()
    gone: dict[int, Withdrawal] = {}
    closed = False
    for line in lines:
        match Kind(line["kind"]):
            case Kind.UNIT:
                result = parse_result(line["result"], by_id)
                journaled.add(result.unit.id)
                if not any(map(result.unit.has, gone)):
                    results.setdefault(result.unit.id, result)
            case Kind.WITHDRAWAL:
                entry = _place(spec, line["entry"])
                gone.setdefault(entry, Withdrawal(entry, line["reason"], forced=False))
            case Kind.CLOSED:
                closed = True
            case Kind.OPENED:
                pass
    state = _judge(spec, units, results, gone, stop)
    return replace(state, journaled=len(journaled), closed=closed)


def _place(spec: EventSpec, name: str) -> int:
    names = [entry.name for entry in spec.entries]
    if name not in names:
        raise ArenaError(f"There is no entry {name!r}: {', '.join(names)} are entries.")
    return names.index(name)


def _judge(
    spec: EventSpec,
    units: tuple[Unit, ...],
    results: Mapping[str, UnitResult],
    gone: Mapping[int, Withdrawal],
    stop: Stop | None,
) -> EventState:
    """Walks the schedule in its order and decides what counts and what is to be played."""
    withdrawn = dict(gone)
    forfeits = [0] * len(spec.entries)
    counted: list[UnitResult] = []
    controls: list[UnitResult] = []
    missing: list[Unit] = []
    for unit in units:
        if any(one.forced for entry, one in withdrawn.items() if unit.has(entry)):
            continue
        result = results.get(unit.id)
        if result is None:
            if not any(map(unit.has, withdrawn)):
                missing.append(unit)
            continue
        if unit.is_control:
            controls.append(result)
            continue
        counted.append(result)
        for entry in set(result.losers):
            forfeits[entry] += 1
            known = withdrawn.get(entry)
            if forfeits[entry] >= spec.forfeits and (known is None or not known.forced):
                reason = f"{forfeits[entry]} units forfeited"
                withdrawn[entry] = Withdrawal(entry, reason, forced=True)
    withdrawn = {
        entry: _annulled(one, units, counted) if one.forced else one
        for entry, one in withdrawn.items()
    }
    out = {entry for entry, one in withdrawn.items() if one.annulled}
    annulled = [one for one in counted if any(map(one.unit.has, out))]
    kept = [one for one in counted if not any(map(one.unit.has, out))]
    forced = {entry for entry, one in withdrawn.items() if one.forced}
    # Whether they were done before the entry was forced out is chance, and they count for nothing.
    controls = [one for one in controls if one.unit.a not in forced]
    missing = [unit for unit in missing if not (unit.is_control and unit.a in forced)]
    end = _end_of_test(kept, missing, stop)
    over = end is not None or not missing
    open_units = (unit for unit in units if unit.id not in results and not any(map(unit.has, gone)))
    return EventState(
        spec=spec,
        units=units,
        controls=tuple(controls),
        counted=tuple(kept if end is None else kept[:end]),
        annulled=tuple(annulled),
        withdrawals=tuple(withdrawn[entry] for entry in sorted(withdrawn)),
        missing=() if end is not None else tuple(missing),
        sealed=frozenset() if over else frozenset(unit.stream for unit in open_units),
        decided=end is not None,
    )


def _annulled(one: Withdrawal, units: Sequence[Unit], counted: Sequence[UnitResult]) -> Withdrawal:
    """Annuls the results of an entry that was forced out before half of its units were done."""
    planned = sum(unit.has(one.entry) and not unit.is_control for unit in units)
    done = sum(result.unit.has(one.entry) for result in counted)
    return Withdrawal(one.entry, one.reason, forced=True, annulled=2 * done < planned)


def _end_of_test(
    counted: Sequence[UnitResult], missing: Sequence[Unit], stop: Stop | None
) -> int | None:
    """Where a sequential test ended: looked for only in the units that are done without a gap."""
    if stop is None:
        return None
    gap = next((unit.number for unit in missing if not unit.is_control), None)
    ready = [one for one in counted if gap is None or one.unit.number < gap]
    return stop(ready)
