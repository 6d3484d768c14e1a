"""What the journal keeps, and what it lists."""

from __future__ import annotations

import pytest

from spades import Match, TableError
from spades_agents import play_local
from spades_proto.records import Circumstances
from spades_proto.verification import verify
from spades_server.journal import Batch, MemoryJournal
from spades_server.results import FinishedMatch


@pytest.fixture(scope="module")
def match() -> Match:
    return play_local(["random"] * 4, "max_hands=1", seed="7").match


def committed(journal: MemoryJournal, match: Match, name: str, *, private: bool) -> None:
    done: list[str] = []
    batch = Batch("TABLE", 1, (), FinishedMatch(match, Circumstances(match=name)), private)
    journal.commit(batch, lambda: done.append(name))
    assert done == [name]


def test_a_record_of_a_private_table_is_found_by_its_name_and_not_listed(match: Match) -> None:
    journal = MemoryJournal()
    committed(journal, match, "open", private=False)
    committed(journal, match, "hidden", private=True)
    assert [one.match for one in journal.records()] == ["open"]
    assert verify(journal.record("hidden")).match.outcome == match.outcome


def test_the_newest_record_is_listed_first(match: Match) -> None:
    journal = MemoryJournal()
    for name in ("first", "second"):
        committed(journal, match, name, private=False)
    assert [one.match for one in journal.records()] == ["second", "first"]


def test_a_record_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(TableError, match="'nothing'"):
        MemoryJournal().record("nothing")
