"""How many units a sequential test takes: asked before it begins, so that none is played that cannot end."""

from __future__ import annotations

import math
from typing import Final

from spades_arena.counts import counted
from spades_arena.errors import ArenaError
from spades_arena.sequential import FEWEST, limits, pairs_llr, t_value
from spades_arena.spec import Bounds, EventSpec, Mode

USUAL_SD: Final = {"boards": 24.0, "games": 0.5}
"""The spread of a unit between bots of like strength: points per deal of a board pair, and the score of a
game pair."""


def fewest_units(mode: Mode, bounds: Bounds) -> int:
    """With how many units such a test can be decided at all: if one side has won every one of them.

    On boards any lead may be large enough, and only the spread must be known.

    >>> fewest_units(Mode.GAMES, Bounds(low=0, high=10)), fewest_units(Mode.BOARDS, Bounds(low=0, high=1))
    (71, 50)
    """
    if mode is Mode.BOARDS:
        return FEWEST
    lower, upper = limits(bounds)
    won, lost = pairs_llr((0, 0, 0, 0, FEWEST), bounds), pairs_llr((FEWEST, 0, 0, 0, 0), bounds)
    return max(FEWEST, math.ceil(FEWEST * min(upper / won, lower / lost)))


def usual_units(mode: Mode, bounds: Bounds) -> int:
    """How many units such a test takes where one of its bounds is the truth, after A. Wald (1945).

    The limits, weighted with how often each is reached, divided by what a unit adds on average; on boards
    with the usual spread.
    """
    lower, upper = limits(bounds)
    apart = bounds.high - bounds.low
    apart = apart / USUAL_SD["boards"] if mode is Mode.BOARDS else t_value(apart)
    of_unit = math.log1p(apart**2) / 2
    high = (1 - bounds.beta) * upper + bounds.beta * lower
    low = -(bounds.alpha * upper + (1 - bounds.alpha) * lower)
    return max(FEWEST, math.ceil(max(high, low) / of_unit))


def check_length(spec: EventSpec) -> None:
    """Refuses a sequential test that would end before it could be decided.

    :raises ArenaError: saying how many units it takes.
    """
    if spec.bounds is None:
        return
    fewest = fewest_units(spec.mode, spec.bounds)
    if spec.units >= fewest:
        return
    even = "" if fewest == FEWEST else ", even if one side wins every one of them"
    raise ArenaError(
        f"A test of {_units(spec.mode, spec.units)} cannot decide {_question(spec.mode, spec.bounds)}: that"
        f" takes {_units(spec.mode, fewest)} at least{even}. Allow more, or choose bounds further apart."
    )


def length_warning(spec: EventSpec) -> str:
    """Says that a sequential test may well end undecided; nothing where it has room enough."""
    if spec.bounds is None:
        return ""
    usual = usual_units(spec.mode, spec.bounds)
    if spec.units >= usual:
        return ""
    return (
        f"A test {_question(spec.mode, spec.bounds)} takes about {_units(spec.mode, usual)} if one of the two"
        f" is true: of {_units(spec.mode, spec.units)} it may well end undecided."
    )


def _units(mode: Mode, number: int) -> str:
    """So many units, by what is typed for them."""
    if mode is Mode.BOARDS:
        return counted(number, "board")
    return f"{counted(2 * number, 'game')} ({counted(number, 'unit')})"


def _question(mode: Mode, bounds: Bounds) -> str:
    what = "points per deal" if mode is Mode.BOARDS else "normalized Elo"
    return f"between {bounds.low:g} and {bounds.high:g} {what}"
