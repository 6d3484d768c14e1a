"""A competition of a server, in words."""

from __future__ import annotations

from spades import format_rules
from spades_proto.competition import CompetitionEntry, CompetitionStage, CompetitionStatus


def status_sentences(status: CompetitionStatus) -> list[str]:
    """What a competition is, and how far."""
    terms = status.terms
    what = "deals" if terms.boards else "games"
    each = f"{terms.units} units, each of two {what}"
    strict = ", any fault forfeits the game" if terms.strict else ""
    faults = f"clock {terms.time_control}, {terms.strikes} strikes{strict}"
    told = [
        f"{status.id}: {status.title}, organised by {status.organiser}.",
        f"A {terms.format.value}; each match has {each}; {faults}.",
        f"Rules: {format_rules(terms.rules)}.",
        f"The seed of its deals has the SHA-256 {status.seed_commitment}.",
    ]
    if status.event:
        told.append(f"Event {status.event}, streams {status.streams_root}.")
    told.append(progress_sentence(status))
    return told


def progress_sentence(status: CompetitionStatus) -> str:
    """How far a competition is."""
    match status.stage:
        case CompetitionStage.OPEN:
            return f"Entries are open; {len(status.entries)} have entered."
        case CompetitionStage.CALLED_OFF:
            return "It was called off."
        case CompetitionStage.RUNNING:
            return f"{status.done} of {status.planned} units are done, {status.playing} are played now."
        case CompetitionStage.FINISHED:
            return f"It is over: {status.done} of {status.planned} units are done."


def standing_sentences(status: CompetitionStatus) -> list[str]:
    """The entries, each in a line."""
    return [_standing(one, over=status.over) for one in status.entries]


def _standing(one: CompetitionEntry, *, over: bool) -> str:
    place = f"{one.rank}. " if one.rank else ""
    who = f"{one.name} (house bot {one.bot})" if one.bot and one.bot != one.name else one.name
    details: list[str] = []
    if one.rank:
        details.append(f"{one.points:g} of {2 * one.units}")
        details.append(f"lead {one.lead:+g}")
    details += [
        f"{count} {noun}"
        for count, noun in ((one.forfeits, "forfeited"), (one.faults, "faults"))
        if count
    ]
    if one.withdrawn:
        details.append(f"withdrawn ({one.withdrawn})" + (", annulled" if one.annulled else ""))
    elif not one.connected and not over:
        details.append("not connected")
    elif not one.rank:
        details.append("ready")
    return f"{place}{who}: {', '.join(details)}."
