"""Competitions from their opening to their end."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from grpc import aio

from spades import Card, Outcome, Seat, SeatView, Side, SpadesError
from spades_agents import Agent, GivenUp, Server, compete, load_agent, pipe
from spades_agents.bots import HOUSE_BOTS
from spades_agents.caller import explained
from spades_agents.competitions import Competitions
from spades_agents.hooks import closing
from spades_agents.misbehaving import MISBEHAVING
from spades_agents.pipe import PipeAgent
from spades_arena.cast import Cast
from spades_arena.events import EventFolder
from spades_arena.executor import InProcess
from spades_arena.faults import Cause
from spades_arena.limits import TimeLimits
from spades_arena.reports import publish
from spades_arena.runner import Run
from spades_arena.unit import play_unit, unit_work
from spades_arena.verification import verify_event
from spades_arena.watch import Unwatched
from spades_proto.competition import (
    CompetitionFault,
    CompetitionFormat,
    CompetitionStage,
    CompetitionStatus,
)
from spades_proto.timing import TimeControl
from spades_proto.v1 import action_pb2, tables_pb2
from spades_proto.verification import verify
from spades_server.app import SpadesServer
from spades_server.competitions import registration
from spades_server.competitions.table import CompetitionTable
from tests.server.competitions.scene import Join, competing, download, opened, over, reached


def unit_lines(folder: Path) -> dict[str, Any]:
    lines = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
    return {one["result"]["unit"]: one["result"] for one in lines if one["kind"] == "unit"}


async def test_the_same_event_on_the_server_and_in_process_has_the_same_unit_lines(
    join: Join, tmp_path: Path
) -> None:
    ann = await join("Ann")
    made = await opened(ann, "sharp", "beginner", units=2)
    name = made.id
    await Competitions(ann).start(name)
    ended = await over(ann, name)
    assert ended.stage is CompetitionStage.FINISHED
    served = tmp_path / "served"
    await download(ann, name, served)
    folder = EventFolder.open(served)
    publish(folder, folder.state())
    found = verify_event(served)
    assert found.findings == ()
    assert found.records == 8
    local = EventFolder.create(tmp_path / "local", folder.spec, folder.server_seed)
    await asyncio.to_thread(lambda: Run(local, InProcess(), lambda _progress: None).play())
    assert unit_lines(served) == unit_lines(tmp_path / "local")


async def test_the_server_and_the_report_tell_the_same_standings(
    join: Join, tmp_path: Path
) -> None:
    ann = await join("Ann")
    robin = CompetitionFormat.ROUND_ROBIN
    made = await opened(ann, "sharp", "beginner", "random", kind=robin, units=3)
    await Competitions(ann).start(made.id)
    ended = await over(ann, made.id)
    await download(ann, made.id, tmp_path)
    folder = EventFolder.open(tmp_path)
    tables = publish(folder, folder.state())

    told = [(one.name, one.rank, one.units, one.points, one.lead) for one in ended.entries]
    assert any(one.lead for one in ended.entries)
    assert told == [
        (one.entry, one.rank, one.units, one.points, one.lead) for one in tables.standings
    ]


@pytest.mark.parametrize(
    "file", ["event.json", "seed.json", "commitments.json", "journal.jsonl", "records"]
)
async def test_a_changed_byte_in_any_file_of_a_served_event_is_found(
    join: Join, tmp_path: Path, file: str
) -> None:
    ann = await join("Ann")
    made = await opened(ann, "gentle", "beginner", units=1, controls=0)
    await Competitions(ann).start(made.id)
    await over(ann, made.id)
    await download(ann, made.id, tmp_path)
    folder = EventFolder.open(tmp_path)
    publish(folder, folder.state())
    assert verify_event(tmp_path).holds
    path = tmp_path / file
    if path.is_dir():
        path = next(path.iterdir())
    data = bytearray(path.read_bytes())
    # A digit somewhere in the middle becomes another: what stands there is still well-formed.
    place = next(i for i in range(len(data) // 2, len(data)) if chr(data[i]).isdigit())
    data[place] ^= 1
    path.write_bytes(data)
    assert not verify_event(tmp_path).holds


async def test_an_entry_that_never_comes_loses_by_walkover_and_its_opponent_nothing(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T04, T11: who is not there did not start; who is there wins, and no game is counted."""
    monkeypatch.setattr(registration, "START_MS", 50)
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=4, kind=CompetitionFormat.ROUND_ROBIN)
    await Competitions(bob).enter(made.id)
    before = await Competitions(ann).get(made.id)
    assert [one.connected for one in before.entries] == [True, False]
    await Competitions(ann).start(made.id)
    ended = await over(ann, made.id)
    there, absent = ended.entries
    assert (there.name, absent.name) == ("gentle", "Bob")
    assert there.withdrawn == "" and there.faults == 0 and there.forfeits == 0
    assert absent.withdrawn == "3 units forfeited" and absent.forfeits == 3
    (cause,) = absent.fault_causes
    assert (cause.cause, cause.count) == ("did not start", absent.faults)
    assert cause.sentence == "Bob was not connected within 0.05 s."
    faults = [fault async for fault in faults_of(ann, made.id)]
    assert {fault["cause"] for fault in faults} == {"NO_START"}
    assert {fault["detail"] for fault in faults} == {"Bob was not connected within 0.05 s."}


