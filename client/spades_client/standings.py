"""A competition of a server, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from spades import UndoRule, format_rules
from spades_arena.counts import Tally, are, counted, signed
from spades_arena.leads import LEAD_WORDS
from spades_arena.spec import Mode, competition_rules
from spades_client.answers import option_sentences
from spades_proto.competition import (
    CompetitionEntry,
    CompetitionFault,
    CompetitionFormat,
    CompetitionStage,
    CompetitionStatus,
    CompetitionTerms,
)
from spades_proto.timing import TimeControl

LEADERS: Final = 3
"""How many entries are named in the line that tells of a competition while it is played."""


def status_sentences(status: CompetitionStatus) -> list[str]:
    """What a competition is, and how far."""
    told = [
        f"{status.id}: {status.title}, organised by {status.organiser}.",
        *terms_sentences(status.terms),
        f"The seed of its deals has the SHA-256 {status.seed_commitment}.",
    ]
    if status.event:
        told.append(f"Event {status.event}, streams {status.streams_root}.")
    told.append(progress_sentence(status))
    return told


def terms_sentences(terms: CompetitionTerms) -> list[str]:
    """What is played, and by which rules."""
    faults = "any fault forfeits the game"
    if not terms.strict:
        faults = f"{counted(terms.strikes, 'fault')} of a side {_forfeit(terms.strikes)} its game"
    played_by = competition_rules(terms.rules, Mode.BOARDS if terms.boards else Mode.GAMES)
    # No card is taken back in a competition, whatever the rules say.
    rules = replace(played_by, undo=UndoRule.OFF)
    played = f"each match has {units_words(terms.units, terms)}"
    told: list[str] = []
    if terms.format is CompetitionFormat.GAUNTLET:
        first = "first entry meets" if terms.challengers == 1 else f"first {terms.challengers} meet"
        told.append(f"The {first} all others.")
    if terms.controls:
        told.append(f"Each entry plays {counted(terms.controls, 'unit')} against itself first.")
    if terms.separate:
        told.append("Partners are separate: only pairs of two players, and house bots, may enter.")
    return [
        f"A {terms.format.value}; {played}; {clock_words(terms.time_control)}; {faults}.",
        " ".join(option_sentences(rules)),
        f"As --rules takes them: {format_rules(terms.rules)}.",
        *told,
    ]


def units_words(number: int, terms: CompetitionTerms) -> str:
    """So many units, and what one is."""
    what = "one deal at two tables" if terms.boards else "two games"
    return f"{counted(number, 'unit')} of {what} each"


def _forfeit(strikes: int) -> str:
    return "forfeits" if strikes == 1 else "forfeit"


def clock_words(control: TimeControl) -> str:
    """How long one may think.

    >>> clock_words(TimeControl(2_000, 60_000)), clock_words(TimeControl(2_000, 0))
    ('2 s for a decision and 60 s in the bank of a seat', '2 s for a decision and no bank')
    """
    if not control:
        return "no clock, and 30 s of silence forfeit the game"
    bank = f"{control.bank_ms / 1000:g} s in the bank of a seat" if control.bank_ms else "no bank"
    return f"{control.decision_ms / 1000:g} s for a decision and {bank}"


def progress_sentence(status: CompetitionStatus) -> str:
    """How far a competition is."""
    entries = counted(len(status.entries), "entry", "entries")
    tally = Tally(status.planned, status.done, status.dropped)
    match status.stage:
        case CompetitionStage.OPEN:
            return f"Entries are open: there {are(len(status.entries))} {entries} so far."
        case CompetitionStage.CALLED_OFF:
            return "It was called off."
        case CompetitionStage.RUNNING:
            return f"{tally.words(playing=status.playing)}."
        case CompetitionStage.FINISHED:
            return f"It is over: {tally.words()}."


def leaders_sentence(status: CompetitionStatus) -> str:
    """Who is ahead, in one line; nothing before anybody has points.

    The number of points that an entry could have stands beside those that it has.
    """
    ahead = [one for one in status.entries if one.units][:LEADERS]
    return ", ".join(f"{one.rank}. {one.name} {one.points:g} of {2 * one.units}" for one in ahead)


def standing_sentences(status: CompetitionStatus) -> list[str]:
    """The entries, each in a line, and under it what its faults were."""
    return [
        line
        for one in status.entries
        for line in (_standing(status, one), *map(_fault, one.fault_causes))
    ]


def _standing(status: CompetitionStatus, one: CompetitionEntry) -> str:
    over = status.over
    place = f"{one.rank}. " if one.rank else ""
    who = f"{one.name} (house bot {one.bot})" if one.bot and one.bot != one.name else one.name
    details: list[str] = []
    if one.units:
        details.append(f"{one.points:g} of {counted(2 * one.units, 'point')}")
        mode = Mode.BOARDS if status.terms.boards else Mode.GAMES
        details.append(f"lead {signed(one.lead)} {LEAD_WORDS[mode]}")
    if one.forfeits:
        details.append(f"{counted(one.forfeits, 'unit')} forfeited")
    if one.faults:
        details.append(counted(one.faults, "fault"))
    if one.withdrawn:
        stands = "its results are annulled" if one.annulled else "its results stand"
        details.append(f"withdrawn ({one.withdrawn}), {stands}")
    elif one.awaits and not over:
        details.append(f"waits for {one.awaits} to enter too")
    elif not one.connected and not over:
        details.append("not connected")
    elif not details:
        details.append("no points" if over else "no points yet" if one.rank else "ready")
    return f"{place}{who}: {', '.join(details)}."


def _fault(one: CompetitionFault) -> str:
    often = f"{one.count} times, the last" if one.count > 1 else "once,"
    said = one.sentence or "told when the unit's deals have been played everywhere."
    return f"   {one.cause} {often} in {one.unit}: {said}"
