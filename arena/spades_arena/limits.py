"""How long an agent may take, and what happens to one that takes longer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spades import NotationError, Reason
from spades_proto.timing import LONGEST_MS, TimeControl

USUAL: Final = TimeControl(2_000, 60_000)
"""Two seconds for a decision, and a bank of a minute for a game."""

GAME_MS: Final = 20 * 60 * 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLimits:
    """The time control of an event, all in milliseconds."""

    control: TimeControl = USUAL
    """For each decision, and the bank of each seat for a game; without a limit nothing is late."""
    game_ms: int = GAME_MS
    """How long a side may think in one game, both partners together; then the game is forfeited."""
    margin_ms: int = 50
    """What is forgiven beyond the limit of a decision."""
    start_ms: int = 30_000
    """How long an agent may take to start."""
    silence_ms: int = 30_000
    """How long a decision may stay open before its agent counts as stalled, where nothing else limits it."""

    def __post_init__(self) -> None:
        """Refuses times that cannot be kept.

        :raises NotationError: naming the time.
        """
        for name in ("game_ms", "margin_ms", "start_ms", "silence_ms"):
            value = getattr(self, name)
            least = 0 if name == "margin_ms" else 1
            if not least <= value <= LONGEST_MS:
                raise NotationError(
                    f"{name}={value} is out of range: {least} to {LONGEST_MS} are allowed.",
                    Reason.INVALID_FIELD,
                )

    def allowed_ms(self, bank_ms: int) -> int:
        """How long a decision may take at most, with so much left in the bank."""
        if not self.control:
            return self.silence_ms
        return self.control.decision_ms + bank_ms + self.margin_ms
