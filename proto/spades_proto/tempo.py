"""Tempo: how long house bots take for a card while people play (rules.md 5.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TEMPOS: Final[Mapping[str, int]] = {"relaxed": 1_500, "normal": 700, "fast": 250, "instant": 0}
"""The tempos that have a name, in milliseconds, the slowest first."""

NORMAL_MS: Final = TEMPOS["normal"]

SLOWEST_MS: Final = 10_000
"""The most that can be asked for."""


def parse_tempo(text: str) -> int:
    """Reads a tempo, by its name or in milliseconds.

    >>> parse_tempo("relaxed"), parse_tempo("900")
    (1500, 900)

    :raises NotationError: if it is neither, or slower than it may be.
    """
    said = text.strip().lower()
    if said in TEMPOS:
        return TEMPOS[said]
    # Where there are too many digits, they are not even read.
    if said.isascii() and said.isdigit() and len(said) <= 6 and int(said) <= SLOWEST_MS:
        return int(said)
    # The names stand in the help of the command line, which imports little.
    from spades import NotationError, Reason  # noqa: PLC0415

    raise NotationError(
        f"{text!r} is no tempo: {', '.join(TEMPOS)} are, and milliseconds for a card from 0 to"
        f" {SLOWEST_MS}.",
        Reason.INVALID_NOTATION,
    )


def tempo_name(tempo_ms: int) -> str:
    """What a tempo is called: its name, or its milliseconds where it has none.

    >>> tempo_name(700), tempo_name(900)
    ('normal', '900 ms')
    """
    return next((name for name, ms in TEMPOS.items() if ms == tempo_ms), f"{tempo_ms} ms")
