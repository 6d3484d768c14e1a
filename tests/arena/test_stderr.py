"""What programs write to their standard error is kept with the event, and is no part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spades_arena.events import EventFolder
from spades_arena.executor import InProcess
from spades_arena.reports import publish
from spades_arena.spec import Entry
from spades_arena.stderr import StderrFiles
from spades_arena.verification import verify_event
from spades_arena.workers import Workers
from tests.arena.scene import SEED, an_event, go_on, house

CHATTY = Entry("chatty", "misbehaving:chatty")
PLAIN = Entry("plain", "beginner")


@pytest.mark.once
@pytest.mark.parametrize("jobs", [0, 2])
def test_what_a_program_writes_is_kept_in_the_folder_of_its_entry_and_verify_asks_nothing_of_it(
    tmp_path: Path, jobs: int
) -> None:
    spec = an_event(CHATTY, PLAIN, rules="quick,max_hands=1", units=2)
    folder = EventFolder.create(tmp_path / "event", spec, SEED)
    stderr = folder.stderr
    done = go_on(folder, Workers(jobs, stderr=stderr) if jobs else InProcess(stderr))
    kept = stderr.path(CHATTY)
    assert kept == tmp_path / "event" / "agents" / "chatty" / "stderr"
    assert kept.read_text().count("What a hand this is!") >= 2 * 2 * 2
    # Who writes nothing has no file.
    assert [path.name for path in kept.parents[1].iterdir()] == ["chatty"]
    publish(folder, done.state)
    assert verify_event(folder.path).holds
    kept.write_text("something else")
    assert verify_event(folder.path).holds


def test_only_the_first_of_what_is_written_is_kept(tmp_path: Path) -> None:
    files = StderrFiles(tmp_path, most_bytes=10)
    # As of two processes that play the same entry.
    for keep in (files.of(CHATTY), files.of(CHATTY)):
        keep(b"1234567")
    assert files.path(CHATTY).read_bytes() == b"1234567123"
    files.of(CHATTY)(b"more")
    assert files.path(CHATTY).read_bytes() == b"1234567123"


@pytest.mark.parametrize("name", [".", "..", "a.b", "me & you's"])
def test_every_name_of_an_entry_is_the_name_of_a_folder_in_that_of_the_event(
    tmp_path: Path, name: str
) -> None:
    files = StderrFiles(tmp_path / "agents")
    (entry,) = house("gentle")
    files.of(Entry(name, entry.spec))(b"said")
    (kept,) = (tmp_path / "agents").iterdir()
    assert (kept / "stderr").read_bytes() == b"said"


def test_a_folder_that_cannot_be_written_costs_nobody_a_game(tmp_path: Path) -> None:
    (tmp_path / "agents").write_text("a file in the way")
    files = StderrFiles(tmp_path / "agents")
    files.of(CHATTY)(b"said")
    assert not files.path(CHATTY).exists()
