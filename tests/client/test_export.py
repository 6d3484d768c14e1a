"""`spades export` as it is typed: hands in PTN, and a sentence where something is wrong."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

import pytest
from typer.testing import CliRunner, Result

from spades import Match, Seat
from spades_client.cli import app
from spades_proto.records import Circumstances, record_line, strike_name
from spades_proto.table import Occupant, OccupantKind
from tests.proto.ptn_reader import read, replayed

PlayMatch = Callable[[str, str], Match]
RULES = "max_hands=2,floor=none"
EVENT = ["--games", "4", "--rules", "quick,target=100,max_hands=2"]


def type_in(*words: str | Path, given: str = "") -> Result:
    return CliRunner().invoke(app, list(map(str, words)), input=given)


@pytest.fixture(scope="session")
def matches(finished_match: PlayMatch) -> list[Match]:
    return [finished_match(RULES, "7"), finished_match("nyc,max_hands=1", "8")]


@pytest.fixture(scope="session")
def lines(matches: list[Match]) -> list[str]:
    ann = ((Seat.SOUTH, Occupant(OccupantKind.PERSON, "Ann")),)
    return [
        record_line(match, Circumstances(f"M-{number}", "M", players=ann, software="a test"))
        for number, match in enumerate(matches, 1)
    ]


@pytest.fixture
def path(tmp_path: Path, lines: list[str]) -> Path:
    path = tmp_path / "m.jsonl"
    path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an event that is over, for reading only."""
    folder = tmp_path_factory.mktemp("events") / "event"
    done = type_in("compete", "match", "random", "beginner", "--out", folder, *EVENT)
    assert done.exit_code == 0
    return folder


@pytest.fixture
def event(played: Path, tmp_path: Path) -> Path:
    return shutil.copytree(played, tmp_path / "event")


def test_the_records_of_a_file_are_written_hand_by_hand(path: Path, matches: list[Match]) -> None:
    done = type_in("export", path)

    assert done.exit_code == 0
    blocks = read(done.stdout)
    assert [block.tags["Match"] for block in blocks] == ["M-1", "M-1", "M-2"]
    assert [block.tags["Board"] for block in blocks] == ["1", "2", "1"]
    assert {block.tags["South"] for block in blocks} == {"Ann"}
    assert replayed(blocks[:2]).standings == matches[0].standings
    assert replayed(blocks[2:]).standings == matches[1].standings


