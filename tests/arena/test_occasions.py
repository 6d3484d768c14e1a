"""The records of an event, in the order of its schedule and each with its place in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spades_arena.errors import ArenaError
from spades_arena.occasions import occasions
from spades_arena.spec import Format
from tests.arena.scene import an_event, house, run


def test_every_unit_of_an_event_has_its_occasion_in_the_order_of_the_schedule(
    tmp_path: Path,
) -> None:
    spec = an_event(
        *house("random", "beginner", "gentle"), kind=Format.ROUND_ROBIN, units=1, controls=1
    )
    played = run(tmp_path / "event", spec)
    found = list(occasions(played.folder.path))

    assert [path for _, path in found] == [
        played.folder.record_path(unit) for unit in played.state.units
    ]
    assert [occasion.unit for occasion, _ in found] == [unit.id for unit in played.state.units]
    assert [occasion.stage for occasion, _ in found] == ["controls"] * 3 + ["main"] * 3
    assert [occasion.round for occasion, _ in found] == ["0"] * 3 + ["1", "2", "3"]
    assert {occasion.event for occasion, _ in found} == {"Spades round-robin of 3"}
    assert {occasion.digest for occasion, _ in found} == {spec.name}


def test_an_event_that_goes_on_has_the_records_that_are_there(tmp_path: Path) -> None:
    played = run(tmp_path / "event", an_event(units=2))
    last = played.folder.record_path(played.state.units[-1])
    last.unlink()
    ((occasion, _),) = occasions(played.folder.path)

    assert occasion.event == "Spades match: gentle and beginner"
    assert occasion.unit == played.state.units[0].id


def test_a_record_of_none_of_the_units_is_refused(tmp_path: Path) -> None:
    played = run(tmp_path / "event", an_event(units=1))
    stray = tmp_path / "event" / "records" / "m0001-u00009.jsonl"
    stray.write_text("{}\n", encoding="utf-8")

    with pytest.raises(ArenaError, match=r"m0001-u00009\.jsonl is of no unit of the event in "):
        list(occasions(played.folder.path))
