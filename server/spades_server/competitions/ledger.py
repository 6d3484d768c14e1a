"""What is written of competitions, and who waits for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

from spades_server.competitions.competition import Competition
from spades_server.competitions.registration import Registration
from spades_server.journal import Done, Journal


class Ledger:
    """Writes every change of a competition into the journal before anybody sees it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._locks: dict[str, asyncio.Lock] = {}
        self._news: dict[str, asyncio.Event] = {}

    async def register(self, competition: Competition, registration: Registration) -> None:
        """Keeps what is known of a competition, and only then shows it."""
        text = registration.to_text()
        name, created_us = registration.id, registration.created_us
        await _safe(lambda done: self._journal.keep_competition(name, created_us, text, done))
        competition.registration = registration
        self._tell(registration.id)

    async def append(
        self, competition: Competition, line: dict[str, Any], records: str = ""
    ) -> None:
        """Writes a line of the journal, and only then counts it."""
        name, number = competition.registration.id, len(competition.lines) + 1
        text = competition.written(line)
        await _safe(
            lambda done: self._journal.keep_competition_line(name, number, text, records, done)
        )
        competition.take(text)
        self._tell(name)

    def changing(self, competition: Competition) -> asyncio.Lock:
        """Held by whoever changes a competition, so that one change is made at a time."""
        return self._locks.setdefault(competition.registration.id, asyncio.Lock())

    async def news(self, competition: Competition, most_s: float) -> None:
        """Waits until something has changed, or everybody is woken, or the time is over."""
        name = competition.registration.id
        changed = self._news.setdefault(name, asyncio.Event())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                await changed.wait()

    def wake_all(self) -> None:
        """Wakes everybody who waits for news."""
        for event in self._news.values():
            event.set()

    def _tell(self, name: str) -> None:
        changed = self._news.pop(name, None)
        if changed is not None:
            changed.set()


async def _safe(write: Callable[[Done], None]) -> None:
    written = asyncio.Event()
    write(written.set)
    await written.wait()
