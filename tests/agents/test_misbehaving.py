"""Bots that misbehave: each fails in its own way, and at a server's table nobody else is touched by it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack

import pytest

from spades import (
    Bid,
    IllegalPlay,
    Limits,
    Match,
    Play,
    Seat,
    SeatView,
    SeededDeals,
    SpadesError,
    parse_rules,
)
from spades.actions import Action
from spades_agents import (
    Agent,
    Crashed,
    GivenUp,
    Malformed,
    Result,
    Server,
    SpecError,
    hooks,
    load_agent,
    play,
    play_local,
    play_local_async,
)
from spades_agents.agent import decide
from spades_agents.misbehaving import MISBEHAVING
from spades_agents.misbehaving import agents as misbehaving_agents
from spades_agents.misbehaving.line import Rudeness, misbehave
from spades_proto.records import game_json
from spades_proto.table import OccupantKind
from spades_proto.timing import TimeControl
from spades_proto.verification import verify
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig

pytestmark = pytest.mark.once

SOUTH, WEST, NORTH, EAST = Seat
PATIENCE = 60.0
RULES = "max_hands=1,floor=none"


def card_asked(limits: Limits | None = None) -> SeatView:
    match = Match(parse_rules(RULES), SeededDeals(bytes(32)))
    for _ in Seat:
        assert match.turn is not None
        match.bid(match.turn, Bid(3))
    return SeatView(match.state, SOUTH, b"", limits)


async def played(agent: Agent, seen: SeatView, within_s: float = PATIENCE) -> Action:
    action = decide(agent, seen)
    if isinstance(action, Awaitable):
        return await asyncio.wait_for(action, within_s)
    return action


@pytest.fixture
async def closing() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def made(kind: str, closing: AsyncExitStack) -> Agent:
    agent = load_agent(f"misbehaving:{kind}")()
    closing.push_async_callback(hooks.close, agent)
    await hooks.get_ready(agent)
    assert agent.name == kind
    return agent


# What each of them does.


@pytest.mark.parametrize("kind", MISBEHAVING)
async def test_every_one_of_them_bids_as_the_beginner_does(
    kind: str, closing: AsyncExitStack
) -> None:
    agent = await made(kind, closing)
    match = Match(parse_rules(RULES), SeededDeals(bytes(32)))
    seen = SeatView(match.state, SOUTH)
    assert await played(agent, seen) == await played(load_agent("beginner")(), seen)


@pytest.mark.parametrize("kind", ["silent", "stale"])
async def test_some_are_waited_for_in_vain(kind: str, closing: AsyncExitStack) -> None:
    agent = await made(kind, closing)
    with pytest.raises(TimeoutError):
        await played(agent, card_asked(), 0.1)


async def test_the_slow_one_uses_nearly_all_its_time(
    closing: AsyncExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    agent = await made("slow", closing)
    assert isinstance(await played(agent, card_asked(Limits(1_000_000, 3_000_000))), Play)
    assert isinstance(await played(agent, card_asked()), Play)
    assert slept == [pytest.approx(1.8), pytest.approx(0.45)]


def test_the_illegal_one_plays_what_it_does_not_hold() -> None:
    with pytest.raises(IllegalPlay, match="is not in South's hand"):
        play_local(["misbehaving:illegal", "random", "random", "random"], RULES)


def test_the_crashing_one_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        play_local(["misbehaving:crashing", "random", "random", "random"], RULES)


def test_t03_the_dying_one_takes_nobody_with_it() -> None:
    with pytest.raises(Crashed, match="ended with exit code 1"):
        play_local(["misbehaving:dying", "random", "random", "random"], RULES)


def test_the_malformed_one_answers_in_words() -> None:
    with pytest.raises(Malformed, match="you know which"):
        play_local(["misbehaving:malformed", "random", "random", "random"], RULES)


def test_the_chatty_one_plays_as_well_as_the_beginner() -> None:
    others = ["random"] * 3
    chatty = play_local(["misbehaving:chatty", *others], RULES, seed="1")
    assert game_json(chatty.match) == game_json(
        play_local(["beginner", *others], RULES, seed="1").match
    )


async def test_the_stale_one_is_never_taken_for_an_answer_to_another_question(
    closing: AsyncExitStack,
) -> None:
    agent = await made("stale", closing)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await played(agent, card_asked(), 0.1)


def test_a_kind_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(SpecError, match="the way 'kind': silent, slow, illegal, crashing, dying"):
        load_agent("misbehaving:kind")


# At a server's table.


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    config = ServerConfig(port=0, allow_seeds=True, tempo_ms=0)
    async with running(config) as it:
        yield it


async def neighbours(target: str) -> None:
    """A match at another table, which must go on as if there were no other."""
    (result,) = await play("beginner", target, rules=RULES, all_seats=True, seed="quiet")
    async with Server(target) as reader:
        await reader.register("reader")
        line = await reader.record(result.record)
    local = await play_local_async(["beginner"] * 4, RULES, "quiet")
    assert game_json(verify(line).match) == game_json(local.match)


async def seat(stack: AsyncExitStack, target: str, name: str) -> Server:
    player = await stack.enter_async_context(Server(target))
    await player.register(name)
    return player


Misbehaviour = Callable[[Server, str], Coroutine[None, None, object]]


async def notes_of_a_match_with(
    target: str, stack: AsyncExitStack, rude: Misbehaviour
) -> set[Seat]:
    """Plays a match of two honest agents, a house bot and one that misbehaves; says who is in its notes."""
    culprit, honest, other = [await seat(stack, target, name) for name in ("rude", "ann", "bob")]
    table = await culprit.create_table(
        RULES,
        seats=(SOUTH,),
        bots=((NORTH, "random"),),
        kind=OccupantKind.AGENT,
        time_control=TimeControl(decision_ms=2_000),
    )
    playing: list[asyncio.Task[list[Result]]] = []
    for player, place in ((honest, WEST), (other, EAST)):
        await player.sit(table.code, place, OccupantKind.AGENT)
        game = play("beginner", target, token=player.token, table=table.code, seat=place)
        playing.append(asyncio.create_task(game))
    task = asyncio.create_task(rude(culprit, table.code))
    await culprit.start(table.code)
    results = await asyncio.wait_for(asyncio.gather(*playing), PATIENCE)
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, SpadesError):
        await task
    (result,) = results[0]
    assert results[1][0].record == result.record
    record = verify(await honest.record(result.record))
    assert record.match.outcome == result.outcome
    return {note.seat for note in record.circumstances.notes}


@pytest.mark.once
@pytest.mark.parametrize("kind", Rudeness)
async def test_whoever_is_rude_on_its_line_hurts_nobody_else(
    server: SpadesServer, closing: AsyncExitStack, kind: Rudeness
) -> None:
    target = f"127.0.0.1:{server.port}"
    said: list[str] = []

    async def rude(culprit: Server, table: str) -> None:
        await misbehave(kind, culprit, table, said.append)

    noted, _ = await asyncio.gather(
        notes_of_a_match_with(target, closing, rude), neighbours(target)
    )
    # A house bot played for the one that misbehaved, unless its answer was there among all the noise.
    assert noted == (set() if kind is Rudeness.CHATTY else {SOUTH})


@pytest.mark.once
@pytest.mark.parametrize("kind", MISBEHAVING)
async def test_whoever_misbehaves_through_the_sdk_hurts_nobody_else(
    server: SpadesServer, closing: AsyncExitStack, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(misbehaving_agents, "ALMOST", 0.05)
    target = f"127.0.0.1:{server.port}"
    agent = await made(kind, closing)
    said: list[str] = []

    async def rude(culprit: Server, table: str) -> None:
        # A program that ends at every card is given up, and its seat is empty then.
        with contextlib.suppress(GivenUp):
            await play(
                agent,
                target,
                token=culprit.token,
                table=table,
                seat=SOUTH,
                report=said.append,
            )

    noted, _ = await asyncio.gather(
        notes_of_a_match_with(target, closing, rude), neighbours(target)
    )
    # For whoever never answers, or is gone, a house bot plays; for the others the SDK plays something legal
    # and says so.
    assert noted == ({SOUTH} if kind in ("silent", "stale", "dying") else set())
    assert bool(said) is (kind in ("illegal", "crashing", "dying", "malformed"))
