"""Cases B05 to B20: positions in which other people's bots spoilt a nil, a contract or a match."""

from __future__ import annotations

import pytest

from spades import Card, Play
from spades_agents import advise
from spades_agents.bots import Sharp, Steady, Thinker
from tests.agents.bots.positions import Position, neighbours, position, positions

pytestmark = pytest.mark.once

NAMES = [one.id for one in positions()]
STEADY = ("B07", "B08", "B09", "B14", "B17", "B18", "B19")
"""What a player knows who counts neither cards nor bags."""


def test_all_open_positions_are_here() -> None:
    assert len(NAMES) == 13


@pytest.mark.parametrize("name", NAMES)
def test_sharp_finds_the_best_card(name: str) -> None:
    one = position(name)
    assert Sharp().play(one.view()) in one.best


@pytest.mark.parametrize("name", STEADY)
def test_steady_avoids_the_blunder(name: str) -> None:
    one = position(name)
    assert Steady().play(one.view()) not in one.must_not


@pytest.mark.parametrize("name", NAMES)
def test_sharp_does_so_in_other_suits_at_other_seats_with_other_spots_and_totals(name: str) -> None:
    wrong, tried = _blunders(Sharp(), position(name))
    assert tried >= 100
    assert wrong == []


@pytest.mark.parametrize("name", STEADY)
def test_steady_does_so_in_other_suits_at_other_seats_with_other_spots_and_totals(
    name: str,
) -> None:
    wrong, tried = _blunders(Steady(), position(name))
    assert tried >= 100
    assert wrong == []


def _blunders(bot: Thinker, one: Position) -> tuple[list[tuple[Position, Card]], int]:
    wrong: list[tuple[Position, Card]] = []
    tried = 0
    for other in neighbours(one):
        tried += 1
        card = bot.play(other.view())
        if card in other.must_not:
            wrong.append((other, card))
    return wrong, tried


@pytest.mark.parametrize("name", NAMES)
def test_what_nobody_has_shown_makes_no_difference(name: str) -> None:
    """Two hidden cards of other hands change places, and the bot, which sees neither, plays the same."""
    one = position(name)
    state = one.state()
    left, right = one.bot.left, one.bot.right
    mine, theirs = state.hands[left], state.hands[right]
    assert mine is not None
    assert theirs is not None
    before = Sharp().play(one.view())
    low, high = mine & -mine, theirs & -theirs
    state.hands[left] = mine ^ low | high
    state.hands[right] = theirs ^ high | low
    again = type(one.view())(state, one.bot)
    assert Sharp().play(again) is before


@pytest.mark.parametrize("name", NAMES)
def test_advice_ranks_every_legal_card_and_gives_reasons_in_words(name: str) -> None:
    seen = position(name).view()
    ranked = advise(seen)
    assert {one.action for one in ranked} == {Play(card) for card in seen.legal_plays}
    assert ranked[0].action == Play(Sharp().play(seen))
    for one in ranked:
        assert one.seat is seen.seat
        assert one.reasons
        for sentence in one.sentences:
            assert "None" not in sentence
            assert "{" not in sentence
