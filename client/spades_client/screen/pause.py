"""The pause in which what lies on the table is looked at, before the next update is shown."""

from __future__ import annotations

from typing import Final

import spades
from spades_client.session import Changed

CARD_PAUSES: Final = 3
"""A score card stays for so many times the pause for a trick, if the next hand comes by itself."""


class Pause:
    """How long a full trick or a score card stays; the time is that of whoever asks, in seconds."""

    def __init__(self) -> None:
        self.card_up = False
        """Whether a score card lies there that nobody has put away: alone with bots it waits for that."""
        self._until = 0.0
        self._trick_full = False

    def left_s(self, now: float) -> float:
        """How many seconds are left of it, 0 when it is over."""
        return max(self._until - now, 0.0)

    def shows_trick(self, now: float) -> bool:
        """Whether the last trick still lies there, so that its fourth card is seen."""
        return self._trick_full and now < self._until

    def begin_after(self, update: Changed, now: float, trick_s: float) -> None:
        """Begins when an update has filled a trick, which stays so long, or has scored a hand."""
        payload = update.frame.payload
        if isinstance(payload, spades.TrickWon):
            self._trick_full, self._until = True, now + trick_s
        elif isinstance(payload, spades.HandScored):
            self._trick_full, self._until = False, now + CARD_PAUSES * trick_s
            self.card_up = True
        elif isinstance(payload, spades.NextHandAsked | spades.MatchEnded):
            self.card_up = False
        elif update.new.seq != update.old.seq:
            self._trick_full = False

    def end(self) -> None:
        """Ends it; a score card stays until it is put away."""
        self._until = 0.0

    def put_away(self) -> None:
        """Ends it for good: whoever acts has seen enough of what lies there."""
        self._until, self.card_up = 0.0, False
