"""An entry of two players, one for each seat of its side: when it stands, who sees what, and how it ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from spades import Card, Reason, Seat, SeatView, SpadesError
from spades_agents import Agent
from spades_agents.competitions import Competitions
from spades_arena.events import EventFolder
from spades_arena.reports import publish
from spades_arena.verification import verify_event
from spades_proto.competition import CompetitionEntry, CompetitionFormat, CompetitionStage
from spades_server.competitions import registration as registrations
from tests.server.competitions.scene import RULES, Join, competing, download, opened, over

PAIR = "The pair"


async def refusal(call: Awaitable[Any]) -> SpadesError:
    with pytest.raises(SpadesError) as caught:
        await call
    return caught.value


class Noting(Agent):
    """Plays what is legal, and notes in which seats it was asked."""

    def __init__(self) -> None:
        self.seats: set[Seat] = set()

    def bid(self, view: SeatView) -> int:
        self.seats.add(view.seat)
        return 3

    def play(self, view: SeatView) -> Card:
        self.seats.add(view.seat)
        return view.legal_plays[0]


async def only(competitions: Competitions, name: str, entry: str = PAIR) -> CompetitionEntry:
    status = await competitions.get(name)
    return next(one for one in status.entries if one.name == entry)


async def test_a_pair_stands_when_both_have_named_each_other_and_not_before(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle")
    competitions = Competitions(ann)
    assert await competitions.enter(made.id, PAIR, partner="Bob", at_once=4) == PAIR
    half = await only(competitions, made.id)
    assert (half.two_players, half.awaits, half.connected) == (True, "Bob", False)
    assert half.awaited_by == "Ann"
    early = await refusal(competitions.start(made.id))
    assert early.reason is Reason.COMPETITION_STATE
    assert early.sentence == (
        "The entry 'The pair' waits for Bob to enter too, with Ann as partner: wait, or take it out."
    )
    assert await Competitions(bob).enter(made.id, partner="ANN", at_once=6) == PAIR
    whole = await only(competitions, made.id)
    assert (whole.two_players, whole.awaits, whole.at_once) == (True, "", 4)
    assert whole.awaited_by == ""
    assert (await only(competitions, made.id, "gentle")).two_players is False
    assert (await competitions.start(made.id)).stage is CompetitionStage.RUNNING


async def test_the_same_call_of_either_again_changes_nothing(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle")
    for player, partner in ((ann, "Bob"), (ann, "Bob"), (bob, "Ann"), (bob, "Ann"), (ann, "Bob")):
        assert await Competitions(player).enter(made.id, PAIR, partner=partner) == PAIR
    assert await Competitions(bob).enter(made.id, partner="Ann") == PAIR
    before = await Competitions(ann).get(made.id)
    assert [one.name for one in before.entries] == ["gentle", PAIR]
    await Competitions(ann).start(made.id)
    assert await Competitions(bob).enter(made.id, PAIR, partner="Ann") == PAIR
    assert await Competitions(ann).enter(made.id, PAIR, partner="Bob") == PAIR


async def test_without_a_name_a_pair_is_called_after_both(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann)
    assert await Competitions(bob).enter(made.id, partner="Ann") == "Bob & Ann"
    assert await Competitions(ann).enter(made.id, partner="Bob") == "Bob & Ann"


async def test_what_is_no_pair_is_refused_in_a_sentence_and_changes_nothing(join: Join) -> None:
    ann, bob, cyd = await join("Ann"), await join("Bob"), await join("Cyd")
    made = await opened(ann, "gentle", kind=CompetitionFormat.ROUND_ROBIN)
    await Competitions(ann).enter(made.id, PAIR, partner="Bob")
    before = await Competitions(ann).get(made.id)
    for player, words, said in (
        (cyd, {"partner": "CYD"}, "Cyd cannot be the partner of Cyd: a pair is two players."),
        (cyd, {"partner": "\t"}, "A name must not be empty"),
        (cyd, {"partner": "Eve", "entry": PAIR}, "is called 'The pair' already"),
        (cyd, {"partner": "Ann", "entry": PAIR}, "is called 'The pair' already"),
        (bob, {"partner": "Ann", "entry": "Ours"}, "as 'The pair': enter it under the same name."),
        (ann, {"partner": "Cyd"}, "Ann has entered"),
        (ann, {}, "one entry each"),
        (ann, {"partner": "Bob", "bot": "sharp"}, "it plays both seats of its side"),
        (cyd, {"partner": "Eve", "at_once": 99}, "at_once=99 is out of range"),
    ):
        wanted: dict[str, Any] = dict(words)
        error = await refusal(Competitions(player).enter(made.id, **wanted))
        assert said in error.sentence
    assert await Competitions(ann).get(made.id) == before


async def test_where_partners_are_separate_only_pairs_and_house_bots_enter(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    competitions = Competitions(ann)
    made = await competitions.create(
        "Strict", CompetitionFormat.MATCH, rules=RULES, units=1, separate=True
    )
    assert made.terms.separate
    alone = await refusal(competitions.enter(made.id))
    assert alone.sentence == (
        f"{made.id} takes pairs of two players, one for each seat of a side: name your partner."
    )
    await competitions.enter(made.id, bot="gentle")
    await competitions.enter(made.id, PAIR, partner="Bob")
    await Competitions(bob).enter(made.id, partner="Ann")
    names = [one.name for one in (await competitions.get(made.id)).entries]
    assert names == ["gentle", PAIR]


@pytest.mark.parametrize("who", ["first", "second"])
@pytest.mark.parametrize("how", ["withdraw", "delete"])
@pytest.mark.parametrize("stage", ["open", "running"])
async def test_either_player_takes_the_entry_out_and_so_does_a_deleted_one(
    join: Join, who: str, how: str, stage: str
) -> None:
    eve, ann, bob = await join("Eve"), await join("Ann"), await join("Bob")
    made = await opened(eve, "gentle", "beginner", kind=CompetitionFormat.ROUND_ROBIN)
    await Competitions(ann).enter(made.id, PAIR, partner="Bob")
    await Competitions(bob).enter(made.id, PAIR, partner="Ann")
    if stage == "running":
        await Competitions(eve).start(made.id)
    player, name = (ann, "Ann") if who == "first" else (bob, "Bob")
    if how == "delete":
        await player.delete_me(name)
    else:
        await Competitions(player).withdraw(made.id)
    if stage == "open":
        assert [one.name for one in (await Competitions(eve).get(made.id)).entries] == [
            "gentle",
            "beginner",
        ]
        return
    ended = await over(eve, made.id)
    out = next(one for one in ended.entries if one.name == PAIR)
    why = "its player was deleted" if how == "delete" else "it was taken out by its player"
    assert (out.withdrawn, out.two_players, out.awaits) == (why, True, "")


async def test_a_player_who_is_waited_for_and_deleted_is_waited_for_no_more(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle")
    await Competitions(ann).enter(made.id, PAIR, partner="bob")
    await bob.delete_me("Bob")
    assert [one.name for one in (await Competitions(ann).get(made.id)).entries] == ["gentle"]


async def test_two_players_play_an_entry_and_neither_has_both_seats_of_a_side(
    join: Join, tmp_path: Path
) -> None:
    """One connection for each seat; the event, the report and what `verify` reads say that there are two."""
    eve, ann, bob = await join("Eve"), await join("Ann"), await join("Bob")
    made = await opened(eve, "gentle", units=2, controls=1)
    await Competitions(ann).enter(made.id, PAIR, partner="Bob")
    first, second = Noting(), Noting()
    async with AsyncExitStack() as stack:
        for server, agent, partner in ((ann, first, "Bob"), (bob, second, "Ann")):
            task = competing(server, agent, made.id, PAIR, partner=partner)
            await stack.enter_async_context(task)
        assert (await only(Competitions(eve), made.id)).connected
        await Competitions(eve).start(made.id)
        ended = await over(eve, made.id)
    assert {one.name: one.faults for one in ended.entries} == {"gentle": 0, PAIR: 0}
    assert first.seats == {Seat.SOUTH, Seat.WEST}
    assert second.seats == {Seat.NORTH, Seat.EAST}
    await download(eve, made.id, tmp_path)
    entries = json.loads((tmp_path / "event.json").read_text())["entries"]
    specs = {one["name"]: one["spec"] for one in entries}
    assert specs == {"gentle": "gentle", PAIR: "connected (two players)"}
    folder = EventFolder.open(tmp_path)
    publish(folder, folder.state())
    assert verify_event(tmp_path).findings == ()
    assert "The pair = connected (two players)" in (tmp_path / "report.md").read_text()


async def test_a_pair_of_which_one_does_not_come_has_not_started_in_that_seat(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registrations, "START_MS", 50)
    eve, ann, bob = await join("Eve"), await join("Ann"), await join("Bob")
    made = await opened(eve, "gentle", units=1, controls=0)
    await Competitions(bob).enter(made.id, PAIR, partner="Ann")
    async with competing(ann, Noting(), made.id, PAIR, partner="Bob"):
        assert not (await only(Competitions(eve), made.id)).connected
        await Competitions(eve).start(made.id)
        ended = await over(eve, made.id)
    pair = next(one for one in ended.entries if one.name == PAIR)
    assert (pair.points, pair.forfeits, pair.faults) == (0, 1, 1)


async def test_who_enters_at_the_same_moment_makes_one_pair(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann)
    await asyncio.gather(
        Competitions(ann).enter(made.id, PAIR, partner="Bob"),
        Competitions(bob).enter(made.id, PAIR, partner="Ann"),
    )
    (one,) = (await Competitions(ann).get(made.id)).entries
    assert (one.name, one.awaits) == (PAIR, "")
