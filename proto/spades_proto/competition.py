"""A competition as a server shows it: frozen values that both ends share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spades import Rules
from spades_proto.timing import TimeControl


class CompetitionFormat(Enum):
    """Who meets whom."""

    MATCH = "match"
    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"


class CompetitionStage(Enum):
    """How far a competition is."""

    OPEN = "entries are open"
    RUNNING = "it is being played"
    FINISHED = "it is over"
    CALLED_OFF = "it was called off"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionTerms:
    """What is fixed when a competition opens."""

    format: CompetitionFormat
    boards: bool
    """Whether single deals are played in place of whole games."""
    rules: Rules
    units: int
    controls: int
    challengers: int
    time_control: TimeControl
    strikes: int
    strict: bool
    separate: bool = False
    """Whether only pairs of two players, and house bots, may enter."""


@dataclass(frozen=True, slots=True)
class CompetitionFault:
    """The faults of one entry that have one cause."""

    cause: str
    count: int
    unit: str
    """The unit of the last of them that counts."""
    sentence: str
    """What happened there; empty while it could tell of a card that is still to be played elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionEntry:
    """An entry and how it stands."""

    name: str
    bot: str = ""
    """The house bot that plays; empty for an agent that connects."""
    connected: bool = False
    at_once: int = 1
    """How many units it plays at once at most."""
    rank: int = 0
    """Its place, from 1; 0 before the start. Entries that are level share one."""
    units: int = 0
    points: float = 0.0
    lead: float = 0.0
    """The mean of the units that were played: in points per deal on boards, else per pair of games."""
    forfeits: int = 0
    faults: int = 0
    withdrawn: str = ""
    """Why it plays no more."""
    annulled: bool = False
    two_players: bool = False
    """Whether each seat of its side has a player of its own."""
    awaits: str = ""
    """The name of the player who has yet to enter as its partner."""
    awaited_by: str = ""
    """The name of the player who has entered and named that one; empty where nobody is awaited."""
    fault_causes: tuple[CompetitionFault, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CompetitionStatus:
    """A competition at one moment."""

    id: str
    title: str
    organiser: str
    stage: CompetitionStage
    terms: CompetitionTerms
    seed_commitment: str
    event: str
    """From the start on the SHA-256 of the whole event."""
    streams_root: str
    """From the start on the Merkle root over the commitments of all streams of deals."""
    entries: tuple[CompetitionEntry, ...]
    done: int
    """How many units the journal has."""
    planned: int
    playing: int
    dropped: int = 0
    """How many units are not played any more, since an entry was withdrawn."""

    @property
    def over(self) -> bool:
        """Whether nothing will change any more."""
        return self.stage in (CompetitionStage.FINISHED, CompetitionStage.CALLED_OFF)
