"""Refusals: every reason has a class, every sentence says what was tried and what is allowed."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from functools import partial

import pytest

from spades import (
    BLIND_NIL,
    PRESETS,
    Bid,
    BlindNil,
    Card,
    Deal,
    Deck,
    ExplicitDeals,
    IllegalAction,
    IllegalBid,
    IllegalPass,
    IllegalPlay,
    IllegalUndo,
    Match,
    NotationError,
    NotYourTurn,
    OptionError,
    Reason,
    Rules,
    Seat,
    SeededDeals,
    SpadesError,
    TableError,
    UndoRule,
    error_for,
    parse_seed,
)

Fill = Callable[[str, Deck], Deal]

S, W, N, E = Seat
CLASSES = [
    NotationError, OptionError, IllegalAction, NotYourTurn, IllegalBid, IllegalPass, IllegalPlay,
    IllegalUndo, TableError,
]  # fmt: skip


@pytest.mark.parametrize("reason", Reason)
def test_every_reason_belongs_to_exactly_one_class_of_errors(reason: Reason) -> None:
    (kind,) = [kind for kind in CLASSES if reason in vars(kind)["reasons"]]
    error = error_for(reason, "It was refused.")
    assert type(error) is kind
    assert (error.reason, error.sentence, str(error)) == (reason, "It was refused.", str(error))


def test_the_errors_are_one_family_and_the_referees_are_illegal_actions() -> None:
    assert all(issubclass(kind, SpadesError) for kind in CLASSES)
    assert issubclass(SpadesError, ValueError)
    for kind in (NotYourTurn, IllegalBid, IllegalPass, IllegalPlay, IllegalUndo):
        assert issubclass(kind, IllegalAction)
    for other in (NotationError, OptionError, TableError):
        assert not issubclass(other, IllegalAction)


@pytest.mark.parametrize("reason", Reason)
def test_an_error_survives_pickling_and_copying(reason: Reason) -> None:
    error = error_for(reason, "It was refused.")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert (again.sentence, again.reason) == (error.sentence, error.reason)


def classic(drawing: Deal, rules: Rules = PRESETS["classic"], *, bids: int = 4) -> Match:
    match = Match(Rules(undo=rules.undo, max_hands=1), ExplicitDeals((drawing,), b"salt"))
    for _ in range(bids):
        assert match.turn is not None
        match.bid(match.turn, Bid(3))
    return match


def blind() -> Match:
    rules = Rules(blind_nil=BlindNil.BEHIND, blind_nil_deficit=0, blind_exchange=2)
    return Match(rules, SeededDeals(parse_seed("errors")))


def said(act: Callable[[], object]) -> tuple[type[SpadesError], str]:
    with pytest.raises(SpadesError) as error:
        act()
    sentence = error.value.sentence
    assert re.fullmatch(r"[A-Z0-9].*\.", sentence), "a sentence"
    assert error.value.reason in type(error.value).reasons
    return type(error.value), sentence


DIAMONDS = "S QD\n W 3D KD 9H -D\n N 5D\n E 6D"


def test_a_card_that_does_not_follow_names_the_suit_and_the_cards_that_would(fill: Fill) -> None:
    match = classic(fill(DIAMONDS, Deck.STANDARD))
    match.play(S, Card("QD"))
    assert said(lambda: match.play(W, Card("9H"))) == (
        IllegalPlay,
        "9H is not legal: diamonds were led and West holds 3D KD.",
    )


def test_a_spade_led_too_early_names_what_may_be_led(fill: Fill) -> None:
    match = classic(fill("S AS KS QS JS TS 9S 8S 7S 6S 5S 4S QD 3C", Deck.STANDARD))
    assert said(lambda: match.play(S, Card("AS"))) == (
        IllegalPlay,
        "AS cannot be led: spades are not broken and South holds QD 3C.",
    )


def test_a_card_not_held_is_named_with_the_seat_only(fill: Fill) -> None:
    match = classic(fill(DIAMONDS, Deck.STANDARD))
    sentence = "{} is not in South's hand."
    for card in ("3D", "9H", "BJ"):
        assert said(partial(match.play, S, Card(card))) == (
            IllegalPlay,
            sentence.format(card),
        )


def test_another_seats_turn_is_named(fill: Fill) -> None:
    match = classic(fill(DIAMONDS, Deck.STANDARD))
    assert said(lambda: match.play(N, Card("5D"))) == (
        NotYourTurn,
        "North cannot play now: it is South's turn.",
    )


def test_the_phase_that_does_not_allow_an_action_is_named(fill: Fill) -> None:
    match = classic(fill(DIAMONDS, Deck.STANDARD), bids=0)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: match.play(S, Card("QD")), "South cannot play now"),
        (lambda: match.pass_cards(S, ()), "South cannot pass cards now"),
        (lambda: match.undo(S), "South cannot undo now"),
        (lambda: match.ask_next_hand(S), "South cannot ask for the next hand now"),
    ]
    for act, start in cases:
        kind, sentence = said(act)
        assert kind is IllegalAction
        assert sentence == f"{start}: the match is in the phase 'bidding'."


@pytest.mark.parametrize("tricks", [14, -1, 99])
def test_a_bid_out_of_range_names_itself_and_the_range(fill: Fill, tricks: int) -> None:
    match = classic(fill(DIAMONDS, Deck.STANDARD), bids=0)
    assert said(lambda: match.bid(S, Bid(tricks))) == (
        IllegalBid,
        f"A bid of {tricks} is not possible: nil and 1 to 13 are.",
    )


def test_a_bid_under_the_minimum_names_the_partners_and_what_would_do() -> None:
    match = Match(Rules(min_team_bid=4), SeededDeals(parse_seed("errors")))
    match.bid(S, Bid(2))
    match.bid(W, Bid(3))
    assert said(lambda: match.bid(N, Bid(1))) == (
        IllegalBid,
        "A bid of 1 is not possible: South bid 2 and the side must reach 4, so nil and 2 to 13 are.",
    )


def test_a_bid_with_the_cards_face_down_says_what_to_do() -> None:
    match = blind()
    assert said(lambda: match.bid(S, Bid(3))) == (
        IllegalBid,
        (
            "A bid of 3 is not possible while South's cards are face down:"
            " look at them first, or bid blind nil."
        ),
    )


def test_a_blind_nil_that_may_not_be_bid_says_why() -> None:
    match = blind()
    assert said(lambda: match.bid(S, Bid(3, blind=True))) == (
        IllegalBid,
        "A blind bid of 3 is not possible: only a nil can be blind.",
    )
    match.look(S)
    assert said(lambda: match.bid(S, BLIND_NIL))[1] == (
        "Blind nil is not possible: South has seen its cards."
    )
    assert said(lambda: match.look(S))[1] == "South sees its cards already."
    even = Match(Rules(blind_nil=BlindNil.BEHIND), SeededDeals(parse_seed("errors")))
    assert said(lambda: even.bid(S, BLIND_NIL))[1] == (
        "Blind nil is not possible: only a side that trails by 100 or more may bid it."
    )
    off = Match(PRESETS["classic"], SeededDeals(parse_seed("errors")))
    assert said(lambda: off.bid(S, BLIND_NIL))[1] == "Blind nil is not possible: blind_nil=off."


def test_a_wrong_pass_names_the_cards_and_the_number() -> None:
    match = blind()
    match.bid(S, BLIND_NIL)
    for seat in (W, N, E):
        match.look(seat)
        match.bid(seat, Bid(3))
    first, *_ = match.state.deck.unmask(match.state.hands[S] or 0)
    kind, sentence = said(lambda: match.pass_cards(S, (first,)))
    assert kind is IllegalPass
    assert str(first) in sentence
    assert "2 different cards" in sentence


@pytest.mark.parametrize(
    ("undo", "people", "why"),
    [
        (UndoRule.OFF, None, "Cards are not taken back here: undo=off."),
        (
            UndoRule.SOLO,
            frozenset({S, N}),
            "Cards are not taken back here: undo=solo, and others than house bots play.",
        ),
        (
            UndoRule.ON,
            None,
            (
                "South has no card to take back: only the last card can be,"
                " and only until another is played."
            ),
        ),
    ],
)
def test_an_undo_that_is_not_allowed_says_why(
    fill: Fill, undo: UndoRule, people: frozenset[Seat] | None, why: str
) -> None:
    match = classic(fill(DIAMONDS, Deck.STANDARD), Rules(undo=undo))
    match.people = people
    match.play(S, Card("QD"))
    if undo is UndoRule.ON:
        match.play(W, Card("3D"))
    assert said(lambda: match.undo(S)) == (IllegalUndo, why)


def test_asking_twice_says_so() -> None:
    match = blind()
    match.surrender(S)
    assert said(lambda: match.surrender(S)) == (
        IllegalAction,
        "South has proposed to surrender already: North must agree.",
    )
