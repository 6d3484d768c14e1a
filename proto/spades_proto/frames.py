"""One message of a table's feed, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from spades import Bid, Card, DecisionKind, Seat, SpadesError
from spades.actions import Action
from spades_proto.table import AnyEvent, Courtesy, Snapshot, TakeSeatBack
from spades_proto.timing import SeatClock

Deed = Action | Courtesy | TakeSeatBack
"""What a player can do at a table."""


class GoodbyeReason(Enum):
    """Why the server ends a stream."""

    DRAINING = "the server is stopping"
    REPLACED = "a newer connection took over"
    SLOW_CONSUMER = "the stream was not read fast enough"
    TABLE_CLOSED = "the table is gone"
    RATE_LIMITED = "too much had to be refused"


@dataclass(frozen=True, slots=True)
class Goodbye:
    """The server ends the stream."""

    reason: GoodbyeReason
    sentence: str
    retry_after_ms: int | None = None
    """After how many milliseconds to come back; ``None``: not by oneself."""


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing has happened."""

    next_within_ms: int
    echo: int = 0
    """What is to be sent back at once, so that the round trip is known; 0: nothing."""


class DecisionRequest(NamedTuple):
    """A decision that is open for the viewer's own seat, with what stands beside the view."""

    id: int
    """The ``seq`` of the event that opened it; never used again."""
    kind: DecisionKind
    number: int
    legal_bids: tuple[Bid, ...] = ()
    legal_plays: tuple[Card, ...] = ()
    pass_count: int = 0
    may_look: bool = False
    deadline_us: int | None = None
    """By the server's clock, in microseconds since the Unix epoch; the bank is included."""
    bank_ms: int | None = None
    round_trip_us: int | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """One message of a feed."""

    epoch: int
    seq: int
    server_time_us: int
    payload: Snapshot | AnyEvent | Heartbeat | Goodbye
    decision: DecisionRequest | None = None
    clock: SeatClock | None = None
    """The clock of the seat that is to act, where this frame changed it."""


class Command(NamedTuple):
    """Something that a player sends to a table."""

    table: str
    deed: Deed
    seat: Seat | None = None
    request_id: str = ""
    decision: int = 0
    epoch: int = 0
    hand_number: int = 0


class FailureKind(Enum):
    """How an agent failed in a decision."""

    CRASHED = "its code raised"
    ENDED = "its program ended"
    MALFORMED = "its answer was none"


@dataclass(frozen=True, slots=True)
class Failure:
    """That an agent gave no answer of its own to a decision."""

    kind: FailureKind
    sentence: str


class Answer(NamedTuple):
    """What a command came to."""

    seq: int = 0
    refusal: SpadesError | None = None
    replayed: bool = False
