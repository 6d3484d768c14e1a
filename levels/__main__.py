"""`make levels`: how strong the house bots are, as the third source measured its own.

GAMES games to 500 a pairing (1,000 unless it is set), two of them on the same deals with the sides swapped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from statistics import NormalDist, fmean, stdev

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from levels.games import RULES, Counts, Pairing, Unit, play_unit

PAIRINGS = (
    Pairing(("beginner", "gentle"), ("gentle", "gentle"), 50, 58),
    Pairing(("beginner", "steady"), ("steady", "steady"), 25, 35),
    Pairing(("beginner", "sharp"), ("sharp", "sharp"), 20, 30),
    Pairing(("steady", "steady"), ("gentle", "gentle"), 50, 100),
    Pairing(("sharp", "sharp"), ("steady", "steady"), 50, 100),
    Pairing(("sharp", "sharp"), ("gentle", "gentle"), 50, 100),
)
DEFAULT_GAMES = 1_000
CONFIDENCE = 0.95


def main() -> int:
    """Plays all pairings and prints what they came to."""
    text = os.environ.get("GAMES") or str(DEFAULT_GAMES)
    if not text.isdigit() or int(text) < 4:
        print(f"GAMES is {text!r}: a whole number of 4 or more is wanted.", file=sys.stderr)
        return 2
    units = (int(text) + 1) // 2
    seed = os.environ.get("SEED") or "levels"
    print(f"{2 * units:,} games a pairing, rules {RULES}, seed {seed!r}; SEED=… takes other deals.")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with (
        ProcessPoolExecutor() as pool,
        Progress(*columns, TimeRemainingColumn(), transient=True) as bar,
    ):
        for pairing in PAIRINGS:
            task = bar.add_task(str(pairing), total=units)
            play = partial(play_unit, pairing, seed=seed)
            found: list[Unit] = []
            for unit in pool.map(play, range(units), chunksize=4):
                found.append(unit)
                bar.advance(task)
            bar.remove_task(task)
            bar.console.print(report(pairing, found), markup=False, highlight=False, soft_wrap=True)
    return 0


def report(pairing: Pairing, units: Sequence[Unit]) -> str:
    """The share of games won, with its interval from the units, and how both pairs bid and played."""
    shares = [50 * unit.won for unit in units]
    share = fmean(shares)
    half = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) * stdev(shares) / sqrt(len(shares))
    interval = f"{share - half:.1f} to {share + half:.1f}"
    aim = f"looked for {pairing.low:g} to {pairing.high:g}"
    lines = [f"\n{pairing}: {share:.1f} % of {2 * len(units):,} games ({interval}; {aim})"]
    first, second = Counts(), Counts()
    for unit in units:
        first += unit.first
        second += unit.second
    for names, counts in ((pairing.first, first), (pairing.second, second)):
        lines.append(_line(" + ".join(names), counts))
    return "\n".join(lines)


def _line(name: str, counts: Counts) -> str:
    contracts = f"contracts made {counts.made / max(counts.contracts, 1):.1%}"
    bid = f"bid {counts.bid / max(counts.hands, 1):.2f}"
    nils = f"nils {counts.nils_made:,} of {counts.nils:,}"
    if counts.nils:
        nils += f" ({counts.nils_made / counts.nils:.0%})"
    bags = f"bags {counts.bags / max(counts.hands, 1):.2f}"
    return f"  {name:18} {bid}, {contracts}, {nils}, {bags} a hand, penalties {counts.penalties:,}"


if __name__ == "__main__":
    sys.exit(main())
