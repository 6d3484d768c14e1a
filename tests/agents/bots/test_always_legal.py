"""B24: always a legal answer, under all options, and the same answer to the same view."""

from __future__ import annotations

from collections.abc import Awaitable, Iterator
from itertools import cycle, islice, product

import pytest

from spades import Match, Rules, Seat, SeatView, SeededDeals, parse_rules, parse_seed
from spades.actions import Action
from spades.scoring import Standing
from spades_agents import HOUSE_BOTS, Agent
from spades_agents.agent import decide

pytestmark = pytest.mark.once

DEALS = 10_000
PARTS = 20
BLIND = "blind_nil=behind,blind_nil_deficit=0"
PLAYERS = ("beginner", "gentle", "steady", "sharp")


def all_options() -> Iterator[str]:
    """Rules with every value of every option that a bot could trip over."""
    for deck, lead, blind, double, least, penalty in product(
        ("standard", "jokers", "jokers_nyc"),
        ("broken", "any"),
        ("blind_nil=off", BLIND, f"{BLIND},blind_exchange=2"),
        ("off", "bonus", "wins"),
        (0, 4),
        (0, 100),
    ):
        yield (
            f"deck={deck},spade_lead={lead},{blind},double_nil={double},min_team_bid={least},"
            f"bag_penalty={penalty},floor=none,max_hands=1"
        )


def act(agent: Agent, seen: SeatView) -> Action:
    action = decide(agent, seen)
    assert not isinstance(action, Awaitable)
    return action


def play(rules: Rules, number: int) -> Match:
    """Plays one hand, at a score that brings blind nils; an illegal answer raises."""
    seed = parse_seed(f"B24 {number}")
    match = Match(rules, SeededDeals(seed), people=frozenset())
    behind = Standing(0 if number % 3 else -150, number % 11)
    match.state.standings = (behind, Standing(120 if number % 2 else 460, number % 10))
    agents = [HOUSE_BOTS[PLAYERS[(number + seat) % 4]]() for seat in Seat]
    while (seat := match.turn) is not None:
        seen = SeatView(match.state, seat, b"key")
        action = act(agents[seat], seen)
        if number % 16 == 0:
            assert (
                act(HOUSE_BOTS[agents[seat].name](), SeatView(match.state, seat, b"key")) == action
            )
        match.act(seat, action)
    return match


@pytest.mark.parametrize("part", range(PARTS))
def test_b24_ten_thousand_deals_under_all_options_bring_no_illegal_answer(part: int) -> None:
    options = [parse_rules(text) for text in all_options()]
    assert len(options) == 216
    each = DEALS // PARTS
    rules = islice(cycle(options), part * each, (part + 1) * each)
    for number, these in enumerate(rules, part * each):
        play(these, number)


def test_b24_blind_bids_and_exchanges_are_among_them() -> None:
    rules = parse_rules(f"{BLIND},blind_exchange=2,floor=none,max_hands=1")
    assert sum(bool(play(rules, 3 * number).state.passes) for number in range(12)) >= 6
