"""The pictures of a report, as SVG whose colours are those of the page around it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from io import StringIO
from typing import Any, Final, Protocol, cast

import matplotlib as mpl
from matplotlib.figure import Figure

from spades_arena.duels import Duel
from spades_arena.tables import Tables

INK: Final = "#010203"
FAINT: Final = "#040506"
ACCENT: Final = "#070809"
GOOD: Final = "#0a0b0c"
BAD: Final = "#0d0e0f"
EVEN: Final = "#101112"

VARIABLES: Final = {
    INK: "var(--ink)",
    FAINT: "var(--faint)",
    ACCENT: "var(--accent)",
    GOOD: "var(--good)",
    BAD: "var(--bad)",
    EVEN: "var(--even)",
}
"""Stand-ins, which become the page's own colours, light or dark."""

STYLE: Final[dict[str, Any]] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "spades",
    "font.size": 10,
    "font.family": "sans-serif",
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

WIDTH: Final = 7.2
NARROW: Final = 4.2


class Pen(Protocol):
    """What is used of matplotlib's axes, whose own types leave much unknown."""

    @property
    def patch(self) -> Patch:
        """The ground that is drawn on."""
        ...

    def axvline(self, x: float, **style: object) -> object:
        """Draws an upright line."""

    def axvspan(self, xmin: float, xmax: float, **style: object) -> object:
        """Fills an upright band."""

    def errorbar(
        self, x: Sequence[float], y: Sequence[float], *, xerr: object, **style: object
    ) -> object:
        """Draws points with bars."""

    def hist(self, x: Sequence[float], *, bins: int, **style: object) -> object:
        """Draws a histogram."""

    def barh(self, y: float, width: float, **style: object) -> object:
        """Draws a bar that lies."""

    def text(self, x: float, y: float, s: str, **style: object) -> object:
        """Writes something."""

    def set_xlabel(self, xlabel: str) -> object:
        """Names the lower axis."""

    def set_ylabel(self, ylabel: str) -> object:
        """Names the left axis."""

    def set_xlim(self, left: float, right: float) -> object:
        """Sets the ends of the lower axis."""

    def set_ylim(self, bottom: float, top: float) -> object:
        """Sets the ends of the left axis."""

    def set_yticks(self, ticks: Sequence[float], labels: Sequence[str]) -> object:
        """Names places on the left axis."""

    def tick_params(self, *, axis: str, length: float) -> object:
        """Sets how ticks look."""


class Patch(Protocol):
    """The ground of a picture."""

    def set_alpha(self, alpha: float | None) -> None:
        """Sets how much it covers."""


def ratings(tables: Tables) -> str:
    """Ratings with their intervals, the best at the top."""
    rated = sorted(tables.ratings, key=lambda pair: pair[1].value)

    def draw(axes: Pen) -> None:
        places = range(len(rated))
        values = [one.value for _, one in rated]
        # Without an interval there is a point and no bar; one without an end reaches the edge.
        ends = [end for _, one in rated for end in (one.low, one.high, one.value)]
        left, right = _edges([end for end in ends if math.isfinite(end)])
        below = [_length(one.value, max(one.low, left)) for _, one in rated]
        above = [_length(one.value, min(one.high, right)) for _, one in rated]
        axes.set_xlim(left, right)
        axes.axvline(0, color=FAINT, linewidth=0.8)
        axes.errorbar(
            values, places, xerr=[below, above], fmt="o", color=ACCENT, capsize=3, markersize=6
        )
        _names(axes, [name for name, _ in rated])
        axes.set_xlabel("Elo")

    return _drawn(0.5 + 0.36 * max(2, len(rated)), draw)


def _edges(values: Sequence[float]) -> tuple[float, float]:
    """Where a picture of these values begins and ends."""
    low, high = min(values), max(values)
    room = 0.05 * (high - low or 1.0)
    return low - room, high + room


def _length(value: float, end: float) -> float:
    """How long a bar is; none where its end is not known."""
    return 0.0 if math.isnan(end) else abs(value - end)


def leads(tables: Tables, words: str) -> str:
    """The mean lead of each match with its interval."""
    duels = [duel for duel in reversed(tables.duels) if duel.leads.n >= 2]

    def draw(axes: Pen) -> None:
        axes.axvline(0, color=FAINT, linewidth=0.8)
        for place, duel in enumerate(duels):
            colour = _colour(duel.leads.low, duel.leads.high)
            axes.errorbar(
                [duel.leads.mean],
                [place],
                xerr=[[duel.leads.half_width], [duel.leads.half_width]],
                fmt="o",
                color=colour,
                capsize=3,
                markersize=5,
            )
        _names(axes, [f"{duel.a} – {duel.b}" for duel in duels])
        axes.set_xlabel(f"lead of the first, {words}")

    return _drawn(0.5 + 0.32 * max(2, len(duels)), draw)


