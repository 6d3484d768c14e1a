"""What is verified, and that any changed byte is found with a sentence that says where."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spades_arena.canonical import sha256
from spades_arena.commitment import board_commitments, merkle_root
from spades_arena.events import EventFolder
from spades_arena.journal import START, chained, read_journal
from spades_arena.reports import publish
from spades_arena.spec import Entry, Format, Mode
from spades_arena.verification import verify_event
from spades_proto.verification import verify
from tests.arena.scene import SEED, an_event, house, rogue, run

pytestmark = pytest.mark.once

SECOND = Path(__file__).with_name("second_verifier.py")


def an_entry(name: str) -> Entry:
    return rogue(name) if name[0].isupper() else house(name)[0]


@pytest.fixture(scope="module")
def event(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small event with a forfeit in it, finished and reported."""
    entries = map(an_entry, ("Raises", "gentle", "beginner"))
    spec = an_event(*entries, kind=Format.ROUND_ROBIN, units=2, controls=1)
    done = run(tmp_path_factory.mktemp("event") / "e", spec)
    publish(done.folder, done.state)
    return done.folder.path


@pytest.fixture
def copy(event: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(event, tmp_path / "copy"))


def test_an_event_as_it_was_left_holds(event: Path) -> None:
    found = verify_event(event)

    assert found.findings == ()
    assert (found.units, found.unfinished) == (8, False)
    assert found.records == sum(
        len(path.read_text().splitlines()) for path in (event / "records").iterdir()
    )


REPORTS = {"report.md", "report.json", "report.html", "tables.csv", "faults.jsonl"}


def files(event: Path) -> list[Path]:
    return sorted(path for path in event.rglob("*") if path.is_file())


