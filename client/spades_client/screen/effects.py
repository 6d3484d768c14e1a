"""What a key can come to, beside a change of what is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spades import Seat
from spades_proto.frames import Deed


class Order(Enum):
    """What a key asks of the program rather than of the table."""

    START = "start the match"
    LEAVE = "leave"
    HINT = "say what sharp would do, and why"
    GO_ON = "look at the trick no longer"


@dataclass(frozen=True, slots=True)
class Change:
    """A setting moves on to its next value."""

    setting: str


@dataclass(frozen=True, slots=True)
class SeatBots:
    """House bots of a level sit down."""

    level: str
    seat: Seat | None = None
    """Where; ``None``: at every free seat."""


Effect = Deed | Order | Change | SeatBots
