"""What is said of an event first: who is better, or first, and what that does not rest on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from spades_arena.counts import are, counted
from spades_arena.duels import Duel
from spades_arena.figures import chance, percent
from spades_arena.sequential import Answer, Trial
from spades_arena.spec import EventSpec, Format, Mode
from spades_arena.standings import Standing
from spades_arena.state import EventState
from spades_arena.verdicts import Word


def headlines(
    state: EventState,
    duels: Sequence[Duel],
    standings: Sequence[Standing],
    tried: Trial | None,
) -> tuple[str, ...]:
    """The sentences that stand at the head of every report."""
    return (
        *_unfinished(state),
        *_result(state, duels, standings, tried),
        *_withdrawals(state),
    )


def _unfinished(state: EventState) -> Iterator[str]:
    if not state.finished:
        missing = len(state.missing)
        more = counted(missing, "more unit")
        yield (
            f"The event goes on: at most {more} {are(missing)} to be played."
            " What is said before its end is provisional."
        )


def _result(
    state: EventState, duels: Sequence[Duel], standings: Sequence[Standing], tried: Trial | None
) -> Iterator[str]:
    match state.spec.format:
        case Format.TEST:
            assert tried is not None, "a test has an answer"
            yield trial_sentence(state.spec, tried)
            yield from filter(None, (duel.sentence for duel in duels))
        case Format.MATCH:
            yield from (duel.sentence for duel in duels)
        case Format.GAUNTLET:
            names = [entry.name for entry in state.spec.entries[: state.spec.challengers]]
            yield from (gauntlet_sentence(name, duels) for name in names)
            yield from _forfeits(standings)
        case Format.ROUND_ROBIN:
            yield from _leader(standings)
            yield from _forfeits(standings)


def _leader(standings: Sequence[Standing]) -> Iterator[str]:
    best = standings[0]
    if math.isnan(best.share):
        return
    level = [one.entry for one in standings if one.rank == best.rank]
    share = percent(best.share)
    if len(level) > 1:
        yield f"{' and '.join(level)} share the first place with {share} of their points each."
        return
    said = f"{best.entry} is first with {share} of its points"
    if not math.isnan(best.first):
        said += f"; by resampled streams of deals its chance of being first is {chance(best.first)}"
    yield f"{said}."


def _forfeits(standings: Sequence[Standing]) -> Iterator[str]:
    """Says of whom points came without play; withdrawals have a sentence of their own."""
    for one in standings:
        if one.forfeits and not one.withdrawn:
            they = "they count" if one.forfeits > 1 else "it counts"
            yield (
                f"{one.entry} forfeited {counted(one.forfeits, 'unit')}: {they} in the standings, and in no"
                " rating and no interval of a match."
            )


def _withdrawals(state: EventState) -> Iterator[str]:
    for one in state.withdrawals:
        stand = "Its results are annulled." if one.annulled else "Its results stand."
        yield f"{state.name_of(one.entry)} was withdrawn: {one.reason}. {stand}"


RELATIONS: Final = {
    Word.BETTER: "better than",
    Word.WORSE: "worse than",
    Word.EQUAL: "equal to",
    Word.LEVEL: "exactly level with",
    Word.OPEN: "not separated from",
}
"""How the verdict of a match is told beside others."""


def gauntlet_sentence(challenger: str, duels: Sequence[Duel]) -> str:
    """What came of all matches of a challenger.

    Shares would not tell it: those whom it met have met nobody else. Where all was forfeited, nothing was
    found out.
    """
    others: dict[Word, list[str]] = {}
    for duel in duels:
        if duel.a == challenger and duel.word is not None and duel.scores.n:
            others.setdefault(duel.word, []).append(duel.b)
    told = [
        f"{relation} {', '.join(others[word])}"
        for word, relation in RELATIONS.items()
        if word in others
    ]
    if not told:
        return f"{challenger} has not met anybody yet."
    return f"{challenger} is {'; '.join(told)}."


def trial_sentence(spec: EventSpec, tried: Trial) -> str:
    """The answer of a sequential test, and what it was asked."""
    return (
        f"Sequential test: {tried.answer.value} after {counted(tried.units, 'unit')}: {_meaning(spec, tried)}"
        f" (log-likelihood ratio {tried.llr:+.2f}, limits {tried.lower:.2f} and {tried.upper:.2f})."
    )


def _meaning(spec: EventSpec, tried: Trial) -> str:
    """The answer in terms of the bounds."""
    assert spec.bounds is not None, "a test has bounds"
    first, low, high = spec.entries[0].name, f"{spec.bounds.low:g}", f"{spec.bounds.high:g}"
    what = "points per deal" if spec.mode is Mode.BOARDS else "normalized Elo"
    if tried.answer is Answer.OPEN:
        return f"is {first} ahead by {low} or by {high} {what}?"
    if tried.answer is Answer.HIGH:
        return f"{first} is ahead by {high} {what} or more, rather than by {low} or less"
    return f"{first} is ahead by {low} {what} or less, rather than by {high} or more"
