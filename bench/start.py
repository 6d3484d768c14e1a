"""How soon the command answers, as multiples of an empty Python."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from report import Row

SPADES = str(Path(sys.executable).with_name("spades"))


def best_ms(command: list[str], tries: int, *, first_line: bool = False) -> float:
    """The shortest time to the end of a command, or to its first line, in milliseconds."""
    best = float("inf")
    for _ in range(tries):
        start = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=os.environ
        ) as running:
            assert running.stdout is not None
            if first_line:
                running.stdout.readline()
                best = min(best, (time.perf_counter() - start) * 1000)
                running.kill()
            else:
                running.stdout.read()
                running.wait()
                best = min(best, (time.perf_counter() - start) * 1000)
    return best


def rows() -> list[Row]:
    """Measures and compares."""
    empty = best_ms([sys.executable, "-c", "pass"], 15)
    helped = best_ms([SPADES, "--help"], 10)
    first = best_ms([SPADES, "play", "--auto", "random"], 7, first_line=True)
    return [
        Row("python -c pass", f"{empty:.0f} ms", "", ""),
        Row("spades --help", f"{helped:.0f} ms", f"{helped / empty:.1f} x empty", "<= 15"),
        Row(
            "first line of spades play", f"{first:.0f} ms", f"{first / empty:.1f} x empty", "<= 50"
        ),
    ]
