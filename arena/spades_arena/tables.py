"""The one data model of a report: what Markdown, JSON and the page are written from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, cast

from spades import format_rules
from spades_arena.duels import Duel, make_duels
from spades_arena.events import EventFolder
from spades_arena.faults import Cause
from spades_arena.headlines import headlines
from spades_arena.ratings import Rating, rate
from spades_arena.results import Status, UnitResult
from spades_arena.sequential import Trial, trial
from spades_arena.standings import Standing, make_standings
from spades_arena.state import EventState
from spades_proto.software import SOFTWARE

SCHEMA: Final = 1


@dataclass(frozen=True, slots=True)
class FaultLine:
    """A fault, where it happened."""

    unit: str
    table: int
    entry: str
    cause: str
    hand: int
    decision: int
    detail: str


@dataclass(frozen=True, slots=True)
class Control:
    """An entry against itself."""

    entry: str
    units: int
    level: int
    """How many of them ended exactly level."""
    fickle: int
    """How many did not, and had no fault: it answered the same view in two ways."""
    faults: tuple[tuple[str, int], ...]
    """The faults of those that did not, by cause."""


@dataclass(frozen=True, slots=True)
class Head:
    """What every report says of its event."""

    event: str
    format: str
    mode: str
    rules: str
    clock: str
    finished: bool
    planned: int
    """All units, those of entries against themselves among them."""
    done: int
    dropped: int
    """Units that are not played any more, since an entry was withdrawn or the test is decided."""
    missing: int
    progress: str
    """The same in words."""
    counted: int
    """Units that the tables are made of: played, forfeited or void."""
    played: int
    forfeited: int
    void: int
    annulled: int
    controls: int
    """Units of entries against themselves that are done."""
    software: str
    seed_commitment: str
    seed_chosen: bool
    command: str


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that a report says."""

    head: Head
    verdicts: tuple[str, ...]
    duels: tuple[Duel, ...]
    standings: tuple[Standing, ...]
    ratings: tuple[tuple[str, Rating], ...]
    faults: tuple[FaultLine, ...]
    fault_counts: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    """For each entry that has any, its faults by cause."""
    controls: tuple[Control, ...]
    trial: Trial | None

    def to_json(self) -> dict[str, Any]:
        """The whole model as JSON values; what is not finite is a word."""
        return {"schema": SCHEMA, **_finite(asdict(self))}


def make_tables(folder: EventFolder, state: EventState) -> Tables:
    """Makes the tables of an event: a pure function of its spec and of what counts."""
    duels = make_duels(state)
    faults = _faults(state)
    head = _head(folder, state)
    standings = make_standings(state, Counter(fault.entry for fault in faults))
    tried = None if folder.spec.bounds is None else trial(folder.spec, state.counted)
    return Tables(
        head=head,
        verdicts=headlines(state, duels, standings, tried),
        duels=duels,
        standings=standings,
        ratings=tuple((state.name_of(one.entry), one) for one in rate(state)),
        faults=faults,
        fault_counts=_fault_counts(faults),
        controls=_controls(state),
        trial=tried,
    )


def _head(folder: EventFolder, state: EventState) -> Head:
    spec = state.spec
    statuses = Counter(one.status for one in state.counted)
    tally = state.tally
    seed = f" --seed {folder.server_seed.hex()}" if state.finished else ""
    connected = any(entry.is_connected for entry in spec.entries)
    return Head(
        event=spec.name,
        format=spec.format.value,
        mode=spec.mode.value,
        rules=format_rules(spec.rules),
        clock=str(spec.limits.control),
        finished=state.finished,
        planned=tally.planned,
        done=tally.done,
        dropped=tally.dropped,
        missing=len(state.missing),
        progress=tally.words(decided=state.decided),
        counted=len(state.counted),
        played=statuses[Status.PLAYED],
        forfeited=statuses[Status.FORFEIT],
        void=statuses[Status.VOID],
        annulled=len(state.annulled),
        controls=len(state.controls),
        software=SOFTWARE,
        seed_commitment=spec.seed_commitment,
        seed_chosen=spec.seed_chosen,
        command="" if connected else f"spades compete run event.json{seed}",
    )


def _faults(state: EventState) -> tuple[FaultLine, ...]:
    judged = sorted([*state.controls, *state.counted, *state.annulled], key=lambda one: one.unit.id)
    return tuple(
        FaultLine(
            unit=result.unit.id,
            table=table.place + 1,
            entry=state.name_of(entry),
            cause=fault.cause.value,
            hand=fault.hand,
            decision=fault.decision,
            detail=fault.detail,
        )
        for result in judged
        for entry, table, fault in result.faults()
    )


def _fault_counts(
    faults: Sequence[FaultLine],
) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    counts: dict[str, Counter[str]] = {}
    for fault in faults:
        counts.setdefault(fault.entry, Counter())[fault.cause] += 1
    return tuple((entry, _in_order(by_cause)) for entry, by_cause in sorted(counts.items()))


def _in_order(by_cause: Counter[str]) -> tuple[tuple[str, int], ...]:
    """Counts of causes in the order in which causes are looked for."""
    causes = [cause.value for cause in Cause]
    return tuple((cause, by_cause[cause]) for cause in causes if by_cause[cause])


def _controls(state: EventState) -> tuple[Control, ...]:
    made: list[Control] = []
    for place, entry in enumerate(state.spec.entries):
        own = [one for one in state.controls if one.unit.a == place]
        if own:
            made.append(_control(entry.name, own))
    return tuple(made)


def _control(entry: str, own: Sequence[UnitResult]) -> Control:
    uneven = [one for one in own if one.score != 1 or one.margin != 0]
    fickle = sum(one.status is Status.PLAYED and not one.faults() for one in uneven)
    faults = Counter(fault.cause.value for one in uneven for _, _, fault in one.faults())
    return Control(entry, len(own), len(own) - len(uneven), fickle, _in_order(faults))


def _finite(value: Any) -> Any:
    """Makes values that JSON has of all: words of what is not finite or an enum, lists of tuples."""
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return "inf" if value > 0 else "-inf"
        # More digits would differ from one machine's mathematics to another's.
        return float(f"{value:.10g}")
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        return {name: _finite(one) for name, one in named.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in cast("Sequence[Any]", value)]
    return getattr(value, "value", value)
