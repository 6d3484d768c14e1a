"""The command as a test types it."""

from __future__ import annotations

from typing import Protocol


class Run(Protocol):
    """A program that has ended."""

    @property
    def status(self) -> int: ...
    @property
    def output(self) -> str: ...
    @property
    def errors(self) -> str: ...
    @property
    def lines(self) -> list[str]: ...


class Spades(Protocol):
    """Runs the command beside the server of the test."""

    async def __call__(self, *words: str) -> Run: ...
