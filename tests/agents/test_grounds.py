"""Every ground of a choice can be said in words."""

from __future__ import annotations

import re

import pytest

from spades import Card, Seat, Suit
from spades_agents import Ground, Why


@pytest.mark.parametrize("why", list(Why))
def test_a_ground_is_a_clause_in_which_every_fact_has_its_place(why: Why) -> None:
    ground = Ground(
        why,
        card=Card("6S"),
        other=Card("KD"),
        cards=(Card("AS"), Card("AH")),
        suit=Suit.CLUBS,
        seat=Seat.WEST,
        number=2.5,
        left=4,
    )
    words = ground.in_words(Seat.SOUTH)
    assert not re.search(r"[{}]|None", words)
    assert not words.endswith(".")
    assert not words[0].isspace()


def test_the_partner_is_called_so_and_an_opponent_by_the_seat() -> None:
    ground = Ground(Why.NIL_HUNT, seat=Seat.WEST)
    assert ground.in_words(Seat.EAST).startswith("your partner has bid nil")
    assert ground.in_words(Seat.SOUTH).startswith("West has bid nil")
