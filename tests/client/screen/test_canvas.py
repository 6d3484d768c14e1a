"""Text in cells: widths, cuts, and names that are anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcswidth

from spades_client.screen.canvas import Canvas, Click, Piece, Size, clip, literal, pad, width, wrap

NAMES = [
    "<b>",
    "R&D",
    "[red]",
    "{0}",
    "%s",
    "\\",
    "日本語の名前",
    "Zoë",
    "e\u0301a",
    "♠\ufe0f",
    "👍🏽",
]


@pytest.mark.parametrize("name", NAMES)
def test_c05_a_text_is_padded_to_the_cells_that_it_takes(name: str) -> None:
    for cells in range(14):
        assert width(pad(literal(name), cells)) == cells


@given(st.text(), st.integers(0, 30))
def test_any_text_is_cut_to_the_cells_there_are(text: str, cells: int) -> None:
    assert width(clip(literal(text), cells)) <= cells
    assert width(pad(literal(text), cells)) == cells


@given(st.text())
def test_c07_a_literal_text_holds_nothing_that_moves_a_cursor_or_changes_widths(text: str) -> None:
    shown = literal(text)
    assert shown.isprintable()
    assert not any("\ufe00" <= char <= "\ufe0f" for char in shown)


@given(
    st.lists(
        st.tuples(st.integers(-5, 25), st.integers(-2, 6), st.text(max_size=12).map(literal)),
        max_size=12,
    )
)
def test_whatever_is_written_every_row_keeps_its_width(writes: list[tuple[int, int, str]]) -> None:
    canvas = Canvas(Size(20, 5))
    for column, row, text in writes:
        canvas.put(column, row, [Piece(text, "plate")])
    rows = canvas.rows()
    assert len(rows) == 5
    assert {sum(width(piece.text) for piece in row) for row in rows} == {20}


def test_a_piece_that_is_written_over_half_a_wide_character_leaves_no_half() -> None:
    canvas = Canvas(Size(6, 1))
    canvas.put(0, 0, [Piece("日本語")])
    canvas.put(1, 0, [Piece("x")])
    text = "".join(piece.text for piece in canvas.rows()[0])
    assert text == " x本語"
    assert wcswidth(text) == 6


def test_neighbours_of_one_style_and_one_click_are_one_piece() -> None:
    canvas = Canvas(Size(6, 1))
    canvas.put(0, 0, [Piece("ab", "key", Click(key="a")), Piece("cd", "key", Click(key="a"))])
    assert canvas.rows()[0] == (Piece("abcd", "key", Click(key="a")), Piece("  "))


@given(st.text(), st.integers(2, 30))
def test_any_text_is_broken_into_lines_that_fit_and_loses_no_word(text: str, cells: int) -> None:
    shown = literal(text)
    lines = wrap(shown, cells)
    assert all(width(line) <= cells for line in lines)
    assert "".join(lines).replace(" ", "") == "".join(shown.split())


def test_words_are_kept_whole_where_they_fit() -> None:
    assert wrap("the two of clubs", 8) == ["the two", "of clubs"]
    assert wrap("日本語の名前 plays", 12) == ["日本語の名前", "plays"]
    assert wrap("", 5) == []
