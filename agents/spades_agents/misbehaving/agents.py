"""Agents whose fault is what they do."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from typing import Final

from spades import Card, SeatView
from spades_agents.agent import Agent, CardAnswer
from spades_agents.bots import Beginner

ALMOST: Final = 0.9
"""The part of its time that the slow one uses."""

UNLIMITED_S: Final = 0.5
"""How many seconds the slow one takes for a card where nothing limits it."""


class _Misbehaving(Agent):
    """Bids as the beginner does."""

    _beginner = Beginner()

    def bid(self, view: SeatView) -> int:
        """Bids as the beginner does."""
        return self._beginner.bid(view).tricks


class Silent(_Misbehaving):
    """Never plays a card, and never says so."""

    name = "silent"

    async def play(self, view: SeatView) -> Card:
        """Thinks for ever."""
        await asyncio.Event().wait()
        return self._beginner.play(view)


class Slow(_Misbehaving):
    """Uses nearly all the time that it has, for every card, and is never late."""

    name = "slow"

    async def play(self, view: SeatView) -> Card:
        """Waits, then plays as the beginner does."""
        limits = view.limits
        left_s = UNLIMITED_S if limits is None else (limits.deadline_us - limits.sent_us) / 1e6
        await asyncio.sleep(ALMOST * max(left_s, 0.0))
        return self._beginner.play(view)


class Illegal(_Misbehaving):
    """Plays cards that it does not hold."""

    name = "illegal"

    def play(self, view: SeatView) -> Card:
        """Plays the first card of the deck that is not its own."""
        return next(card for card in view.rules.deck if card not in view.hand)


class Crashing(_Misbehaving):
    """Raises at every card."""

    name = "crashing"

    def play(self, view: SeatView) -> CardAnswer | Awaitable[CardAnswer]:
        """Divides by the number of tricks that it will take."""
        raise ZeroDivisionError(f"{view.seat} cannot divide by its prospects")


class Dying(_Misbehaving):
    """Ends the whole process at its first card; only ever to be run in one of its own."""

    name = "dying"

    def play(self, view: SeatView) -> CardAnswer | Awaitable[CardAnswer]:
        """Ends the process without any farewell."""
        del view
        os._exit(1)
