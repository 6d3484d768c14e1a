"""What stands under the tables of a report, in every form of it: what a figure is, and what it is not."""

from __future__ import annotations

from typing import Final

from spades_arena.leads import LEAD_WORDS
from spades_arena.spec import Format, Mode
from spades_arena.tables import Tables

RESAMPLES_NOTE: Final = (
    "95 %, and the chance of being first: 2,000 resamples of the streams of deals (fewer of more than 1,000"
    " matches), if there are two or more. Each match has a tenth of a unit of each result beside what was"
    " seen, so that what never came up is unlikely and not impossible."
)
"""Where the intervals of standings and ratings come from."""

GAUNTLET_NOTE: Final = (
    "In a gauntlet the entries have met different opponents, so places and shares of the challengers do not"
    " compare with those of the others; ratings do."
)

WITHDRAWAL_NOTE: Final = (
    "Of an entry that was withdrawn the others have not all met the same: where its results stand, their"
    " shares compare a little less."
)


def lead_words(tables: Tables) -> str:
    """What a lead is measured in."""
    return LEAD_WORDS[Mode(tables.head.mode)]


def standings_note(tables: Tables) -> str:
    """What stands under the standings."""
    said = [
        "A unit is two tables on the same deals with the sides changed, and worth two points.",
        f"Lead: mean of the units that were played, in {lead_words(tables)}.",
        RESAMPLES_NOTE,
    ]
    if tables.head.format == Format.GAUNTLET.value:
        said.append(GAUNTLET_NOTE)
    if any(one.withdrawn for one in tables.standings):
        said.append(WITHDRAWAL_NOTE)
    return " ".join(said)


def intervals_note(tables: Tables) -> str:
    """What stands under the figures of matches."""
    said = (
        "After ± and in brackets: 95 % t intervals over units, of points no narrower than results allow that"
        " have not come up in so many units."
    )
    if tables.trial is not None:
        return (
            f"{said} They and the chance to be better are those of a number of units that was fixed before: a"
            " test that ends when it is decided makes them too sure, and its own answer is the verdict."
        )
    if len(tables.duels) > 1:
        return (
            f"{said} Each verdict is for its match alone: between equals about one in twenty errs. What holds"
            " for all matches together has a p under 0.05 after Holm's adjustment."
        )
    return said


RATINGS_NOTE: Final = (
    "Bradley and Terry's model, fitted anew from all units that were played; a forfeit rates nobody. 0 is the"
    " mean of those that can be compared: each has points of each, straight or by way of others. A rating"
    " weighs all matches of an entry together and is drawn towards 0, as if it had one drawn unit more"
    " against an average entry. The Elo of a match comes from the points of that match alone, so it is not"
    " the difference of two ratings. Intervals are made as those of the shares; one that won every point has"
    " no upper end, one that won none no lower, and neither is in that mean."
)
"""What stands under the ratings."""