def test_records_come_by_standard_input_too_and_go_to_a_file(path: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.ptn"
    piped = type_in("export", "-", "--out", out, given=path.read_text(encoding="utf-8"))

    assert piped.exit_code == 0
    assert piped.stdout == f"3 hands of 2 matches are in {out}.\n"
    assert out.read_bytes() == type_in("export", path).stdout_bytes
    again = type_in("export", path, "--out", out)
    assert again.stdout == piped.stdout
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.jsonl", "m.ptn"]


def test_the_program_writes_the_same_bytes_whatever_the_terminal_is(path: Path) -> None:
    command = [sys.executable, "-m", "spades_client", "export", str(path)]
    plain = subprocess.run(command, capture_output=True, check=True, env={"LC_ALL": "C"})
    assert plain.stdout == type_in("export", path).stdout_bytes
    assert plain.stderr == b""


def test_a_struck_name_is_exported_struck(path: Path, lines: list[str]) -> None:
    path.write_text(strike_name(lines[0], "Ann") + "\n", encoding="utf-8")

    assert {block.tags["South"] for block in read(type_in("export", path).stdout)} == {"somebody"}


def test_a_record_that_does_not_hold_is_named_and_nothing_is_written(
    path: Path, lines: list[str], tmp_path: Path
) -> None:
    path.write_text(f"{lines[0]}\n{lines[1].replace('Ann', 'Bob')}\n", encoding="utf-8")
    out = tmp_path / "m.ptn"
    out.write_text("what was there before")

    for done in (type_in("export", path), type_in("export", path, "--out", out)):
        assert done.exit_code == 1
        assert done.stdout == ""
        assert done.stderr.startswith(f"{path}, line 2: does not hold. The seal of the line")
    assert out.read_text() == "what was there before"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.jsonl", "m.ptn"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "holds no record."),
        (b"\xff", "is not text: byte 1 is wrong."),
        (b"[1]\n", "line 1: does not hold. "),
        (b'[Event "Spades"]\n', "line 1: does not hold. "),
    ],
)
def test_a_file_that_holds_something_else_is_refused_in_a_sentence(
    path: Path, content: bytes, said: str
) -> None:
    path.write_bytes(content)
    done = type_in("export", path)

    assert done.exit_code == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_what_cannot_be_read_or_written_is_said_in_a_sentence(path: Path, tmp_path: Path) -> None:
    missing = type_in("export", tmp_path / "none.jsonl")
    nowhere = type_in("export", path, "--out", tmp_path / "none" / "m.ptn")
    itself = type_in("export", path, "--out", tmp_path / "." / "m.jsonl")

    assert missing.stderr.endswith("cannot be read: No such file or directory.\n")
    assert nowhere.stderr.endswith("m.ptn cannot be written: No such file or directory.\n")
    assert itself.stderr.endswith("holds the records themselves: name another file.\n")
    assert [done.exit_code for done in (missing, nowhere, itself)] == [1, 1, 1]
    assert path.read_text(encoding="utf-8").startswith('{"version"')


