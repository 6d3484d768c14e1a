"""The one data model of a report: what Markdown, JSON and the page are written from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, cast

from spades import format_rules
from spades_arena.bootstrap import (
    by_stream,
    chance_of_first,
    interval_of,
    ranks,
    seed_of,
    shares,
    weights,
)
from spades_arena.events import EventFolder
from spades_arena.faults import Cause
from spades_arena.ratings import Rating, rate
from spades_arena.results import Status, UnitResult
from spades_arena.sequential import Trial, trial
from spades_arena.spec import Format, Mode
from spades_arena.state import EventState
from spades_arena.statistics import (
    EloEstimate,
    Interval,
    elo_estimate,
    five_buckets,
    holm,
    likelihood_of_superiority,
    normalized_elo,
    p_value,
    score_interval,
    t_interval,
)
from spades_arena.verdicts import Verdict, verdict
from spades_proto.software import SOFTWARE

SCHEMA: Final = 1


@dataclass(frozen=True, slots=True)
class Duel:
    """One match: what entry A did against entry B."""

    a: str
    b: str
    scores: Interval
    """Points of a unit, 0 to 2."""
    leads: Interval
    """By how much A was ahead: points per deal on boards, points per game pair in games."""
    buckets: tuple[int, int, int, int, int]
    elo: EloEstimate
    normalized_elo: EloEstimate
    better: float
    """How likely A is the better one."""
    p: float
    p_adjusted: float
    """The same, adjusted for the number of matches."""
    verdict: Verdict
    forfeits: tuple[int, int]
    """Units that A and B forfeited; they are in the standings and in none of the figures above."""
    values: tuple[float, ...]
    """What the pictures are drawn from: the leads of all units."""

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        return self.verdict.sentence(self.a, self.b)


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry's place in the table."""

    rank: int
    entry: str
    spec: str
    units: int
    points: float
    share: float
    """Of the points that it could have had."""
    share_low: float
    share_high: float
    rank_low: float
    rank_high: float
    first: float
    """How likely it is first, by resampling."""
    lead: float
    """Mean lead of a unit that was played."""
    forfeits: int
    faults: int
    withdrawn: str


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
    counted: int
    played: int
    forfeited: int
    void: int
    annulled: int
    missing: int
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
    duels = _duels(state)
    faults = _faults(state)
    head = _head(folder, state)
    standings = _standings(state, faults)
    tried = None if folder.spec.bounds is None else trial(folder.spec, state.counted)
    return Tables(
        head=head,
        verdicts=_verdicts(state, duels, standings, tried),
        duels=duels,
        standings=standings,
        ratings=tuple((_name(state, one.entry), one) for one in rate(state)),
        faults=faults,
        fault_counts=_fault_counts(faults),
        controls=_controls(state),
        trial=tried,
    )


def _name(state: EventState, entry: int) -> str:
    return state.spec.entries[entry].name


def _head(folder: EventFolder, state: EventState) -> Head:
    spec = state.spec
    statuses = Counter(one.status for one in state.counted)
    seed = f" --seed {folder.server_seed.hex()}" if state.finished else ""
    return Head(
        event=spec.name,
        format=spec.format.value,
        mode=spec.mode.value,
        rules=format_rules(spec.rules),
        clock=str(spec.limits.control),
        finished=state.finished,
        planned=sum(not unit.is_control for unit in state.units),
        counted=len(state.counted),
        played=statuses[Status.PLAYED],
        forfeited=statuses[Status.FORFEIT],
        void=statuses[Status.VOID],
        annulled=len(state.annulled),
        missing=len(state.missing),
        software=SOFTWARE,
        seed_commitment=spec.seed_commitment,
        seed_chosen=spec.seed_chosen,
        command=f"spades compete run event.json{seed}",
    )


def lead_of(state: EventState, result: UnitResult) -> float:
    """The lead of A in the measure that the reports use."""
    assert result.margin is not None, "what was played has a margin"
    return result.margin / 2 if state.spec.mode is Mode.BOARDS else result.margin


def _duels(state: EventState) -> tuple[Duel, ...]:
    matches: dict[tuple[int, int], list[UnitResult]] = {}
    for result in state.counted:
        matches.setdefault((result.unit.a, result.unit.b), []).append(result)
    made = [_duel(state, a, b, results) for (a, b), results in sorted(matches.items())]
    adjusted = holm([duel.p for duel in made])
    return tuple(replace(duel, p_adjusted=p) for duel, p in zip(made, adjusted, strict=True))


def _duel(state: EventState, a: int, b: int, results: Sequence[UnitResult]) -> Duel:
    played = [one for one in results if one.status is Status.PLAYED]
    scores = [one.score for one in played if one.score is not None]
    leads = [lead_of(state, one) for one in played]
    of_scores, of_leads = score_interval(scores), t_interval(leads)
    deciding, even = _deciding(state, of_scores, of_leads)
    lost = Counter(loser for one in results for loser in set(one.losers))
    return Duel(
        a=_name(state, a),
        b=_name(state, b),
        scores=of_scores,
        leads=of_leads,
        buckets=five_buckets(scores),
        elo=elo_estimate(of_scores),
        normalized_elo=normalized_elo(of_scores),
        better=likelihood_of_superiority(deciding, even),
        p=p_value(deciding, even),
        p_adjusted=1.0,
        verdict=verdict(deciding, even, state.spec.equal_within),
        forfeits=(lost[a], lost[b]),
        values=tuple(leads),
    )