def _colour(low: float, high: float) -> str:
    return GOOD if low > 0 else BAD if high < 0 else EVEN


def histogram(duel: Duel, words: str, *, wide: bool) -> str:
    """How the leads of a match's units are spread."""

    def draw(axes: Pen) -> None:
        bins = max(5, min(40, math.ceil(2 * len(duel.values) ** (1 / 2))))
        axes.hist(duel.values, bins=bins, color=EVEN)
        axes.axvline(0, color=FAINT, linewidth=0.8)
        if duel.leads.n >= 2:
            axes.axvspan(duel.leads.low, duel.leads.high, color=ACCENT, alpha=0.3, linewidth=0)
        axes.axvline(duel.leads.mean, color=ACCENT, linewidth=2)
        axes.set_xlabel(f"lead of {_literal(duel.a)}, {words}")
        axes.set_ylabel("units")

    return _drawn(2.6, draw, WIDTH if wide else NARROW)


def buckets(tables: Tables) -> str:
    """For each match, how many of its units brought which points."""
    duels = [duel for duel in reversed(tables.duels) if duel.scores.n]
    colours = (BAD, BAD, EVEN, GOOD, GOOD)
    strengths = (1.0, 0.55, 0.6, 0.55, 1.0)
    labels = ("0", "½", "1", "1½", "2")

    def draw(axes: Pen) -> None:
        for place, duel in enumerate(duels):
            left = 0.0
            for colour, alpha, label, count in zip(
                colours, strengths, labels, duel.buckets, strict=True
            ):
                width = 100 * count / duel.scores.n
                axes.barh(place, width, left=left, color=colour, alpha=alpha, height=0.6)
                if width >= 6:
                    axes.text(left + width / 2, place, label, ha="center", va="center")
                left += width
        axes.axvline(50, color=INK, linewidth=0.8, linestyle=":")
        axes.set_xlim(0, 100)
        _names(axes, [f"{duel.a} – {duel.b}" for duel in duels])
        axes.set_xlabel("% of the units in which the first had so many points")

    return _drawn(0.6 + 0.36 * max(2, len(duels)), draw)


def faults(tables: Tables) -> str:
    """Faults of each entry by their cause."""
    entries = list(reversed(tables.fault_counts))
    causes = sorted({cause for _, found in entries for cause, _ in found})

    def draw(axes: Pen) -> None:
        for place, (_, found) in enumerate(entries):
            left = 0
            for cause, count in found:
                strength = 0.35 + 0.65 * causes.index(cause) / max(1, len(causes) - 1)
                axes.barh(place, count, left=left, color=BAD, alpha=strength, height=0.6)
                axes.text(left, place + 0.42, cause, fontsize=8, va="bottom")
                left += count
        _names(axes, [entry for entry, _ in entries])
        axes.set_ylim(-0.6, len(entries) - 0.1)
        axes.set_xlabel("faults")

    return _drawn(0.7 + 0.55 * len(entries), draw)


def _names(axes: Pen, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_literal(name) for name in names])
    axes.set_ylim(-0.6, max(1, len(names)) - 0.4)
    axes.tick_params(axis="y", length=0)


def _literal(name: str) -> str:
    """A name in which nothing is taken for mathematics."""
    return name.replace("$", "\\$")


def _drawn(height: float, draw: Callable[[Pen], None], width: float = WIDTH) -> str:
    """Draws and gives the SVG element, without the file's head."""
    context = cast(
        "Callable[[dict[str, Any]], AbstractContextManager[None]]",
        mpl.rc_context,  # pyright: ignore[reportUnknownMemberType]
    )
    with context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        figure.patch.set_alpha(0)
        axes = cast("Pen", figure.add_subplot())
        axes.patch.set_alpha(0)
        draw(axes)
        text = StringIO()
        figure.savefig(  # pyright: ignore[reportUnknownMemberType]
            text, format="svg", metadata={"Date": None, "Creator": None}
        )
    return _as_element(text.getvalue())


def _as_element(text: str) -> str:
    element = text[text.index("<svg") :].strip()
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    # The page's own font, and its width: the height follows.
    element = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", element)
    element = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", element, count=1)
    element = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", element, count=1)
    for stand_in, variable in VARIABLES.items():
        element = element.replace(stand_in, variable)
    return element
