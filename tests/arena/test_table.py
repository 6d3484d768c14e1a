"""A table in process: time, fallbacks, strikes and forfeits."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from spades import Side, parse_rules
from spades_arena.cast import Cast
from spades_arena.faults import Cause, Discipline, Fault
from spades_arena.limits import TimeLimits
from spades_arena.spec import Entry
from spades_arena.stream import stream_deals
from spades_arena.table import PlayedTable, Table, TableSetting
from spades_arena.watch import Unwatched
from spades_proto.table import NoteKind
from spades_proto.timing import UNLIMITED, TimeControl
from spades_proto.verification import verify
from tests.arena.scene import ROGUES, SEED

pytestmark = pytest.mark.once

RULES = parse_rules("quick,target=100,floor=-100,max_hands=3")


def play(
    name: str,
    *,
    limits: TimeLimits | None = None,
    discipline: Discipline | None = None,
    partner: str = "",
) -> PlayedTable:
    """Plays an agent of `rogues.py` in South and North against beginners."""
    setting = TableSetting(
        id="t",
        place=0,
        rules=RULES,
        deals=stream_deals(SEED, 1),
        names=("rogue", "beginner"),
        limits=limits or TimeLimits(),
        discipline=discipline or Discipline(),
    )
    spec = f"{ROGUES}:{name}"
    mate = f"{ROGUES}:{partner or name}"

    async def table() -> PlayedTable:
        cast, watch = Cast(), Unwatched()
        specs = [spec, "beginner", mate, "beginner"]
        entries = [Entry("an agent", one) for one in specs]
        agents = await cast.start(entries, RULES, 0, setting.limits, watch)
        played = Table(setting, agents, watch)
        done = await played.play()
        await cast.dismiss(agents, played.outcome, 0, watch)
        return done

    return asyncio.run(table())


def causes(table: PlayedTable) -> list[Cause]:
    return [fault.cause for fault in table.result.faults]


@pytest.mark.parametrize(
    ("name", "cause", "words"),
    [
        ("Raises", Cause.CRASH, "ZeroDivisionError: South divides by nothing"),
        ("Quits", Cause.CRASH, "SystemExit"),
        ("Garbled", Cause.PROTOCOL, "The line is no JSON. hello?"),
        ("Babbles", Cause.PROTOCOL, "a nice card"),
        ("Cheats", Cause.ILLEGAL, "not in"),
        ("Overbids", Cause.ILLEGAL, "A bid of 14 is not possible"),
    ],
)
def test_a_fault_has_its_cause_and_the_third_forfeits_the_game(
    name: str, cause: Cause, words: str
) -> None:
    done = play(name)

    assert causes(done) == [cause] * 3
    assert words in done.result.faults[0].detail
    assert done.result.forfeited == (Side.SOUTH_NORTH,)
    assert done.result.winner is Side.WEST_EAST
    assert verify(done.record)


def test_what_an_agent_does_once_it_is_dismissed_is_no_fault_and_ends_nothing() -> None:
    assert causes(play("QuitsLast")) == []


def test_a_program_that_ends_forfeits_the_game_at_once() -> None:
    """T03: without its process nothing more can be expected of it."""
    done = play("Dies")

    assert causes(done) == [Cause.CRASH]
    assert "exit status 7. segmentation fault" in done.result.faults[0].detail
    assert done.result.forfeited == (Side.SOUTH_NORTH,)
    assert verify(done.record)


def test_strikes_are_counted_for_the_side_and_not_for_the_seat() -> None:
    faults = play("Raises").result.faults

    assert [fault.seat.letter for fault in faults] == ["S", "N", "S"]


def test_after_one_fault_the_fallback_plays_on() -> None:
    done = play("SlipsOnce", discipline=Discipline(strikes=3))

    assert causes(done) == [Cause.CRASH] * 2
    assert done.result.forfeited == ()
    assert done.result.hands == len(verify(done.record).match.sheet)


def test_strict_means_that_any_fault_forfeits() -> None:
    done = play("SlipsOnce", discipline=Discipline(strict=True))

    assert causes(done) == [Cause.CRASH]
    assert done.result.forfeited == (Side.SOUTH_NORTH,)


@pytest.mark.parametrize("name", ["Missing", "Unready"])
def test_t04_who_does_not_start_forfeits_whoever_noticed_it_first(name: str) -> None:
    done = play(name)

    assert causes(done) == [Cause.NO_START]
    assert done.result.forfeited == (Side.SOUTH_NORTH,)
    assert done.result.hands == 0
    assert verify(done.record).match.outcome is not None


def test_a_partner_that_does_not_start_forfeits_for_both() -> None:
    done = play("Tame", partner="Unready")

    assert [fault.seat.letter for fault in done.result.faults] == ["N"]
    assert done.result.forfeited == (Side.SOUTH_NORTH,)


TIGHT = TimeLimits(control=TimeControl(250, 0), margin_ms=50)


def test_an_agent_that_can_be_interrupted_is_and_has_timed_out() -> None:
    done = play("Awaits", limits=TIGHT)

    assert causes(done) == [Cause.TIMEOUT] * 3
    assert done.result.forfeited == (Side.SOUTH_NORTH,)
    notes = verify(done.record).circumstances.notes
    assert [note.kind for note in notes] == [NoteKind.TIMED_OUT] * 3


def test_a_late_answer_is_not_taken() -> None:
    done = play("Late", limits=TIGHT)

    assert causes(done) == [Cause.TIMEOUT] * 3
    assert done.result.forfeited == (Side.SOUTH_NORTH,)


def test_a_thread_that_computes_on_is_not_waited_for() -> None:
    done = play("Mulls", limits=TIGHT)

    assert causes(done) == [Cause.TIMEOUT] * 3


def test_t10_who_takes_most_of_its_time_is_not_punished() -> None:
    done = play("Late", limits=replace(TIGHT, control=TimeControl(5_000, 0)))

    assert causes(done) == []
    assert done.result == play("Tame").result


def test_the_bank_forgives_until_it_is_empty() -> None:
    rich = play("Late", limits=replace(TIGHT, control=TimeControl(250, 60_000)))
    poor = play("Late", limits=replace(TIGHT, control=TimeControl(250, 300)))
    none = play("Late", limits=TIGHT)

    assert causes(rich) == []
    # 200 ms of the bank's 300 go with the first card, so that the second is late.
    assert causes(poor) == [Cause.TIMEOUT] * 3
    assert poor.result.faults[0].decision > none.result.faults[0].decision


def test_without_a_clock_nothing_is_late_but_silence_is_a_stall() -> None:
    patient = play("Late", limits=TimeLimits(control=UNLIMITED))
    done = play("Awaits", limits=TimeLimits(control=UNLIMITED, silence_ms=300))

    assert causes(patient) == []
    assert causes(done) == [Cause.STALL]
    assert done.result.forfeited == (Side.SOUTH_NORTH,)


def test_t10_a_side_may_think_only_so_long_in_a_game() -> None:
    done = play("Late", limits=TimeLimits(game_ms=400))

    assert causes(done) == [Cause.TIMEOUT]
    assert "more than 0.4 s in the game" in done.result.faults[0].detail
    assert done.result.forfeited == (Side.SOUTH_NORTH,)


def test_what_an_agent_says_is_cut_short() -> None:
    faults: tuple[Fault, ...] = play("Wordy").result.faults

    assert len(faults[0].detail) < 500
    assert "\n" not in faults[0].detail


def test_an_agent_hears_of_its_match_and_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = tmp_path / "diary"
    monkeypatch.setenv("SPADES_TEST_DIARY", str(diary))
    done = play("Diarist")

    written = sorted(diary.read_text().splitlines())
    winner = done.result.winner
    assert winner is not None
    assert written == sorted(
        line
        for seat in "SN"
        for line in (
            f"{seat} ready",
            f"{seat} start 100",
            f"{seat} end {winner.name}",
            f"{seat} closed",
        )
    )


def test_an_agent_that_is_not_ready_in_time_did_not_start() -> None:
    done = play("Dawdler", limits=TimeLimits(start_ms=30))

    assert causes(done) == [Cause.NO_START]
    assert done.result.faults[0].detail == "It was not ready within 0.03 s."


def test_what_an_agent_does_at_its_end_changes_nothing() -> None:
    assert play("SoreLoser").result == play("Tame").result
