"""The tables that were joined lately."""

from __future__ import annotations

from pathlib import Path

import pytest

from spades_client.recent import KEPT, RecentTable, load_recent, note_recent


def test_the_newest_comes_first_and_none_twice(tmp_path: Path) -> None:
    path = tmp_path / "state" / "recent.json"
    for number in (1, 2, 1):
        note_recent(RecentTable("host:1", f"T{number}"), path)
    assert load_recent(path) == [RecentTable("host:1", "T1"), RecentTable("host:1", "T2")]


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "recent.json"
    for number in range(KEPT + 3):
        note_recent(RecentTable("host:1", str(number), watched=True), path)
    assert [one.code for one in load_recent(path)] == [str(n) for n in range(KEPT + 2, 2, -1)]


@pytest.mark.parametrize(
    "text",
    ["", "{", "7", "[7]", "[{}]", '[{"server": 1, "code": "x", "watched": false}]', "[" * 9999],
)
def test_a_spoilt_file_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "recent.json"
    path.write_text(text)
    assert load_recent(path) == []


def test_where_nothing_can_be_kept_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    note_recent(RecentTable("host:1", "T"), tmp_path / "file" / "recent.json")