async def journal_of(server: Server, name: str) -> AsyncIterator[dict[str, Any]]:
    """The lines of the journal of a competition that is over."""
    text = b"".join(
        [
            data
            async for file, data in Competitions(server).download(name)
            if file == "journal.jsonl"
        ]
    )
    for line in map(json.loads, text.splitlines()):
        yield line


async def faults_of(server: Server, name: str) -> AsyncIterator[dict[str, Any]]:
    """The faults in the journal of a competition that is over."""
    async for line in journal_of(server, name):
        if line["kind"] == "unit":
            for table in line["result"]["tables"]:
                for fault in table["faults"]:
                    yield fault


async def test_connected_agents_play_a_round_robin_on_one_stream_each(
    join: Join, tmp_path: Path
) -> None:
    ann, bob, cyd = await join("Ann"), await join("Bob"), await join("Cyd")
    made = await opened(ann, "beginner", units=2, kind=CompetitionFormat.ROUND_ROBIN)
    async with (
        competing(bob, HOUSE_BOTS["sharp"](), made.id, "bobs") as first,
        competing(cyd, HOUSE_BOTS["gentle"](), made.id) as second,
    ):
        ready = await Competitions(ann).get(made.id)
        assert all(one.connected for one in ready.entries)
        await Competitions(ann).start(made.id)
        ended = await over(ann, made.id)
        assert (await first).stage is (await second).stage is CompetitionStage.FINISHED
    assert sorted(one.name for one in ended.entries) == ["Cyd", "beginner", "bobs"]
    assert [one.faults for one in ended.entries] == [0, 0, 0]
    assert sum(one.points for one in ended.entries) == 12
    assert ended.done == ended.planned == 9
    await download(ann, made.id, tmp_path)
    folder = EventFolder.open(tmp_path)
    state = folder.state()
    assert all(one.score == 1 and one.margin == 0 for one in state.controls)
    publish(folder, state)
    assert verify_event(tmp_path).holds


async def test_an_illegal_card_costs_a_strike_and_the_third_the_game(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=1)
    async with competing(bob, MISBEHAVING["illegal"](), made.id):
        await Competitions(ann).start(made.id)
        ended = await over(ann, made.id)
    good, bad = ended.entries
    assert (good.name, good.points, good.forfeits, good.faults) == ("gentle", 2.0, 0, 0)
    assert (bad.name, bad.points, bad.forfeits) == ("Bob", 0.0, 1)
    faults = [fault async for fault in faults_of(ann, made.id)]
    assert {fault["cause"] for fault in faults} == {"ILLEGAL"}


