"""What a match says: one entry against another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spades_arena.counts import counted
from spades_arena.leads import lead_of
from spades_arena.results import Status, UnitResult
from spades_arena.spec import Mode
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
from spades_arena.verdicts import Verdict, Word, verdict


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
    verdict: Verdict | None
    """What the figures say; none of a sequential test, whose own answer is the verdict."""
    sentence: str
    """The verdict in words, and what it does not rest on."""
    units: int
    """All units of the match, those that were not played to their end among them."""
    forfeits: tuple[int, int]
    """Units that A and B forfeited; they are in the standings and in none of the figures above."""
    values: tuple[float, ...]
    """What the pictures are drawn from: the leads of all units."""

    @property
    def is_level(self) -> bool:
        """Whether every unit ended exactly level, and there are some."""
        return len(self.values) >= 2 and not any(self.values)

    @property
    def word(self) -> Word | None:
        """The verdict in a word, where there is one."""
        return None if self.verdict is None else self.verdict.word


def make_duels(state: EventState) -> tuple[Duel, ...]:
    """Judges every match of an event by what counts."""
    matches: dict[tuple[int, int], list[UnitResult]] = {}
    for result in state.counted:
        matches.setdefault((result.unit.a, result.unit.b), []).append(result)
    made = [_duel(state, a, b, results) for (a, b), results in sorted(matches.items())]
    adjusted = holm([duel.p for duel in made])
    return tuple(replace(duel, p_adjusted=p) for duel, p in zip(made, adjusted, strict=True))


def _duel(state: EventState, a: int, b: int, results: Sequence[UnitResult]) -> Duel:
    played = [one for one in results if one.status is Status.PLAYED]
    scores = [one.score for one in played if one.score is not None]
    leads = [lead_of(state.spec.mode, one) for one in played]
    of_scores, of_leads = score_interval(scores), t_interval(leads)
    deciding, even = _deciding(state, of_scores, of_leads)
    judged = None
    if state.spec.bounds is None:
        level = bool(leads) and not any(leads)
        judged = verdict(deciding, even, state.spec.equal_within, level=level)
    lost = Counter(loser for one in results for loser in set(one.losers))
    names, forfeits = (state.name_of(a), state.name_of(b)), (lost[a], lost[b])
    said = "" if judged is None else judged.sentence(*names)
    return Duel(
        a=names[0],
        b=names[1],
        scores=of_scores,
        leads=of_leads,
        buckets=five_buckets(scores),
        elo=elo_estimate(of_scores),
        normalized_elo=normalized_elo(of_scores),
        better=likelihood_of_superiority(deciding, even),
        p=p_value(deciding, even),
        p_adjusted=1.0,
        verdict=judged,
        sentence=" ".join(filter(None, (said, forfeit_sentence(names, forfeits, len(results))))),
        units=len(results),
        forfeits=forfeits,
        values=tuple(leads),
    )


def forfeit_sentence(names: tuple[str, str], forfeits: tuple[int, int], units: int) -> str:
    """Says which units of a match its verdict does not rest on; nothing where there are none.

    >>> forfeit_sentence(("a", "b"), (0, 12), 24)
    'b forfeited 12 of 24 units: they count in the standings, and not in this verdict nor in its interval.'
    """
    lost = [f"{name} forfeited {n:,}" for name, n in zip(names, forfeits, strict=True) if n]
    if not lost:
        return ""
    they = "they count" if sum(forfeits) > 1 else "it counts"
    return (
        f"{' and '.join(lost)} of {counted(units, 'unit')}: {they} in the standings, and not in this verdict"
        " nor in its interval."
    )


def _deciding(state: EventState, scores: Interval, leads: Interval) -> tuple[Interval, float]:
    """What the verdict is about: points per deal on boards, won games in games."""
    return (leads, 0.0) if state.spec.mode is Mode.BOARDS else (scores, 1.0)
