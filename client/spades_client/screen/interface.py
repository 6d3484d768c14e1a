"""What a screen is drawn from: what is known of the table, and what the player has pointed at."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from spades import Card, DecisionKind, Phase, Play, Seat
from spades_client.asks import Ask
from spades_client.hints import Hint
from spades_client.state import ClientState
from spades_proto.frames import Deed
from spades_proto.table import TableStage


class Panel(Enum):
    """What can lie over the table, with its title."""

    SCORE_CARD = "Score card"
    SHEET = "Score sheet"
    LAST_TRICK = "Earlier tricks"
    HELP = "Keys"
    RULES = "Rules"
    TABLE = "This table"
    MENU = "Menu"
    SAY = "Courtesies"
    SETTINGS = "Settings"
    BOT_SEATS = "House bots: at which seat?"
    BOT_LEVELS = "House bots: which level?"
    SURRENDER = "Give up?"
    LEAVE = "Leave? Q again leaves"
    ANSWER = "Answer"


class Context(Enum):
    """What keys mean, by what the player is in."""

    WAITING = "before the match"
    BLIND = "cards face down"
    BID = "bidding"
    PASS = "passing cards"
    PLAY = "playing"
    WATCH = "while others act"
    STAND_IN = "while a bot plays for you"
    BETWEEN = "between hands"
    OVER = "after the match"
    PANEL = "in a panel"


@dataclass(frozen=True, slots=True)
class Sight:
    """What is known of the table at this moment."""

    state: ClientState
    ask: Ask = Ask.NOTHING
    is_host: bool = False
    sending: Deed | None = None
    """What is on its way to the server."""
    holding: bool = False
    """Whether the last trick still lies on the table, so that its fourth card is seen."""
    lost_s: int | None = None
    """For how many seconds the server has not been heard, while the line is lost."""
    time_left_s: int | None = None
    """How many seconds the seat that is to act has left, where its clock runs."""
    log: tuple[str, ...] = ()
    """What happened, in sentences, the newest last."""
    server: str = ""
    """The address of the server, for those who are to join."""
    solo: bool = False
    """Whether the table is the player's own and ends when it is left."""
    replayed: bool = False
    """Whether it is a recorded match, in which nothing is asked of anybody."""
    levels: tuple[tuple[str, str], ...] = ()
    """The levels of house bots, each with what is said of it."""
    hint: Hint | None = None
    """What was advised for the decision that is open, if that was asked for."""

    @property
    def sending_card(self) -> Card | None:
        """The card that is on its way."""
        return self.sending.card if isinstance(self.sending, Play) else None


@dataclass(frozen=True, slots=True)
class Interface:
    """What the player has pointed at; keys change it, and nothing else does."""

    bid: int | None = None
    """The bid that is shown; the quick count while ``None``."""
    digits: str = ""
    """The digits that were typed last, so that 1 and 2 make 12."""
    blind: bool = False
    """Whether blind nil is chosen rather than looking."""
    cursor: Card | None = None
    picked: frozenset[Card] = frozenset()
    panel: Panel | None = None
    row: int = 0
    """Where a panel is scrolled to, or which of its lines is chosen."""
    bot_seat: Seat | None = None
    """The seat that a level is chosen for; ``None``: every free one."""
    notice: str = ""
    """Why the last key did nothing, or why the last move was refused."""
    answer: tuple[str, ...] = ()
    """What a typed command answered."""
    command: bool = False
    """Whether a command is being typed."""


def context_of(sight: Sight, interface: Interface) -> Context:
    """What keys mean now."""
    if interface.panel is not None:
        return Context.PANEL
    table = sight.state.table
    match = table.match if table else None
    if table is None or table.stage is TableStage.OPEN or match is None:
        return Context.WAITING
    if match.phase is Phase.MATCH_OVER:
        return Context.OVER
    if sight.ask is Ask.STAND_IN and not sight.holding:
        return Context.STAND_IN
    if match.phase is Phase.HAND_OVER:
        return Context.BETWEEN
    view = sight.state.view
    if sight.ask is not Ask.DECISION or sight.holding or view is None or view.decision is None:
        return Context.WATCH
    match view.decision.kind:
        case DecisionKind.BID:
            return Context.BLIND if view.may_look else Context.BID
        case DecisionKind.PASS_CARDS:
            return Context.PASS
        case DecisionKind.PLAY:
            return Context.PLAY
