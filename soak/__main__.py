"""`make soak`: rounds of every fault for as long as MINUTES says, from a seed, and one table at the end.

The exit status is 1 where a figure that must be zero is not.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys

from soak.plan import run_for
from soak.table import Totals

DEFAULT_MINUTES = 10.0


def main() -> int:
    """Runs the rounds and prints what they came to."""
    try:
        minutes = float(os.environ.get("MINUTES") or DEFAULT_MINUTES)
    except ValueError:
        print(f"MINUTES is {os.environ['MINUTES']!r}: a number is wanted.", file=sys.stderr)
        return 2
    seed = os.environ.get("SEED") or secrets.token_hex(4)
    print(f"{minutes:g} minutes from the seed {seed}; SEED={seed} make soak begins the same way.")
    totals = Totals()
    try:
        asyncio.run(run_for(minutes * 60, seed, totals))
    except KeyboardInterrupt:
        print("\nInterrupted; so far:")
    print(totals.table())
    return 0 if totals.clean else 1


if __name__ == "__main__":
    sys.exit(main())
