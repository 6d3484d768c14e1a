"""The journal: whole lines that vouch for one another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades_arena.errors import ArenaError
from spades_arena.journal import START, Journal, chained, is_being_written, read_journal

LINES: list[dict[str, object]] = [
    {"kind": "opened", "event": "é"},
    {"kind": "unit", "n": 1},
    {"kind": "unit", "n": 2},
]


def written() -> bytes:
    head, lines = START, b""
    for line in LINES:
        text, head = chained(line, head)
        lines += text.encode() + b"\n"
    return lines


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal(path) as journal:
        for line in LINES:
            journal.append(line)

    assert path.read_bytes() == written()
    assert list(read_journal(path.read_bytes()).lines) == LINES
    with Journal(path) as journal:
        assert journal.lines == LINES


def test_whoever_writes_is_noticed_and_not_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    assert not is_being_written(path)
    assert list(tmp_path.iterdir()) == []
    with Journal(path) as journal:
        assert is_being_written(path)
        assert is_being_written(path)
        journal.append(LINES[0])
    assert not is_being_written(path)
    with Journal(path) as journal:
        journal.append(LINES[1])


@given(st.integers(0, len(written())))
def test_a_torn_last_line_is_dropped_wherever_it_was_torn(cut: int) -> None:
    data = written()[:cut]
    reading = read_journal(data)

    assert list(reading.lines) == LINES[: data.count(b"\n")]
    assert reading.torn == (not data.endswith(b"\n") and bool(data))


def test_a_journal_goes_on_behind_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(written()[:-7])
    with Journal(path) as journal:
        journal.append(LINES[-1])

    assert path.read_bytes() == written()


@given(st.integers(0, len(written()) - 1), st.integers(1, 255))
def test_any_changed_byte_is_found(place: int, change: int) -> None:
    data = bytearray(written())
    data[place] ^= change
    if data.endswith(b"\n"):
        with pytest.raises(ArenaError, match=r"line \d"):
            read_journal(bytes(data))
        return
    # The end of the last line is gone, so that it looks torn.
    assert read_journal(bytes(data)).torn


def test_a_changed_line_is_named(tmp_path: Path) -> None:
    lines = written().split(b"\n")
    changed = json.loads(lines[1])
    changed["n"] = 3
    lines[1] = json.dumps(changed, separators=(",", ":"), sort_keys=True).encode()
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"\n".join(lines))

    with pytest.raises(ArenaError, match="line 2"):
        Journal(path)
    assert path.read_bytes() == b"\n".join(lines)


def test_two_programs_cannot_run_one_event(tmp_path: Path) -> None:
    with (
        Journal(tmp_path / "journal.jsonl"),
        pytest.raises(ArenaError, match="Another program"),
    ):
        Journal(tmp_path / "journal.jsonl")