@pytest.mark.parametrize(
    ("kind", "cause", "strikes"),
    [("crashing", "CRASH", 3), ("malformed", "PROTOCOL", 3), ("dying", "CRASH", 1)],
)
async def test_what_fails_within_the_sdk_is_the_same_fault_as_in_process(
    join: Join, tmp_path: Path, kind: str, cause: str, strikes: int
) -> None:
    """T03: whoever plays an event, the same bot has the same faults there."""
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=1, controls=0)
    agent = load_agent(f"misbehaving:{kind}")()
    async with closing([agent]), competing(bob, agent, made.id):
        await Competitions(ann).start(made.id)
        await over(ann, made.id)
    await download(ann, made.id, tmp_path)
    folder = EventFolder.open(tmp_path)
    (served,) = folder.state().counted
    work = unit_work(folder.spec, served.unit, folder.seed)
    specs = {"gentle": "gentle", "Bob": f"misbehaving:{kind}"}
    a, b = (replace(entry, spec=specs[entry.name]) for entry in (work.a, work.b))
    local = (await play_unit(replace(work, a=a, b=b), Cast(), Unwatched())).result
    assert without_details(served.to_json()) == without_details(local.to_json())
    (table,) = served.tables
    assert [fault.cause.name for fault in table.faults] == [cause] * strikes
    if kind == "crashing":
        # In process what a program wrote to its standard error is told as well, and no server hears that.
        assert served == local


def without_details(result: dict[str, Any]) -> dict[str, Any]:
    for table in result["tables"]:
        for fault in table["faults"]:
            del fault["detail"]
    return result


DYING = """
input()
print('{"ready": {}}', flush=True)
input()
exit(5)
"""


