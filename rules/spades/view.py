"""What a viewer may know: the one filter for secrets."""

from __future__ import annotations

import hashlib
from random import Random
from typing import Final, NamedTuple, overload

from spades.bids import Bid, legal_bids
from spades.cards import Card, Deck
from spades.deals import rng_key
from spades.events import CardsPassed, Event, HandDealt, HandShown
from spades.match import Match
from spades.phases import DECISION, PLAYING, DecisionKind, Phase
from spades.rules import Rules
from spades.scoring import Standing
from spades.seats import Seat
from spades.state import Bids, MatchState, Taken
from spades.tricks import Trick, legal_mask


class Decision(NamedTuple):
    """What a seat is asked for."""

    kind: DecisionKind
    number: int
    """Counts the decisions of the hand, from 1: the same on both ends of a wire."""


class Limits(NamedTuple):
    """The time that a decision has, by the clock of whoever asks, in microseconds since the Unix epoch."""

    sent_us: int
    """When the decision was sent; the deadline less this is the time to think."""
    deadline_us: int
    """Until when an answer counts, the bank included."""
    bank_ms: int | None = None
    """What is left of the seat's bank, in milliseconds."""
    round_trip_us: int | None = None
    """The last round trip that was measured, which is not counted as thinking."""


class _Public(NamedTuple):
    """What everybody may know, but for passed cards: the same fields as of :class:`MatchState`."""

    rules: Rules
    deck: Deck
    spades_mask: int
    spades_may_lead: bool
    deal_number: int
    dealer: Seat
    phase: Phase
    turn: Seat | None
    turn_number: int
    face_down: frozenset[Seat]
    bids: Bids
    leader: Seat
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]
    taken: Taken
    standings: tuple[Standing, Standing]
    spades_broken: bool


def _public_of(state: MatchState) -> _Public:
    """Takes the public fields: a tuple of slots is the cheapest copy there is."""
    fields = (
        state.rules, state.deck, state.spades_mask, state.spades_may_lead, state.deal_number,
        state.dealer, state.phase, state.turn, state.turn_number, state.face_down, state.bids,
        state.leader, state.trick, state.tricks, state.taken, state.standings, state.spades_broken,
    )  # fmt: skip
    return tuple.__new__(_Public, fields)  # pyright: ignore[reportUnknownMemberType]