def _deciding(state: EventState, scores: Interval, leads: Interval) -> tuple[Interval, float]:
    """What the verdict is about: points per deal on boards, won games in games."""
    return (leads, 0.0) if state.spec.mode is Mode.BOARDS else (scores, 1.0)


def _standings(state: EventState, faults: Sequence[FaultLine]) -> tuple[Standing, ...]:
    count = len(state.spec.entries)
    points, units, numbers = by_stream(state.scored, count)
    drawn = weights(max(1, len(numbers)), seed_of(state.spec))
    if not numbers:
        drawn = drawn[:, :0]
    shared = shares(points, units, drawn)
    low, high = interval_of(shared) if numbers else (shared[0], shared[0])
    ranked = ranks(shared)
    rank_low, rank_high = interval_of(ranked)
    first = chance_of_first(ranked)
    leads = [
        [
            lead_of(state, one) * (1 if one.unit.a == entry else -1)
            for one in state.played
            if one.unit.has(entry)
        ]
        for entry in range(count)
    ]
    means = [math.fsum(one) / len(one) if one else 0.0 for one in leads]
    out = [entry for entry in range(count) if (w := state.withdrawal_of(entry)) and w.annulled]
    order = sorted(
        range(count),
        key=lambda e: (e in out, -_number(shared[0, e]), -means[e], _name(state, e)),
    )
    forfeits = Counter(loser for one in state.counted for loser in set(one.losers))
    by_entry = Counter(fault.entry for fault in faults)
    return tuple(
        Standing(
            rank=place,
            entry=_name(state, entry),
            spec=state.spec.entries[entry].spec,
            units=int(units[:, entry].sum()),
            points=float(points[:, entry].sum()),
            share=float(shared[0, entry]),
            share_low=float(low[entry]),
            share_high=float(high[entry]),
            rank_low=float(rank_low[entry]),
            rank_high=float(rank_high[entry]),
            first=float(first[entry]) if numbers else math.nan,
            lead=means[entry],
            forfeits=forfeits[entry],
            faults=by_entry[_name(state, entry)],
            withdrawn=_withdrawn(state, entry),
        )
        for place, entry in enumerate(order, 1)
    )


def _number(value: float) -> float:
    return -1.0 if math.isnan(value) else float(value)


def _withdrawn(state: EventState, entry: int) -> str:
    one = state.withdrawal_of(entry)
    if one is None:
        return ""
    effect = "its results are annulled" if one.annulled else "its results stand"
    return f"withdrawn ({one.reason}); {effect}"


def _faults(state: EventState) -> tuple[FaultLine, ...]:
    judged = sorted([*state.controls, *state.counted, *state.annulled], key=lambda one: one.unit.id)
    return tuple(
        FaultLine(
            unit=result.unit.id,
            table=table.place + 1,
            entry=_name(state, entry),
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
    causes = [cause.value for cause in Cause]
    return tuple(
        (entry, tuple((cause, by_cause[cause]) for cause in causes if by_cause[cause]))
        for entry, by_cause in sorted(counts.items())
    )


def _controls(state: EventState) -> tuple[Control, ...]:
    made: list[Control] = []
    for place, entry in enumerate(state.spec.entries):
        own = [one for one in state.controls if one.unit.a == place]
        level = sum(one.score == 1 and one.margin == 0 for one in own)
        if own:
            made.append(Control(entry.name, len(own), level))
    return tuple(made)


def _verdicts(
    state: EventState,
    duels: Sequence[Duel],
    standings: Sequence[Standing],
    tried: Trial | None,
) -> tuple[str, ...]:
    said: list[str] = []
    if not state.finished:
        said.append(f"The event goes on: {len(state.missing)} units are still to be played.")
    if tried is not None:
        said.append(_trial_sentence(tried))
    if state.spec.format in (Format.MATCH, Format.TEST):
        said += [duel.sentence for duel in duels]
    elif standings and not math.isnan(standings[0].share):
        best = standings[0]
        said.append(
            f"{best.entry} is first with {100 * best.share:.1f} % of its points; among resampled streams of"
            f" deals it is first in {100 * best.first:.0f} %."
        )
    said += [
        f"{_name(state, one.entry)} was withdrawn: {one.reason}."
        + (" Its results are annulled." if one.annulled else " Its results stand.")
        for one in state.withdrawals
    ]
    return tuple(said)


def _trial_sentence(tried: Trial) -> str:
    return (
        f"Sequential test: {tried.answer.value} after {tried.units:,} units"
        f" (log-likelihood ratio {tried.llr:+.2f}, limits {tried.lower:.2f} and {tried.upper:.2f})."
    )


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
