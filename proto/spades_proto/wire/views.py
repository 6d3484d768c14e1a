"""What one seat sees, whole: for players that keep no state of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from spades import (
    Card,
    CardsPassed,
    DecisionKind,
    Deck,
    Limits,
    MatchStarted,
    Phase,
    Reason,
    Seat,
    SeatView,
    Side,
    Standing,
    TableError,
)
from spades.phases import DECISION
from spades.state import MatchState
from spades.tricks import Trick
from spades_proto.frames import DecisionRequest
from spades_proto.v1 import event_pb2, frame_pb2, pipe_pb2, view_pb2
from spades_proto.wire.actions import bid_from_wire, bid_to_wire
from spades_proto.wire.enums import CARD, DECISION_KIND, SEAT
from spades_proto.wire.events import hidden_cards, seen_cards
from spades_proto.wire.frames import decision_to_wire
from spades_proto.wire.rules import rules_from_wire, rules_to_wire

_PHASE: Final[dict[DecisionKind, Phase]] = {kind: phase for phase, kind in DECISION.items()}


def decision_of(view: SeatView, number: int) -> DecisionRequest:
    """Makes a request for the decision of a view, with an id of one's own."""
    decision, limits = view.decision, view.limits
    assert decision is not None, "only the seat to act is asked"
    return DecisionRequest(
        number,
        decision.kind,
        decision.number,
        view.legal_bids,
        view.legal_plays,
        view.pass_count,
        view.may_look,
        None if limits is None else limits.deadline_us,
        None if limits is None else limits.bank_ms,
        None if limits is None else limits.round_trip_us,
    )


def limits_from_wire(decision: frame_pb2.Decision, sent_us: int) -> Limits | None:
    """Reads how much time a decision has that was sent at some moment; ``None`` if nothing is limited."""
    if not decision.HasField("deadline_us"):
        return None
    return Limits(
        sent_us,
        decision.deadline_us,
        decision.bank_ms if decision.HasField("bank_ms") else None,
        decision.round_trip_us if decision.HasField("round_trip_us") else None,
    )


def ask_to_wire(view: SeatView, number: int) -> pipe_pb2.PipeAsk:
    """Writes a view and the decision that is asked for in it, under an id of one's own."""
    return pipe_pb2.PipeAsk(
        decision=decision_to_wire(decision_of(view, number)),
        view=view_to_wire(view),
        sent_us=None if view.limits is None else view.limits.sent_us,
    )


def ask_from_wire(message: pipe_pb2.PipeAsk) -> SeatView:
    """Reads the view in which a decision is asked for.

    :raises SpadesError: if a field is missing or out of range.
    """
    return view_from_wire(message.view, message.decision, message.sent_us)


def view_to_wire(view: SeatView) -> view_pb2.View:
    """Writes the view of the seat that is to act, for its own agent alone."""
    deck = view.rules.deck
    hand = hidden_cards(deck, deck.mask(view.hand)) if view.sees_hand else None
    first = view.dealer.left
    return view_pb2.View(
        seat=SEAT.to_wire(view.seat),
        rules=rules_to_wire(view.rules),
        hand_number=view.hand_number,
        dealer=SEAT.to_wire(view.dealer),
        hand=hand,
        face_down=map(SEAT.to_wire, sorted(view.face_down)),
        bids=[
            event_pb2.BidMade(seat=SEAT.to_wire(seat), bid=bid_to_wire(bid))
            for seat in first.clockwise()
            if (bid := view.bids[seat]) is not None
        ],
        passes=[
            event_pb2.CardsPassed(
                giver=SEAT.to_wire(one.giver),
                count=one.count,
                cards=hidden_cards(one.deck, one.mask),
            )
            for one in view.passes
        ],
        tricks=[
            view_pb2.Trick(
                cards=_played(trick.leader, trick.cards), winner=SEAT.to_wire(trick.winner)
            )
            for trick in view.tricks
        ],
        trick=_played(view.leader, view.trick),
        taken=view.taken,
        standings=[event_pb2.Standing(total=one.total, bags=one.bags) for one in view.standings],
        spades_broken=view.spades_broken,
        rng_key=view.rng_key.hex(),
        rng_seed=f"{view.rng_seed:064x}",
    )


