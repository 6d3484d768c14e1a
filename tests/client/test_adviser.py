"""Advice for a decision: thought about beside the loop, and put into lines."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import spades
from spades import (
    Bid,
    Card,
    Look,
    MakeBid,
    Match,
    PassCards,
    Play,
    Seat,
    SeatView,
    SeededDeals,
    TableError,
    parse_rules,
    parse_seed,
)
from spades_agents import Advice, advise
from spades_client.adviser import advised, hint_of

MakeAdvice = Callable[..., Advice]


def first_view(rules: str = "classic") -> SeatView:
    match = Match(parse_rules(rules), SeededDeals(parse_seed("advice")))
    assert match.turn is not None
    return spades.view(match, match.turn)


def sentences(*advice: Advice) -> list[str]:
    return [line.sentence for line in hint_of(advice).lines]


def test_the_best_choice_comes_with_all_its_reasons_and_then_the_next(advice: MakeAdvice) -> None:
    assert sentences(
        advice(Play(Card("9C")), "it is low", "clubs are safe"),
        advice(Play(Card("TC")), "it is not much higher", "it is no king"),
    ) == [
        "Play 9C: it is low",
        "Play 9C; moreover, clubs are safe",
        "Or TC: it is not much higher",
        "Or TC; moreover, it is no king",
    ]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (MakeBid(Bid(4)), "Bid 4: why"),
        (MakeBid(spades.NIL), "Bid nil: why"),
        (MakeBid(spades.BLIND_NIL), "Bid blind nil: why"),
        (Look(), "Look: why"),
        (PassCards((Card("2C"), Card("QS"))), "Pass 2C QS: why"),
    ],
)
def test_every_choice_is_told_as_it_is_typed(
    advice: MakeAdvice, action: spades.Action, words: str
) -> None:
    assert sentences(advice(action, "why")) == [words]


def test_no_advice_at_all_is_said_to_be_none() -> None:
    with pytest.raises(TableError, match="nothing is advised"):
        hint_of([])


async def test_thinking_is_done_in_another_thread() -> None:
    threads: list[int] = []

    def adviser(view: SeatView) -> tuple[Advice, ...]:
        threads.append(threading.get_ident())
        return advise(view)

    hint = await advised(first_view(), adviser)
    assert threads and threads[0] != threading.get_ident()
    assert isinstance(hint.action, MakeBid)


async def test_thinking_that_fails_is_told_by_its_kind_alone() -> None:
    def broken(view: SeatView) -> tuple[Advice, ...]:
        raise RuntimeError(str(view.hand))

    with pytest.raises(TableError) as raised:
        await advised(first_view(), broken)
    assert raised.value.sentence == "No hint could be made: thinking failed with RuntimeError."


async def test_the_same_view_gets_the_same_hint() -> None:
    rules = "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
    assert await advised(first_view(rules)) == await advised(first_view(rules))


async def test_nobody_is_advised_out_of_turn() -> None:
    match = Match(parse_rules("classic"), SeededDeals(parse_seed("advice")))
    for seat in Seat:
        if seat is not match.turn:
            with pytest.raises(TableError, match="nothing is advised"):
                await advised(spades.view(match, seat))
