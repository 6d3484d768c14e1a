"""The phases of a match and what may be done in each: the one table of both."""

from __future__ import annotations

from enum import Enum
from typing import Final


class Label(Enum):
    """An enum whose members are found in a dictionary by identity.

    ``Enum`` hashes the name, in Python, each time; a member exists once, so its identity says the same.
    """

    __hash__ = object.__hash__


class Phase(Label):
    """Where a match stands."""

    BIDDING = "bidding"
    PASSING = "passing"
    PLAYING = "playing"
    HAND_OVER = "hand over"
    MATCH_OVER = "match over"


PLAYING: Final = Phase.PLAYING
HAND_OVER: Final = Phase.HAND_OVER
"""The two phases that are asked for at every card: a name of the module is found ten times as fast as a
member of an enum in Python 3.11."""


class DecisionKind(Label):
    """What a seat is asked for; the three phases in which somebody is to act."""

    BID = "bid"
    PASS_CARDS = "pass cards"
    PLAY = "play"


class ActionKind(Label):
    """What a seat can do, one for each class in :mod:`spades.actions`."""

    LOOK = "look"
    BID = "bid"
    PASS_CARDS = "pass cards"
    PLAY = "play"
    UNDO = "undo"
    SURRENDER = "surrender"
    NEXT_HAND = "ask for the next hand"


class Who(Enum):
    """Which seats may do it."""

    TURN = "the seat to act"
    ANY = "any seat"
    LAST = "the seat that played the last card"


ALLOWED: Final[dict[Phase, dict[ActionKind, Who]]] = {
    Phase.BIDDING: {
        ActionKind.LOOK: Who.ANY,
        ActionKind.BID: Who.TURN,
        ActionKind.SURRENDER: Who.ANY,
    },
    Phase.PASSING: {
        ActionKind.PASS_CARDS: Who.TURN,
        ActionKind.SURRENDER: Who.ANY,
    },
    Phase.PLAYING: {
        ActionKind.PLAY: Who.TURN,
        ActionKind.UNDO: Who.LAST,
        ActionKind.SURRENDER: Who.ANY,
    },
    Phase.HAND_OVER: {
        ActionKind.NEXT_HAND: Who.ANY,
        ActionKind.SURRENDER: Who.ANY,
    },
    Phase.MATCH_OVER: {},
}
"""What each phase allows. The referee asks this table first; docs/architecture.md shows it."""

DECISION: Final[dict[Phase, DecisionKind]] = {
    Phase.BIDDING: DecisionKind.BID,
    Phase.PASSING: DecisionKind.PASS_CARDS,
    Phase.PLAYING: DecisionKind.PLAY,
}
"""What the seat to act is asked for in each phase in which there is one."""
