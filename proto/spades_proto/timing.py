"""Time for decisions: how much there is, and what a clock shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

from spades import NotationError, Reason, Seat

LONGEST_MS: Final = 24 * 60 * 60 * 1_000
"""A day: the most that can be given for a decision, and for a bank."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How much time a decision has, in milliseconds, and each seat beside that for a whole match."""

    decision_ms: int = 0
    """0: there is no limit."""
    bank_ms: int = 0

    def __post_init__(self) -> None:
        """Refuses times that cannot be kept.

        :raises NotationError: if one is negative or longer than a day.
        """
        for name, value in (("A decision", self.decision_ms), ("A bank", self.bank_ms)):
            if not 0 <= value <= LONGEST_MS:
                raise NotationError(
                    f"{name} cannot have {value / 1000:g} seconds: 0 to {LONGEST_MS // 1000} can be"
                    " given.",
                    Reason.INVALID_FIELD,
                )

    def __bool__(self) -> bool:
        """Whether there is a limit."""
        return self.decision_ms > 0

    def __str__(self) -> str:
        """The notation that :func:`parse_time_control` reads."""
        if not self:
            return "none"
        return f"{_seconds(self.decision_ms)}+{_seconds(self.bank_ms)}"


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}".rstrip("0").rstrip(".")


UNLIMITED: Final = TimeControl()


class SeatClock(NamedTuple):
    """The clock of the seat that is to act."""

    seat: Seat
    deadline_us: int | None
    """By the server's clock, the bank included; ``None`` while it stands still."""
    bank_ms: int


_NOTATION: Final = re.compile(
    r"(?P<decision>[0-9]{1,5}([.][0-9]{1,3})?)([+](?P<bank>[0-9]{1,5}([.][0-9]{1,3})?))?"
)


def parse_time_control(text: str) -> TimeControl:
    """Reads seconds for a decision and seconds in the bank, as in ``60+180``, or ``none``.

    >>> parse_time_control("30"), parse_time_control("none")
    (TimeControl(decision_ms=30000, bank_ms=0), TimeControl(decision_ms=0, bank_ms=0))

    :raises NotationError: if it is neither, or longer than a day.
    """
    said = text.strip().lower()
    if said == "none":
        return UNLIMITED
    found = _NOTATION.fullmatch(said)
    if found is None or float(found["decision"]) == 0:
        raise NotationError(
            f"{text!r} is no time control: the seconds for a decision and those in the bank are, as in"
            " 60+180, or none.",
            Reason.INVALID_NOTATION,
        )
    decision, bank = float(found["decision"]), float(found["bank"] or 0)
    return TimeControl(round(decision * 1000), round(bank * 1000))
