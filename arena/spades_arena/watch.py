"""Which agent is being waited for: told to somebody outside, who can act when it never comes back."""

from __future__ import annotations

from typing import Protocol

from spades import Seat


class Watch(Protocol):
    """Hears of every call of an agent before it begins, and when it has ended."""

    def begin(self, table: int, seat: Seat, allowed_ms: int, *, starting: bool = False) -> None:
        """An agent is called and should be back within this time."""

    def end(self) -> None:
        """It is back."""


class Unwatched:
    """Nobody is told: for tables in one's own process, whose agents cannot be ended."""

    def begin(self, table: int, seat: Seat, allowed_ms: int, *, starting: bool = False) -> None:
        """Takes no note."""

    def end(self) -> None:
        """Takes no note."""
