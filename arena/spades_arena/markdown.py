"""The report in Markdown: the verdicts first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from spades_arena.counts import counted, signed
from spades_arena.duels import Duel
from spades_arena.figures import (
    between,
    between_shares,
    chance,
    elo,
    interval,
    percent,
    plain,
    unsigned,
)
from spades_arena.notes import RATINGS_NOTE, intervals_note, lead_words, standings_note
from spades_arena.standings import Standing
from spades_arena.tables import Control, Tables

BUCKET_WORDS = ("0", "½", "1", "1½", "2")


def markdown(tables: Tables) -> str:
    """Writes the whole report."""
    parts = [
        f"# {_escaped(title(tables))}",
        *(f"**{_escaped(sentence)}**" for sentence in tables.verdicts),
        *_standings(tables),
        *(block for duel in tables.duels for block in _duel(tables, duel)),
        *((intervals_note(tables),) if tables.duels else ()),
        *_ratings(tables),
        *_faults(tables),
        *_controls(tables),
        *_conditions(tables),
    ]
    return "\n\n".join(parts) + "\n"


def title(tables: Tables) -> str:
    """What the event is called."""
    if len(tables.standings) == 2 and tables.duels:
        return f"{tables.duels[0].a} against {tables.duels[0].b}"
    words = tables.head.format.replace("-", " ")
    return f"{words.capitalize()} of {counted(len(tables.standings), 'entry', 'entries')}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(_cell, cells)) + " |"

    rule = "|" + "|".join(" --- " for _ in head) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def _cell(text: str) -> str:
    """What stands in a table: nothing in it is markup, but for what is code as a whole."""
    is_code = text.startswith("`") and text.find("`", 1) == len(text) - 1 > 0
    return text.replace("|", "\\|") if is_code else _escaped(text)


def _escaped(text: str) -> str:
    """Text of whoever wrote it, in which nothing is markup."""
    return _MARKUP.sub(r"\\\g<0>", text)


_MARKUP: Final = re.compile(r"[\\`*_\[\]<>|&]")
"""What means something in Markdown or in the HTML that it may hold."""


def _standings(tables: Tables) -> list[str]:
    rows = [
        (
            str(one.rank),
            one.entry,
            f"{plain(one.points)} / {2 * one.units}",
            percent(one.share),
            between_shares(one.share_low, one.share_high),
            between(one.rank_low, one.rank_high),
            chance(one.first),
            signed(one.lead),
            str(one.faults),
            str(one.forfeits),
            one.withdrawn,
        )
        for one in tables.standings
    ]
    head = (
        "#", "entry", "points", "share", "95 % of it", "95 % of the rank", "first", "lead",
        "faults", "forfeits", "",
    )  # fmt: skip
    return ["## Standings", _table(head, rows), standings_note(tables)]


def _duel(tables: Tables, duel: Duel) -> list[str]:
    head = [f"## {_escaped(f'{duel.a} – {duel.b}')}", *filter(None, (_escaped(duel.sentence),))]
    lost = ("forfeited units", f"{duel.forfeits[0]} and {duel.forfeits[1]}")
    if duel.scores.n < 2:
        return [*head, _table(("", duel.a), [("units", str(duel.scores.n)), lost])]
    rows = [
        ("units", str(duel.scores.n)),
        (f"lead, {lead_words(tables)}", interval(duel.leads)),
        ("points of a unit (1 is even)", unsigned(duel.scores, 3, level=duel.is_level)),
        ("units with " + ", ".join(BUCKET_WORDS) + " points", ", ".join(map(str, duel.buckets))),
        ("Elo", elo(duel.elo, level=duel.is_level)),
        ("normalized Elo", elo(duel.normalized_elo, level=duel.is_level)),
        (f"{duel.a} is the better one with", chance(duel.better, 1)),
        ("p, adjusted after Holm", f"{duel.p_adjusted:.3g}"),
        lost,
    ]
    return [*head, _table(("", duel.a), rows)]


def _ratings(tables: Tables) -> list[str]:
    if not tables.ratings:
        return []
    rows = [
        (name, signed(one.value, 0), between(one.low, one.high), str(one.units))
        for name, one in sorted(tables.ratings, key=lambda pair: -pair[1].value)
    ]
    return ["## Ratings", _table(("entry", "Elo", "95 %", "units"), rows), RATINGS_NOTE]


def _faults(tables: Tables) -> list[str]:
    if not tables.faults:
        return ["## Faults", "None."]
    counts = [(entry, cause_words(causes)) for entry, causes in tables.fault_counts]
    rows = [
        (one.unit, str(one.table), one.entry, one.cause, str(one.hand), one.detail)
        for one in tables.faults[:MOST_FAULTS]
    ]
    parts = ["## Faults", _table(("entry", "faults"), counts)]
    parts.append(_table(("unit", "table", "entry", "cause", "hand", "what"), rows))
    if len(tables.faults) > MOST_FAULTS:
        parts.append(f"The first {MOST_FAULTS} of {len(tables.faults)}; all are in faults.jsonl.")
    return parts


MOST_FAULTS = 50


def _controls(tables: Tables) -> list[str]:
    if not tables.controls:
        return []
    rows = [
        (one.entry, f"{one.level} of {one.units}", control_words(one)) for one in tables.controls
    ]
    note = (
        "Each entry met itself on the event's deals, with the sides changed: such a unit must end"
        " exactly level."
    )
    return ["## Self-match control", _table(("entry", "level", ""), rows), note]


def control_words(control: Control) -> str:
    """What a control means."""
    if control.units == control.level:
        return "level, as it must be"
    return f"not level: {uneven_words(control)}"


def uneven_words(control: Control) -> str:
    """Why an entry did not end level against itself."""
    why: list[str] = []
    if control.faults:
        why.append(f"it had faults ({cause_words(control.faults)})")
    if control.fickle:
        why.append(
            "it answers the same view in two ways (random numbers that repeat come from view.rng())"
        )
    return ", and ".join(why) or "it could not be played"


def cause_words(causes: Iterable[tuple[str, int]]) -> str:
    """Faults by their cause.

    >>> cause_words((("timed out", 2), ("resigned", 1)))
    'timed out: 2, resigned: 1'
    """
    return ", ".join(f"{cause}: {n}" for cause, n in causes)


def _conditions(tables: Tables) -> list[str]:
    head = tables.head
    seed = "chosen by the organiser" if head.seed_chosen else "drawn"
    rows = [
        ("event", head.event),
        ("format", f"{head.format}, {head.mode}"),
        ("rules", head.rules),
        ("time for a decision + bank, s", head.clock),
        ("entries", ", ".join(f"{one.entry} = {one.spec}" for one in tables.standings)),
        ("units", f"{head.progress}. Of those that are done: {unit_words(tables)}"),
        ("software", head.software),
        ("commitment to the seed", f"{head.seed_commitment} ({seed})"),
    ]
    if head.command:
        rows.append(("again", f"`{head.command}`"))
    return ["## Conditions", _table(("", ""), rows)]


def unit_words(tables: Tables) -> str:
    """What became of the units that are done."""
    head = tables.head
    kinds = (
        (head.played, "played"),
        (head.forfeited, "forfeited"),
        (head.void, "void"),
        (head.annulled, "annulled"),
        (head.controls, "of entries against themselves"),
        (head.done - head.counted - head.annulled - head.controls, "that count for nothing"),
    )
    return ", ".join(f"{number} {kind}" for number, kind in kinds if number) or "none"


def summary(tables: Tables) -> list[str]:
    """What the terminal says of an event: the verdicts and the figures behind them."""
    lines = list(tables.verdicts)
    how = (
        "95 % t intervals" if tables.trial is None else "95 % intervals of a fixed number of units"
    )
    lines += [
        f"{duel.a} – {duel.b}: {unsigned(duel.scores, 3, level=duel.is_level)} points a unit (1 is even),"
        f" {interval(duel.leads)} {lead_words(tables)}, Elo {elo(duel.elo, level=duel.is_level)},"
        f" {counted(duel.scores.n, 'unit')} ({how})."
        for duel in tables.duels
        if len(tables.standings) == 2 and duel.scores.n
    ]
    if len(tables.standings) != 2:
        lines += map(standing_sentence, tables.standings)
    lines += fault_sentences(tables)
    uneven = [
        f"{one.entry} did not end level: {uneven_words(one)}"
        for one in tables.controls
        if one.level < one.units
    ]
    if tables.controls:
        lines.append(f"Self-match control: {'; '.join(uneven) or 'it ended level'}.")
    return lines


def standing_sentence(one: Standing) -> str:
    """An entry's place in a line."""
    points = f"{plain(one.points)} of {counted(2 * one.units, 'point')} ({percent(one.share)})"
    said = [points if one.units else "no points", *filter(None, (one.withdrawn,))]
    return f"{one.rank}. {one.entry}: {', '.join(said)}"


def fault_sentences(tables: Tables) -> list[str]:
    """What the faults of each entry were, and what happened at the last of them."""
    last = {fault.entry: fault for fault in tables.faults}
    return [
        f"{entry} had faults: {cause_words(causes)}. The last, in {last[entry].unit}"
        f" ({last[entry].cause}): {last[entry].detail}"
        for entry, causes in tables.fault_counts
    ]
