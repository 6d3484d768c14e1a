"""Units in processes of their own: an agent that takes its process with it costs its own game only."""

from __future__ import annotations

import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from spades_arena.faults import Cause
from spades_arena.results import Status
from spades_arena.schedule import schedule
from spades_arena.spec import Entry, EventSpec, Format
from spades_arena.unit import PlayedUnit, unit_work
from spades_arena.workers import ATTEMPTS, Workers
from spades_proto.timing import UNLIMITED, TimeControl
from tests.arena.scene import SEED, an_event, house, rogue, run, with_clock

pytestmark = pytest.mark.once

QUICK = TimeControl(500, 0)


@pytest.fixture
def workers() -> Generator[Workers]:
    pool = Workers(2, grace_s=0.3)
    yield pool
    pool.close()


def play_first(workers: Workers, spec: EventSpec) -> PlayedUnit:
    workers.submit(unit_work(spec, schedule(spec)[0], SEED))
    done = None
    while done is None:
        done = workers.next_finished(1.0)
    return done


def only_fault(done: PlayedUnit) -> tuple[int, Cause, str]:
    ((entry, _, fault),) = done.result.faults()
    return entry, fault.cause, fault.detail


def test_t03_an_agent_that_ends_its_process_has_crashed(workers: Workers) -> None:
    # Without a clock, so that nothing but the end of the process can tell.
    spec = with_clock(an_event(*house("beginner"), rogue("Exits")), control=UNLIMITED)
    entry, cause, detail = only_fault(play_first(workers, spec))

    assert (entry, cause) == (1, Cause.CRASH)
    assert "exit status 1" in detail


def test_t03_an_agent_that_sleeps_for_ever_has_timed_out(workers: Workers) -> None:
    spec = with_clock(an_event(*house("beginner"), rogue("Sleeps")), control=QUICK)
    done = play_first(workers, spec)

    assert only_fault(done)[:2] == (1, Cause.TIMEOUT)
    assert (done.result.status, done.result.score) == (Status.FORFEIT, 2.0)


def test_without_a_clock_it_has_stalled(workers: Workers) -> None:
    spec = an_event(rogue("Sleeps"), *house("beginner"))
    done = play_first(workers, with_clock(spec, control=UNLIMITED, silence_ms=500))

    assert only_fault(done)[:2] == (0, Cause.STALL)
    assert done.result.score == 0.0


@pytest.mark.parametrize("name", ["Unborn", "Stillborn"])
def test_t04_an_agent_that_takes_its_process_with_it_at_the_start_did_not_start(
    name: str, workers: Workers
) -> None:
    spec = with_clock(an_event(*house("beginner"), rogue(name)), start_ms=200)

    assert only_fault(play_first(workers, spec))[:2] == (1, Cause.NO_START)


def test_a_worker_that_is_killed_from_outside_is_nobodys_fault(workers: Workers) -> None:
    spec = an_event(*house("beginner"), rogue("Tame"))
    expected = play_first(workers, spec).result
    spec = an_event(*house("beginner"), rogue("KilledOnce"))
    marker = Path(os.environ["SPADES_TEST_MARKER"])
    done = play_first(workers, spec)

    assert marker.exists()
    assert (done.result.status, done.result.faults()) == (Status.PLAYED, [])
    assert done.result.attempts == 2
    assert (done.result.score, done.result.margin) == (expected.score, expected.margin)


@pytest.fixture(autouse=True)
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "marker"
    monkeypatch.setenv("SPADES_TEST_MARKER", str(path))
    return path


def test_a_unit_that_breaks_down_again_and_again_is_void_for_both(workers: Workers) -> None:
    done = play_first(workers, an_event(*house("beginner"), rogue("KilledAlways")))

    assert (done.result.status, done.result.score) == (Status.VOID, None)
    assert done.result.attempts == ATTEMPTS
    assert f"{-signal.SIGKILL}" in done.result.reason


EIGHT = ("Tame", "Exits", "Sleeps", "Raises", "Cheats", "Babbles", "Unready", "Awaits")
EXPECTED = {
    "Tame": set[str](),
    "Exits": {"crashed"},
    "Sleeps": {"timed out"},
    "Raises": {"crashed"},
    "Cheats": {"illegal action"},
    "Babbles": {"malformed answer"},
    "Unready": {"did not start"},
    "Awaits": {"timed out"},
}


@pytest.mark.once
@pytest.mark.timeout(240)
def test_t03_an_event_of_every_misbehaving_bot_ends_by_itself(tmp_path: Path) -> None:
    entries = tuple(Entry(name, rogue(name).spec) for name in EIGHT)
    spec = with_clock(
        an_event(*entries, kind=Format.ROUND_ROBIN, units=1, rules="quick,max_hands=1"),
        control=TimeControl(200, 1_500),
    )
    done = run(tmp_path, spec, Workers(2, grace_s=0.3))

    assert done.state.finished
    found: dict[str, set[str]] = {name: set() for name in EIGHT}
    for result in [*done.state.counted, *done.state.annulled]:
        for entry, _, fault in result.faults():
            found[EIGHT[entry]].add(fault.cause.value)
    for name, causes in found.items():
        # One that never got to its fault, because its opponent was out first, has none.
        assert causes <= EXPECTED[name], name
    assert sum(map(bool, found.values())) >= 6
    tame = [one for one in done.state.counted if one.unit.has(0)]
    assert all(one.score_of(0) == 2 for one in tame if one.status is Status.FORFEIT)
    assert not any(0 in one.losers for one in tame)
