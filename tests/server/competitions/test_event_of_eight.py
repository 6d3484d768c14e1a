"""An event of all eight bots that misbehave and one that behaves: it ends by itself, each pays its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from spades_agents import Server, load_agent
from spades_agents.competitions import Competitions
from spades_agents.hooks import closing
from spades_agents.misbehaving import MISBEHAVING
from spades_arena.events import EventFolder
from spades_arena.faults import Cause
from spades_arena.reports import publish
from spades_arena.verification import verify_event
from spades_proto.competition import CompetitionFormat, CompetitionStage
from spades_proto.timing import TimeControl
from spades_proto.v1 import action_pb2, agents_pb2, card_pb2, error_pb2
from spades_proto.version import PROTOCOL
from tests.server.competitions.scene import RULES, Join, competing, download, over

pytestmark = pytest.mark.once

FAULTY = {
    "silent": Cause.TIMEOUT,
    "illegal": Cause.ILLEGAL,
    "crashing": Cause.CRASH,
    "dying": Cause.CRASH,
    "malformed": Cause.PROTOCOL,
}
"""What they must be found at. The slow one and the chatty one do nothing that is forbidden, and what the
stale one holds back for one table is often there in time all the same, because other tables ask it.
"""


@pytest.mark.once
async def test_an_event_of_eight_with_all_that_misbehave_ends_by_itself(
    join: Join, tmp_path: Path
) -> None:
    """T03, T10: each fault is booked to whom it belongs, and nobody else's result is touched."""
    ann = await join("Ann")
    competitions = Competitions(ann)
    made = await competitions.create(
        "Eight",
        CompetitionFormat.ROUND_ROBIN,
        rules=RULES,
        units=1,
        controls=0,
        time_control=TimeControl(200, 0),
    )
    await competitions.enter(made.id, bot="gentle")
    async with AsyncExitStack() as stack:
        for kind in MISBEHAVING:
            player = await join(kind)
            agent = load_agent(f"misbehaving:{kind}")()
            await stack.enter_async_context(closing([agent]))
            await stack.enter_async_context(competing(player, agent, made.id, kind))
        await competitions.start(made.id)
        ended = await over(ann, made.id)
    assert ended.stage is CompetitionStage.FINISHED
    await download(ann, made.id, tmp_path)
    folder = EventFolder.open(tmp_path)
    state = folder.state()
    seen: dict[str, set[Cause]] = {}
    for result in (*state.counted, *state.annulled):
        for entry, _table, fault in result.faults():
            seen.setdefault(state.spec.entries[entry].name, set()).add(fault.cause)
    for name, causes in seen.items():
        # A busy machine may be slow for anybody.
        assert causes <= {Cause.TIMEOUT, FAULTY.get(name)}, name
    assert all(cause in seen[name] for name, cause in FAULTY.items())
    by_name = {one.name: one for one in ended.entries}
    assert all(by_name[name].forfeits or by_name[name].withdrawn for name in FAULTY)
    assert not by_name["gentle"].faults and not by_name["gentle"].withdrawn
    names = [entry.name for entry in state.spec.entries]
    gentle = names.index("gentle")
    for one in state.counted:
        if one.unit.has(gentle) and one.losers:
            # Whoever forfeits has faults of its own, and the other side all the points.
            (loser,) = one.losers
            assert seen[names[loser]] and one.score_of(gentle) == 2
    publish(folder, state)
    assert verify_event(tmp_path).holds


FAR_CARD = card_pb2.Card.ValueType(99)
UNREADABLE: dict[str, tuple[Mapping[str, object], str]] = {
    "no action": ({}, "The action is missing."),
    "an unknown action": ({"action": action_pb2.Action()}, "The action is missing."),
    "a card that is none": ({"action": action_pb2.Action(play=FAR_CARD)}, "99 is no card."),
    "an endless request id": (
        {"action": action_pb2.Action(bid=action_pb2.Bid(tricks=3)), "request_id": "x" * 65},
        "A request id has 1 to 64 characters; this one has 65.",
    ),
}
"""What a client sends that knows no better, and what it hears."""


@pytest.mark.parametrize("kind", UNREADABLE)
async def test_whoever_talks_and_never_plays_costs_itself_the_game_alone(
    join: Join, tmp_path: Path, kind: str
) -> None:
    """T03: a client without the SDK sends nonsense, and each line of it is refused and a strike."""
    fields, said = UNREADABLE[kind]
    heard: list[error_pb2.Refusal] = []
    ann, bob = await join("Ann"), await join("Bob")
    competitions = Competitions(ann)
    made = await competitions.create(
        "Two",
        CompetitionFormat.MATCH,
        rules=RULES,
        units=1,
        controls=0,
        time_control=TimeControl(600_000, 0),
    )
    await competitions.enter(made.id, bot="gentle")
    await Competitions(bob).enter(made.id)
    talking = asyncio.create_task(talk(bob, fields, heard))
    await competitions.start(made.id)
    ended = await over(ann, made.id)
    talking.cancel()
    await asyncio.gather(talking, return_exceptions=True)
    good, bad = ended.entries
    assert (good.name, good.points, good.faults) == ("gentle", 2.0, 0)
    assert bad.faults == 3 and bad.forfeits == 1
    await download(ann, made.id, tmp_path)
    (result,) = EventFolder.open(tmp_path).state().counted
    assert {fault.cause for _, _, fault in result.faults()} == {Cause.PROTOCOL}
    assert {fault.detail for _, _, fault in result.faults()} == {said}
    # The agent has heard it in the same words.
    assert {refusal.sentence for refusal in heard} == {said}


async def talk(
    server: Server, fields: Mapping[str, object], heard: list[error_pb2.Refusal]
) -> None:
    """Answers every decision with what no table understands, and notes what it hears of it."""
    call = server.agents().Connect(metadata=server.metadata)
    hello = agents_pb2.Hello(protocol=PROTOCOL, agent="talker")
    await call.write(agents_pb2.ConnectRequest(hello=hello))
    while isinstance(response := await call.read(), agents_pb2.ConnectResponse):
        heard += [answered.refusal for answered in response.answered]
        commands = [
            garbled(some, frame.seq, frame.decision.id, fields)
            for some in response.frames
            for frame in some.frames
            if frame.HasField("decision")
        ]
        if commands:
            await call.write(agents_pb2.ConnectRequest(commands=commands))


def garbled(
    some: agents_pb2.SeatFrames, seq: int, decision: int, fields: Mapping[str, object]
) -> action_pb2.Command:
    """A command that answers a decision, but for some of its fields."""
    command = action_pb2.Command(
        table=some.table, seat=some.seat, request_id=f"{some.table}-{seq}", decision=decision
    )
    command.MergeFrom(action_pb2.Command(**fields))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return command