def run_export(
    *words: str | Path, to: int | IO[bytes] = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, whose standard output is a real one."""
    command = [sys.executable, "-m", "spades_client", "export", *map(str, words)]
    return subprocess.run(command, check=False, stdout=to, stderr=subprocess.PIPE, timeout=60)


def test_a_link_stays_one_and_what_it_leads_to_is_replaced_whole(
    path: Path, lines: list[str], tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    file, link = tmp_path / "folder" / "real.ptn", tmp_path / "link.ptn"
    link.symlink_to(file)
    for _ in ("where there is nothing yet", "over what is there"):
        done = type_in("export", path, "--out", link)
        assert done.exit_code == 0, done.output
        assert link.is_symlink() and not file.is_symlink()
        assert file.read_bytes() == type_in("export", path).stdout_bytes
    before = file.read_bytes()
    path.write_text(lines[0].replace("Ann", "Bob") + "\n", encoding="utf-8")
    assert type_in("export", path, "--out", link).exit_code == 1
    assert file.read_bytes() == before
    assert [one.name for one in file.parent.iterdir()] == ["real.ptn"]


def test_a_link_that_leads_in_circles_or_back_is_refused_in_a_sentence(
    path: Path, event: Path, tmp_path: Path
) -> None:
    circle, back, inside = (tmp_path / name for name in ("circle", "back", "inside"))
    circle.symlink_to(circle)
    back.symlink_to(path)
    inside.symlink_to(event / "more.ptn")
    round_and_round = type_in("export", path, "--out", circle)
    to_itself = type_in("export", path, "--out", back)
    among_files = type_in("export", event, "--out", inside)

    assert round_and_round.stderr.endswith(
        "circle cannot be written: Too many levels of symbolic links.\n"
    )
    assert to_itself.stderr.endswith("holds the records themselves: name another file.\n")
    assert among_files.stderr.endswith("knows every file: name another place.\n")
    assert all(link.is_symlink() for link in (circle, back, inside))


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in the file system")
def test_a_pipe_with_a_name_gets_the_export_and_stays_one(
    path: Path, lines: list[str], tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(run_export, path, "--out", pipe)
        assert pipe.read_bytes() == type_in("export", path).stdout_bytes
        assert done.result().stdout.decode() == f"3 hands of 2 matches are in {pipe}.\n"
    assert pipe.is_fifo()
    # What does not hold goes nowhere: nobody waits for a reader.
    path.write_text(lines[0].replace("Ann", "Bob") + "\n", encoding="utf-8")
    assert run_export(path, "--out", pipe).returncode == 1
    assert sorted(one.name for one in tmp_path.iterdir()) == ["m.jsonl", "pipe"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this device")
def test_a_device_is_written_to_and_a_full_one_said_to_be_full(path: Path) -> None:
    dropped = run_export(path, "--out", "/dev/null")
    full = run_export(path, "--out", "/dev/full")

    assert (dropped.returncode, dropped.stderr) == (0, b"")
    assert (full.returncode, full.stdout) == (1, b"")
    assert full.stderr == b"/dev/full cannot be written: No space left on device.\n"
    assert Path("/dev/null").is_char_device() and Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="this device")
def test_standard_output_by_its_name_is_standard_output(path: Path, tmp_path: Path) -> None:
    plain = type_in("export", path).stdout_bytes
    piped = run_export(path, "--out", "/dev/stdout")
    file = tmp_path / "m.ptn"
    with file.open("wb") as opened:
        redirected = run_export(path, "--out", "/dev/stdout", to=opened)

    assert (piped.returncode, piped.stdout, piped.stderr) == (0, plain, b"")
    # Nothing is told there that is no part of the export.
    assert (redirected.returncode, file.read_bytes()) == (0, plain)


def test_an_event_is_exported_with_what_each_match_was_a_part_of(
    event: Path, tmp_path: Path
) -> None:
    folder, out = event, tmp_path / "event.ptn"
    done = type_in("export", folder, "--out", out)

    assert done.exit_code == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert type_in("export", folder).stdout == text
    blocks = read(text)
    files = sorted((folder / "records").iterdir())
    assert {block.tags["Unit"] for block in blocks} == {file.stem for file in files}
    assert {block.tags["Event"] for block in blocks} == {"Spades match: random and beginner"}
    assert {block.tags["Stage"] for block in blocks} == {"controls", "main"}
    assert {block.tags["Round"] for block in blocks} == {"0", "1"}
    (digest,) = {block.tags["EventDigest"] for block in blocks}
    assert len(digest) == 64
    for block in blocks:
        assert block.tags["Match"].startswith(block.tags["Unit"] + "-t")
    names = sorted(block.tags["Match"] for block in blocks)
    assert len(set(names)) == 2 * len(files)
    for name in set(names):
        replayed([block for block in blocks if block.tags["Match"] == name])
    # Nothing was written into the folder.
    assert type_in("compete", "verify", folder).exit_code == 0
    assert not list(folder.rglob("*.ptn"))


def test_an_export_is_not_written_among_the_files_of_an_event(event: Path) -> None:
    done = type_in("export", event, "--out", event / "records" / "m.ptn")

    assert done.exit_code == 1
    assert "where `spades compete verify` knows every file: name another place." in done.stderr
    assert type_in("compete", "verify", event).exit_code == 0


def test_a_folder_that_is_no_event_or_has_other_records_or_none_is_refused(
    event: Path, tmp_path: Path
) -> None:
    records = event / "records"
    first, second, *_ = sorted(records.iterdir())
    none = type_in("export", tmp_path)
    first.write_bytes(second.read_bytes())
    swapped = type_in("export", event)
    first.rename(records / "m9999-u00001.jsonl")
    stray = type_in("export", event)
    for file in records.iterdir():
        file.unlink()
    empty = type_in("export", event)

    assert none.stderr.startswith(f"{tmp_path} holds no event: event.json cannot be read")
    assert f"it is the record of {second.stem}-t1, and not of unit {first.stem}." in swapped.stderr
    assert "m9999-u00001.jsonl is of no unit of the event" in stray.stderr
    assert empty.stderr.endswith("holds no record: no unit of the event is finished.\n")
    assert {done.exit_code for done in (none, swapped, stray, empty)} == {1}
