"""Events, of the table and of its match."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Final

import spades
from spades import CardPlayed, Deck, Reason, Seat, Side, TableError, TrickWon, format_deal
from spades.events import PLAYED, TRICK_WON, bid_made
from spades_proto import table
from spades_proto.table import AnyEvent, TableOpened
from spades_proto.v1 import card_pb2, event_pb2
from spades_proto.wire.actions import bid_from_wire, bid_to_wire
from spades_proto.wire.enums import CARD, COURTESY, SEAT
from spades_proto.wire.rules import rules_from_wire, rules_to_wire
from spades_proto.wire.scores import (
    both_scores_from_wire,
    opening_from_wire,
    opening_to_wire,
    outcome_from_wire,
    outcome_to_wire,
    parse_deal,
    side_score_to_wire,
)
from spades_proto.wire.seating import (
    occupant_from_wire,
    occupant_to_wire,
    time_control_from_wire,
    time_control_to_wire,
)

Message = event_pb2.Event


def event_to_wire(event: AnyEvent) -> Message:
    """Writes an event as one viewer may see it: redact it first.

    It refuses to write the hands of more than one seat, which no viewer may see.
    """
    return _WRITERS[type(event)](event)


def event_from_wire(message: Message, viewer: Seat | None, deck: Deck) -> AnyEvent | None:
    """Reads an event, or ``None`` for a kind that is not known here.

    ``viewer`` is the seat whose feed it came from and ``deck`` the one in play.

    :raises SpadesError: if a field is missing or out of range.
    """
    kind = message.WhichOneof("kind")
    if kind is None:
        return None
    # The kinds of which a match has most are not worth a dictionary of closures.
    if kind == "card_played":
        played = message.card_played
        return _read_played(played.seat, played.card)
    if kind == "trick_won":
        won = message.trick_won
        return _read_trick(won.winner, won.number)
    return _READERS[kind](getattr(message, kind), viewer, deck)


@cache
def _read_played(seat: card_pb2.Seat.ValueType, card: card_pb2.Card.ValueType) -> CardPlayed:
    return PLAYED[CARD.from_wire(card)][SEAT.from_wire(seat)]


@cache
def _read_trick(winner: card_pb2.Seat.ValueType, number: int) -> TrickWon:
    if not 1 <= number <= 13:
        raise TableError(f"{number} is no number of a trick.", Reason.INVALID_FIELD)
    return TRICK_WON[number][SEAT.from_wire(winner)]


def hidden_cards(deck: Deck, mask: int | None) -> card_pb2.HiddenCards | None:
    """Writes cards that not everybody may see; nothing where the viewer may not."""
    if mask is None:
        return None
    return card_pb2.HiddenCards(cards=map(CARD.to_wire, deck.unmask(mask)))


def seen_cards(deck: Deck, message: card_pb2.HiddenCards | event_pb2.OpenPass) -> int:
    """Reads cards as a mask.

    :raises TableError: if one is missing, unknown or not in the deck.
    """
    try:
        return deck.mask(map(CARD.from_wire, message.cards))
    except KeyError as error:
        raise TableError(
            f"{error.args[0]} is not in the deck {deck.value}.", Reason.INVALID_FIELD
        ) from None


def _write_opened(event: TableOpened) -> Message:
    return Message(
        table_opened=event_pb2.TableOpened(
            code=event.code,
            host=event.host,
            rules=rules_to_wire(event.rules),
            private=event.private,
            seed_chosen=event.seed_chosen,
            time_control=time_control_to_wire(event.time_control),
            no_hints=not event.hints,
            tempo_ms=event.tempo_ms,
        )
    )


def _write_dealt(event: spades.HandDealt) -> Message:
    known = [mask for mask in event.masks if mask is not None]
    assert len(known) <= 1, "only a redacted deal may be written"
    return Message(
        hand_dealt=event_pb2.HandDealt(
            number=event.number,
            dealer=SEAT.to_wire(event.dealer),
            hand=hidden_cards(event.deck, known[0]) if known else None,
            face_down=map(SEAT.to_wire, sorted(event.face_down)),
        )
    )


def _write_scored(event: spades.HandScored) -> Message:
    return Message(
        hand_scored=event_pb2.HandScored(
            number=event.number,
            scores=[side_score_to_wire(side, event.scores[side]) for side in Side],
            bids=map(bid_to_wire, event.bids),
            taken=event.taken,
            deal="" if event.deal is None else format_deal(event.deal),
            passes=[
                event_pb2.OpenPass(
                    giver=SEAT.to_wire(one.giver), cards=map(CARD.to_wire, one.cards or ())
                )
                for one in event.passes
            ],
        )
    )


_WRITERS: Final[dict[type[Any], Callable[[Any], Message]]] = {
    TableOpened: _write_opened,
    table.SeatTaken: lambda e: Message(
        seat_taken=event_pb2.SeatTaken(
            seat=SEAT.to_wire(e.seat), occupant=occupant_to_wire(e.occupant)
        )
    ),
    table.SeatLeft: lambda e: Message(seat_left=event_pb2.SeatLeft(seat=SEAT.to_wire(e.seat))),
    table.PresenceChanged: lambda e: Message(
        presence_changed=event_pb2.PresenceChanged(seat=SEAT.to_wire(e.seat), away=e.away)
    ),
    table.StandInChanged: lambda e: Message(
        stand_in_changed=event_pb2.StandInChanged(seat=SEAT.to_wire(e.seat), active=e.active)
    ),
    table.HostChanged: lambda e: Message(host_changed=event_pb2.HostChanged(host=e.host)),
    table.CourtesySent: lambda e: Message(
        courtesy_sent=event_pb2.CourtesySent(
            seat=SEAT.to_wire(e.seat), courtesy=COURTESY.to_wire(e.courtesy)
        )
    ),
    table.RecordKept: lambda e: Message(record_kept=event_pb2.RecordKept(match=e.match)),
    table.TableClosed: lambda e: Message(table_closed=event_pb2.TableClosed(sentence=e.sentence)),
    spades.MatchStarted: lambda e: Message(
        match_started=event_pb2.MatchStarted(
            rules=rules_to_wire(e.rules),
            commitment=e.commitment,
            first_dealer=SEAT.to_wire(e.first_dealer),
        )
    ),
    spades.HandDealt: _write_dealt,
    spades.HandShown: lambda e: Message(
        hand_shown=event_pb2.HandShown(seat=SEAT.to_wire(e.seat), hand=hidden_cards(e.deck, e.mask))
    ),
    spades.BidMade: lambda e: Message(
        bid_made=event_pb2.BidMade(seat=SEAT.to_wire(e.seat), bid=bid_to_wire(e.bid))
    ),
    spades.CardsPassed: lambda e: Message(
        cards_passed=event_pb2.CardsPassed(
            giver=SEAT.to_wire(e.giver), count=e.count, cards=hidden_cards(e.deck, e.mask)
        )
    ),
    spades.CardPlayed: lambda e: Message(
        card_played=event_pb2.CardPlayed(seat=SEAT.to_wire(e.seat), card=CARD.to_wire(e.card))
    ),
    spades.TrickWon: lambda e: Message(
        trick_won=event_pb2.TrickWon(winner=SEAT.to_wire(e.winner), number=e.number)
    ),
    spades.PlayTakenBack: lambda e: Message(
        play_taken_back=event_pb2.PlayTakenBack(
            seat=SEAT.to_wire(e.seat), card=CARD.to_wire(e.card)
        )
    ),
    spades.HandScored: _write_scored,
    spades.SurrenderProposed: lambda e: Message(
        surrender_proposed=event_pb2.SurrenderProposed(seat=SEAT.to_wire(e.seat))
    ),
    spades.NextHandAsked: lambda e: Message(
        next_hand_asked=event_pb2.NextHandAsked(seat=SEAT.to_wire(e.seat))
    ),
    spades.MatchEnded: lambda e: Message(
        match_ended=event_pb2.MatchEnded(
            outcome=outcome_to_wire(e.outcome),
            opening=None if e.opening is None else opening_to_wire(e.opening),
        )
    ),
}


def _read_opened(message: event_pb2.TableOpened) -> TableOpened:
    return TableOpened(
        message.code,
        message.host,
        rules_from_wire(message.rules),
        message.private,
        message.seed_chosen,
        time_control_from_wire(message.time_control),
        not message.no_hints,
        message.tempo_ms,
    )


def _read_dealt(message: event_pb2.HandDealt, viewer: Seat | None, deck: Deck) -> spades.HandDealt:
    hand = seen_cards(deck, message.hand) if message.HasField("hand") else None
    south, west, north, east = (hand if seat is viewer else None for seat in Seat)
    return spades.HandDealt(
        message.number,
        SEAT.from_wire(message.dealer),
        deck,
        (south, west, north, east),
        frozenset(map(SEAT.from_wire, message.face_down)),
    )


@lru_cache(maxsize=16)
def _read_scored_once(encoded: bytes, deck: Deck) -> spades.HandScored:
    """All four seats of one client read the same bytes, and there is much in them."""
    return _read_scored(event_pb2.HandScored.FromString(encoded), deck)


def _read_scored(message: event_pb2.HandScored, deck: Deck) -> spades.HandScored:
    if len(message.bids) != len(Seat) or len(message.taken) != len(Seat):
        raise TableError("A scored hand has four bids and four counts.", Reason.INVALID_FIELD)
    south, west, north, east = map(bid_from_wire, message.bids)
    taken = message.taken
    return spades.HandScored(
        message.number,
        both_scores_from_wire(message.scores),
        (south, west, north, east),
        (taken[0], taken[1], taken[2], taken[3]),
        parse_deal(message.deal, deck) if message.deal else None,
        tuple(
            spades.CardsPassed(
                SEAT.from_wire(one.giver),
                deck,
                len(one.cards),
                seen_cards(deck, one),
            )
            for one in message.passes
        ),
    )


_READERS: Final[dict[str, Callable[[Any, Seat | None, Deck], AnyEvent]]] = {
    "table_opened": lambda m, _v, _d: _read_opened(m),
    "seat_taken": lambda m, _v, _d: table.SeatTaken(
        SEAT.from_wire(m.seat), occupant_from_wire(m.occupant)
    ),
    "seat_left": lambda m, _v, _d: table.SeatLeft(SEAT.from_wire(m.seat)),
    "presence_changed": lambda m, _v, _d: table.PresenceChanged(SEAT.from_wire(m.seat), m.away),
    "stand_in_changed": lambda m, _v, _d: table.StandInChanged(SEAT.from_wire(m.seat), m.active),
    "host_changed": lambda m, _v, _d: table.HostChanged(m.host),
    "courtesy_sent": lambda m, _v, _d: table.CourtesySent(
        SEAT.from_wire(m.seat), COURTESY.from_wire(m.courtesy)
    ),
    "record_kept": lambda m, _v, _d: table.RecordKept(m.match),
    "table_closed": lambda m, _v, _d: table.TableClosed(m.sentence),
    "match_started": lambda m, _v, _d: spades.MatchStarted(
        rules_from_wire(m.rules), m.commitment, SEAT.from_wire(m.first_dealer)
    ),
    "hand_dealt": _read_dealt,
    "hand_shown": lambda m, _v, d: spades.HandShown(
        SEAT.from_wire(m.seat), d, seen_cards(d, m.hand) if m.HasField("hand") else None
    ),
    "bid_made": lambda m, _v, _d: bid_made(SEAT.from_wire(m.seat), bid_from_wire(m.bid)),
    "cards_passed": lambda m, _v, d: spades.CardsPassed(
        SEAT.from_wire(m.giver), d, m.count, seen_cards(d, m.cards) if m.HasField("cards") else None
    ),
    "play_taken_back": lambda m, _v, _d: spades.PlayTakenBack(
        SEAT.from_wire(m.seat), CARD.from_wire(m.card)
    ),
    "hand_scored": lambda m, _v, d: _read_scored_once(m.SerializeToString(), d),
    "surrender_proposed": lambda m, _v, _d: spades.SurrenderProposed(SEAT.from_wire(m.seat)),
    "next_hand_asked": lambda m, _v, _d: spades.NextHandAsked(SEAT.from_wire(m.seat)),
    "match_ended": lambda m, _v, d: spades.MatchEnded(
        outcome_from_wire(m.outcome),
        opening_from_wire(m.opening, d) if m.HasField("opening") else None,
    ),
}
