"""The garbage collector, set for programs that make many small values and hardly any cycles."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (50_000, 20, 100)
"""Collections of the youngest objects after so many, of the middle and the oldest after so many of those."""


def settle() -> None:
    """Leaves what exists already alone for good, and looks for cycles less often.

    For the start of a program that owns its process: a server, or the runner of a bot. Views, events and
    tables are freed by their reference counts; looking through all of them for cycles every few hundred
    allocations costs more than playing does.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
