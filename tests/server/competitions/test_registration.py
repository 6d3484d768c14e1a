"""What is stored of a competition, now and by earlier versions."""

from __future__ import annotations

import json
from dataclasses import replace

from spades import PRESETS
from spades_proto.competition import CompetitionFormat, CompetitionStage, CompetitionTerms
from spades_proto.timing import TimeControl
from spades_server.commands import Player
from spades_server.competitions.registration import Registration, parse_registration

ANN, BOB, CYD = (Player(name.lower(), name) for name in ("Ann", "Bob", "Cyd"))

TERMS = CompetitionTerms(
    format=CompetitionFormat.ROUND_ROBIN,
    boards=False,
    rules=PRESETS["quick"],
    units=2,
    controls=1,
    challengers=1,
    time_control=TimeControl(2_000, 60_000),
    strikes=3,
    strict=False,
)
OPEN = Registration(
    id="CUP234", title="Cup", organiser=ANN, created_us=1, terms=TERMS, server_seed=bytes(32)
)


def test_what_is_stored_comes_back_with_its_pairs_whole_and_half_and_begun() -> None:
    filled = replace(OPEN, terms=replace(TERMS, separate=True))
    filled = filled.entered(ANN, "", "gentle", 0).entered(ANN, "Both", "", 3, "Bob")
    assert parse_registration(filled.to_text()) == filled
    whole = filled.entered(BOB, "", "", 2, "Ann")
    assert parse_registration(whole.to_text()) == whole
    assert [(one.players, one.at_once) for one in whole.entries] == [((), 8), (("ann", "bob"), 2)]
    begun = whole.begun()
    assert parse_registration(begun.to_text()) == begun
    assert begun.spec is not None
    assert [one.spec for one in begun.spec.entries] == ["gentle", "connected (two players)"]


def test_the_event_says_of_an_agent_that_one_player_has_both_seats() -> None:
    begun = OPEN.entered(BOB, "", "", 0).entered(CYD, "", "", 0).begun()
    assert begun.spec is not None
    assert {one.spec for one in begun.spec.entries} == {"connected (one player in both seats)"}


def test_what_was_stored_before_there_were_pairs_is_read_as_it_was_meant() -> None:
    """Entries had no partner, terms asked for none, and events called an agent `connected`."""
    begun = OPEN.entered(BOB, "", "", 0).entered(ANN, "", "gentle", 0).begun()
    data = json.loads(begun.to_text())
    del data["terms"]["separate"]
    for entry in data["entries"]:
        del entry["pairing"]
    data["event"]["entries"][0]["spec"] = "connected"
    read = parse_registration(json.dumps(data))
    assert read.stage is CompetitionStage.RUNNING
    assert not read.terms.separate
    assert read.entries == begun.entries
    assert read.spec is not None and begun.spec is not None
    assert read.spec.entries[0].spec == "connected"
    assert read.spec.name != begun.spec.name


def test_of_a_player_who_is_gone_neither_id_nor_name_is_stored() -> None:
    whole = OPEN.entered(ANN, "Both", "", 0, "Bob").entered(BOB, "", "", 0, "Ann")
    half = OPEN.entered(ANN, "Both", "", 0, "Bob")
    for registration in (whole, half):
        (entry,) = registration.entries
        assert not entry.concerns(CYD) and entry.struck(CYD) == entry
        for gone in (ANN, BOB):
            assert entry.concerns(gone)
            struck = entry.struck(gone)
            assert gone.id not in struck.players and not struck.awaits
            stored = replace(OPEN, organiser=CYD, entries=(struck,)).to_text()
            assert gone.name not in stored and f'"{gone.id}"' not in stored
