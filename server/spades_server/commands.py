"""What can be asked of a table, and the one table of what each state answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

from spades import ALLOWED, ActionKind, Phase, Reason, Seat
from spades.actions import Action
from spades.phases import Label
from spades_proto.frames import Command, Failure
from spades_proto.table import OccupantKind, TableStage


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody with a token."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Sit:
    """A player wants a seat, or another one."""

    player: Player
    kind: OccupantKind
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """A player gives its seats up."""

    player: Player


@dataclass(frozen=True, slots=True)
class AddBot:
    """The host seats a house bot."""

    player: Player
    bot: str
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class RemoveBot:
    """The host takes a house bot away."""

    player: Player
    seat: Seat


@dataclass(frozen=True, slots=True)
class Start:
    """The host starts a match; the seed comes from outside, as all chance does."""

    player: Player
    seed: bytes


class Deed(NamedTuple):
    """A player acts, or is courteous."""

    player: Player
    command: Command
    failure: Failure | None = None
    """Why the action is not the agent's own; only a table that books faults asks."""


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A player sent something that cannot be read, to a table that books faults."""

    player: Player
    seat: Seat | None
    decision: int
    sentence: str


@dataclass(frozen=True, slots=True)
class BotDeed:
    """A house bot answers a decision, for itself or standing in."""

    seat: Seat
    decision: int
    action: Action


@dataclass(frozen=True, slots=True)
class Presence:
    """Somebody listens for a seat, or nobody does any more."""

    seat: Seat
    listening: bool


@dataclass(frozen=True, slots=True)
class Close:
    """Whoever runs the server closes the table."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Resume:
    """The server is back after it was down: nobody listens yet, and the time in between does not count."""

    epoch: int = 0
    """The epoch that begins with it, since the table is not the one that was seen; 0: the same goes on."""
    since_us: int = 0
    """When the server was last known to run; 0: when the table did something last."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The round trip to the client of a seat was measured."""

    seat: Seat
    round_trip_us: int


@dataclass(frozen=True, slots=True)
class PlayerGone:
    """A player was deleted: what was held here is held no more, and nobody comes back to it."""

    player: Player


TableCommand = (
    Sit
    | Leave
    | AddBot
    | RemoveBot
    | Start
    | Deed
    | Unreadable
    | BotDeed
    | Presence
    | Measured
    | Close
    | Tick
    | Resume
    | PlayerGone
)


class State(Label):
    """Where a table and its match stand together."""

    OPEN = "seats are being taken"
    BIDDING = "the hand is being bid"
    PASSING = "cards are being exchanged"
    PLAYING = "the hand is being played"
    HAND_OVER = "the hand is over"
    FINISHED = "the match is over"
    CLOSED = "the table is closed"


class Kind(Label):
    """The rows of the table."""

    SIT = "take a seat"
    RETURN = "return to a seat of one's own"
    LEAVE = "leave"
    ADD_BOT = "add a bot"
    REMOVE_BOT = "remove a bot"
    START = "start"
    LOOK = "look"
    BID = "bid"
    PASS_CARDS = "pass cards"
    PLAY = "play"
    UNDO = "undo"
    SURRENDER = "surrender"
    NEXT_HAND = "ask for the next hand"
    COURTESY = "send a courtesy"
    TAKE_SEAT_BACK = "take the seat back"
    BOT_DEED = "answer as a house bot"
    PRESENCE = "come or go"
    MEASURED = "measure a round trip"
    CLOSE = "be closed by whoever runs the server"
    TICK = "let time pass"
    RESUME = "go on after a restart"
    PLAYER_GONE = "lose a player who was deleted"


class Verdict(Enum):
    """An answer that is no refusal."""

    ACCEPT = "the table does it"
    JUDGE = "the referee judges it"
    STALE = "the decision is not open, whatever it was"
    IGNORE = "nothing is left to do"


Cell = Verdict | Reason

_IN_MATCH: Final = {
    State.BIDDING: Phase.BIDDING,
    State.PASSING: Phase.PASSING,
    State.PLAYING: Phase.PLAYING,
    State.HAND_OVER: Phase.HAND_OVER,
}

_LOBBY: Final = {State.OPEN, State.FINISHED}


def _lobby_row(elsewhere: Cell) -> dict[State, Cell]:
    """What can be done while no match is running."""
    row: dict[State, Cell] = dict.fromkeys(State, elsewhere)
    row.update(dict.fromkeys(_LOBBY, Verdict.ACCEPT))
    row[State.CLOSED] = Reason.TABLE_CLOSED
    return row


def _always_row(closed: Cell) -> dict[State, Cell]:
    row: dict[State, Cell] = dict.fromkeys(State, Verdict.ACCEPT)
    row[State.CLOSED] = closed
    return row


