"""Running an event: whatever happens on the way, the tables are the same."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from spades_arena.canonical import sha256
from spades_arena.errors import ArenaError
from spades_arena.events import JOURNAL, RECORDS, EventFolder
from spades_arena.executor import Executor, InProcess
from spades_arena.reports import publish
from spades_arena.runner import Ending, Interrupts, Progress, Run
from spades_arena.spec import Format
from spades_arena.unit import PlayedUnit, UnitWork
from spades_arena.workers import Workers
from spades_proto.timing import UNLIMITED
from tests.arena.scene import SEED, an_event, go_on, house, rogue, run, with_clock

pytestmark = pytest.mark.once

BOTS = house("random", "beginner", "gentle") + tuple(
    replace(entry, name=entry.name + "2") for entry in house("gentle")
)
SIX = an_event(*BOTS, kind=Format.ROUND_ROBIN, units=1, rules="quick,max_hands=2", controls=1)


def outputs(folder: EventFolder) -> dict[str, str]:
    """Everything that an event leaves but its journal, whose order is that of the clock."""
    publish(folder, folder.state())
    files = [
        *folder.path.glob("report.*"),
        *map(folder.path.joinpath, ("tables.csv", "faults.jsonl")),
    ]
    files += sorted((folder.path / RECORDS).iterdir())
    return {str(file.relative_to(folder.path)): sha256(file.read_text()) for file in files}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> EventFolder:
    return run(tmp_path_factory.mktemp("event") / "whole", SIX).folder


@pytest.mark.parametrize("jobs", [1, 2])
def test_processes_come_to_the_same_as_one_after_the_other(
    jobs: int, uninterrupted: EventFolder, tmp_path: Path
) -> None:
    done = run(tmp_path, SIX, Workers(jobs))

    assert done.ending is Ending.FINISHED
    assert outputs(done.folder) == outputs(uninterrupted)


def test_t01_resuming_after_any_unit_plays_what_is_missing_and_no_more(
    uninterrupted: EventFolder, tmp_path: Path
) -> None:
    expected = outputs(uninterrupted)
    lines = (uninterrupted.path / JOURNAL).read_bytes().splitlines(keepends=True)
    for kept in range(len(lines) + 1):
        folder = EventFolder(tmp_path / str(kept), SIX, SEED)
        shutil.copytree(uninterrupted.path, folder.path)
        # Torn in the middle of a line, with the records of what follows already there.
        torn = lines[kept][:20] if kept < len(lines) else b""
        (folder.path / JOURNAL).write_bytes(b"".join(lines[:kept]) + torn)
        done = go_on(EventFolder.open(folder.path))

        assert done.ending is Ending.FINISHED
        assert outputs(done.folder) == expected
        assert len(done.state.counted) == 6
        assert (folder.path / JOURNAL).read_bytes() == b"".join(lines)


def test_records_that_the_journal_does_not_know_are_removed(
    uninterrupted: EventFolder, tmp_path: Path
) -> None:
    folder = EventFolder(tmp_path / "event", SIX, SEED)
    shutil.copytree(uninterrupted.path, folder.path)
    stray = folder.path / RECORDS / "m0009-u00001.jsonl"
    stray.write_text("{}\n")
    go_on(folder)

    assert not stray.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9")
@pytest.mark.parametrize("lines", [1, 3, 6])
def test_t01_kill_9_anywhere_and_resume_give_the_same_tables(
    lines: int, uninterrupted: EventFolder, tmp_path: Path
) -> None:
    folder = EventFolder.create(tmp_path / "event", SIX, SEED)
    command = [sys.executable, "-m", "spades_client", "compete", "resume", str(folder.path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal = folder.path / JOURNAL
    while process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") >= lines:
            process.kill()
            break
    process.wait()
    done = go_on(EventFolder.open(folder.path))

    assert outputs(done.folder) == outputs(uninterrupted)
    assert len({one.unit.id for one in done.state.counted}) == 6


def has_ended(process: int) -> bool:
    """Whether a process is gone, or only waits for somebody to take note of its end."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_workers_end_with_the_program_that_was_killed(tmp_path: Path) -> None:
    spec = with_clock(an_event(rogue("SaysWhoItIs"), *house("random")), control=UNLIMITED)
    folder = EventFolder.create(tmp_path / "event", spec, SEED)
    marker = tmp_path / "marker"
    process = subprocess.Popen(
        [sys.executable, "-m", "spades_client", "compete", "resume", str(folder.path)],
        env={**os.environ, "SPADES_TEST_MARKER": str(marker)},
    )
    while not (marker.exists() and marker.read_text().endswith("\n")):
        assert process.poll() is None
    process.kill()
    process.wait()
    worker = int(marker.read_text())
    while not has_ended(worker):
        os.sched_yield()


