"""Figures as the reports write them."""

from __future__ import annotations

import math
from typing import Final

from spades_arena.statistics import EloEstimate, Interval


def signed(value: float, digits: int = 1) -> str:
    """A number with its sign, or a word where there is none.

    >>> signed(2.25), signed(float("-inf")), signed(-0.01)
    ('+2.2', '−∞', '0.0')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "+∞" if value > 0 else "−∞"
    if not round(value, digits):
        return f"{0:.{digits}f}"
    return f"{value:+.{digits}f}".replace("-", "−")


ALIKE: Final = "(all alike)"
"""What stands in place of an interval where nothing has varied: there is no spread to make one of."""


def interval(of: Interval, digits: int = 1) -> str:
    """A mean with its 95 % t interval.

    >>> interval(Interval(2.0, 1.5, 2.5, 0.7, 9)), interval(Interval(0.0, 0.0, 0.0, 0.0, 9))
    ('+2.0 ± 0.5', '0.0 (all alike)')
    """
    if not of.n:
        return "–"
    if of.n < 2:
        return signed(of.mean, digits)
    if not of.half_width:
        return f"{signed(of.mean, digits)} {ALIKE}"
    return f"{signed(of.mean, digits)} ± {of.half_width:.{digits}f}"


def unsigned(of: Interval, digits: int = 1, *, level: bool = False) -> str:
    """A mean that cannot be negative, with its interval; ``level``: every unit ended exactly level."""
    if level:
        return f"{of.mean:.{digits}f} {ALIKE}"
    return interval(of, digits).removeprefix("+")


def elo(of: EloEstimate, *, level: bool = False) -> str:
    """An estimate with its interval; ``level`` says that every unit ended exactly level."""
    if level:
        return f"{signed(0.0)} {ALIKE}"
    return f"{signed(of.value)} [{signed(of.low)}, {signed(of.high)}]"


def percent(value: float, digits: int = 1) -> str:
    """A share, in hundredths."""
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f} %"


def between(low: float, high: float, digits: int = 0) -> str:
    """Two ends."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    return f"{low:.{digits}f} – {high:.{digits}f}".replace("-", "−")


def between_shares(low: float, high: float) -> str:
    """Two ends of a share, in hundredths."""
    return "–" if math.isnan(low) else f"{percent(low)} – {percent(high)}"


def plain(value: float) -> str:
    """A number of points, without the digits that it does not need.

    >>> plain(12.0), plain(12.5)
    ('12', '12.5')
    """
    return f"{value:g}"
