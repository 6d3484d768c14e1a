"""An entry of two players, as it is typed and told."""

from __future__ import annotations

import asyncio
import shlex
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

pytestmark = pytest.mark.once

BOT = Path(__file__).parents[2] / "examples" / "bots" / "careful.py"


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
    assert "The pair stands when bob has entered too, with ann as partner." in told.lines
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
    half = CompetitionEntry(name="a half", two_players=True, awaits="Zoë", awaited_by="Ann")
    house = CompetitionEntry(name="house", bot="sharp")
    assert told_of(house) == []
    assert told_of(one, other, house) == ["Played by one player in both seats: one, other."]
    assert told_of(one, pair, half, separate=True) == [
        "Played by one player in both seats: one.",
        "Played by two players, one in each seat: a pair, a half.",
        "a half stands when Zoë has entered too, with Ann as partner.",
    ]


def command_of(sentence: str) -> list[str]:
    """The words behind `spades` of the command at the end of a sentence, as a shell reads them."""
    return shlex.split(sentence.partition(": spades ")[2])


async def test_whoever_is_named_as_a_partner_learns_of_it_and_how_to_accept(
    spades: Spades,
) -> None:
    made = await spades("compete", "create", "Cup")
    name = made.lines[0].split()[0]
    entered = await spades(
        "compete", "enter", name, "--name", "ann", "--partner", "Bob", "--as", "The O'Neills"
    )
    handed_over = entered.lines[1]
    assert handed_over.startswith("It stands when Bob has entered too, with ann as partner: ")

    waiting = f"ann has entered The O'Neills in {name} with you, bob, as partner. Accept with: "
    for word in ("list", "status", "standings"):
        words = (word,) if word == "list" else (word, name)
        told = await spades("compete", *words, "--name", "bob")
        (asked,) = [line for line in told.lines if line.startswith(waiting)]
        # By the name under which he is known from here.
        asked_with = ["bob" if one == "Bob" else one for one in command_of(handed_over)]
        assert command_of(asked) == asked_with
        others = await spades("compete", *words, "--name", "cyd")
        assert waiting not in others.output
    assert "The O'Neills: waits for Bob to enter too." in told.lines
    # What is shown is typed: with a bot that is there, he has entered.
    accepting = ["gentle" if word == "mybot.py" else word for word in asked_with]
    playing = asyncio.create_task(spades(*accepting))
    while "waits for" in (listed := await spades("compete", "standings", name)).output:
        assert listed.status == 0 and not playing.done()
    assert "stands when" not in (await spades("compete", "status", name, "--name", "bob")).output
    assert (await spades("compete", "call-off", name)).status == 0
    assert (await playing).status == 1


async def test_the_organiser_is_told_how_an_entry_is_taken_out_that_keeps_waiting(
    spades: Spades,
) -> None:
    made = await spades("compete", "create", "Cup", "--name", "org")
    name = made.lines[0].split()[0]
    await spades("compete", "enter", name, "gentle", "random", "--name", "org")
    for one, other, pair in (("ann", "bob", "The O'Neills"), ("cyd", "dan", "late")):
        done = await spades(
            "compete", "enter", name, "--name", one, "--partner", other, "--as", pair
        )
        assert done.status == 0, done.errors
    refused = await spades("compete", "start", name, "--name", "org")
    assert (refused.status, refused.output) == (1, "")
    assert refused.errors.startswith(
        'The entry "The O\'Neills" waits for bob to enter too, with ann as partner: wait, or take it out.'
    )
    _, *advice = refused.errors.split(" To take out ")
    assert [one.partition(": ")[0] for one in advice] == ["The O'Neills", "late"]
    for one in advice:
        taken_out = await spades(*command_of(one))
        assert taken_out.status == 0, taken_out.errors
    started = await spades("compete", "start", name, "--name", "org")
    assert started.status == 0, started.errors
