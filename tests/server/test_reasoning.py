"""The reasons of house bots are logged when the cards of their hand are public, and not before."""

from __future__ import annotations

import logging

import pytest

from spades import Match, SeatView, SeededDeals, parse_rules, parse_seed
from spades.actions import Action
from spades_agents import HOUSE_BOTS
from spades_agents.agent import decide
from spades_server.reasoning import Reasoning
from spades_server.table_log import Entry


def play_a_hand(
    reasoning: Reasoning, caplog: pytest.LogCaptureFixture, *, opens: bool = True
) -> int:
    """Plays a hand of two sharp and two gentle bots; gives the number of sharp decisions."""
    rules, deals = parse_rules("max_hands=1"), SeededDeals(parse_seed("log"))
    match = Match(rules, deals, people=frozenset(), opens=opens)
    decisions = 0
    while (seat := match.turn) is not None:
        name = "sharp" if seat % 2 else "gentle"
        seen = SeatView(match.state, seat, b"key")
        action = decide(HOUSE_BOTS[name](), seen)
        assert isinstance(action, Action)
        assert not caplog.records, "the hand is not over"
        reasoning.note(name, seen, action)
        events = match.act(seat, action)
        reasoning.tell("TABLE", [Entry(1, 0, event) for event in events])
        decisions += name == "sharp"
    return decisions


def test_every_decision_is_told_with_its_reasons_at_the_end_of_the_hand(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="spades.bots")
    decisions = play_a_hand(Reasoning(), caplog)
    assert len(caplog.records) == decisions == 28
    for record in caplog.records:
        assert vars(record)["bot"] == "sharp"
        assert vars(record)["seat"] in {"West", "East"}
        assert len(vars(record)["reasons"]) > 10


def test_nothing_is_told_of_a_hand_that_other_tables_play_too(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="spades.bots")
    reasoning = Reasoning()
    play_a_hand(reasoning, caplog, opens=False)
    assert not caplog.records
    # Nor later, with a hand that is public.
    assert play_a_hand(reasoning, caplog) == len(caplog.records)


def test_nothing_is_kept_or_told_at_other_levels(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="spades.bots")
    play_a_hand(Reasoning(), caplog)
    assert not caplog.records


def test_a_decision_that_came_too_late_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="spades.bots")
    reasoning = Reasoning()
    match = Match(parse_rules("max_hands=1"), SeededDeals(parse_seed("log")), people=frozenset())
    assert match.turn is not None
    seen = SeatView(match.state, match.turn)
    action = decide(HOUSE_BOTS["sharp"](), seen)
    assert isinstance(action, Action)
    reasoning.note("sharp", seen, action)
    reasoning.forget_last()
    play_a_hand(reasoning, caplog)
    assert len(caplog.records) == 28
