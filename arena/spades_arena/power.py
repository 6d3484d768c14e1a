"""How many units a question needs: asked before an event, not after it."""

from __future__ import annotations

import math
from typing import Final

from scipy import stats

from spades_arena.errors import ArenaError

MOST: Final = 100_000_000


def power_of(units: int, effect: float, sd: float, alpha: float = 0.05) -> float:
    """How likely so many units find a true difference, with a two-sided t test."""
    if units < 2:
        return 0.0
    shift = effect / sd * math.sqrt(units)
    critical = float(stats.t.ppf(1 - alpha / 2, units - 1))
    return float(
        stats.nct.sf(critical, units - 1, shift) + stats.nct.cdf(-critical, units - 1, shift)
    )


def units_for(effect: float, sd: float, power: float = 0.9, alpha: float = 0.05) -> int:
    """The fewest units that find a true difference as often as asked.

    :raises ArenaError: if a number is out of range.
    """
    if not effect:
        raise ArenaError("A difference of 0 is none, and no number of units finds it.")
    if not sd > 0:
        raise ArenaError(f"A spread of {sd:g} is not possible: it is more than 0.")
    if not 0 < alpha < power < 1:
        raise ArenaError(
            f"alpha={alpha:g} and power={power:g} are not possible: both lie between 0 and 1, and power is"
            " the larger one."
        )
    effect = abs(effect)
    z = float(stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power))
    units = max(2, math.floor((z * sd / effect) ** 2))
    if units > MOST:
        raise ArenaError(f"A difference of {effect:g} would need more than {MOST:,} units.")
    if units > 10_000:
        # The normal law is exact to a unit here, and the noncentral t is slow.
        return units + 1
    while power_of(units, effect, sd, alpha) < power:
        units += 1
    while units > 2 and power_of(units - 1, effect, sd, alpha) >= power:
        units -= 1
    return units
