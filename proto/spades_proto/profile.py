"""What a server knows of a player: results, achievements and the matches behind them, as values."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from typing import Final

from spades import EndReason, Seat
from spades_proto.table import Occupant


class MatchResult(Enum):
    """How a match ended for a player."""

    WON = "won"
    DRAWN = "drawn"
    LOST = "lost"


class NotCounted(Enum):
    """Why a match is left out of the results."""

    SEED_CHOSEN = "somebody chose its seed"
    BOTH_SIDES = "both sides were the player's own"


class AchievementKind(Enum):
    """Something to be proud of."""

    FIRST_WIN = "First win"
    TEN_WINS = "Ten wins"
    NIL = "Nil made"
    BLIND_NIL = "Blind nil made"
    DOUBLE_NIL = "Double nil made"
    ALL_TRICKS = "All thirteen tricks"
    WITHOUT_A_SET = "A match without a set"


@dataclass(frozen=True, slots=True)
class Results:
    """Matches and what happened in them, added up; ``Results`` in the protocol says what each counts."""

    matches: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    hands: int = 0
    nils_bid: int = 0
    nils_made: int = 0
    blind_nils_bid: int = 0
    blind_nils_made: int = 0
    double_nils: int = 0
    bags: int = 0
    sets: int = 0
    all_tricks: int = 0
    without_a_set: int = 0

    def __add__(self, other: Results) -> Results:
        """Both together."""
        sums = (getattr(self, name) + getattr(other, name) for name in RESULT_FIELDS)
        return Results(*sums)


RESULT_FIELDS: Final = tuple(field.name for field in fields(Results))
"""What is counted, by name: the columns of the store are the same."""


@dataclass(frozen=True, slots=True)
class Achievement:
    """How far a player is with something."""

    kind: AchievementKind
    progress: int
    goal: int

    @property
    def reached(self) -> bool:
        """Whether it is done."""
        return self.progress >= self.goal


@dataclass(frozen=True, slots=True)
class Profile:
    """What everybody may know of a player."""

    name: str
    since_us: int
    """When the name was taken, in microseconds since the Unix epoch; 0: unknown."""
    results: Results
    achievements: tuple[Achievement, ...]


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match as one of its players sees it."""

    match: str
    ended_us: int
    seats: tuple[Seat, ...]
    """The seats that the player held."""
    players: tuple[tuple[Seat, Occupant], ...]
    """Who played, as the record has it."""
    result: MatchResult
    points: int
    points_against: int
    reason: EndReason
    not_counted: NotCounted | None = None
