"""What organisers and entrants may do, when, and what they hear if they may not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from spades import Reason, SpadesError
from spades_agents.competitions import Competitions
from spades_proto.competition import CompetitionFormat, CompetitionStage
from spades_server.app import SpadesServer
from tests.server.competitions.scene import RULES, Join, opened, over


async def refusal(call: Awaitable[Any]) -> SpadesError:
    with pytest.raises(SpadesError) as caught:
        await call
    return caught.value


async def test_the_commitment_is_there_before_anybody_has_entered_and_never_changes(
    join: Join,
) -> None:
    ann = await join("Ann")
    made = await opened(ann)
    assert len(made.seed_commitment) == 64 and made.event == ""
    await Competitions(ann).enter(made.id, bot="gentle")
    await Competitions(ann).enter(made.id, bot="beginner")
    started = await Competitions(ann).start(made.id)
    assert started.seed_commitment == made.seed_commitment
    assert len(started.event) == len(started.streams_root) == 64


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"units": 20_000}, "units=20000 is out of range"),
        ({"units": -1}, "units=-1 is out of range"),
        ({"strikes": -1}, "strikes=-1 is out of range"),
        ({"controls": 9}, "controls"),
        ({"rules": "quick,target=abc"}, "target"),
        ({"challengers": 2}, "Only a gauntlet has challengers."),
        ({"title": "two\nlines"}, "The title cannot hold the character U+000A."),
        ({"title": ""}, "A title must not be empty"),
    ],
)
async def test_terms_by_which_nothing_can_be_played_are_refused_in_a_sentence(
    join: Join, changes: dict[str, Any], said: str
) -> None:
    ann = await join("Ann")
    wanted: dict[str, Any] = {"title": "Cup", "rules": RULES, "units": 2, **changes}
    if changes == {"controls": 9}:
        wanted["controls"] = -1
    title = wanted.pop("title")
    call = Competitions(ann).create(title, CompetitionFormat.ROUND_ROBIN, **wanted)
    assert said in (await refusal(call)).sentence
    assert await Competitions(ann).all() == ()


async def test_only_the_organiser_starts_enters_house_bots_and_calls_off(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", "beginner")
    foreign = Competitions(bob)
    for call in (
        foreign.start(made.id),
        foreign.call_off(made.id),
        foreign.enter(made.id, bot="sharp"),
        foreign.withdraw(made.id, "gentle"),
    ):
        assert (await refusal(call)).reason is Reason.NOT_THE_ORGANISER
    assert await Competitions(ann).get(made.id) == made


async def test_an_entry_is_made_once_and_the_same_call_again_changes_nothing(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, kind=CompetitionFormat.ROUND_ROBIN)
    assert await Competitions(bob).enter(made.id, "one") == "one"
    assert await Competitions(bob).enter(made.id, "one") == "one"
    assert await Competitions(bob).enter(made.id, "one", at_once=2) == "one"
    second = await refusal(Competitions(bob).enter(made.id, "two"))
    assert "one entry each" in second.sentence
    taken = await refusal(Competitions(ann).enter(made.id, "one"))
    assert taken.reason is Reason.NAME_TAKEN
    bad = await refusal(Competitions(ann).enter(made.id, "a/b"))
    assert "letters, digits" in bad.sentence
    for bot in ("nobody", "house:sharp", "mybot.py"):
        unknown = await refusal(Competitions(ann).enter(made.id, bot=bot))
        assert unknown.reason is Reason.UNKNOWN_BOT
        assert "A bot of one's own connects and enters by itself." in unknown.sentence
    entries = (await Competitions(ann).get(made.id)).entries
    assert [one.name for one in entries] == ["one"]


async def test_a_competition_starts_with_as_many_entries_as_its_format_needs(join: Join) -> None:
    ann = await join("Ann")
    made = await opened(ann, "gentle")
    alone = await refusal(Competitions(ann).start(made.id))
    assert alone.reason is Reason.COMPETITION_STATE and "two entries" in alone.sentence
    await Competitions(ann).enter(made.id, bot="beginner")
    third = await refusal(Competitions(ann).enter(made.id, bot="sharp"))
    assert third.reason is Reason.TOO_MANY
    await Competitions(ann).start(made.id)
    again = await refusal(Competitions(ann).start(made.id))
    assert again.reason is Reason.COMPETITION_STATE
    assert again.sentence.startswith(f"{made.id} cannot be started now: it is ")
    late = await refusal(Competitions(ann).enter(made.id, bot="random"))
    assert late.reason is Reason.COMPETITION_STATE


async def test_what_is_called_off_is_over_and_takes_no_entries(join: Join) -> None:
    ann = await join("Ann")
    made = await opened(ann, "gentle")
    off = await Competitions(ann).call_off(made.id)
    assert off.stage is CompetitionStage.CALLED_OFF
    assert (await over(ann, made.id)).over
    for call in (
        Competitions(ann).enter(made.id, bot="sharp"),
        Competitions(ann).start(made.id),
        Competitions(ann).call_off(made.id),
    ):
        assert (await refusal(call)).reason is Reason.COMPETITION_STATE


async def test_an_entry_that_is_taken_out_before_the_start_leaves_no_trace(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle")
    await Competitions(bob).enter(made.id)
    await Competitions(bob).withdraw(made.id)
    assert [one.name for one in (await Competitions(ann).get(made.id)).entries] == ["gentle"]
    gone = await refusal(Competitions(bob).withdraw(made.id))
    assert "has no entry" in gone.sentence


async def test_an_event_from_which_all_are_withdrawn_closes_at_once(join: Join) -> None:
    """T07: nothing more is played, and what was played stands."""
    ann = await join("Ann")
    made = await opened(
        ann, "gentle", "beginner", "sharp", kind=CompetitionFormat.ROUND_ROBIN, units=2_000
    )
    competitions = Competitions(ann)
    await competitions.start(made.id)
    for bot in ("gentle", "beginner", "sharp"):
        await competitions.withdraw(made.id, bot)
    again = await refusal(competitions.withdraw(made.id, "nobody"))
    assert "No entry" in again.sentence
    ended = await over(ann, made.id)
    assert ended.stage is CompetitionStage.FINISHED
    assert all("taken out" in one.withdrawn for one in ended.entries)
    assert ended.playing == 0


async def test_an_entry_withdrawn_in_the_middle_plays_no_more_and_the_others_go_on(
    join: Join,
) -> None:
    """T08: what it had played stands, nobody meets itself, and the rest is played."""
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(
        ann, "gentle", "beginner", kind=CompetitionFormat.ROUND_ROBIN, units=2, controls=0
    )
    await Competitions(bob).enter(made.id)
    await Competitions(ann).start(made.id)
    # Bob never connects: the tables with it wait, until the entry is taken out.
    await Competitions(bob).withdraw(made.id)
    ended = await over(ann, made.id)
    assert ended.stage is CompetitionStage.FINISHED
    by_name = {one.name: one for one in ended.entries}
    assert by_name["Bob"].withdrawn and by_name["Bob"].units == 0
    assert by_name["gentle"].units == by_name["beginner"].units == 2


async def test_a_player_who_is_deleted_leaves_the_competition_and_the_name_goes(
    join: Join,
) -> None:
    ann, bob, cyd = await join("Ann"), await join("Bob"), await join("Cyd")
    made = await opened(ann, "gentle", kind=CompetitionFormat.ROUND_ROBIN)
    mine = await opened(bob, "gentle")
    await Competitions(bob).enter(made.id, "entry of one")
    await bob.delete_me("Bob")
    assert [one.name for one in (await Competitions(cyd).get(made.id)).entries] == ["gentle"]
    orphan = await Competitions(cyd).get(mine.id)
    assert orphan.stage is CompetitionStage.CALLED_OFF
    assert orphan.organiser == "somebody"


async def test_what_is_not_there_is_refused_by_name(join: Join) -> None:
    ann = await join("Ann")
    missing = Competitions(ann)
    calls: list[Callable[[], Awaitable[Any]]] = [
        lambda: missing.get("NOSUCH"),
        lambda: missing.start("NOSUCH"),
        lambda: missing.enter("NOSUCH"),
        lambda: anext(missing.watch("NOSUCH")),
        lambda: anext(missing.download("NOSUCH")),
    ]
    for call in calls:
        error = await refusal(call())
        assert error.reason is Reason.COMPETITION_NOT_FOUND
        assert "NOSUCH" in error.sentence


async def test_entries_that_come_at_the_same_moment_are_all_there(join: Join) -> None:
    ann = await join("Ann")
    others = [await join(f"player {number}") for number in range(6)]
    made = await opened(ann, kind=CompetitionFormat.ROUND_ROBIN)
    await asyncio.gather(*(Competitions(one).enter(made.id) for one in others))
    assert len((await Competitions(ann).get(made.id)).entries) == 6


async def test_one_organiser_cannot_open_any_number(join: Join) -> None:
    ann = await join("Ann")
    for _ in range(5):
        await opened(ann)
    assert (await refusal(opened(ann))).reason is Reason.TOO_MANY


async def test_a_gauntlet_has_its_challenger_meet_all_others_and_nobody_else(join: Join) -> None:
    ann = await join("Ann")
    made = await opened(
        ann, "sharp", "gentle", "beginner", kind=CompetitionFormat.GAUNTLET, units=1, controls=0
    )
    await Competitions(ann).start(made.id)
    ended = await over(ann, made.id)
    assert {one.name: one.units for one in ended.entries} == {
        "sharp": 2,
        "gentle": 1,
        "beginner": 1,
    }


async def test_a_table_that_is_closed_by_the_host_of_the_server_is_played_anew(
    join: Join, server: SpadesServer
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=1, controls=0)
    await Competitions(bob).enter(made.id)
    await Competitions(ann).start(made.id)
    for _ in range(3):
        while not (hosts := list(server.lobby)):  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0)
        await server.lobby.close_table(hosts[0], "The host has closed it.")
        while hosts[0] in list(server.lobby):  # noqa: ASYNC110  # as above
            await asyncio.sleep(0)
    ended = await over(ann, made.id)
    assert [one.units for one in ended.entries] == [0, 0]
    assert [one.faults for one in ended.entries] == [0, 0]


async def test_more_units_than_a_server_can_count_are_refused_at_the_start(join: Join) -> None:
    ann = await join("Ann")
    bots = ("random", "beginner", "gentle")
    made = await opened(ann, *bots, kind=CompetitionFormat.ROUND_ROBIN, units=9_000)
    error = await refusal(Competitions(ann).start(made.id))
    assert error.reason is Reason.TOO_MANY
    assert "27,003 units would be played" in error.sentence
    assert (await Competitions(ann).get(made.id)).stage is CompetitionStage.OPEN
