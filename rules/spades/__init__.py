"""The game of Spades: rules as values, one referee, and views that keep secrets.

``import spades`` is the game and nothing else: no clock, socket, file or randomness of its own.

>>> import spades
>>> match = spades.Match(spades.PRESETS["quick"], spades.SeededDeals(spades.parse_seed("7")))
>>> for bid in "4 3 nil 4".split():
...     _ = match.bid(match.turn, spades.parse_bid(bid))
>>> seat = spades.view(match, match.turn)
>>> seat.decision.kind
<DecisionKind.PLAY: 'play'>
>>> match.play(seat.seat, seat.legal_plays[0])[0].seat
Seat.SOUTH
"""

from spades.actions import Action, Look, MakeBid, NextHand, PassCards, Play, Surrender, Undo
from spades.bids import BIDS, BLIND_NIL, MAX_BID, NIL, Bid, legal_bids, parse_bid, quick_count
from spades.cards import CARDS, Card, Deck, Rank, Suit, format_cards, parse_card, parse_cards
from spades.deals import (
    ALGORITHM,
    SEED_BYTES,
    Deal,
    ExplicitDeals,
    SeededDeals,
    agent_secret,
    parse_seed,
    rng_key,
)
from spades.errors import (
    IllegalAction,
    IllegalBid,
    IllegalPass,
    IllegalPlay,
    IllegalUndo,
    NotationError,
    NotYourTurn,
    OptionError,
    Reason,
    SpadesError,
    TableError,
    error_for,
)
from spades.events import (
    BidMade,
    CardPlayed,
    CardsPassed,
    Event,
    HandDealt,
    HandScored,
    HandShown,
    MatchEnded,
    MatchStarted,
    NextHandAsked,
    PlayTakenBack,
    SurrenderProposed,
    TrickWon,
)
from spades.match import Match
from spades.notation import format_action, format_deal, format_hand, parse_action, parse_deal
from spades.phases import ALLOWED, ActionKind, DecisionKind, Phase, Who
from spades.replay import actions_of, game_events, replay, step
from spades.rules import (
    PRESETS,
    BlindNil,
    DoubleNil,
    FirstDealer,
    Rules,
    SpadeLead,
    UndoRule,
    format_option,
    format_rules,
    option_names,
    parse_rules,
    with_option,
    with_options,
)
from spades.scoring import (
    EndReason,
    Outcome,
    Part,
    ScorePart,
    SideScore,
    Standing,
    outcome_after,
    score_side,
)
from spades.seats import Seat, Side, parse_seat
from spades.state import MatchState
from spades.tricks import Trick, winner_of, winning_position
from spades.view import Decision, SeatView, TableView, has_secret, redact, view

__all__ = [
    "ALGORITHM",
    "ALLOWED",
    "BIDS",
    "BLIND_NIL",
    "CARDS",
    "MAX_BID",
    "NIL",
    "PRESETS",
    "SEED_BYTES",
    "Action",
    "ActionKind",
    "Bid",
    "BidMade",
    "BlindNil",
    "Card",
    "CardPlayed",
    "CardsPassed",
    "Deal",
    "Decision",
    "DecisionKind",
    "Deck",
    "DoubleNil",
    "EndReason",
    "Event",
    "ExplicitDeals",
    "FirstDealer",
    "HandDealt",
    "HandScored",
    "HandShown",
    "IllegalAction",
    "IllegalBid",
    "IllegalPass",
    "IllegalPlay",
    "IllegalUndo",
    "Look",
    "MakeBid",
    "Match",
    "MatchEnded",
    "MatchStarted",
    "MatchState",
    "NextHand",
    "NextHandAsked",
    "NotYourTurn",
    "NotationError",
    "OptionError",
    "Outcome",
    "Part",
    "PassCards",
    "Phase",
    "Play",
    "PlayTakenBack",
    "Rank",
    "Reason",
    "Rules",
    "ScorePart",
    "Seat",
    "SeatView",
    "SeededDeals",
    "Side",
    "SideScore",
    "SpadeLead",
    "SpadesError",
    "Standing",
    "Suit",
    "Surrender",
    "SurrenderProposed",
    "TableError",
    "TableView",
    "Trick",
    "TrickWon",
    "Undo",
    "UndoRule",
    "Who",
    "actions_of",
    "agent_secret",
    "error_for",
    "format_action",
    "format_cards",
    "format_deal",
    "format_hand",
    "format_option",
    "format_rules",
    "game_events",
    "has_secret",
    "legal_bids",
    "option_names",
    "outcome_after",
    "parse_action",
    "parse_bid",
    "parse_card",
    "parse_cards",
    "parse_deal",
    "parse_rules",
    "parse_seat",
    "parse_seed",
    "quick_count",
    "redact",
    "replay",
    "rng_key",
    "score_side",
    "step",
    "view",
    "winner_of",
    "winning_position",
    "with_option",
    "with_options",
]