class TableView:
    """What everybody sees of a match: a frozen value, taken at one moment.

    A :class:`SeatView` adds what one seat sees. Nothing in a view leads back to the match, and what
    nobody asks for is never computed.
    """

    __slots__ = ("_passes", "_public")

    def __init__(self, state: MatchState) -> None:
        """Takes the public part of a state."""
        self._public = _public_of(state)
        self._passes = _seen_passes(state, None) if state.passes else ()

    @property
    def rules(self) -> Rules:
        """The complete rules in force."""
        return self._public.rules

    @property
    def hand_number(self) -> int:
        """The number of the hand, from 1."""
        return self._public.deal_number

    @property
    def dealer(self) -> Seat:
        """The dealer of the hand; the seat to its left bids and leads first."""
        return self._public.dealer

    @property
    def phase(self) -> Phase:
        """Where the match stands."""
        return self._public.phase

    @property
    def turn(self) -> Seat | None:
        """The seat to act."""
        return self._public.turn

    @property
    def face_down(self) -> frozenset[Seat]:
        """The seats that have not looked at their cards (rules.md 2.5)."""
        return self._public.face_down

    @property
    def bids(self) -> Bids:
        """The bids by seat; ``None`` where a bid is to come."""
        return self._public.bids

    @property
    def passes(self) -> tuple[CardsPassed, ...]:
        """The exchanges of this hand (rules.md 2.6), with the cards that the viewer may know."""
        return self._passes

    @property
    def leader(self) -> Seat:
        """The seat that leads, or led, the trick."""
        return self._public.leader

    @property
    def trick(self) -> tuple[Card, ...]:
        """The cards of the trick that is being played, in order, the leader's first."""
        return self._public.trick

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """All earlier tricks of this hand."""
        return self._public.tricks

    @property
    def taken(self) -> Taken:
        """The number of tricks that each seat has won in this hand, by seat."""
        return self._public.taken

    @property
    def standings(self) -> tuple[Standing, Standing]:
        """Total and bags of both sides, indexed by :class:`~spades.seats.Side`."""
        return self._public.standings

    @property
    def spades_broken(self) -> bool:
        """Whether a spade has been played in this hand (rules.md 3.4)."""
        return self._public.spades_broken

    def card_of(self, seat: Seat) -> Card | None:
        """The card that a seat has in the trick that is being played."""
        place = (seat - self._public.leader) % 4
        return self._public.trick[place] if place < len(self._public.trick) else None

    def _viewer(self) -> Seat | None:
        return None

    def _values(self) -> tuple[object, ...]:
        return (self._viewer(), self._public, self._passes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        who = self._viewer()
        seen = "a spectator" if who is None else str(who)
        hand, phase = self._public.deal_number, self._public.phase
        return f"<{type(self).__name__} of hand {hand} for {seen}: {phase.value}>"


class SeatView(TableView):
    """What one seat sees: the table, its own cards and, at its turn, what it may do.

    Made by :func:`view` from a match, or from the state that a seat's own events add up to.
    """

    __slots__ = ("_hand", "_limits", "_rng_key", "_seat")

    def __init__(
        self, state: MatchState, seat: Seat, key: bytes = b"", limits: Limits | None = None
    ) -> None:
        """Takes what one seat may know out of a state.

        ``key`` is :func:`spades.rng_key` of the seat's agent for this match.
        """
        # What the parent does, without the price of asking it: a view is made for every card.
        self._public = _public_of(state)
        self._passes = _seen_passes(state, seat) if state.passes else ()
        self._seat = seat
        self._hand = None if seat in state.face_down else state.hands[seat]
        self._rng_key = key
        self._limits = limits

    @property
    def seat(self) -> Seat:
        """The seat whose view this is."""
        return self._seat

    @property
    def sees_hand(self) -> bool:
        """Whether the cards are up; they are not while blind nil can still be bid (rules.md 2.5)."""
        return self._hand is not None

    @property
    def hand(self) -> tuple[Card, ...]:
        """The seat's cards, sorted; empty while they are face down."""
        return () if self._hand is None else self._public.deck.unmask(self._hand)

    @property
    def decision(self) -> Decision | None:
        """What the seat is asked for now, if it is the seat to act."""
        if self._public.turn is not self._seat:
            return None
        return Decision(DECISION[self._public.phase], self._public.turn_number)

    @property
    def legal_bids(self) -> tuple[Bid, ...]:
        """The bids that the seat may make now; empty when it is not asked for one."""
        if self._public.phase is not Phase.BIDDING or self._public.turn is not self._seat:
            return ()
        partner = self._public.bids[self._seat.partner]
        return legal_bids(partner, self._public.rules.min_team_bid, face_down=self._hand is None)

    @property
    def may_look(self) -> bool:
        """Whether the seat can turn its cards up (rules.md 2.5)."""
        return self._public.phase is Phase.BIDDING and self._seat in self._public.face_down

    @property
    def pass_count(self) -> int:
        """How many cards the seat must pass now; 0 when it is not asked to."""
        mine = self._public.phase is Phase.PASSING and self._public.turn is self._seat
        return self._public.rules.blind_exchange if mine else 0

    @property
    def legal_plays(self) -> tuple[Card, ...]:
        """The cards that the seat may play now; empty when it is not asked for one."""
        public, hand = self._public, self._hand
        if public.turn is not self._seat or public.phase is not PLAYING or hand is None:
            return ()
        may_lead_spades = public.spades_broken or public.spades_may_lead
        deck, spades = public.deck, public.spades_mask
        mask = legal_mask(deck.followers, spades, hand, public.trick, may_lead_spades)
        return deck.unmask(mask)

    @property
    def playable(self) -> tuple[Card, ...]:
        """The cards that may go to the trick as it lies, before the seat's turn too.

        All of the hand where that is not known yet: outside play, and once the seat has played to the trick.
        """
        public, hand = self._public, self._hand
        if hand is None:
            return ()
        waits = public.phase is PLAYING and public.turn is not None
        if not waits or self.card_of(self._seat) is not None:
            return self.hand
        if not public.trick and public.turn is not self._seat:
            return self.hand
        may_lead_spades = public.spades_broken or public.spades_may_lead
        mask = legal_mask(
            public.deck.followers, public.spades_mask, hand, public.trick, may_lead_spades
        )
        return public.deck.unmask(mask)

    @property
    def limits(self) -> Limits | None:
        """How much time the decision has; ``None`` where nothing is limited.

        It lies beside the view: two views that differ in it alone are equal.
        """
        return self._limits

    @property
    def rng_key(self) -> bytes:
        """What :attr:`rng_seed` is made from: the same in all of a seat's views of one match."""
        return self._rng_key

    @property
    def rng_seed(self) -> int:
        """A number of 256 bits for this decision alone, the same whenever the view is the same.

        It follows from the agent's own secret, the match, the seat, the hand and the decision: by
        HMAC-SHA256 for each match and SHA-256 for each decision.
        """
        number = self._public.deal_number << 32 | self._public.turn_number
        digest = hashlib.sha256(self._rng_key + number.to_bytes(8, "big")).digest()
        return int.from_bytes(digest, "big")

    def rng(self) -> Random:
        """A fresh generator that starts from :attr:`rng_seed`."""
        return Random(self.rng_seed)

    def _viewer(self) -> Seat | None:
        return self._seat

    def _values(self) -> tuple[object, ...]:
        return (*super()._values(), self._hand, self._rng_key)


@overload
def view(match: Match, seat: Seat, secret: bytes = b"") -> SeatView: ...
@overload
def view(match: Match, seat: None, secret: bytes = b"") -> TableView: ...
def view(match: Match, seat: Seat | None, secret: bytes = b"") -> TableView:
    """Shows a match as a seat sees it, or with ``None`` as a spectator does.

    ``secret`` is the secret of the seat's own agent, from which :meth:`SeatView.rng` is made.
    """
    state = match.state
    if seat is None:
        return TableView(state)
    key = rng_key(secret, state.commitment, seat) if secret else b""
    return SeatView(state, seat, key)


def redact(event: Event, seat: Seat | None) -> Event:
    """Takes out of an event what a seat, or with ``None`` a spectator, may not see.

    Events without a secret come back as they are, so the same bytes do for every viewer.
    """
    match event:
        case HandDealt():
            own = None if seat is None or seat in event.face_down else event.masks[seat]
            south, west, north, east = (own if other is seat else None for other in Seat)
            return HandDealt(
                event.number, event.dealer, event.deck, (south, west, north, east), event.face_down
            )
        case HandShown() if event.seat is not seat:
            return HandShown(event.seat, event.deck, None)
        case CardsPassed():
            return _redact_pass(event, seat, opened=False)
        case _:
            return event


def has_secret(event: object) -> bool:
    """Whether :func:`redact` makes a difference between viewers."""
    return type(event) in _WITH_SECRETS


_WITH_SECRETS: Final[frozenset[type[object]]] = frozenset((HandDealt, HandShown, CardsPassed))


def _seen_passes(state: MatchState, seat: Seat | None) -> tuple[CardsPassed, ...]:
    # The end of the hand opens these cards, and not that of the match: a surrender opens nothing.
    scored = state.sheet[-1] if state.sheet else None
    opened = scored is not None and scored.number == state.deal_number and scored.deal is not None
    return tuple(_redact_pass(event, seat, opened=opened) for event in state.passes)


def _redact_pass(event: CardsPassed, seat: Seat | None, *, opened: bool) -> CardsPassed:
    """Passed cards are for the two partners until the hand's end opens them (rules.md 2.6, 5.4)."""
    if opened or event.mask is None or (seat is not None and seat.side is event.giver.side):
        return event
    return CardsPassed(event.giver, event.deck, event.count, None)
