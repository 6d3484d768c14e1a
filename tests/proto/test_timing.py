"""Time controls, as they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import NotationError
from spades_proto.timing import LONGEST_MS, UNLIMITED, TimeControl, parse_time_control


@given(st.integers(1, LONGEST_MS), st.integers(0, LONGEST_MS))
def test_what_is_written_is_read_again(decision_ms: int, bank_ms: int) -> None:
    control = TimeControl(decision_ms, bank_ms)
    assert parse_time_control(str(control)) == control


@pytest.mark.parametrize("times", [(-1, 0), (LONGEST_MS + 1, 0), (1, -1), (1, LONGEST_MS + 1)])
def test_no_time_is_negative_or_longer_than_a_day(times: tuple[int, int]) -> None:
    with pytest.raises(NotationError, match="86400"):
        TimeControl(*times)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("none", UNLIMITED),
        (" None ", UNLIMITED),
        ("30", TimeControl(30_000, 0)),
        ("0.5+1.25", TimeControl(500, 1_250)),
    ],
)
def test_these_are_time_controls(text: str, control: TimeControl) -> None:
    assert parse_time_control(text) == control


@pytest.mark.parametrize("text", ["", "0", "0+5", "-1", "5+", "+5", "5+5+5", "1e3", "٣", "86401"])
def test_these_are_none_and_the_sentence_says_what_would_be(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_time_control(text)
    assert "60+180" in caught.value.sentence or "86400" in caught.value.sentence


def test_a_time_control_is_true_where_there_is_a_limit() -> None:
    assert TimeControl(1) and not UNLIMITED