@pytest.mark.once
def test_a_changed_byte_in_any_file_is_found_and_the_file_is_named(copy: Path) -> None:
    changed = 0
    for path in files(copy):
        data = path.read_bytes()
        # The first, the last and some on the way; a change that leaves the text readable.
        places = sorted({0, len(data) // 3, len(data) // 2, len(data) - 2, len(data) - 1})
        for place in places if data else ():
            other = bytearray(data)
            other[place] = ord("7") if data[place] != ord("7") else ord("8")
            path.write_bytes(bytes(other))
            found = verify_event(copy, reports=path.name in REPORTS)
            said = " ".join(found.findings)
            assert not found.holds, (path.name, place)
            assert path.name.removesuffix(".jsonl").removeprefix("seed") in said or (
                path.name == "seed.json" and "seed" in said
            ), (path.name, place, said)
            changed += 1
        path.write_bytes(data)
    assert changed > 60
    assert verify_event(copy).holds


@pytest.mark.parametrize("name", ["report.md", "commitments.json", "records/m0001-u00001.jsonl"])
def test_a_missing_file_is_found(name: str, copy: Path) -> None:
    (copy / name).unlink()

    assert any(name in said for said in verify_event(copy).findings)


def test_a_file_too_many_is_found(copy: Path) -> None:
    (copy / "records" / "m0099-u00001.jsonl").write_text("{}\n")

    assert verify_event(copy).findings == (
        "records/m0099-u00001.jsonl: this file does not belong to the event.",
    )


def rewrite(copy: Path, change: Callable[[list[dict[str, object]]], None]) -> tuple[str, ...]:
    """Rewrites the journal with a chain that fits, as somebody would who knows how."""
    path = copy / "journal.jsonl"
    lines = [dict(line) for line in read_journal(path.read_bytes()).lines]
    change(lines)
    head, text = START, ""
    for line in lines:
        written, head = chained(line, head)
        text += written + "\n"
    path.write_text(text)
    return verify_event(copy).findings


def result_of(line: dict[str, object]) -> dict[str, object]:
    result = line["result"]
    assert isinstance(result, dict)
    return result  # pyright: ignore[reportUnknownVariableType]


def test_a_journal_that_was_chained_anew_does_not_fit_the_records(copy: Path) -> None:
    def give_a_win(lines: list[dict[str, object]]) -> None:
        line = next(line for line in lines if "m0001-u00002" in str(line))
        result_of(line)["score"] = 1.5

    found = rewrite(copy, give_a_win)
    assert any("does not follow from its tables" in said for said in found)


def test_nor_does_one_with_other_totals(copy: Path) -> None:
    def shift(lines: list[dict[str, object]]) -> None:
        line = next(line for line in lines if "m0001" in str(line))
        tables = result_of(line)["tables"]
        assert isinstance(tables, list)
        tables[0]["totals"][0] += 1
        tables[0]["totals"][1] += 1

    assert any("another result" in said for said in rewrite(copy, shift))


def test_a_unit_that_was_left_out_is_missed(copy: Path) -> None:
    def leave_out(lines: list[dict[str, object]]) -> None:
        del lines[4]

    found = rewrite(copy, leave_out)
    assert any("does not belong to the event" in said for said in found)
    assert any("is not closed as it says" in said for said in found)


def test_a_game_that_was_played_on_other_cards_is_found(copy: Path, tmp_path: Path) -> None:
    other = run(tmp_path / "other", an_event(*house("gentle", "beginner"), units=3)).folder
    record = next(iter(sorted((other.path / "records").iterdir()))).read_text().splitlines()[0]
    path = copy / "records" / "m0001-u00001.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([record, *lines[1:]]) + "\n")

    def put(rows: list[dict[str, object]]) -> None:
        line = next(line for line in rows if "m0001-u00001" in str(line))
        tables = result_of(line)["tables"]
        assert isinstance(tables, list)
        tables[0]["record"] = sha256(record)

    assert any("not played on the event's deals" in said for said in rewrite(copy, put))


def test_an_unfinished_event_holds_so_far(tmp_path: Path) -> None:
    folder = EventFolder.create(tmp_path / "event", an_event(units=2), SEED)
    folder.journal().close()
    # The next unit's records are there before its line is.
    folder.record_path(folder.state().missing[0]).write_text("{}\n")
    found = verify_event(folder.path)

    assert (found.holds, found.unfinished) == (True, True)


# Commitments


def test_every_record_begins_with_a_commitment_of_the_list(event: Path) -> None:
    streams = json.loads((event / "commitments.json").read_text())["streams"]
    for path in (event / "records").iterdir():
        for line in path.read_text().splitlines():
            commitment = verify(line).match.state.commitment
            assert streams[int(path.stem[-5:]) - 1] == commitment


def test_the_root_depends_on_every_stream_and_on_their_order() -> None:
    spec = an_event(units=7)
    leaves = board_commitments(SEED, spec)
    roots = {merkle_root(leaves), merkle_root(leaves[::-1]), merkle_root(leaves[:-1])}
    for place in range(7):
        roots.add(merkle_root([*leaves[:place], "00" * 32, *leaves[place + 1 :]]))

    assert len(roots) == 10


# The second verifier


def second(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", str(SECOND), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_second_verifier_is_short_and_imports_nothing_of_ours() -> None:
    source = SECOND.read_text(encoding="utf-8")
    code = [line for line in source.split('"""', 2)[2].splitlines() if line.strip()]
    imported = {
        alias.name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }

    assert len(code) < 100
    assert imported <= set(sys.stdlib_module_names)


def test_the_second_verifier_comes_to_the_same(event: Path) -> None:
    done = second(event)

    assert done.stdout == "4 units hold\n", done.stderr


@pytest.mark.parametrize("mode", Mode)
def test_the_second_verifier_knows_both_modes(mode: Mode, tmp_path: Path) -> None:
    spec = an_event(units=12, mode=mode, rules="karty,max_hands=2")
    done = second(run(tmp_path / "event", spec).folder.path)

    assert done.stdout == "12 units hold\n", done.stderr


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("seed.json", '"server_seed": "', '"server_seed": "00', "another seed"),
        ("commitments.json", '"root": "', '"root": "0', "root"),
        ("journal.jsonl", '"score":1.0', '"score":2.0', "chain"),
        ("records/m0001-u00001.jsonl", '"number":1', '"number":2', "was changed"),
    ],
)
def test_the_second_verifier_finds_what_was_changed(
    name: str, old: str, new: str, said: str, copy: Path
) -> None:
    path = copy / name
    path.write_text(path.read_text().replace(old, new, 1))
    done = second(copy)

    assert done.returncode
    assert said in done.stderr.splitlines()[-1]