async def test_a_program_that_is_given_up_ends_its_agent_and_the_competition_goes_on_without_it(
    join: Join, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T04: then its entry is not connected, as that of anybody who has left."""
    monkeypatch.setattr(registration, "START_MS", 50)
    # Whoever has left is waited for no longer.
    monkeypatch.setattr(registration, "TimeLimits", partial(TimeLimits, silence_ms=50))
    monkeypatch.setattr(pipe, "MOST_DEATHS", 1)
    (tmp_path / "dying.py").write_text(DYING, encoding="utf-8")
    ann, bob, cyd = await join("Ann"), await join("Bob"), await join("Cyd")
    made = await opened(ann, "gentle", units=4, controls=0, kind=CompetitionFormat.ROUND_ROBIN)
    agent, waiting = PipeAgent([sys.executable, str(tmp_path / "dying.py")]), Waiting()
    async with competing(cyd, waiting, made.id), competing(bob, agent, made.id) as playing:
        await Competitions(ann).start(made.id)
        with pytest.raises(GivenUp, match=r"is given up: .* ended with exit code 5\.$"):
            await playing
        # Before that the competition could not end: somebody has waited.
        waiting.go.set()
        ended = await over(ann, made.id)
    await agent.close()
    *good, bad = ended.entries
    assert [(one.faults, one.forfeits, one.withdrawn) for one in good] == [(0, 0, "")] * 2
    assert bad.name == "Bob" and "units forfeited" in bad.withdrawn
    faults = [fault async for fault in faults_of(ann, made.id)]
    # The program said how it ended; what was not told any more is the fault of a line that is gone.
    assert {fault["cause"] for fault in faults} <= {"CRASH", "DISCONNECT", "NO_START"}
    assert "CRASH" in {fault["cause"] for fault in faults}


async def test_a_command_of_a_single_call_that_cannot_be_read_is_a_malformed_answer_too(
    join: Join, server: SpadesServer
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=1, controls=0)
    waiting = Waiting()
    async with competing(bob, waiting, made.id):
        await Competitions(ann).start(made.id)
        await waiting.asked.wait()
        (host,) = list(server.lobby)
        table = host.table
        assert isinstance(table, CompetitionTable)
        command = action_pb2.Command(
            table=table.config.code, request_id="one", decision=table.decision_id
        )
        for player in (ann, bob):
            request = tables_pb2.ActRequest(command=command)
            with pytest.raises(aio.AioRpcError) as refused:
                await player.tables().Act(request, metadata=player.metadata)
            assert explained(refused.value, "").sentence == "The action is missing."
            # It is a fault of whoever is to act, and of nobody else.
            assert len(table.fault_book.faults) == (player is bob)
        assert table.fault_book.faults[0].cause is Cause.PROTOCOL


async def test_nobody_waits_for_one_that_was_forced_out_to_meet_itself(join: Join) -> None:
    """T04: its control is broken off as soon as its forfeits have withdrawn it."""
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=4, strict=True)
    async with competing(bob, IllegalInTheEast(), made.id):
        await Competitions(ann).start(made.id)
        ended = await over(ann, made.id)
        lines = [line async for line in journal_of(ann, made.id) if line["kind"] == "unit"]
    assert {one.name: one.withdrawn for one in ended.entries}["Bob"] == "3 units forfeited"
    assert "c0002-u00001" not in [line["result"]["unit"] for line in lines]
    assert ended.done == len(lines) and ended.done + ended.dropped == ended.planned == 6


async def test_what_a_fault_was_is_told_and_a_card_in_it_only_when_its_deals_are_played(
    join: Join,
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=1, strict=True)
    async with competing(bob, IllegalInTheEast(), made.id):
        await Competitions(ann).start(made.id)
        status = await reached(ann, made.id, done=2)
        # Its own control, on the same deals, waits for ever.
        (early,) = fault_causes(status, "Bob")
        assert (early.cause, early.count, early.unit) == ("illegal action", 1, "m0001-u00001")
        assert early.sentence == ""
        await Competitions(bob).withdraw(made.id)
        ended = await over(ann, made.id)
    (fault,) = [fault async for fault in faults_of(ann, made.id)]
    (late,) = fault_causes(ended, "Bob")
    assert late.sentence == fault["detail"] != ""
    assert fault_causes(ended, "gentle") == ()


def fault_causes(status: CompetitionStatus, entry: str) -> tuple[CompetitionFault, ...]:
    (found,) = [one.fault_causes for one in status.entries if one.name == entry]
    return found


class IllegalInTheEast(Agent):
    """Does nothing in South and North, and what is not legal in West and East."""

    async def bid(self, view: SeatView) -> int:
        if view.seat.side is Side.SOUTH_NORTH:
            await asyncio.Event().wait()
        return 3

    def play(self, view: SeatView) -> Card:
        return next(card for card in view.rules.deck if card not in view.hand)


async def test_what_one_table_of_a_stream_knows_stays_secret_until_all_have_played(
    join: Join, server: SpadesServer
) -> None:
    ann, bob, eve = await join("Ann"), await join("Bob"), await join("Eve")
    made = await opened(ann, "gentle", units=1, controls=0)
    silent = Waiting()
    async with competing(bob, silent, made.id):
        await Competitions(ann).start(made.id)
        await silent.asked.wait()
        (host,) = list(server.lobby)
        code = host.table.config.code
        assert code not in {one.code for one in await eve.list_tables()}
        with pytest.raises(SpadesError, match="no spectators"):
            await anext(aiter(watching(eve, code)))
        with pytest.raises(SpadesError, match="not open yet"):
            await eve.record(f"{made.id}-m0001-u00001-t1")
        with pytest.raises(SpadesError, match="cannot be downloaded now: it is being played"):
            await anext(Competitions(eve).download(made.id))
        silent.go.set()
        await over(ann, made.id)
    line = await eve.record(f"{made.id}-m0001-u00001-t1")
    assert verify(line).circumstances.match == "m0001-u00001-t1"
    assert {seat.side for seat, _ in silent.heard} == {*Side}
    assert all(outcome is not None for _, outcome in silent.heard)


class Waiting(Agent):
    """Plays only when it is told to, and notes what it hears of its matches."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()
        self.heard: list[tuple[Seat, Outcome | None]] = []

    async def bid(self, view: SeatView) -> int:
        self.asked.set()
        await self.go.wait()
        return 3

    def play(self, view: SeatView) -> Card:
        return view.legal_plays[0]

    def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
        self.heard.append((seat, outcome))


async def watching(server: Server, code: str) -> AsyncIterator[tables_pb2.WatchResponse]:
    """A spectator's feed, with refusals as errors."""
    call = server.tables().Watch(tables_pb2.WatchRequest(table=code), metadata=server.metadata)
    try:
        async for response in call:
            yield response
    except aio.AioRpcError as error:
        raise explained(error, server.target) from error


class SilentOnce(Agent):
    """Never answers its first card, and counts those that follow while it still thinks about that."""

    def __init__(self) -> None:
        self.asked = 0
        self.broken_off_at = 0

    def bid(self, view: SeatView) -> int:
        return 3

    async def play(self, view: SeatView) -> Card:
        self.asked += 1
        if self.asked == 1:
            try:
                await asyncio.Event().wait()
            finally:
                self.broken_off_at = self.asked
        await asyncio.sleep(0)
        return view.legal_plays[0]


async def in_a_hurry(ann: Server) -> CompetitionStatus:
    """A match against `gentle` with little time for a decision."""
    made = await Competitions(ann).create(
        "Cup",
        CompetitionFormat.MATCH,
        rules="quick,max_hands=1",
        units=1,
        controls=0,
        time_control=TimeControl(200, 0),
    )
    await Competitions(ann).enter(made.id, bot="gentle")
    return made


async def test_what_was_played_over_is_thought_about_no_more(join: Join) -> None:
    """Else a line of a program that answers nothing would be taken for the answer to that."""
    ann, bob = await join("Ann"), await join("Bob")
    made = await in_a_hurry(ann)
    agent = SilentOnce()
    async with competing(bob, agent, made.id):
        await Competitions(ann).start(made.id)
        await over(ann, made.id)
    assert 1 < agent.broken_off_at < agent.asked


async def heard_by(
    ann: Server, bob: Server, agent: Agent, competition: str, *, at_once: int = 0
) -> list[str]:
    """What Bob is told, whose agent plays the competition that Ann starts once it is entered."""
    told: list[str] = []
    entered = asyncio.Event()

    def hear(sentence: str) -> None:
        told.append(sentence)
        if "is entered" in sentence:
            entered.set()

    playing = asyncio.create_task(
        compete(agent, bob.target, competition, token=bob.token, at_once=at_once, report=hear)
    )
    await entered.wait()
    await Competitions(ann).start(competition)
    await playing
    return told


async def test_whoever_runs_an_agent_hears_of_its_faults_and_that_it_is_withdrawn(
    join: Join,
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await opened(ann, "gentle", units=4, controls=0, strict=True)
    told = await heard_by(ann, bob, IllegalAlways(), made.id)
    assert any(one.startswith("Bob had a fault in m0001-u0000") for one in told)
    assert "Bob is withdrawn and plays no more: 3 units forfeited." in told


class IllegalAlways(IllegalInTheEast):
    """Plays what is not legal, wherever it sits."""

    async def bid(self, view: SeatView) -> int:
        return 3


async def test_whoever_is_late_while_it_plays_several_units_at_once_hears_what_helps(
    join: Join,
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await in_a_hurry(ann)
    told = await heard_by(ann, bob, SilentOnce(), made.id, at_once=2)
    helps = [one for one in told if one.startswith("It plays 2 units at once, and tables that")]
    assert len(helps) == 1
    assert told[told.index(helps[0]) - 1].startswith("Bob had a fault in m0001-u00001: timed out")


async def test_a_competition_that_no_entries_could_start_is_not_opened(join: Join) -> None:
    ann = await join("Ann")
    with pytest.raises(SpadesError, match="With 2 entries alone 10,002 units would be played"):
        await opened(ann, units=10_000)
