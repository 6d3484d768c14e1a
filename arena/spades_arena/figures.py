"""Figures as the reports write them."""

from __future__ import annotations

import math
from typing import Final

from spades_arena.counts import signed
from spades_arena.statistics import EloEstimate, Interval

ALIKE: Final = "(all alike)"
"""What stands in place of an interval where nothing has varied: there is no spread to make one of."""


def interval(of: Interval, digits: int = 1) -> str:
    """A mean with its 95 % interval; with both ends where they are not equally far.

    >>> interval(Interval(2.0, 1.5, 2.5, 0.7, 9)), interval(Interval(2.0, 1.0, 2.0, 0.0, 9))
    ('+2.0 ± 0.5', '+2.0 [+1.0, +2.0]')
    """
    if not of.n:
        return "–"
    if of.n < 2:
        return signed(of.mean, digits)
    if not of.half_width:
        return f"{signed(of.mean, digits)} {ALIKE}"
    below, above = of.mean - of.low, of.high - of.mean
    if abs(above - below) >= 10.0**-digits:
        return f"{signed(of.mean, digits)} [{signed(of.low, digits)}, {signed(of.high, digits)}]"
    return f"{signed(of.mean, digits)} ± {max(below, above):.{digits}f}"


def unsigned(of: Interval, digits: int = 1, *, level: bool = False) -> str:
    """A mean that cannot be negative, with its interval; ``level``: every unit ended exactly level."""
    if level:
        return f"{of.mean:.{digits}f} {ALIKE}"
    return interval(of, digits).replace("+", "")


def elo(of: EloEstimate, *, level: bool = False) -> str:
    """An estimate with its interval; ``level`` says that every unit ended exactly level."""
    if level:
        return f"{signed(0.0)} {ALIKE}"
    return f"{signed(of.value)} [{signed(of.low)}, {signed(of.high)}]"


def percent(value: float, digits: int = 1) -> str:
    """A share, in hundredths."""
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f} %"


def chance(value: float, digits: int = 0) -> str:
    """A chance in hundredths; one that is not sure is never written as if it were.

    >>> chance(0.92), chance(0.9999), chance(0.0001), chance(1.0)
    ('92 %', '> 99 %', '< 1 %', '100 %')
    """
    said = percent(value, digits)
    least = 10.0 ** -(digits + 2)
    if said == percent(1, digits) and value < 1:
        return f"> {percent(1 - least, digits)}"
    if said == percent(0, digits) and value > 0:
        return f"< {percent(least, digits)}"
    return said


def between(low: float, high: float, digits: int = 0) -> str:
    """Two ends.

    >>> between(-12.4, 30), between(1, math.inf)
    ('−12 – 30', '1 – ∞')
    """
    if math.isnan(low) or math.isnan(high):
        return "–"
    return f"{low:.{digits}f} – {high:.{digits}f}".replace("-", "−").replace("inf", "∞")


def around_share(share: float, low: float, high: float) -> str:
    """The interval of a share that stands above it, in hundredths.

    >>> around_share(0.5, 0.4, 0.6), around_share(1.0, 0.54, 1.0)
    ('± 10.0 %', '54.0 % – 100.0 %')
    """
    if abs(high + low - 2 * share) < 0.001:
        return f"± {percent(high - share)}"
    return between_shares(low, high)


def between_shares(low: float, high: float) -> str:
    """Two ends of a share, in hundredths."""
    return "–" if math.isnan(low) else f"{percent(low)} – {percent(high)}"


def plain(value: float) -> str:
    """A number of points, without the digits that it does not need.

    >>> plain(12.0), plain(12.5)
    ('12', '12.5')
    """
    return f"{value:g}"
