"""Levels of house bots: how they are written, and what is said of them."""

from __future__ import annotations

import pytest

from spades import NotationError
from spades_agents import HOUSE_BOTS
from spades_client.levels import DEFAULT_LEVEL, LEVELS, about_level, format_levels, parse_levels
from spades_client.screen.canvas import wrap


def test_one_level_is_for_all_and_three_are_for_left_partner_and_right() -> None:
    assert parse_levels(" gentle ") == ("gentle",) * 3
    assert parse_levels("a, b ,c") == ("a", "b", "c")


@pytest.mark.parametrize("levels", [("a", "a", "a"), ("a", "b", "c"), ("a", "a", "b")])
def test_what_is_written_is_read_again(levels: tuple[str, str, str]) -> None:
    assert parse_levels(format_levels(levels)) == levels


@pytest.mark.parametrize("text", ["a,b", "a,b,c,d"])
def test_as_many_as_fit_no_table_are_refused(text: str) -> None:
    with pytest.raises(NotationError, match="give one level, or three parted by commas for left"):
        parse_levels(text)


def test_every_house_bot_is_told_in_one_line() -> None:
    assert DEFAULT_LEVEL in HOUSE_BOTS
    assert [level for level, _ in LEVELS] == list(HOUSE_BOTS)
    for level, about in LEVELS:
        assert about == about_level(level)
        assert about.endswith(".") and about.isprintable()
        # Two lines of the smallest window.
        assert len(wrap(about, 38)) <= 2
    assert about_level("nobody") == ""
