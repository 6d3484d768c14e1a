"""Figures as the reports write them."""

from __future__ import annotations

import math

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


def interval(of: Interval, digits: int = 1) -> str:
    """A mean with its 95 % t interval."""
    if not of.n:
        return "–"
    if of.n < 2:
        return signed(of.mean, digits)
    return f"{signed(of.mean, digits)} ± {of.half_width:.{digits}f}"


def unsigned(of: Interval, digits: int = 1) -> str:
    """A mean that cannot be negative, with its 95 % t interval."""
    return interval(of, digits).removeprefix("+")


def elo(of: EloEstimate) -> str:
    """An estimate with its interval."""
    return f"{signed(of.value)} [{signed(of.low)}, {signed(of.high)}]"


def percent(value: float, digits: int = 1) -> str:
    """A share, in hundredths."""
    return "–" if math.isnan(value) else f"{100 * value:.{digits}f} %"


def between(low: float, high: float, digits: int = 0) -> str:
    """Two ends."""
    if math.isnan(low) or math.isnan(high):
        return "–"
    return f"{low:.{digits}f} – {high:.{digits}f}".replace("-", "−")


def plain(value: float) -> str:
    """A number of points, without the digits that it does not need.

    >>> plain(12.0), plain(12.5)
    ('12', '12.5')
    """
    return f"{value:g}"
