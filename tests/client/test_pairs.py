"""An entry of two players, as it is typed and told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from spades import Rules
from spades_client.entrants import players_sentences
from spades_proto.competition import (
    CompetitionEntry,
    CompetitionFormat,
    CompetitionStage,
    CompetitionStatus,
    CompetitionTerms,
)
from spades_proto.timing import UNLIMITED
from tests.client.command import Spades

BOT = Path(__file__).parents[2] / "examples" / "bots" / "careful.py"


@pytest.mark.once
async def test_two_players_enter_as_partners_and_play_from_the_command_line(
    spades: Spades, tmp_path: Path
) -> None:
    rules = ("--games", "2", "--rules", "quick,max_hands=1")
    made = await spades("compete", "create", "Cup", *rules, "--separate-partners")
    assert made.status == 0, made.errors
    name = made.lines[0].split()[0]
    await spades("compete", "enter", name, "gentle")
    alone = await spades("agent", "run", str(BOT), "--name", "ann", "--entry", name)
    assert alone.status == 1
    assert alone.errors.splitlines()[-1].endswith("name your partner.")
    agent = ("agent", "run", str(BOT), "--entry", name, "--as", "The pair")
    entered = await spades(
        "compete", "enter", name, "--name", "ann", "--partner", "bob", *agent[5:]
    )
    assert entered.lines[0] == f"The pair is entered in {name}."
    told = await spades("compete", "status", name)
    assert (
        "Partners are separate: only pairs of two players, and house bots, may enter." in told.lines
    )
    assert "The pair stands when bob has entered too." in told.lines
    playing = [
        asyncio.create_task(spades(*agent, "--name", one, "--partner", other))
        for one, other in (("ann", "bob"), ("bob", "ann"))
    ]
    while "The pair: ready." not in (listed := await spades("compete", "standings", name)).lines:
        assert listed.status == 0 and not any(task.done() for task in playing)
    told = await spades("compete", "status", name)
    assert "Played by two players, one in each seat: The pair." in told.lines
    assert (await spades("compete", "start", name)).status == 0
    for played in await asyncio.gather(*playing):
        assert played.status == 0, played.errors
        assert f"The pair is entered in {name} and waits for its tables" in played.errors
    verified = await spades("compete", "verify", name, "--out", str(tmp_path / "event"))
    assert verified.status == 0, verified.errors


def told_of(*entries: CompetitionEntry, separate: bool = False) -> list[str]:
    terms = CompetitionTerms(
        format=CompetitionFormat.MATCH,
        boards=False,
        rules=Rules(),
        units=1,
        controls=0,
        challengers=1,
        time_control=UNLIMITED,
        strikes=3,
        strict=False,
        separate=separate,
    )
    status = CompetitionStatus(
        id="CUP234",
        title="Cup",
        organiser="Ann",
        stage=CompetitionStage.OPEN,
        terms=terms,
        seed_commitment="",
        event="",
        streams_root="",
        entries=entries,
        done=0,
        planned=0,
        playing=0,
    )
    return players_sentences(status)


def test_of_each_entry_is_said_whether_one_player_has_both_seats() -> None:
    one, other = CompetitionEntry(name="one"), CompetitionEntry(name="other")
    pair = CompetitionEntry(name="a pair", two_players=True)
    half = CompetitionEntry(name="a half", two_players=True, awaits="Zoë")
    house = CompetitionEntry(name="house", bot="sharp")
    assert told_of(house) == []
    assert told_of(one, other, house) == ["Played by one player in both seats: one, other."]
    assert told_of(one, pair, half, separate=True) == [
        "Played by one player in both seats: one.",
        "Played by two players, one in each seat: a pair, a half.",
        "a half stands when Zoë has entered too.",
    ]
