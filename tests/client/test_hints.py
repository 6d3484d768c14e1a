"""Hints: which line is told, and why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from spades import BLIND_NIL, NIL, Bid, Card, Look, MakeBid, PassCards, Play, Seat
from spades_client.answers import answer
from spades_client.asks import Ask, ask_of
from spades_client.hints import NO_HINTS, Hint, HintLine, refusal
from spades_client.narrate import situation
from spades_client.state import ClientState, reduce
from spades_client.words import Word


def test_a_hint_goes_round_its_lines_and_says_how_many_there_are() -> None:
    lines = tuple(HintLine(Play(Card(card)), f"Play {card}") for card in ("2C", "3C"))
    hint = Hint(lines)
    assert [hint.sentence, hint.after().sentence] == ["Play 2C (1 of 2).", "Play 3C (2 of 2)."]
    assert hint.after().after() == hint
    assert hint.after().action == Play(Card("3C"))
    assert Hint(lines[:1]).sentence == "Play 2C."
    assert Hint(lines[:1]).after() == Hint(lines[:1])


@pytest.mark.parametrize(
    ("action", "cards", "bid"),
    [
        (Play(Card("2C")), ("2C",), None),
        (PassCards((Card("2C"), Card("QS"))), ("2C", "QS"), None),
        (MakeBid(Bid(4)), (), 4),
        (MakeBid(NIL), (), 0),
        (MakeBid(BLIND_NIL), (), None),
        (Look(), (), None),
    ],
)
def test_a_hint_knows_what_it_speaks_of(action: Any, cards: tuple[str, ...], bid: int) -> None:
    hint = Hint((HintLine(action, "so"),))
    assert tuple(map(str, hint.cards)) == cards
    assert hint.bid == bid


def test_there_is_a_hint_at_ones_own_turn_and_elsewhere_a_sentence(
    evening: Callable[..., Sequence[Any]],
) -> None:
    told: set[str | None] = set()
    for step in evening("blind_nil=behind,blind_nil_deficit=0,max_hands=2", "hints"):
        for viewer in (*Seat, None):
            state = reduce(ClientState(viewer), step.snapshot(viewer))
            refused = refusal(state, ask_of(state), sending=False)
            assert (refused is None) is (ask_of(state) is Ask.DECISION)
            told.add(refused)
    turns = {f"There is no hint now: it is {name}'s turn." for name in ("Ann", "Bob", "Cyd", "Dan")}
    assert told == turns | {
        None,
        "You only watch: hints are for those who play.",
        "There is no hint now: nothing is asked of you.",
    }


def test_at_a_table_without_hints_everybody_is_told_so(
    evening: Callable[..., Sequence[Any]],
) -> None:
    for step in evening("max_hands=2", "hints")[::9]:
        for viewer in (*Seat, None):
            state = reduce(ClientState(viewer), step.snapshot(viewer))
            assert state.table is not None
            state.table.opened = replace(state.table.opened, hints=False)
            assert refusal(state, ask_of(state), sending=False) == NO_HINTS
            assert NO_HINTS in situation(state)
            assert NO_HINTS in (answer(Word.RULES, "", state) or [])


def test_there_is_none_while_a_move_is_on_its_way_or_a_bot_plays_or_nothing_is_known(
    evening: Callable[..., Sequence[Any]],
) -> None:
    nothing = refusal(ClientState(Seat.SOUTH), Ask.NOTHING, sending=False)
    assert nothing == "There is no hint yet: nothing is known of the table."
    state = reduce(
        ClientState(Seat.SOUTH), evening("max_hands=2", "hints")[-1].snapshot(Seat.SOUTH)
    )
    waits = refusal(state, Ask.NOTHING, sending=True)
    assert waits == "There is no hint now: your last move is still on its way."
    late = refusal(state, Ask.STAND_IN, sending=False)
    assert late == "There is no hint now: a house bot plays for you; take your seat back first."