class Interrupted:
    """An executor during which somebody presses Ctrl-C."""

    def __init__(self, press: Callable[[], None], after: int) -> None:
        self._inner: Executor = InProcess()
        self._press = press
        self._after = after
        self.closed = False

    @property
    def slots(self) -> int:
        return self._inner.slots

    def submit(self, work: UnitWork) -> None:
        self._inner.submit(work)
        self._after -= 1
        if not self._after:
            self._press()

    def next_finished(self, timeout_s: float) -> PlayedUnit | None:
        return self._inner.next_finished(timeout_s)

    def close(self) -> None:
        self.closed = True
        self._inner.close()


def press_ctrl_c() -> None:
    assert threading.current_thread() is threading.main_thread()
    signal.raise_signal(signal.SIGINT)


def press_twice() -> None:
    press_ctrl_c()
    press_ctrl_c()


@pytest.mark.parametrize(("press", "done"), [(press_ctrl_c, 3), (press_twice, 2)])
def test_ctrl_c_finishes_what_is_played_and_a_second_one_drops_it(
    press: Callable[[], None], done: int, uninterrupted: EventFolder, tmp_path: Path
) -> None:
    folder = EventFolder.create(tmp_path / "event", SIX, SEED)
    told: list[str] = []
    executor = Interrupted(press, after=3)
    interrupts = Interrupts(lambda: told.append("told"))
    ending = Run(folder, executor, lambda step: None, interrupts).play()

    assert ending is Ending.INTERRUPTED
    assert executor.closed
    assert told == ["told"]
    assert folder.state().done == done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert outputs(go_on(folder).folder) == outputs(uninterrupted)


def test_the_progress_counts_up_to_what_is_planned(tmp_path: Path) -> None:
    steps: list[Progress] = list(run(tmp_path, SIX).steps)

    assert [step.done for step in steps] == list(range(1, 11))
    assert {step.planned for step in steps} == {10}
    assert steps[-1].left_s == 0


def test_the_lock_goes_with_a_finished_event_and_stays_with_one_that_goes_on(
    tmp_path: Path,
) -> None:
    def stopped(progress: Progress) -> None:
        raise KeyboardInterrupt

    broken = EventFolder.create(tmp_path / "broken", an_event(units=1), SEED)
    assert Run(broken, InProcess(), stopped).play() is Ending.INTERRUPTED
    assert (broken.path / "journal.lock").exists()
    assert go_on(broken).ending is Ending.FINISHED
    assert not (broken.path / "journal.lock").exists()


def test_a_folder_that_holds_something_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")

    with pytest.raises(ArenaError, match="is not empty"):
        EventFolder.create(tmp_path, SIX, SEED)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_seed_that_was_not_committed_to_is_refused(tmp_path: Path) -> None:
    folder = EventFolder.create(tmp_path, SIX, SEED)
    text = (folder.path / "seed.json").read_text()
    (folder.path / "seed.json").write_text(text.replace(SEED.hex(), "00" * 32))

    with pytest.raises(ArenaError, match="not the one that the event committed to"):
        EventFolder.open(tmp_path)


class Slow:
    """Two slots; the units of one entry come back when nothing else is being played or waits."""

    def __init__(self, entry: int) -> None:
        self._inner = InProcess()
        self._entry = entry
        self._held: list[PlayedUnit] = []
        self.order: list[bool] = []
        """For each unit in the order of its end, whether the slow entry played in it."""

    @property
    def slots(self) -> int:
        return 2

    def submit(self, work: UnitWork) -> None:
        self._inner.submit(work)
        done = self._inner.next_finished(0)
        assert done is not None
        self._held.append(done)

    def next_finished(self, timeout_s: float) -> PlayedUnit | None:
        del timeout_s
        self._held.sort(key=lambda one: one.result.unit.has(self._entry))
        done = self._held.pop(0)
        self.order.append(done.result.unit.has(self._entry))
        return done

    def close(self) -> None:
        self._inner.close()


def test_t10_a_slow_entry_holds_up_its_own_units_only(tmp_path: Path) -> None:
    entries = tuple(replace(house("random")[0], name=f"bot {i}") for i in range(6))
    spec = an_event(*entries, kind=Format.ROUND_ROBIN, units=1, rules="quick,max_hands=1")
    executor = Slow(entry=0)
    done = run(tmp_path, spec, executor)

    assert done.state.finished
    # While it plays its first unit, all six units of the four who do not play there come to their end.
    assert executor.order.index(True) >= 6
    assert executor.order.count(True) == 5


def test_t10_the_time_that_an_event_takes_is_bounded() -> None:
    limits = an_event().limits

    assert limits.unit_ms() == 2 * (4 * (30_000 + 15_000) + 2 * (20 * 60_000 + 62_050))
