"""Tempos, by name and in milliseconds."""

from __future__ import annotations

import pytest

from spades import NotationError
from spades_proto.tempo import NORMAL_MS, SLOWEST_MS, TEMPOS, parse_tempo, tempo_name


def test_the_tempos_have_these_names_and_go_from_slow_to_fast() -> None:
    assert list(TEMPOS) == ["relaxed", "normal", "fast", "instant"]
    assert sorted(TEMPOS.values(), reverse=True) == list(TEMPOS.values())
    assert TEMPOS["instant"] == 0
    assert TEMPOS["normal"] == NORMAL_MS


@pytest.mark.parametrize("name", TEMPOS)
def test_a_name_is_read_and_written(name: str) -> None:
    assert parse_tempo(f" {name.upper()} ") == TEMPOS[name]
    assert tempo_name(TEMPOS[name]) == name


@pytest.mark.parametrize("text", ["1", "0900", str(SLOWEST_MS)])
def test_milliseconds_are_read_and_written(text: str) -> None:
    assert parse_tempo(text) == int(text)
    assert tempo_name(int(text)) == f"{int(text)} ms"


@pytest.mark.parametrize(
    "text", ["", "soon", "-1", "0.5", "10001", "9" * 5_000, "0" * 9 + "99999", "٣", "normal fast"]
)
def test_anything_else_is_refused_with_what_there_is(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_tempo(text)
    assert "relaxed, normal, fast, instant are" in caught.value.sentence
    assert "from 0 to 10000" in caught.value.sentence