def _played(leader: Seat, cards: Sequence[Card]) -> list[event_pb2.CardPlayed]:
    return [
        event_pb2.CardPlayed(seat=SEAT.to_wire(seat), card=CARD.to_wire(card))
        for seat, card in zip(leader.clockwise(), cards, strict=False)
    ]


def view_from_wire(
    message: view_pb2.View, decision: frame_pb2.Decision, sent_us: int = 0
) -> SeatView:
    """Reads a view and the decision that is asked for in it.

    :raises SpadesError: if a field is missing or out of range.
    """
    seat = SEAT.from_wire(message.seat)
    wanted = DECISION_KIND.from_wire(decision.kind)
    rules = rules_from_wire(message.rules)
    deck = rules.deck
    dealer = SEAT.from_wire(message.dealer)
    state = MatchState(MatchStarted(rules, "", dealer))
    state.phase = _PHASE[wanted]
    state.deal_number = message.hand_number
    state.turn, state.turn_number = seat, decision.number
    state.hands[seat] = seen_cards(deck, message.hand) if message.HasField("hand") else None
    state.face_down = frozenset(map(SEAT.from_wire, message.face_down))
    bids = {SEAT.from_wire(one.seat): bid_from_wire(one.bid) for one in message.bids}
    state.bids = (
        bids.get(Seat.SOUTH), bids.get(Seat.WEST), bids.get(Seat.NORTH), bids.get(Seat.EAST)
    )  # fmt: skip
    state.passes = tuple(_pass_from_wire(one, deck) for one in message.passes)
    state.tricks = tuple(_trick_from_wire(one) for one in message.tricks)
    leader, state.trick = _cards_of(message.trick)
    first = dealer.left if wanted is not DecisionKind.PLAY else seat
    state.leader = first if leader is None else leader
    state.taken = _four(message.taken)
    state.standings = _standings(message.standings)
    state.spades_broken = message.spades_broken
    return SeatView(state, seat, _key(message.rng_key), limits_from_wire(decision, sent_us))


def _pass_from_wire(message: event_pb2.CardsPassed, deck: Deck) -> CardsPassed:
    cards = seen_cards(deck, message.cards) if message.HasField("cards") else None
    return CardsPassed(SEAT.from_wire(message.giver), deck, message.count, cards)


def _trick_from_wire(message: view_pb2.Trick) -> Trick:
    leader, cards = _cards_of(message.cards)
    if leader is None or len(cards) != len(Seat):
        raise TableError(f"A trick has four cards, not {len(cards)}.", Reason.INVALID_FIELD)
    return Trick(leader, cards, SEAT.from_wire(message.winner))


def _cards_of(messages: Sequence[event_pb2.CardPlayed]) -> tuple[Seat | None, tuple[Card, ...]]:
    leader = SEAT.from_wire(messages[0].seat) if messages else None
    return leader, tuple(CARD.from_wire(one.card) for one in messages)


def _four(numbers: Sequence[int]) -> tuple[int, int, int, int]:
    if len(numbers) != len(Seat):
        raise TableError(
            f"There are four seats, and {len(numbers)} counts of tricks.", Reason.INVALID_FIELD
        )
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _standings(messages: Iterable[event_pb2.Standing]) -> tuple[Standing, Standing]:
    both = [Standing(one.total, one.bags) for one in messages]
    if len(both) != len(Side):
        raise TableError(f"There are two sides, not {len(both)}.", Reason.INVALID_FIELD)
    return both[0], both[1]


def _key(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise TableError("The rng_key is no hexadecimal number.", Reason.INVALID_FIELD) from None
