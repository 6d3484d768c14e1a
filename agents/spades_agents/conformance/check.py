"""Checks a bot clause by clause: the rules, its time, its manners, and a match against itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Final

from spades import PRESETS, Seat, SeatView
from spades_agents import hooks
from spades_agents.agent import Agent
from spades_agents.conformance.clause import Clause, authors_code, tried
from spades_agents.conformance.corners import CORNERS, Corner, positions
from spades_agents.conformance.findings import Finding, Noted, NotKept, Verdict
from spades_agents.conformance.line import line_clauses
from spades_agents.conformance.mirror import PAIRS, pairs_within, tie_with_itself
from spades_agents.conformance.networked import GAMES, networked_clauses
from spades_agents.conformance.questions import Questioner, where
from spades_agents.failures import GivenUp
from spades_agents.specs import AgentFactory, agent_of

LIMIT_S: Final = 2.0
"""How many seconds a decision may take, unless somebody says otherwise."""

REPEATED_EVERY: Final = 5
SEVERAL_EVERY: Final = 7
"""Of the positions each so manieth is asked again, or with others at once."""

READY: Final = "gets ready"
"""What is demanded of a bot first."""

CLOSE_S: Final = 5.0
"""How many seconds a bot may take to close."""


async def check(
    factory: AgentFactory, limit_s: float = LIMIT_S, target: str = ""
) -> AsyncGenerator[Finding]:
    """Checks a bot, and yields what it finds as it goes.

    A bot that does not get ready is asked nothing. ``target`` is a server of this machine without encryption;
    with one the bot is connected to it too, by lines that misbehave.
    """
    try:
        agent = _made(factory)
    except NotKept as broken:
        yield Finding("ready", READY, Verdict.FAILED, str(broken))
        return
    asking = Questioner(agent, limit_s)
    ready = await tried(Clause("ready", READY, lambda: _get_ready(agent)))
    yield ready
    if ready.verdict is Verdict.PASSED:
        found = await asyncio.to_thread(positions)
        lines = line_clauses(factory, target, asking) if target else []
        for clause in (*_clauses(asking, found, factory), *lines):
            yield await tried(clause)
    yield await tried(Clause("close", "gives up what it holds", lambda: _close(agent)))


async def check_networked(
    command: str, target: str, limit_s: float = LIMIT_S
) -> AsyncGenerator[Finding]:
    """Checks a program that is started with the link of a table in the place of ``{link}``, and plays there.

    One that does not play a plain hand is tried with nothing else.

    :raises ValueError: if the command cannot be read, or has no place for the link.
    """
    for clause in networked_clauses(command, target, limit_s):
        finding = await tried(clause)
        yield finding
        if finding.verdict is Verdict.FAILED and finding.clause == GAMES[0][0]:
            return


def _clauses(
    asking: Questioner, found: dict[str, list[SeatView]], factory: AgentFactory
) -> list[Clause]:
    every = [seen for some in found.values() for seen in some]
    return [
        *(_corner(asking, corner, found[corner.name]) for corner in CORNERS),
        Clause("repeated", "gives the same answer when it is asked again", lambda: _repeat(asking, every)),
        Clause("many-seats", "answers for several seats at once", lambda: _together(asking, every)),
        Clause("late", "goes on after an answer that nobody waited for", lambda: _late(asking, every)),
        Clause("in-time", f"answers within {asking.limit_s:g} s", lambda: _in_time(asking)),
        Clause(
            "self-match",
            f"ties {PAIRS} mirrored pairs of matches against itself",
            lambda: _against_itself(factory, asking),
        ),
    ]  # fmt: skip


def _made(factory: AgentFactory) -> Agent:
    with authors_code():
        return agent_of(factory)


async def _get_ready(agent: Agent) -> str:
    with authors_code():
        await hooks.get_ready(agent)
    return f"it is called {agent.name}"


async def _close(agent: Agent) -> str:
    try:
        async with asyncio.timeout(CLOSE_S):
            with authors_code():
                await hooks.close(agent)
    except TimeoutError:
        raise NotKept(f"It did not within {CLOSE_S:g} s.") from None
    return ""


async def _begin(agent: Agent) -> None:
    """Begins a match, so that a program which has crashed before is there again."""
    with authors_code():
        try:
            await hooks.start_match(agent, Seat.SOUTH, PRESETS["classic"])
        except GivenUp:
            # What it does in this clause is another question than what it did in those before.
            await hooks.get_ready(agent)
            await hooks.start_match(agent, Seat.SOUTH, PRESETS["classic"])


def _corner(asking: Questioner, corner: Corner, some: list[SeatView]) -> Clause:
    async def test() -> str:
        await _begin(asking.agent)
        for seen in some:
            await asking.ask(seen)
        return ""

    return Clause(corner.name, corner.demand, test)


async def _repeat(asking: Questioner, some: list[SeatView]) -> str:
    await _begin(asking.agent)
    for seen in some[::REPEATED_EVERY]:
        first, second = await asking.ask(seen), await asking.ask(seen)
        if first != second:
            raise Noted(f"not deterministic: it answered {first}, then {second}. {where(seen)}")
    return ""


async def _together(asking: Questioner, some: list[SeatView]) -> str:
    await _begin(asking.agent)
    asked = some[::SEVERAL_EVERY]
    answers = await asyncio.gather(*map(asking.ask, asked), return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return ""


async def _late(asking: Questioner, some: list[SeatView]) -> str:
    await _begin(asking.agent)
    first, *rest = some[::SEVERAL_EVERY]
    waiting = asyncio.create_task(asking.ask(first))
    # It has been asked, and perhaps not answered, when nobody waits any more.
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    for seen in rest:
        await asking.ask(seen)
    return ""


async def _in_time(asking: Questioner) -> str:
    if asking.late:
        raise NotKept(f"{asking.late} of {asking.asked} answers did not come in time.")
    return f"the slowest of {asking.asked} answers took {asking.slowest_s:.3f} s"


async def _against_itself(factory: AgentFactory, asking: Questioner) -> str:
    if asking.failed:
        raise Noted("not played, since the bot has failed before")
    other = _made(factory)
    try:
        with authors_code():
            await hooks.get_ready(other)
            return await tie_with_itself(asking.agent, other, pairs_within(asking.mean_s))
    finally:
        # Whether it closes well is a clause of its own.
        with contextlib.suppress(NotKept):
            await _close(other)