def _deed_row(kind: ActionKind, *, answers_decision: bool) -> dict[State, Cell]:
    """What the rules' own table of phases makes of an action; outside a match nothing is open."""
    otherwise: Cell = Verdict.STALE if answers_decision else Reason.WRONG_PHASE
    row: dict[State, Cell] = dict.fromkeys(State, otherwise)
    for state, phase in _IN_MATCH.items():
        if kind in ALLOWED[phase]:
            row[state] = Verdict.JUDGE
    row[State.OPEN] = Reason.TABLE_STATE
    row[State.CLOSED] = Reason.TABLE_CLOSED
    return row


ANSWERS: Final[dict[Kind, dict[State, Cell]]] = {
    Kind.SIT: _lobby_row(Reason.TABLE_STATE),
    # The seat of a player who left a running match stays reserved.
    Kind.RETURN: _always_row(Reason.TABLE_CLOSED),
    Kind.LEAVE: _always_row(Reason.TABLE_CLOSED),
    Kind.ADD_BOT: _lobby_row(Reason.TABLE_STATE),
    Kind.REMOVE_BOT: _lobby_row(Reason.TABLE_STATE),
    # A second start while the first is being played is the race of two hosts' keys: refused, not played.
    Kind.START: _lobby_row(Reason.TABLE_STATE),
    Kind.LOOK: _deed_row(ActionKind.LOOK, answers_decision=False),
    # A bid against a time-out, a play against an undo: the one that comes second finds its decision gone.
    Kind.BID: _deed_row(ActionKind.BID, answers_decision=True),
    Kind.PASS_CARDS: _deed_row(ActionKind.PASS_CARDS, answers_decision=True),
    Kind.PLAY: _deed_row(ActionKind.PLAY, answers_decision=True),
    # An undo against the next play: the referee finds another card on top.
    Kind.UNDO: _deed_row(ActionKind.UNDO, answers_decision=False),
    Kind.SURRENDER: _deed_row(ActionKind.SURRENDER, answers_decision=False),
    # Next hand twice: the second names a hand that is over, or comes from a seat that has asked.
    Kind.NEXT_HAND: _deed_row(ActionKind.NEXT_HAND, answers_decision=False),
    Kind.COURTESY: {
        State.OPEN: Verdict.ACCEPT,
        State.BIDDING: Reason.TABLE_STATE,
        State.PASSING: Reason.TABLE_STATE,
        State.PLAYING: Reason.TABLE_STATE,
        State.HAND_OVER: Verdict.ACCEPT,
        State.FINISHED: Verdict.ACCEPT,
        State.CLOSED: Reason.TABLE_CLOSED,
    },
    Kind.TAKE_SEAT_BACK: _always_row(Reason.TABLE_CLOSED),
    # A take-back of the seat against its substitute: whichever is first; the bot's decision is checked too.
    Kind.BOT_DEED: {
        State.OPEN: Verdict.STALE,
        State.BIDDING: Verdict.JUDGE,
        State.PASSING: Verdict.JUDGE,
        State.PLAYING: Verdict.JUDGE,
        State.HAND_OVER: Verdict.STALE,
        State.FINISHED: Verdict.STALE,
        State.CLOSED: Verdict.STALE,
    },
    Kind.PRESENCE: _always_row(Verdict.IGNORE),
    Kind.CLOSE: _always_row(Reason.TABLE_CLOSED),
    Kind.MEASURED: dict.fromkeys(State, Verdict.IGNORE),
    Kind.TICK: _always_row(Verdict.IGNORE),
    # It moves clocks, and nothing that anybody is told of.
    Kind.RESUME: dict.fromkeys(State, Verdict.IGNORE),
    Kind.PLAYER_GONE: _always_row(Verdict.IGNORE),
}
"""What each state answers to each command. docs/protocol.md shows it."""

DEED_KINDS: Final = {
    ActionKind.LOOK: Kind.LOOK,
    ActionKind.BID: Kind.BID,
    ActionKind.PASS_CARDS: Kind.PASS_CARDS,
    ActionKind.PLAY: Kind.PLAY,
    ActionKind.UNDO: Kind.UNDO,
    ActionKind.SURRENDER: Kind.SURRENDER,
    ActionKind.NEXT_HAND: Kind.NEXT_HAND,
}


_STATES: Final = {
    TableStage.OPEN: State.OPEN,
    TableStage.FINISHED: State.FINISHED,
    TableStage.CLOSED: State.CLOSED,
}
_PHASES: Final = {phase: state for state, phase in _IN_MATCH.items()}


def state_of(stage: TableStage, phase: Phase | None) -> State:
    """Names the state of a table at a stage, with its match in a phase."""
    if stage is TableStage.PLAYING:
        assert phase is not None, "a match is being played"
        return _PHASES[phase]
    return _STATES[stage]
