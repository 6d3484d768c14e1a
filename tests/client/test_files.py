"""The small files that a client keeps: whole or not there, and nobody else's to read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from spades_client.files import write_private


def test_a_file_is_written_whole_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "one" / "two" / "kept.json"
    write_private(path, "Zoë")
    write_private(path, "王")

    assert path.read_text(encoding="utf-8") == "王"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [file.name for file in path.parent.iterdir()] == ["kept.json"]


def test_what_an_earlier_start_left_behind_is_neither_read_nor_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    left = path.with_suffix(".new")
    left.write_text("half of")
    left.chmod(0o644)
    write_private(path, "all of it")

    assert path.read_text() == "all of it"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not left.exists()


def test_where_nothing_can_be_written_what_was_there_is_there_still(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    write_private(path, "before")
    path.with_suffix(".new").mkdir()

    with pytest.raises(OSError, match="directory"):
        write_private(path, "after")
    assert path.read_text() == "before"
