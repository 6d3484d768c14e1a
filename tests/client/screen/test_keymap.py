"""The one table of keys."""

from __future__ import annotations

import pytest

from spades_client.screen.interface import Context
from spades_client.screen.keymap import BINDINGS, bar, help_rows, intent_of, written
from spades_client.screen.looks import ASCII, UNICODE


@pytest.mark.parametrize("context", Context)
def test_a_key_means_one_thing_in_one_context(context: Context) -> None:
    keys = [key for one in BINDINGS if context in one.contexts for key in one.keys]
    assert len(keys) == len(set(keys)), sorted(key for key in keys if keys.count(key) > 1)


def test_every_key_of_the_bar_means_something_there() -> None:
    for context in Context:
        for binding in bar(context):
            key = binding.bar_key or binding.keys[0]
            assert intent_of(key, context) is not None
            assert written(binding.bar_shown or binding.label, ASCII).isascii()


def test_letters_stand_for_both_cases() -> None:
    assert intent_of("B", Context.BID) is intent_of("b", Context.BID) is not None


@pytest.mark.parametrize(
    ("key", "context"),
    [
        *((key, Context.BID) for key in ("up", "down", "+", "-", "b", "0", "7")),
        *((key, Context.PLAY) for key in ("left", "right", "home", "end", "tab", "enter", "space")),
        ("n", Context.BETWEEN),
        *((key, Context.PLAY) for key in ("s", "l", "u", "h", "?", "escape", ":")),
    ],
)
def test_the_keys_of_the_sources_are_there(key: str, context: Context) -> None:
    assert intent_of(key, context) is not None


def test_help_lists_every_binding_and_can_be_written_in_ascii() -> None:
    rows = list(help_rows())
    assert len(rows) == len(BINDINGS)
    for _, label, does in rows:
        assert does
        assert written(label, ASCII).isascii()
        assert written(label, UNICODE) == label
