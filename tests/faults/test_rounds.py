"""Short rounds of every fault: nothing acknowledged is lost or doubled, no card is shown to a wrong eye."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults import clock, crowd, rounds, rude
from tests.faults.proxy import Fault
from tests.faults.scene import Figures

SEED = "a test"


def clean(figures: Figures, *, faults: int) -> None:
    """Nothing that must not be was found, and the round was one."""
    assert not figures.findings
    assert not figures.complaints
    assert figures.faults >= faults
    assert figures.acknowledged >= 40


async def test_a_server_that_is_killed_again_and_again_goes_on_at_the_same_card(
    tmp_path: Path,
) -> None:
    """S06, S07, S15: every client comes back by itself."""
    clean(await rounds.killed_at_events(tmp_path / "data", SEED, first=11, every=23), faults=3)


async def test_a_server_that_is_killed_under_load_loses_and_doubles_nothing(tmp_path: Path) -> None:
    clean(await rounds.killed_under_load(tmp_path / "data", SEED, kills=1, tables=2), faults=1)


async def test_a_server_that_is_stopped_and_started_goes_on_with_the_same_hand(
    tmp_path: Path,
) -> None:
    """S15: it was told to stop, said so to everybody, and had written everything."""
    clean(await rounds.stopped(tmp_path / "data", SEED, times=1), faults=1)


async def test_a_server_that_stands_still_for_a_while_sends_nobody_away(tmp_path: Path) -> None:
    clean(await rounds.frozen(tmp_path / "data", SEED, times=3), faults=3)


@pytest.mark.parametrize("fault", Fault)
async def test_a_line_that_fails_loses_and_doubles_nothing(tmp_path: Path, fault: Fault) -> None:
    clean(await rounds.bad_line(tmp_path / "data", SEED, fault, times=2), faults=2)


async def test_a_full_disk_ends_the_server_with_a_sentence_and_nothing_acknowledged_is_lost(
    tmp_path: Path,
) -> None:
    clean(await rounds.full_disk(tmp_path / "data", SEED), faults=1)


async def test_a_clock_that_jumps_changes_nothing_of_the_game(tmp_path: Path) -> None:
    clean(await clock.jumping_clock(tmp_path / "data", SEED, times=5), faults=5)


async def test_clients_that_mean_no_good_reach_nothing_and_disturb_nobody(tmp_path: Path) -> None:
    """S01, S02, S17, S18, S21: odd bytes, unread feeds, foreign seats, repeats and races."""
    clean(await rude.rude_clients(tmp_path / "data", SEED, times=2), faults=14)


async def test_of_two_hundred_clients_that_are_killed_at_once_nothing_stays(tmp_path: Path) -> None:
    """S14: streams, tables and tasks are as many as before."""
    clean(await crowd.vanishing_clients(tmp_path / "data", clients=200), faults=200)


async def test_matches_one_after_the_other_take_no_more_memory(tmp_path: Path) -> None:
    """S20, in short: `make soak` plays 500."""
    clean(await crowd.many_matches(tmp_path / "data", SEED, matches=100), faults=100)
