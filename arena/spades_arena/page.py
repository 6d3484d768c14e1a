"""The report as one page: no file beside it, no script, light and dark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import matplotlib as mpl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from spades_arena import figures, pictures
from spades_arena.crosstable import Cell, cross_table
from spades_arena.duels import Duel
from spades_arena.markdown import MOST_FAULTS, control_words, title, unit_words
from spades_arena.notes import RATINGS_NOTE, intervals_note, lead_words, standings_note
from spades_arena.tables import Tables


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture and what is written under it."""

    svg: Markup
    caption: str


def page(tables: Tables) -> str:
    """Writes the page."""
    environment = Environment(
        loader=PackageLoader("spades_arena"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    words = lead_words(tables)
    values: dict[str, Any] = {
        "tables": tables,
        "head": tables.head,
        "title": title(tables),
        "words": words,
        "cross": cross_table(tables) if len(tables.standings) > 2 else [],
        "tint": tint,
        "figures": figures,
        "control_words": control_words,
        "most_faults": MOST_FAULTS,
        "intervals_note": intervals_note(tables),
        "ratings_note": RATINGS_NOTE,
        "standings_note": standings_note(tables),
        "unit_words": unit_words,
        "pictures": _pictures(tables, words),
        "histograms": _histograms(tables, words),
        "drawn_with": f"matplotlib {mpl.__version__}",
    }
    return template.render(values) + "\n"


def tint(cell: Cell) -> str:
    """The colour of a cell: the further from even, the stronger."""
    strength = min(70, round(140 * abs(cell.share - 0.5)))
    name = "good" if cell.share > 0.5 else "bad"
    return f"background: color-mix(in srgb, var(--{name}) {strength}%, transparent)"


def _pictures(tables: Tables, words: str) -> dict[str, Picture]:
    made: dict[str, Picture] = {}
    if any(duel.scores.n for duel in tables.duels) and tables.head.mode == "games":
        made["buckets"] = _picture(
            pictures.buckets(tables),
            "Points of the first entry in each unit: two games on the same deals with the sides changed.",
        )
    if len(tables.duels) > 1 and any(duel.leads.n >= 2 for duel in tables.duels):
        made["leads"] = _picture(
            pictures.leads(tables, words),
            "Mean lead of each match; the bars are 95 % t intervals over units, each for itself.",
        )
    if len(tables.ratings) > 1:
        made["ratings"] = _picture(
            pictures.ratings(tables),
            "Ratings after Bradley and Terry with their 95 % intervals; one that reaches the edge has no end"
            " there.",
        )
    if tables.fault_counts:
        made["faults"] = _picture(pictures.faults(tables), "Faults by their cause.")
    return made


def _picture(svg: str, caption: str) -> Picture:
    return Picture(Markup(svg), caption)  # noqa: S704  # drawn here; matplotlib escapes names


MOST_HISTOGRAMS: Final = 12

FEWEST: Final = 5
"""Of fewer units there is no spread to see."""


def _histograms(tables: Tables, words: str) -> dict[Duel, Picture]:
    """The spread of each of the first matches."""
    drawn = [duel for duel in tables.duels if len(duel.values) >= FEWEST][:MOST_HISTOGRAMS]
    return {
        duel: _picture(
            pictures.histogram(duel, words, wide=len(tables.duels) == 1),
            f"Lead of {duel.a} in each unit, {words}; the line is the mean, the band its 95 % t"
            " interval.",
        )
        for duel in drawn
    }
