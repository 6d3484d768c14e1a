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
    if not text:
        return None
    try:
        return parse_seat(text)
    except SpadesError as error:
        raise typer.BadParameter(error.sentence, param_hint="--seat") from None


def optional_clock(text: str) -> TimeControl | None:
    """Reads a time control that may be left out."""
    if not text:
        return None
    try:
        return parse_time_control(text)
    except SpadesError as error:
        raise typer.BadParameter(error.sentence, param_hint="--clock") from None


def optional_tempo(text: str) -> int | None:
    """Reads a tempo that may be left out."""
    if not text:
        return None
    try:
        return parse_tempo(text)
    except SpadesError as error:
        raise typer.BadParameter(error.sentence, param_hint="--tempo") from None


def three_levels(text: str, hint: str) -> tuple[str, str, str]:
    """Reads the levels of three bots; ``hint`` names the option."""
    try:
        return parse_levels(text)
    except SpadesError as error:
        raise typer.BadParameter(error.sentence, param_hint=hint) from None


def explained(program: Callable[[], T]) -> T | None:
    """Runs a program and says in a sentence what went wrong, if something did; ``None`` then."""
    try:
        return program()
    except SpadesError as error:
        sys.stderr.write(printable(error.sentence) + "\n")
        return None
