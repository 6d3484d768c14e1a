"""An event of eight with every misbehaving bot among them: it ends by itself, and each pays for its own."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from spades import Seat
from spades_agents import Server, load_agent
from spades_agents.competitions import Competitions
from spades_arena.events import EventFolder
from spades_arena.faults import Cause
from spades_arena.reports import publish
from spades_arena.verification import verify_event
from spades_proto import wire
from spades_proto.competition import CompetitionFormat, CompetitionStage
from spades_proto.timing import TimeControl
from spades_proto.v1 import action_pb2, agents_pb2
from spades_proto.version import PROTOCOL
from tests.server.competitions.scene import RULES, Join, competing, download, over

pytestmark = pytest.mark.once

KINDS = ("silent", "slow", "illegal", "crashing", "malformed", "chatty", "stale")
FAULTY = {"silent": Cause.TIMEOUT, "illegal": Cause.ILLEGAL}
"""What the server sees of them, where it is more than that a busy machine was slow. Whatever fails within the
SDK is played over there, and what comes here is a legal card.
"""


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
        for kind in KINDS:
            player = await join(kind)
            agent = load_agent(f"misbehaving:{kind}")()
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
    assert all(cause in seen[name] for name, cause in FAULTY.items())
    others = [causes for name, causes in seen.items() if name not in FAULTY]
    assert all(causes == {Cause.TIMEOUT} for causes in others)
    by_name = {one.name: one for one in ended.entries}
    assert all(by_name[name].withdrawn for name in FAULTY)
    assert not by_name["gentle"].faults and not by_name["gentle"].withdrawn
    publish(folder, state)
    assert verify_event(tmp_path).holds


async def test_whoever_talks_and_never_plays_costs_itself_the_game_alone(join: Join) -> None:
    """A client without the SDK sends nonsense, and each line of it is refused."""
    ann, bob = await join("Ann"), await join("Bob")
    competitions = Competitions(ann)
    made = await competitions.create(
        "Two",
        CompetitionFormat.MATCH,
        rules=RULES,
        units=1,
        controls=0,
        time_control=TimeControl(100, 0),
    )
    await competitions.enter(made.id, bot="gentle")
    await Competitions(bob).enter(made.id)
    talking = asyncio.create_task(talk(bob))
    await competitions.start(made.id)
    ended = await over(ann, made.id)
    talking.cancel()
    await asyncio.gather(talking, return_exceptions=True)
    good, bad = ended.entries
    assert (good.name, good.points, good.faults) == ("gentle", 2.0, 0)
    assert bad.faults == 3 and bad.forfeits == 1


async def talk(server: Server) -> None:
    """Answers every decision with what no table understands."""
    call = server.agents().Connect(metadata=server.metadata)
    hello = agents_pb2.Hello(protocol=PROTOCOL, agent="talker")
    await call.write(agents_pb2.ConnectRequest(hello=hello))
    while isinstance(response := await call.read(), agents_pb2.ConnectResponse):
        commands = [
            action_pb2.Command(
                table=some.table,
                seat=wire.SEAT.to_wire(Seat.SOUTH),
                request_id=f"{some.table}-{frame.seq}",
                decision=frame.decision.id,
                action=action_pb2.Action(bid=action_pb2.Bid(tricks=99)),
            )
            for some in response.frames
            for frame in some.frames
            if frame.HasField("decision")
        ]
        if commands:
            await call.write(agents_pb2.ConnectRequest(commands=commands))
