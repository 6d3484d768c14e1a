"""What the terminal can do, if there is one."""

from __future__ import annotations

import os
import sys


def full_screen(*, plain: bool, auto: str = "") -> bool:
    """Whether the table is drawn: on a terminal that can be, unless the line client is asked for."""
    if plain or auto or os.environ.get("SPADES_PLAIN"):
        return False
    if os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return False
    streams = (sys.stdin, sys.stdout)
    return all(stream is not None and not stream.closed and stream.isatty() for stream in streams)
