"""Words of the command line that need the rules to be understood."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

import typer

from spades import Seat, SpadesError, parse_seat
from spades_client.levels import parse_levels
from spades_client.phrases import printable
from spades_proto.tempo import parse_tempo
from spades_proto.timing import TimeControl, parse_time_control

T = TypeVar("T")


def optional_seat(text: str) -> Seat | None:
    """Reads a seat that may be left out."""
    return _read(parse_seat, text, "--seat") if text else None


def optional_clock(text: str) -> TimeControl | None:
    """Reads a time control that may be left out."""
    return _read(parse_time_control, text, "--clock") if text else None


def optional_tempo(text: str) -> int | None:
    """Reads a tempo that may be left out."""
    return _read(parse_tempo, text, "--tempo") if text else None


def three_levels(text: str, option: str) -> tuple[str, str, str]:
    """Reads the levels of three bots, given with an option of this name."""
    return _read(parse_levels, text, option)


def _read(parse: Callable[[str], T], text: str, option: str) -> T:
    try:
        return parse(text)
    except SpadesError as error:
        raise typer.BadParameter(error.sentence, param_hint=option) from None


def explained(program: Callable[[], T]) -> T | None:
    """Runs a program and says in a sentence what went wrong, if something did; ``None`` then."""
    try:
        return program()
    except SpadesError as error:
        sys.stderr.write(printable(error.sentence) + "\n")
        return None
