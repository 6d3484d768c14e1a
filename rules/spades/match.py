"""The referee: the only place where an action is judged."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from spades import refusals
from spades.actions import Action, Look, MakeBid, NextHand, PassCards, Play, Surrender, Undo
from spades.bids import BIDS, BLIND_NIL, MAX_BID, Bid, legal_bids
from spades.cards import Card
from spades.deals import Deal, ExplicitDeals, SeededDeals
from spades.events import (
    PLAYED,
    TRICK_WON,
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
    bid_made,
)
from spades.phases import ALLOWED, PLAYING, ActionKind, DecisionKind, Phase, Who
from spades.rules import BlindNil, Rules, UndoRule
from spades.scoring import EndReason, Outcome, SideScore, Standing, outcome_after, score_side
from spades.seats import Seat, Side
from spades.state import MatchState
from spades.tricks import winner_of

Events = tuple[Event, ...]


class Match:
    """One match, from the first deal to the end.

    A match is its rules, its deals and its actions: the same three give the same events again.
    A refused action raises and changes nothing.

    >>> from spades.deals import SeededDeals, parse_seed
    >>> match = Match(Rules(), SeededDeals(parse_seed("7")))
    >>> match.turn, match.phase.value
    (Seat.SOUTH, 'bidding')
    >>> match.bid(Seat.SOUTH, Bid(4))
    (BidMade(seat=Seat.SOUTH, bid=Bid(tricks=4, blind=False)),)
    >>> match.bid(Seat.NORTH, Bid(3))
    Traceback (most recent call last):
    spades.errors.NotYourTurn: North cannot bid now: it is West's turn.
    """

    __slots__ = ("_deal", "_opens", "_state", "deals", "log", "people")

    def __init__(
        self,
        rules: Rules,
        deals: SeededDeals | ExplicitDeals,
        *,
        former_first_dealer: Seat | None = None,
        people: frozenset[Seat] | None = None,
        opens: bool = True,
    ) -> None:
        """Starts a match and deals its first hand.

        ``former_first_dealer`` is given for a rematch (rules.md 1.3). ``people`` are the seats that
        persons play, as far as that is known; it decides ``undo=solo`` (rules.md 5.5) and when the
        next hand is dealt (5.6), and may be set anew at any time. ``opens`` is whether the end of a
        hand shows its cards and the end of the match what it was dealt from (5.4): not while other
        tables play the same deals.

        :raises OptionError: if explicit deals do not fit the rules.
        """
        if isinstance(deals, ExplicitDeals):
            deals.check(rules)
        former = former_first_dealer
        first = deals.first_dealer(rules) if former is None else former.left
        self.deals = deals
        self.people = people
        self._opens = opens
        started = MatchStarted(rules, deals.commitment(), first)
        self._state = MatchState(started)
        self._deal: Deal = deals.deal(1, rules.deck, first)
        self.log: list[Event] = [started]
        """Every event so far, with its secrets: for the referee's owner, never for a player."""
        self._take(self._dealt(1, first))

    # What everybody may know.

    @property
    def rules(self) -> Rules:
        """The options in force."""
        return self._state.rules

    @property
    def phase(self) -> Phase:
        """Where the match stands."""
        return self._state.phase

    @property
    def turn(self) -> Seat | None:
        """The seat to act; ``None`` between hands and after the end."""
        return self._state.turn

    @property
    def decision(self) -> DecisionKind | None:
        """What the seat to act is asked for."""
        return self._state.decision

    @property
    def hand_number(self) -> int:
        """The number of the hand, from 1."""
        return self._state.deal_number

    @property
    def standings(self) -> tuple[Standing, Standing]:
        """Total and bags of both sides, indexed by :class:`~spades.seats.Side`."""
        return self._state.standings

    @property
    def sheet(self) -> tuple[HandScored, ...]:
        """The hands that have been scored."""
        return self._state.sheet

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended, or ``None`` while it goes on."""
        return self._state.outcome

    @property
    def state(self) -> MatchState:
        """The whole state with its secrets: what :func:`spades.view` filters."""
        return self._state

    # What a seat may do.

    def legal(self, seat: Seat) -> tuple[Action, ...]:
        """Lists what answers the decision that is open for a seat, and ``Look`` where it is possible.

        It follows from the seat's own cards, so it is for that seat alone.
        """
        state = self._state
        may_look = state.phase is Phase.BIDDING and seat in state.face_down
        looks: tuple[Action, ...] = (Look(),) if may_look else ()
        if state.turn is not seat:
            return looks
        if state.phase is Phase.BIDDING:
            return (*looks, *map(MakeBid, self.legal_bids(seat)))
        hand = state.hands[seat]
        assert hand is not None, "the referee knows every hand"
        if state.phase is Phase.PASSING:
            count = state.rules.blind_exchange
            return tuple(map(PassCards, combinations(state.deck.unmask(hand), count)))
        return tuple(map(Play, state.deck.unmask(state.legal_mask(hand))))

    def legal_bids(self, seat: Seat) -> tuple[Bid, ...]:
        """The bids of a seat at its turn: only blind nil while its cards are face down (2.4, 2.5)."""
        state = self._state
        return legal_bids(
            state.bids[seat.partner], state.rules.min_team_bid, face_down=seat in state.face_down
        )

    def act(self, seat: Seat, action: Action) -> Events:
        """Judges an action of a seat and returns what happened.

        :raises IllegalAction: or one of its children; nothing has changed then.
        """
        match action:
            case Play(card):
                return self.play(seat, card)
            case MakeBid(bid):
                return self.bid(seat, bid)
            case PassCards(cards):
                return self.pass_cards(seat, cards)
            case Look():
                return self.look(seat)
            case Undo():
                return self.undo(seat)
            case Surrender():
                return self.surrender(seat)
            case NextHand():
                return self.ask_next_hand(seat)

    def look(self, seat: Seat) -> Events:
        """Turns a seat's cards up (rules.md 2.5)."""
        self._allow(seat, ActionKind.LOOK)
        if seat not in self._state.face_down:
            raise refusals.already_looked(seat)
        return self._take(self._shown(seat))

    def bid(self, seat: Seat, bid: Bid) -> Events:
        """Bids for a seat (rules.md 2)."""
        self._allow(seat, ActionKind.BID)
        state = self._state
        if bid.blind:
            if bid.tricks or seat not in state.face_down:
                raise refusals.illegal_blind_bid(state, seat, bid)
            return self._take(bid_made(seat, BLIND_NIL), self._shown(seat))
        if not 0 <= bid.tricks <= MAX_BID:
            raise refusals.bid_out_of_range(bid)
        if seat in state.face_down:
            raise refusals.bid_before_look(seat, bid)
        if bid not in self.legal_bids(seat):
            raise refusals.bid_under_team_minimum(state, seat, bid)
        return self._take(bid_made(seat, BIDS[bid.tricks]))

    def pass_cards(self, seat: Seat, cards: Sequence[Card]) -> Events:
        """Passes cards to the partner (rules.md 2.6)."""
        self._allow(seat, ActionKind.PASS_CARDS)
        state = self._state
        count = state.rules.blind_exchange
        if len(cards) != count or len(set(cards)) != count:
            raise refusals.wrong_pass_count(cards, count)
        hand = state.hands[seat]
        assert hand is not None, "the referee knows every hand"
        for card in cards:
            if not hand & state.deck.bits.get(card, 0):
                raise refusals.card_not_held(seat, card)
        return self._take(CardsPassed(seat, state.deck, count, state.deck.mask(cards)))

    def play(self, seat: Seat, card: Card) -> Events:
        """Plays a card (rules.md 3); the fourth gathers the trick, the last scores the hand."""
        state = self._state
        if state.phase is not PLAYING or state.turn is not seat:
            self._allow(seat, ActionKind.PLAY)
        hand = state.hands[seat]
        assert hand is not None, "the referee knows every hand"
        trick = state.trick
        if not state.bits.get(card, 0) & state.legal_mask(hand):
            raise refusals.illegal_play(state, seat, card, hand)
        event = PLAYED[card][seat]
        state.card_played(event)
        self.log.append(event)
        if len(trick) < 3:
            return (event,)
        winner = winner_of(state.deck, state.leader, state.trick)
        won = TRICK_WON[len(state.tricks) + 1][winner]
        state.trick_won(won)
        self.log.append(won)
        if won.number < 13:
            return (event, won)
        return (event, won, *self._score())

    def undo(self, seat: Seat) -> Events:
        """Takes a seat's card back while no other has followed it (rules.md 5.5)."""
        state = self._state
        self._allow(seat, ActionKind.UNDO)
        allowed = state.rules.undo
        others = self.people is not None and self.people != frozenset((seat,))
        if allowed is UndoRule.OFF or (allowed is UndoRule.SOLO and others):
            raise refusals.undo_not_allowed(allowed)
        if state.last_played is not seat:
            raise refusals.nothing_to_take_back(seat)
        card = state.trick[-1] if state.trick else state.tricks[-1].cards[-1]
        return self._take(PlayTakenBack(seat, card))

    def surrender(self, seat: Seat) -> Events:
        """Proposes to give up; with the partner's proposal it is done (rules.md 5.3)."""
        self._allow(seat, ActionKind.SURRENDER)
        state = self._state
        if seat in state.proposed:
            raise refusals.already_proposed(seat)
        events = self._take(SurrenderProposed(seat))
        if seat.partner not in state.proposed:
            return events
        totals = (state.standings[0].total, state.standings[1].total)
        return (*events, *self._end(Outcome(seat.side.other, EndReason.SURRENDER, totals)))

    def ask_next_hand(self, seat: Seat) -> Events:
        """Says that a seat is ready; when all people are, the next hand is dealt (rules.md 5.6)."""
        self._allow(seat, ActionKind.NEXT_HAND)
        state = self._state
        if seat in state.asked:
            raise refusals.already_asked(seat)
        events = self._take(NextHandAsked(seat))
        if self.people is not None and self.people <= state.asked:
            return (*events, *self.deal_next())
        return events

    def deal_next(self) -> Events:
        """Deals the next hand without asking anybody: for whoever runs the table.

        :raises IllegalAction: if the hand is not over, or the match is.
        """
        state = self._state
        if state.phase is not Phase.HAND_OVER:
            raise refusals.no_deal_now(state.phase)
        return self._take(self._dealt(state.deal_number + 1, state.dealer.left))

    # How it is done.

    def _take(self, *events: Event) -> Events:
        for event in events:
            self._state.apply(event)
        self.log += events
        return events

    def _allow(self, seat: Seat, kind: ActionKind) -> None:
        """Refuses what the phase, or another seat's turn, does not allow; says nothing of cards."""
        state = self._state
        who = ALLOWED[state.phase].get(kind)
        if who is None:
            raise refusals.wrong_phase(seat, kind, state.phase)
        if who is Who.TURN and state.turn is not seat:
            raise refusals.not_your_turn(seat, kind, state.turn)

    def _dealt(self, number: int, dealer: Seat) -> HandDealt:
        rules = self._state.rules
        self._deal = self.deals.deal(number, rules.deck, dealer)
        return HandDealt(number, dealer, rules.deck, self._deal.masks, self._may_bid_blind())

    def _may_bid_blind(self) -> frozenset[Seat]:
        """The seats of a side that trails by enough (rules.md 2.5)."""
        state = self._state
        rules = state.rules
        if rules.blind_nil is BlindNil.OFF:
            return frozenset()
        return frozenset(
            seat for seat in Seat if state.deficit(seat.side) >= rules.blind_nil_deficit
        )

    def _shown(self, seat: Seat) -> HandShown:
        return HandShown(seat, self._state.deck, self._state.hands[seat])

    def _score(self) -> Events:
        state = self._state
        bids = tuple(bid for bid in state.bids if bid is not None)
        assert len(bids) == 4, "a hand is played after four bids"
        both = (self._score_side(Side.SOUTH_NORTH), self._score_side(Side.WEST_EAST))
        number = state.deal_number
        # What is not open yet is in no event, so that nobody's view can be made from it.
        deal, passes = (self._deal, state.passes) if self._opens else (None, ())
        scored = HandScored(
            number, both, (bids[0], bids[1], bids[2], bids[3]), state.taken, deal, passes
        )
        events = self._take(scored)
        outcome = outcome_after(state.rules, number, both)
        return events if outcome is None else (*events, *self._end(outcome))

    def _score_side(self, side: Side) -> SideScore:
        state = self._state
        first, second = side.seats
        mine, partners = state.bids[first], state.bids[second]
        assert mine is not None and partners is not None, "a hand is played after four bids"
        taken = (state.taken[first], state.taken[second])
        bids = ((first, mine), (second, partners))
        return score_side(state.rules, bids, taken, state.standings[side])

    def _end(self, outcome: Outcome) -> Events:
        return self._take(MatchEnded(outcome, self.deals if self._opens else None))
