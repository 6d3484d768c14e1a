"""The small files that a client keeps: whole or not there, and nobody else's to read."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
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


def test_where_nothing_can_be_written_what_was_there_is_there_still(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.mkdir()
    (path / "before").touch()

    with pytest.raises(OSError, match="directory"):
        write_private(path, "after")
    assert [file.name for file in tmp_path.iterdir()] == ["kept.json"]


def test_two_who_write_at_once_leave_one_of_their_texts(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    texts = [str(number) * 1_000 for number in range(8)]
    with ThreadPoolExecutor(8) as writers:
        for text in texts * 25:
            writers.submit(write_private, path, text)

    assert path.read_text() in texts
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["kept.json"]
