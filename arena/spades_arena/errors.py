"""What is refused in a competition, each with a sentence."""

from __future__ import annotations

from spades import Reason, SpadesError


class ArenaError(SpadesError):
    """Something about an event was refused; the sentence says what, and what is possible."""

    def __init__(self, sentence: str, reason: Reason = Reason.INVALID_FIELD) -> None:
        super().__init__(sentence, reason)
