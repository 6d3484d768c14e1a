"""`make bench`: speed as ratios measured in one run, with the raw figures beside them.

Names of parts as arguments (`arena`, `competition`, `rules`, `bots`, `start`, `screen`, `wire`, `storage`,
`restart`, `people`) run only those.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import arena
import bots
import competition
import people
import restart
import rules
import screen
import start
import storage
import wire
from report import show

from spades_agents.collector import settle

PARTS = {
    "arena": arena.rows,
    "competition": competition.rows,
    "rules": rules.rows,
    "bots": bots.rows,
    "start": start.rows,
    "screen": screen.rows,
    "wire": wire.rows,
    "storage": storage.rows,
    "restart": restart.rows,
    "people": people.rows,
}


def main() -> int:
    """Runs the parts that were named, or all."""
    names = sys.argv[1:] or list(PARTS)
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"There is no part {unknown[0]!r}: {', '.join(PARTS)} are parts.", file=sys.stderr)
        return 2
    settle()
    for name in names:
        show(name, PARTS[name]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
