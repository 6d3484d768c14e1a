"""The report in Markdown: the verdicts first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spades_arena.figures import between, elo, interval, percent, plain, signed, unsigned
from spades_arena.tables import Duel, Tables

BUCKET_WORDS = ("0", "½", "1", "1½", "2")


def markdown(tables: Tables) -> str:
    """Writes the whole report."""
    parts = [
        f"# {title(tables)}",
        *(f"**{sentence}**" for sentence in tables.verdicts),
        *_standings(tables),
        *(block for duel in tables.duels for block in _duel(tables, duel)),
        *_ratings(tables),
        *_faults(tables),
        *_controls(tables),
        *_conditions(tables),
    ]
    return "\n\n".join(parts) + "\n"


def title(tables: Tables) -> str:
    """What the event is called."""
    if len(tables.duels) == 1:
        return f"{tables.duels[0].a} against {tables.duels[0].b}"
    words = tables.head.format.replace("-", " ")
    return f"{words.capitalize()} of {len(tables.standings)} entries"


def lead_words(tables: Tables) -> str:
    """What a lead is measured in."""
    return "points per deal" if tables.head.mode == "boards" else "points per pair of games"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    rule = "|" + "|".join(" --- " for _ in head) + "|"
    return "\n".join([line(head), rule, *map(line, rows)])


def _standings(tables: Tables) -> list[str]:
    rows = [
        (
            str(one.rank),
            one.entry,
            f"{plain(one.points)} / {2 * one.units}",
            percent(one.share),
            f"{percent(one.share_low)} – {percent(one.share_high)}",
            between(one.rank_low, one.rank_high),
            percent(one.first, 0),
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
    note = (
        "A unit is two tables on the same deals with the sides changed, and worth two points."
        " Intervals of shares and ranks: 2,000 resamples of the streams of deals."
        f" Lead: mean, in {lead_words(tables)}."
    )
    return ["## Standings", _table(head, rows), note]


def _duel(tables: Tables, duel: Duel) -> list[str]:
    rows = [
        ("units", str(duel.scores.n)),
        (f"lead, {lead_words(tables)}", interval(duel.leads)),
        ("points of a unit (1 is even)", unsigned(duel.scores, 3)),
        ("units with " + ", ".join(BUCKET_WORDS) + " points", ", ".join(map(str, duel.buckets))),
        ("Elo", elo(duel.elo)),
        ("normalized Elo", elo(duel.normalized_elo)),
        (f"{duel.a} is the better one with", percent(duel.better)),
        ("p, adjusted after Holm", f"{duel.p_adjusted:.3g}"),
        ("forfeited units", f"{duel.forfeits[0]} and {duel.forfeits[1]}"),
    ]
    return [
        f"## {duel.a} – {duel.b}",
        duel.sentence,
        _table(("", duel.a), rows),
        "After ± and in brackets: 95 % t intervals over units.",
    ]


def _ratings(tables: Tables) -> list[str]:
    if not tables.ratings:
        return []
    rows = [
        (name, signed(one.value, 0), between(one.low, one.high), str(one.units))
        for name, one in sorted(tables.ratings, key=lambda pair: -pair[1].value)
    ]
    note = (
        "Bradley and Terry's model on units, fitted anew from the journal; the mean is 0. Intervals:"
        " 95 % of 2,000 resamples of the streams of deals. Forfeits rate nobody."
    )
    return ["## Ratings", _table(("entry", "Elo", "95 %", "units"), rows), note]


def _faults(tables: Tables) -> list[str]:
    if not tables.faults:
        return ["## Faults", "None."]
    counts = [
        (entry, ", ".join(f"{cause}: {n}" for cause, n in causes))
        for entry, causes in tables.fault_counts
    ]
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
        (one.entry, f"{one.level} of {one.units}", control_words(one.units, one.level))
        for one in tables.controls
    ]
    note = (
        "Each entry met itself on the event's deals, with the sides changed: such a unit must end"
        " exactly level."
    )
    return ["## Self-match control", _table(("entry", "level", ""), rows), note]


def control_words(units: int, level: int) -> str:
    """What a control means."""
    if units == level:
        return "level, as it must be"
    return "not level: it does not answer the same view with the same action, or it had faults"


def _conditions(tables: Tables) -> list[str]:
    head = tables.head
    seed = "chosen by the organiser" if head.seed_chosen else "drawn"
    rows = [
        ("event", head.event),
        ("format", f"{head.format}, {head.mode}"),
        ("rules", head.rules),
        ("time for a decision + bank, s", head.clock),
        ("entries", ", ".join(f"{one.entry} = {one.spec}" for one in tables.standings)),
        (
            "units",
            (
                f"{head.played} played, {head.forfeited} forfeited, {head.void} void,"
                f" {head.annulled} annulled, {head.missing} missing of {head.planned}"
            ),
        ),
        ("software", head.software),
        ("commitment to the seed", f"{head.seed_commitment} ({seed})"),
        ("again", f"`{head.command}`"),
    ]
    return ["## Conditions", _table(("", ""), rows)]


def summary(tables: Tables) -> list[str]:
    """What the terminal says of an event: the verdicts and the figures behind them."""
    lines = list(tables.verdicts)
    lines += [
        f"{duel.a} – {duel.b}: {unsigned(duel.scores, 3)} points a unit (1 is even),"
        f" {interval(duel.leads)} {lead_words(tables)}, Elo {elo(duel.elo)}, {duel.scores.n} units"
        " (95 % t intervals)."
        for duel in tables.duels
        if len(tables.duels) == 1
    ]
    lines += [
        f"{one.rank}. {one.entry}: {plain(one.points)} of {2 * one.units} points"
        f" ({percent(one.share)}){', ' if one.withdrawn else ''}{one.withdrawn}"
        for one in tables.standings
        if len(tables.duels) != 1
    ]
    lines += [
        f"{entry} had faults: {', '.join(f'{cause}: {n}' for cause, n in causes)}."
        for entry, causes in tables.fault_counts
    ]
    uneven = [one.entry for one in tables.controls if one.level < one.units]
    level = "ended level" if not uneven else f"did not end level for {', '.join(uneven)}"
    if tables.controls:
        lines.append(f"Self-match control: it {level}.")
    return lines
