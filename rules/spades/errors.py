"""Refusals: one family of errors, each a sentence, each with a reason code from one enum."""

from __future__ import annotations

from enum import Enum


class Reason(Enum):
    """Says why something was refused; the wire carries the name (`spades.v1.Reason`)."""

    # Bad input, before any table is looked at.
    INVALID_NOTATION = "the text is not in the notation"
    INVALID_OPTION = "a rule option is unknown, out of range or contradicts another"
    INVALID_FIELD = "a field of the request is missing or out of range"
    # The rules of the game (rules.md).
    NOT_YOUR_TURN = "another seat is to act"
    WRONG_PHASE = "the action does not belong to this phase of the hand"
    BID_OUT_OF_RANGE = "a bid is 0 to 13 (2.1)"
    BID_UNDER_TEAM_MINIMUM = "the side's sum would stay under the minimum (2.4)"
    BLIND_NIL_NOT_ALLOWED = "this seat may not bid blind nil now (2.5)"
    CARDS_FACE_DOWN = "the seat has not looked at its cards (2.5)"
    ALREADY_LOOKED = "the seat has already seen its cards (2.5)"
    WRONG_PASS_COUNT = "another number of cards is to be passed (2.6)"
    CARD_NOT_HELD = "the seat does not hold the card"
    MUST_FOLLOW_SUIT = "the suit led must be followed (3.2)"
    SPADES_NOT_BROKEN = "spades may not be led yet (3.4)"
    UNDO_NOT_ALLOWED = "this table, or this moment, allows no undo (5.5)"
    ALREADY_ASKED = "the seat has already asked for this"
    WRONG_HAND = "the action names another hand"
    DEALS_EXHAUSTED = "there is no further deal"
    # The table, the lobby and the connection.
    STALE_DECISION = "the decision is no longer open"
    EPOCH_CHANGED = "the table's log is not a continuation of the one that was seen"
    REQUEST_ID_REUSED = "the request id belongs to another request"
    NOT_YOUR_SEAT = "the token does not hold that seat"
    NOT_SEATED = "the player has no seat at the table"
    ALREADY_SEATED = "the player has a seat at the table already"
    SEAT_TAKEN = "somebody sits there"
    SEAT_EMPTY = "nobody sits there"
    NOT_THE_HOST = "only the host of the table may do this"
    TABLE_NOT_FOUND = "there is no such table"
    TABLE_NOT_READY = "the table has an empty seat"
    TABLE_STATE = "the table is not in a state that allows this"
    TABLE_CLOSED = "the table has been closed"
    SEED_NOT_ALLOWED = "this server lets nobody choose a seed"
    UNKNOWN_BOT = "there is no house bot of that name"
    NAME_INVALID = "the name cannot be used"
    NAME_TAKEN = "another player has the name"
    TOKEN_INVALID = "the token is missing or unknown"
    RECORD_NOT_FOUND = "there is no such record"
    VERSION_MISMATCH = "client and server speak different versions of the protocol"
    TOO_MANY = "a limit of this server is reached"
    SLOW_CONSUMER = "the stream was not read fast enough"
    REPLACED = "a newer connection took the seat over"
    DRAINING = "the server is stopping"
    NOT_TRUSTED = "the server is not known to be the one that was meant"
    RATE_LIMITED = "too many requests in too short a time"
    PLAYER_NOT_FOUND = "there is no player of that name"
    COMPETITION_NOT_FOUND = "there is no such competition"
    COMPETITION_STATE = "the competition is not in a state that allows this"
    NOT_THE_ORGANISER = "only the organiser of the competition may do this"


class SpadesError(ValueError):
    """Something was refused and nothing has changed.

    ``str(error)`` is one sentence that says what was tried, what is allowed and why.
    """

    #: The reasons that this class stands for; :func:`error_for` reads it.
    reasons: frozenset[Reason] = frozenset()

    def __init__(self, sentence: str, reason: Reason) -> None:
        super().__init__(sentence)
        self.reason = reason
        """The reason code, for programs."""

    @property
    def sentence(self) -> str:
        """The explanation, for people."""
        return str(self.args[0])

    def __reduce__(self) -> tuple[type[SpadesError], tuple[str, Reason]]:
        return type(self), (self.sentence, self.reason)


