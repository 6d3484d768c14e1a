"""The levels of house bots: how they are written for three seats, and what is said of each."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Final

from spades import NotationError, Reason
from spades_agents import HOUSE_BOTS

DEFAULT_LEVEL: Final = "gentle"

SEATS: Final = ("left", "partner", "right")
"""The seats of three bots, as their player sees them."""


def parse_levels(text: str) -> tuple[str, str, str]:
    """Reads one level for all, or three for left, partner and right.

    >>> parse_levels("gentle"), parse_levels("gentle, beginner,random")
    (('gentle', 'gentle', 'gentle'), ('gentle', 'beginner', 'random'))

    :raises NotationError: if there are as many as fit no table.
    """
    match [word.strip() for word in text.split(",")]:
        case [one]:
            return one, one, one
        case [left, partner, right]:
            return left, partner, right
        case _:
            raise NotationError(
                f"{text!r} names no levels: give one level, or three parted by commas for left,"
                " partner and right.",
                Reason.INVALID_NOTATION,
            )


def format_levels(levels: Sequence[str]) -> str:
    """Writes levels as :func:`parse_levels` reads them, all alike as one."""
    return levels[0] if len(set(levels)) == 1 else ",".join(levels)


def about_level(level: str) -> str:
    """How a level plays, in a sentence; empty where it is not known."""
    said = inspect.getdoc(HOUSE_BOTS[level]) if level in HOUSE_BOTS else None
    return said.splitlines()[0] if said else ""


LEVELS: Final = tuple((level, about_level(level)) for level in HOUSE_BOTS)
"""Every level with what is said of it, the weakest first."""
