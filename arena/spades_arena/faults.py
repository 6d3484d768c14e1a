"""What went wrong at a table, and who is to blame: one function decides, in one order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spades import Seat
from spades_proto.frames import Failure, FailureKind


class Cause(Enum):
    """Why an agent's own answer could not be taken; the first that applies is the cause."""

    INFRA = "infrastructure"
    NO_START = "did not start"
    CRASH = "crashed"
    DISCONNECT = "disconnected"
    STALL = "stalled"
    TIMEOUT = "timed out"
    PROTOCOL = "malformed answer"
    ILLEGAL = "illegal action"
    RESIGN = "resigned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known when an answer is missing or wrong; each text is a sentence, or empty."""

    infrastructure: str = ""
    """What failed on the side of whoever runs the event."""
    no_start: str = ""
    """How the agent failed to become ready."""
    ended: str = ""
    """How its program ended: nothing more comes from it in this game."""
    crashed: str = ""
    """What its code raised."""
    disconnected: str = ""
    """How its line was lost."""
    stalled: str = ""
    """For how long it gave no sign of life."""
    late: str = ""
    """By how much an answer missed its limit."""
    malformed: str = ""
    """Why the answer is none."""
    illegal: str = ""
    """Why the rules refuse the answer."""
    resigned: str = ""
    """That it gave up."""


def evidence_of(failure: Failure) -> Evidence:
    """What an agent's own side tells of its failure."""
    said = failure.sentence or "It said no more."
    match failure.kind:
        case FailureKind.ENDED:
            return Evidence(ended=said)
        case FailureKind.CRASHED:
            return Evidence(crashed=said)
        case FailureKind.MALFORMED:
            return Evidence(malformed=said)


def cause_of(evidence: Evidence) -> tuple[Cause, str] | None:
    """Names the first cause that the evidence supports, with its sentence; ``None`` if it supports none.

    An agent that crashes is late as well, and a late answer may be illegal too: what comes first in the
    order explains the rest, whoever noticed what first.
    """
    ordered = (
        (Cause.INFRA, evidence.infrastructure),
        (Cause.NO_START, evidence.no_start),
        (Cause.CRASH, evidence.ended),
        (Cause.CRASH, evidence.crashed),
        (Cause.DISCONNECT, evidence.disconnected),
        (Cause.STALL, evidence.stalled),
        (Cause.TIMEOUT, evidence.late),
        (Cause.PROTOCOL, evidence.malformed),
        (Cause.ILLEGAL, evidence.illegal),
        (Cause.RESIGN, evidence.resigned),
    )
    return next(((cause, said) for cause, said in ordered if said), None)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that an agent did wrong at a table."""

    cause: Cause
    seat: Seat
    hand: int
    """The number of the hand; 0 before the first."""
    decision: int
    """The number of the decision within the hand."""
    detail: str
    """The evidence, in a sentence."""

    def to_json(self) -> dict[str, object]:
        """As it stands in the journal."""
        return {
            "cause": self.cause.name,
            "seat": self.seat.letter,
            "hand": self.hand,
            "decision": self.decision,
            "detail": self.detail,
        }


FATAL = frozenset({Cause.NO_START, Cause.STALL, Cause.RESIGN})
"""Causes after which nothing more can be expected in this game: it is forfeited at once."""


@dataclass(frozen=True, slots=True)
class Discipline:
    """How many faults a game takes."""

    strikes: int = 3
    """With so many faults of a side its game is forfeited."""
    strict: bool = False
    """Any fault forfeits the game."""

    def forfeits(self, cause: Cause, strikes: int) -> bool:
        """Whether a side's game is over for it, with its last fault and all so far counted."""
        return self.strict or cause in FATAL or strikes >= self.strikes