class NotationError(SpadesError):
    """A text is not a card, a bid, a deal or an action."""

    reasons = frozenset({Reason.INVALID_NOTATION})


class OptionError(SpadesError):
    """A rule option is unknown, out of range or contradicts another (rules.md 6)."""

    reasons = frozenset({Reason.INVALID_OPTION})


class IllegalAction(SpadesError):
    """The referee refused an action."""

    reasons = frozenset(
        {Reason.WRONG_PHASE, Reason.ALREADY_ASKED, Reason.WRONG_HAND, Reason.DEALS_EXHAUSTED}
    )


class NotYourTurn(IllegalAction):
    """Another seat is to act."""

    reasons = frozenset({Reason.NOT_YOUR_TURN})


class IllegalBid(IllegalAction):
    """The bid is not among the legal ones (rules.md 2.1, 2.4, 2.5)."""

    reasons = frozenset(
        {
            Reason.BID_OUT_OF_RANGE,
            Reason.BID_UNDER_TEAM_MINIMUM,
            Reason.BLIND_NIL_NOT_ALLOWED,
            Reason.CARDS_FACE_DOWN,
            Reason.ALREADY_LOOKED,
        }
    )


class IllegalPass(IllegalAction):
    """The cards cannot be passed (rules.md 2.6)."""

    reasons = frozenset({Reason.WRONG_PASS_COUNT})


class IllegalPlay(IllegalAction):
    """The card cannot be played (rules.md 3)."""

    reasons = frozenset({Reason.CARD_NOT_HELD, Reason.MUST_FOLLOW_SUIT, Reason.SPADES_NOT_BROKEN})


class IllegalUndo(IllegalAction):
    """The card cannot be taken back (rules.md 5.5)."""

    reasons = frozenset({Reason.UNDO_NOT_ALLOWED})


class TableError(SpadesError):
    """The table, the lobby or the connection refused a request; the game was not asked."""

    reasons = frozenset(
        {
            Reason.INVALID_FIELD,
            Reason.STALE_DECISION,
            Reason.EPOCH_CHANGED,
            Reason.REQUEST_ID_REUSED,
            Reason.NOT_YOUR_SEAT,
            Reason.NOT_SEATED,
            Reason.ALREADY_SEATED,
            Reason.SEAT_TAKEN,
            Reason.SEAT_EMPTY,
            Reason.NOT_THE_HOST,
            Reason.TABLE_NOT_FOUND,
            Reason.TABLE_NOT_READY,
            Reason.TABLE_STATE,
            Reason.TABLE_CLOSED,
            Reason.SEED_NOT_ALLOWED,
            Reason.UNKNOWN_BOT,
            Reason.NAME_INVALID,
            Reason.NAME_TAKEN,
            Reason.TOKEN_INVALID,
            Reason.RECORD_NOT_FOUND,
            Reason.VERSION_MISMATCH,
            Reason.TOO_MANY,
            Reason.SLOW_CONSUMER,
            Reason.REPLACED,
            Reason.DRAINING,
            Reason.NOT_TRUSTED,
            Reason.RATE_LIMITED,
            Reason.PLAYER_NOT_FOUND,
            Reason.COMPETITION_NOT_FOUND,
            Reason.COMPETITION_STATE,
            Reason.NOT_THE_ORGANISER,
        }
    )

    def __init__(
        self, sentence: str, reason: Reason, *, retry_after_s: float | None = None
    ) -> None:
        super().__init__(sentence, reason)
        self.retry_after_s = retry_after_s
        """After how many seconds to try again, where that is of use."""


_CLASSES: tuple[type[SpadesError], ...] = (
    NotationError,
    OptionError,
    NotYourTurn,
    IllegalBid,
    IllegalPass,
    IllegalPlay,
    IllegalUndo,
    IllegalAction,
    TableError,
)


def error_for(reason: Reason, sentence: str) -> SpadesError:
    """Builds the error that stands for a reason, so that a refusal reads the same after the wire.

    >>> error_for(Reason.MUST_FOLLOW_SUIT, "9H is not legal: diamonds were led.")
    IllegalPlay('9H is not legal: diamonds were led.')
    """
    for kind in _CLASSES:
        if reason in kind.reasons:
            return kind(sentence, reason)
    return SpadesError(sentence, reason)
