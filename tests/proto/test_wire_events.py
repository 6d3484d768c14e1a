"""Every event crosses the wire and comes back as each viewer may see it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spades
from spades import (
    CARDS,
    PRESETS,
    Bid,
    BlindNil,
    Card,
    CardsPassed,
    Deal,
    Deck,
    ExplicitDeals,
    HandDealt,
    HandScored,
    HandShown,
    Match,
    MatchEnded,
    Outcome,
    Reason,
    Seat,
    SeededDeals,
    SideScore,
    SpadesError,
    TableError,
    UndoRule,
    redact,
)
from spades_proto import table, wire
from spades_proto.table import AnyEvent, Occupant
from spades_proto.v1 import card_pb2, event_pb2

Wander = Callable[[Match, Random], Iterator[int]]
Seen = tuple[AnyEvent, Seat | None, Deck]
"""An event, the viewer whose form of it this is, and the deck in play."""

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)
INT32 = st.integers(-(2**31), 2**31 - 1)

decks = st.sampled_from(Deck)
seats = st.sampled_from(Seat)
viewers = st.sampled_from(VIEWERS)
masks = st.sets(st.integers(0, 51), max_size=13).map(lambda places: sum(1 << i for i in places))


@st.composite
def dealt(draw: st.DrawFn) -> Seen:
    viewer = draw(viewers)
    own = draw(st.none() | masks) if viewer is not None else None
    south, west, north, east = (own if seat is viewer else None for seat in Seat)
    down = frozenset(draw(st.sets(seats)))
    deck = draw(decks)
    return HandDealt(draw(INT32), draw(seats), deck, (south, west, north, east), down), viewer, deck


@st.composite
def shown(draw: st.DrawFn) -> Seen:
    deck = draw(decks)
    return HandShown(draw(seats), deck, draw(st.none() | masks)), draw(viewers), deck


@st.composite
def passed(draw: st.DrawFn) -> Seen:
    deck = draw(decks)
    mask = draw(st.none() | masks)
    return CardsPassed(draw(seats), deck, draw(INT32), mask), draw(viewers), deck


@st.composite
def scored(draw: st.DrawFn) -> Seen:
    deal = draw(st.from_type(Deal))
    deck = deal.deck
    passes = [
        CardsPassed(draw(seats), deck, mask.bit_count(), mask)
        for mask in draw(st.lists(masks, max_size=4))
    ]
    bids = draw(st.tuples(*[st.from_type(Bid)] * 4))
    taken = draw(st.tuples(*[INT32] * 4))
    scores = draw(st.tuples(*[st.from_type(SideScore)] * 2))
    number, viewer = draw(INT32), draw(viewers)
    if draw(st.booleans()):
        return HandScored(number, scores, bids, taken, None, ()), viewer, deck
    return HandScored(number, scores, bids, taken, deal, tuple(passes)), viewer, deck


@st.composite
def ended(draw: st.DrawFn) -> Seen:
    outcome = draw(st.from_type(Outcome))
    if draw(st.booleans()):
        return MatchEnded(outcome, draw(st.from_type(SeededDeals))), draw(viewers), draw(decks)
    deck = draw(decks)
    sources = [SeededDeals(bytes([n] * 32)) for n in draw(st.lists(st.integers(0, 9), max_size=3))]
    deals = tuple(source.deal(1, deck, Seat.EAST) for source in sources)
    return MatchEnded(outcome, ExplicitDeals(deals, draw(st.binary()))), draw(viewers), deck


def seen(kind: type[AnyEvent]) -> st.SearchStrategy[Seen]:
    return st.tuples(st.from_type(kind), viewers, decks)


EVENTS: dict[type[AnyEvent], st.SearchStrategy[Seen]] = {
    table.TableOpened: seen(table.TableOpened),
    table.SeatTaken: seen(table.SeatTaken),
    table.SeatLeft: seen(table.SeatLeft),
    table.PresenceChanged: seen(table.PresenceChanged),
    table.StandInChanged: seen(table.StandInChanged),
    table.HostChanged: seen(table.HostChanged),
    table.CourtesySent: seen(table.CourtesySent),
    table.RecordKept: seen(table.RecordKept),
    table.TableClosed: seen(table.TableClosed),
    spades.MatchStarted: seen(spades.MatchStarted),
    HandDealt: dealt(),
    HandShown: shown(),
    spades.BidMade: seen(spades.BidMade),
    CardsPassed: passed(),
    spades.CardPlayed: seen(spades.CardPlayed),
    spades.TrickWon: st.tuples(
        st.builds(spades.TrickWon, seats, st.integers(1, 13)), viewers, decks
    ),
    spades.PlayTakenBack: seen(spades.PlayTakenBack),
    HandScored: scored(),
    spades.SurrenderProposed: seen(spades.SurrenderProposed),
    spades.NextHandAsked: seen(spades.NextHandAsked),
    MatchEnded: ended(),
}
FIELDS = {
    kind: "".join(f"_{c.lower()}" if c.isupper() else c for c in kind.__name__)[1:]
    for kind in EVENTS
}


def as_sent(event: AnyEvent, viewer: Seat | None, deck: Deck) -> AnyEvent | None:
    data = wire.event_to_wire(event).SerializeToString()
    return wire.event_from_wire(event_pb2.Event.FromString(data), viewer, deck)


def test_every_event_has_a_field_and_every_field_an_event() -> None:
    assert set(EVENTS) == set(get_args(AnyEvent))
    assert set(FIELDS.values()) == set(event_pb2.Event.DESCRIPTOR.fields_by_name)
    oneof = event_pb2.Event.DESCRIPTOR.oneofs_by_name["kind"]
    assert {field.name for field in oneof.fields} == set(FIELDS.values())


@pytest.mark.parametrize("kind", EVENTS, ids=lambda kind: kind.__name__)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_kind_of_event_crosses_the_wire_and_comes_back(
    kind: type[AnyEvent], data: st.DataObject
) -> None:
    event, viewer, deck = data.draw(EVENTS[kind])
    assert wire.event_to_wire(event).WhichOneof("kind") == FIELDS[kind]
    assert as_sent(event, viewer, deck) == event


def test_every_card_every_seat_and_every_trick_cross_in_the_commonest_events() -> None:
    for seat in Seat:
        for card in CARDS:
            for event in (spades.CardPlayed(seat, card), spades.PlayTakenBack(seat, card)):
                assert as_sent(event, None, Deck.STANDARD) == event
        for number in range(1, 14):
            won = spades.TrickWon(seat, number)
            assert as_sent(won, None, Deck.STANDARD) == won
        for bid in (*spades.BIDS, spades.BLIND_NIL):
            made = spades.BidMade(seat, bid)
            assert as_sent(made, None, Deck.STANDARD) == made


@pytest.mark.parametrize("kind", table.OccupantKind)
def test_every_kind_of_occupant_crosses_with_its_name_as_it_is(kind: table.OccupantKind) -> None:
    for name in ("", "gentle", "  Zoë ♠ 王\u202e\x00"):
        occupant = Occupant(kind, name)
        assert wire.occupant_from_wire(wire.occupant_to_wire(occupant)) == occupant


@pytest.mark.parametrize("deck", Deck)
def test_a_hidden_hand_crosses_card_by_card_in_each_deck(deck: Deck) -> None:
    for card in deck:
        event = HandShown(Seat.WEST, deck, deck.mask([card]))
        message = wire.event_to_wire(event)
        assert list(message.hand_shown.hand.cards) == [wire.CARD.to_wire(card)]
        assert as_sent(event, Seat.WEST, deck) == event


ROUGH = [
    replace(
        rules, max_hands=2, undo=undo, blind_nil=blind, blind_nil_deficit=0, blind_exchange=count
    )
    for rules in PRESETS.values()
    for undo, blind, count in [
        (UndoRule.ON, BlindNil.BEHIND, 2),
        (UndoRule.OFF, BlindNil.OFF, 0),
    ]
]


@pytest.mark.parametrize("number", range(len(ROUGH)))
def test_every_event_of_a_match_crosses_in_the_form_of_each_viewer(
    number: int, wander: Wander
) -> None:
    match = Match(ROUGH[number], SeededDeals(bytes([number] * 32)))
    for _ in wander(match, Random(number)):
        pass
    for event in match.log:
        for viewer in VIEWERS:
            form = redact(event, viewer)
            assert as_sent(form, viewer, match.rules.deck) == form


# What may not be written, and what cannot be read


def test_the_matches_hold_every_kind_of_their_own_events(wander: Wander) -> None:
    kinds: set[type[object]] = set()
    for number, rules in enumerate(ROUGH):
        match = Match(rules, SeededDeals(bytes([number] * 32)))
        for _ in wander(match, Random(number)):
            pass
        kinds |= {type(event) for event in match.log}
    assert kinds == set(get_args(spades.Event))


def test_a_deal_that_was_not_redacted_is_not_written() -> None:
    whole = Match(PRESETS["classic"], SeededDeals(bytes(32))).log[1]
    assert isinstance(whole, HandDealt)
    with pytest.raises(AssertionError, match="redacted"):
        wire.event_to_wire(whole)
    south, west = whole.masks[:2]
    with pytest.raises(AssertionError, match="redacted"):
        wire.event_to_wire(replace(whole, masks=(south, west, None, None)))
    for viewer in VIEWERS:
        wire.event_to_wire(redact(whole, viewer))


def test_the_hand_in_a_deal_is_the_viewers_and_a_spectator_reads_none() -> None:
    deal = HandDealt(1, Seat.EAST, Deck.STANDARD, (None, None, 8191, None), frozenset())
    message = wire.event_to_wire(deal)
    assert wire.event_from_wire(message, Seat.NORTH, Deck.STANDARD) == deal
    nobody = wire.event_from_wire(message, None, Deck.STANDARD)
    assert nobody == replace(deal, masks=(None, None, None, None))


def test_an_event_of_an_unknown_kind_reads_as_none() -> None:
    assert wire.event_from_wire(event_pb2.Event(), None, Deck.STANDARD) is None
    # Field 200, a message of two bytes, as a newer server may send it.
    newer = event_pb2.Event.FromString(b"\xc2\x0c\x02\x08\x01")
    assert newer.WhichOneof("kind") is None
    assert newer.ByteSize() == 5
    assert wire.event_from_wire(newer, Seat.WEST, Deck.JOKERS) is None


def card(text: str) -> card_pb2.Card.ValueType:
    return wire.CARD.to_wire(Card(text))


def score() -> list[event_pb2.SideScore]:
    one = SideScore(3, 3, (), 30, 0, spades.Standing(), spades.Standing(30, 0), double_nil=False)
    return [wire.side_score_to_wire(side, one) for side in spades.Side]


def hand_scored(**changes: object) -> event_pb2.Event:
    deal = spades.format_deal(SeededDeals(bytes(32)).deal(1, Deck.STANDARD, Seat.EAST))
    whole: dict[str, object] = {
        "number": 1,
        "scores": score(),
        "bids": [wire.bid_to_wire(Bid(3))] * 4,
        "taken": [3, 3, 3, 4],
        "deal": deal,
    }
    message = event_pb2.HandScored(**{**whole, **changes})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return event_pb2.Event(hand_scored=message)


def test_a_scored_hand_as_the_next_cases_change_it_is_read() -> None:
    assert wire.event_from_wire(hand_scored(), None, Deck.STANDARD) is not None


E_ = event_pb2
MISSING: dict[str, event_pb2.Event] = {
    "The seat is missing.": E_.Event(card_played=E_.CardPlayed(card=card("2C"))),
    "The card is missing.": E_.Event(card_played=E_.CardPlayed(seat=card_pb2.SEAT_WEST)),
    "0 is no number of a trick.": E_.Event(trick_won=E_.TrickWon(winner=card_pb2.SEAT_WEST)),
    "14 is no number of a trick.": E_.Event(
        trick_won=E_.TrickWon(winner=card_pb2.SEAT_WEST, number=14)
    ),
    "The occupant kind is missing.": E_.Event(seat_taken=E_.SeatTaken(seat=card_pb2.SEAT_WEST)),
    "The courtesy is missing.": E_.Event(courtesy_sent=E_.CourtesySent(seat=card_pb2.SEAT_WEST)),
    "The deck is missing.": E_.Event(table_opened=E_.TableOpened(code="QRST")),
    "BJ is not in the deck standard.": E_.Event(
        hand_dealt=E_.HandDealt(
            dealer=card_pb2.SEAT_WEST, hand=card_pb2.HiddenCards(cards=[card("BJ")])
        )
    ),
    "LJ is not in the deck standard.": hand_scored(
        passes=[E_.OpenPass(giver=card_pb2.SEAT_WEST, cards=[card("LJ")])]
    ),
    "A scored hand has four bids and four counts.": hand_scored(taken=[13]),
    "A hand has two scores, not 1.": hand_scored(scores=score()[:1]),
    "A match has two totals, not 0.": E_.Event(match_ended=E_.MatchEnded()),
    "The end reason is missing.": E_.Event(
        match_ended=E_.MatchEnded(outcome=E_.Outcome(totals=[1, 2]))
    ),
}


@pytest.mark.parametrize("said", MISSING)
def test_an_event_that_lacks_something_is_refused_with_a_sentence_that_names_it(said: str) -> None:
    with pytest.raises(TableError) as error:
        wire.event_from_wire(MISSING[said], Seat.WEST, Deck.STANDARD)
    assert error.value.reason is Reason.INVALID_FIELD
    assert error.value.sentence == said


@pytest.mark.parametrize(
    "opening",
    [
        event_pb2.Opening(),
        event_pb2.Opening(seed=""),
        event_pb2.Opening(seed="00"),
        event_pb2.Opening(seed="z" * 64),
        event_pb2.Opening(seed="00" * 33),
        event_pb2.Opening(explicit=event_pb2.ExplicitDeals(salt="0")),
    ],
)
def test_an_opening_that_is_no_seed_and_no_deals_is_refused(opening: event_pb2.Opening) -> None:
    with pytest.raises(TableError) as error:
        wire.opening_from_wire(opening, Deck.STANDARD)
    assert error.value.reason is Reason.INVALID_FIELD
    assert error.value.sentence.startswith("The opening is neither a seed")


def test_a_scored_hand_whose_deal_is_not_open_crosses_without_it() -> None:
    read = wire.event_from_wire(hand_scored(deal=""), None, Deck.STANDARD)
    assert isinstance(read, HandScored)
    assert read.deal is None
    message = wire.event_to_wire(read).hand_scored
    assert {of.name for of, _ in message.ListFields()} == {"number", "scores", "bids", "taken"}


@pytest.mark.parametrize("deal", ["S:", "S:AKQ.. ... ... ...", "X:", "S:AA", "\x00", "S:... " * 4])
def test_a_deal_that_is_none_is_refused_in_the_words_of_the_notation(deal: str) -> None:
    with pytest.raises(SpadesError) as error:
        wire.event_from_wire(hand_scored(deal=deal), None, Deck.STANDARD)
    assert error.value.reason is Reason.INVALID_NOTATION
    assert error.value.sentence
