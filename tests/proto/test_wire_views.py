"""What one seat sees, as one message: all of it, nothing more, and the same view again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from google.protobuf import json_format

from spades import (
    BLIND_NIL,
    Limits,
    Match,
    Phase,
    Seat,
    SeatView,
    SeededDeals,
    SpadesError,
    format_cards,
    parse_rules,
    parse_seed,
    view,
)
from spades.actions import Look, MakeBid, PassCards, Play
from spades_proto import wire
from spades_proto.v1 import frame_pb2, view_pb2

SOUTH, WEST, NORTH, EAST = Seat
RULES = (
    "classic,max_hands=2",
    "nyc,max_hands=2,min_team_bid=4",
    "jokers,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=2,floor=none",
)
SECRET = b"a secret"


def decisions(rules: str, seed: str = "7") -> Iterator[tuple[Match, SeatView]]:
    """Every decision of a match in which one seat after the other bids blind nil where it can."""
    match = Match(parse_rules(rules), SeededDeals(parse_seed(seed)))
    while match.outcome is None:
        if match.phase is Phase.HAND_OVER:
            match.deal_next()
        seat = match.turn
        assert seat is not None
        seen = view(match, seat, SECRET)
        yield match, seen
        if seen.may_look:
            match.act(seat, MakeBid(BLIND_NIL) if seat in (SOUTH, WEST) else Look())
        elif seen.legal_bids:
            match.act(seat, MakeBid(seen.legal_bids[seen.rng_seed % 5]))
        elif seen.pass_count:
            match.act(seat, PassCards(seen.hand[: seen.pass_count]))
        else:
            match.act(seat, Play(seen.rng().choice(seen.legal_plays)))


def told(seen: SeatView) -> tuple[view_pb2.View, frame_pb2.Decision]:
    return wire.view_to_wire(seen), wire.decision_to_wire(wire.decision_of(seen, 17))


@pytest.mark.parametrize("rules", RULES)
def test_a_view_that_was_written_and_read_is_the_same_view(rules: str) -> None:
    count = 0
    for _, seen in decisions(rules):
        again = wire.view_from_wire(*told(seen))
        assert again == seen
        assert again.decision == seen.decision
        assert again.hand == seen.hand
        assert again.legal_bids == seen.legal_bids
        assert again.legal_plays == seen.legal_plays
        assert again.pass_count == seen.pass_count
        assert again.may_look == seen.may_look
        assert again.rng_seed == seen.rng_seed
        count += 1
    assert count > 100


def test_what_is_read_from_json_is_the_same_view_too() -> None:
    for _, seen in decisions(RULES[2]):
        message, decision = told(seen)
        text = json_format.MessageToJson(message, preserving_proto_field_name=True)
        assert wire.view_from_wire(json_format.Parse(text, view_pb2.View()), decision) == seen


@pytest.mark.parametrize("rules", RULES)
def test_a_view_names_no_card_that_the_seat_may_not_know(rules: str) -> None:
    for match, seen in decisions(rules):
        message, _ = told(seen)
        # The options and the keys name no cards, and look like some.
        for field in ("rules", "rng_key", "rng_seed"):
            message.ClearField(field)
        named = set(re.findall(r"CARD_(\w\w)", str(message)))
        hidden = {
            str(card)
            for seat in Seat
            if seat is not seen.seat or seat in seen.face_down
            for card in seen.rules.deck.unmask(match.state.hands[seat] or 0)
        }
        passed = {str(card) for one in seen.passes for card in one.cards or ()}
        assert not named & (hidden - passed)
        assert named >= set(format_cards(seen.hand).split())


def test_passed_cards_are_named_to_the_two_partners_alone() -> None:
    seen_by: dict[bool, int] = {True: 0, False: 0}
    for _, seen in decisions(RULES[2]):
        message, _ = told(seen)
        for one in message.passes:
            own = wire.SEAT.from_wire(one.giver).side is seen.seat.side
            assert one.HasField("cards") is own
            assert one.count == 2
            seen_by[own] += 1
    assert all(seen_by.values())


def test_a_decision_carries_the_limits_of_its_view() -> None:
    _, seen = next(decisions(RULES[0]))
    assert not told(seen)[1].HasField("deadline_us")
    match = Match(parse_rules(RULES[0]), SeededDeals(parse_seed("7")))
    limits = Limits(1_000_000, 3_000_000, 60_000, 1_500)
    limited = SeatView(match.state, SOUTH, b"", limits)
    message, decision = told(limited)
    assert decision.id == 17
    again = wire.view_from_wire(message, decision, 1_000_000)
    assert again.limits == limits
    assert again == SeatView(match.state, SOUTH), "what lies beside the view makes no difference"


def change(field: str, value: object) -> Callable[[dict[str, object]], None]:
    def do(message: dict[str, object]) -> None:
        message[field] = value

    return do


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (change("seat", 0), "The seat is missing."),
        (change("taken", [1, 2]), "There are four seats, and 2 counts of tricks."),
        (change("standings", []), "There are two sides, not 0."),
        (change("rng_key", "xyz"), "The rng_key is no hexadecimal number."),
        (change("hand", {"cards": ["CARD_BJ"]}), "BJ is not in the deck standard."),
        (
            change("tricks", [{"cards": [{"seat": 1, "card": 1}], "winner": 1}]),
            "A trick has four cards, not 1.",
        ),
    ],
)
def test_a_view_that_cannot_be_is_refused_in_a_sentence(
    spoil: Callable[[dict[str, object]], None], sentence: str
) -> None:
    _, seen = next(decisions(RULES[0]))
    message, decision = told(seen)
    fields = json.loads(json_format.MessageToJson(message, preserving_proto_field_name=True))
    spoil(fields)
    spoiled = json_format.ParseDict(fields, view_pb2.View())
    with pytest.raises(SpadesError, match=f"^{re.escape(sentence)}$"):
        wire.view_from_wire(spoiled, decision)
