"""The state of a match: the fold of its events, as the referee knows it or as one viewer sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from spades.bids import Bid
from spades.cards import Card, Deck, Suit
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
from spades.phases import DECISION, DecisionKind, Phase
from spades.rules import Rules, SpadeLead
from spades.scoring import Outcome, Standing
from spades.seats import LEFT, Seat, Side
from spades.tricks import Trick, legal_mask

Bids = tuple[Bid | None, Bid | None, Bid | None, Bid | None]
Taken = tuple[int, int, int, int]

_NO_BIDS: Final[Bids] = (None, None, None, None)
_NO_TRICKS: Final[Taken] = (0, 0, 0, 0)
_NOBODY: Final[frozenset[Seat]] = frozenset()


class MatchState:
    """Everything that follows from the events applied so far.

    The referee's state is fed whole events and knows all four hands; a viewer's state is fed the
    events as :func:`spades.redact` leaves them and knows what the viewer may know. Nothing here judges:
    an event is taken as having happened.

    The values held are immutable and replaced, never changed, so a view can share them.
    """

    __slots__ = (
        "asked", "bids", "bits", "commitment", "deal_number", "dealer", "deck", "face_down",
        "first_dealer", "followers", "hands", "last_played", "leader", "opening", "outcome",
        "passes", "phase", "proposed", "rules", "sheet", "spades_broken", "spades_mask",
        "spades_may_lead", "standings", "taken", "trick", "tricks", "turn", "turn_number",
    )  # fmt: skip

    def __init__(self, started: MatchStarted) -> None:
        rules = started.rules
        self.rules: Rules = rules
        self.deck: Deck = rules.deck
        self.bits: dict[Card, int] = rules.deck.bits
        self.followers: dict[Card, int] = rules.deck.followers
        self.spades_mask: int = rules.deck.suit_masks[Suit.SPADES]
        self.spades_may_lead: bool = rules.spade_lead is SpadeLead.ANY
        """Whether a spade may be led unbroken too (3.4)."""
        self.commitment = started.commitment
        self.first_dealer: Seat = started.first_dealer
        self.phase = Phase.HAND_OVER
        self.deal_number = 0
        """The number of the hand that was dealt last, from 1; 0 before the first."""
        self.dealer: Seat = started.first_dealer
        self.turn: Seat | None = None
        self.turn_number = 0
        """Counts the decisions of this hand, from 1; an undo opens a new one."""
        self.hands: list[int | None] = [None, None, None, None]
        self.face_down = _NOBODY
        self.bids = _NO_BIDS
        self.passes: tuple[CardsPassed, ...] = ()
        self.leader: Seat = started.first_dealer
        self.trick: tuple[Card, ...] = ()
        self.tricks: tuple[Trick, ...] = ()
        self.taken = _NO_TRICKS
        self.spades_broken = False
        self.last_played: Seat | None = None
        """The seat that may take its card back."""
        self.standings: tuple[Standing, Standing] = (Standing(), Standing())
        self.sheet: tuple[HandScored, ...] = ()
        """The hands that have been scored, first to last."""
        self.proposed = _NOBODY
        """The seats that want to surrender."""
        self.asked = _NOBODY
        """The seats that are ready for the next hand."""
        self.outcome: Outcome | None = None
        self.opening: MatchEnded | None = None

    def copy(self) -> MatchState:
        """A state that goes its own way from here."""
        other = object.__new__(MatchState)
        for name in self.__slots__:
            setattr(other, name, getattr(self, name))
        other.hands = list(self.hands)
        return other

    def apply(self, event: Event) -> None:
        """Takes in one event."""
        _APPLY[type(event)](self, event)

    @property
    def decision(self) -> DecisionKind | None:
        """What the seat to act is asked for."""
        return DECISION.get(self.phase)

    def legal_mask(self, hand: int) -> int:
        """The cards of a hand that may be played next."""
        may_lead_spades = self.spades_broken or self.spades_may_lead
        return legal_mask(self.followers, self.spades_mask, hand, self.trick, may_lead_spades)

    def deficit(self, side: Side) -> int:
        """How many points a side trails by; negative when it leads."""
        return self.standings[side.other].total - self.standings[side].total

    # How each event changes the state.

    def hand_dealt(self, event: HandDealt) -> None:
        """A new hand begins with the bid of the dealer's left neighbour (rules.md 1.2, 2.1)."""
        self.phase = Phase.BIDDING
        self.deal_number = event.number
        self.dealer = event.dealer
        self.leader = self.turn = event.dealer.left
        self.turn_number = 1
        self.hands = list(event.masks)
        self.face_down = event.face_down
        self.bids = _NO_BIDS
        self.passes = ()
        self.trick = ()
        self.tricks = ()
        self.taken = _NO_TRICKS
        self.spades_broken = False
        self.last_played = None
        self.proposed = self.asked = _NOBODY

    def hand_shown(self, event: HandShown) -> None:
        """The seat's cards are up; the viewer learns them if they are the viewer's own."""
        self.face_down -= {event.seat}
        if event.mask is not None:
            self.hands[event.seat] = event.mask

    def bid_made(self, event: BidMade) -> None:
        """The bid stands; after the fourth the exchange or the play begins (rules.md 2.6, 3.1)."""
        bids: list[Bid | None] = list(self.bids)
        bids[event.seat] = event.bid
        self.bids = (bids[0], bids[1], bids[2], bids[3])
        self.turn_number += 1
        if event.seat is self.dealer:
            self._after_bidding()
        else:
            self.turn = LEFT[event.seat]

    def cards_passed(self, event: CardsPassed) -> None:
        """Cards move to the partner, who then passes as many back (rules.md 2.6)."""
        self.passes = (*self.passes, event)
        if event.mask is not None:
            self._move(event.giver, event.giver.partner, event.mask)
        self.turn_number += 1
        self._after_bidding()

    def card_played(self, event: CardPlayed) -> None:
        """The card leaves the hand and lies in the trick; a spade breaks spades (rules.md 3.4)."""
        seat = event.seat
        card = event.card
        bit = self.bits[card]
        hand = self.hands[seat]
        if hand is not None:
            self.hands[seat] = hand & ~bit
        if bit & self.spades_mask:
            self.spades_broken = True
        self.trick += (card,)
        self.last_played = seat
        self.turn_number += 1
        # The fourth card leaves nobody to act until the trick is gathered.
        self.turn = LEFT[seat] if len(self.trick) < 4 else None

    def trick_won(self, event: TrickWon) -> None:
        """The trick is gathered and its winner leads (rules.md 3.1)."""
        winner = event.winner
        self.tricks += (Trick(self.leader, self.trick, winner),)
        self.trick = ()
        south, west, north, east = self.taken
        self.taken = (
            south + (winner == 0), west + (winner == 1), north + (winner == 2), east + (winner == 3)
        )  # fmt: skip
        self.leader = winner
        self.turn = winner if event.number < 13 else None

    def play_taken_back(self, event: PlayTakenBack) -> None:
        """The last card returns to its hand, out of a gathered trick too (rules.md 5.5)."""
        if not self.trick:
            trick = self.tricks[-1]
            self.tricks = self.tricks[:-1]
            self.trick, self.leader = trick.cards, trick.leader
            taken = list(self.taken)
            taken[trick.winner] -= 1
            self.taken = (taken[0], taken[1], taken[2], taken[3])
        self.trick = self.trick[:-1]
        hand = self.hands[event.seat]
        if hand is not None:
            self.hands[event.seat] = hand | self.deck.bits[event.card]
        down = [card for trick in self.tricks for card in trick.cards] + list(self.trick)
        self.spades_broken = bool(self.deck.mask(down) & self.spades_mask)
        self.last_played = None
        self.turn = event.seat
        self.turn_number += 1

    def hand_scored(self, event: HandScored) -> None:
        """The hand is over and its score stands (rules.md 4)."""
        self.phase = Phase.HAND_OVER
        self.deal_number = event.number
        self.turn = None
        self.last_played = None
        self.standings = (event.scores[0].after, event.scores[1].after)
        self.sheet += (event,)
        if event.deal is not None:
            self.passes = event.passes
        self.proposed = _NOBODY

    def surrender_proposed(self, event: SurrenderProposed) -> None:
        """A seat would give up (rules.md 5.3)."""
        self.proposed |= {event.seat}

    def next_hand_asked(self, event: NextHandAsked) -> None:
        """A seat is ready for the next hand (rules.md 5.6)."""
        self.asked |= {event.seat}

    def match_ended(self, event: MatchEnded) -> None:
        """Nothing more can happen."""
        self.phase = Phase.MATCH_OVER
        self.turn = None
        self.last_played = None
        self.outcome = event.outcome
        self.opening = event

    def _after_bidding(self) -> None:
        """Gives the turn to the next seat that passes cards, or to the first leader."""
        seat = self.next_to_pass()
        self.phase = Phase.PLAYING if seat is None else Phase.PASSING
        self.turn = self.leader if seat is None else seat

    def next_to_pass(self) -> Seat | None:
        """The seat that must pass cards next (rules.md 2.6), of which each pair makes two passes."""
        if not self.rules.blind_exchange:
            return None
        done = len(self.passes)
        for bidder in self.dealer.left.clockwise():
            mine, partners = self.bids[bidder], self.bids[bidder.partner]
            if mine is None or not mine.blind or (partners is not None and partners.blind):
                continue
            if done < 2:
                return bidder if done == 0 else bidder.partner
            done -= 2
        return None

    def _move(self, giver: Seat, receiver: Seat, mask: int) -> None:
        hand, other = self.hands[giver], self.hands[receiver]
        if hand is not None:
            self.hands[giver] = hand & ~mask
        if other is not None:
            self.hands[receiver] = other | mask


def _ignore(state: MatchState, event: MatchStarted) -> None:
    """The first event made the state and is taken in by its constructor."""


_APPLY: Final[dict[type[Any], Callable[[MatchState, Any], None]]] = {
    MatchStarted: _ignore,
    HandDealt: MatchState.hand_dealt,
    HandShown: MatchState.hand_shown,
    BidMade: MatchState.bid_made,
    CardsPassed: MatchState.cards_passed,
    CardPlayed: MatchState.card_played,
    TrickWon: MatchState.trick_won,
    PlayTakenBack: MatchState.play_taken_back,
    HandScored: MatchState.hand_scored,
    SurrenderProposed: MatchState.surrender_proposed,
    NextHandAsked: MatchState.next_hand_asked,
    MatchEnded: MatchState.match_ended,
}
