"""Plays an agent on a server: many tables on one stream, reconnecting by itself."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import secrets
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

from spades import Outcome, Reason, Seat, SpadesError
from spades_agents import eventloop, tasks
from spades_agents.agent import Agent
from spades_agents.caller import UNKNOWN
from spades_agents.competitions import Competitions
from spades_agents.connection import Connection, Delivery
from spades_agents.hooks import closing, get_ready
from spades_agents.reconnection import RECONNECT_TRIES, back_off
from spades_agents.server import Server
from spades_agents.specs import AgentFactory, agent_of
from spades_agents.trust import ServerUnreachable, Trust
from spades_proto.competition import CompetitionEntry, CompetitionStage, CompetitionStatus
from spades_proto.table import OccupantKind

Report = Callable[[str], None]
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Result:
    """One match that an agent has played."""

    table: str
    seats: tuple[Seat, ...]
    """The seats that the agent held."""
    outcome: Outcome
    record: str
    """The id of the match's record."""


async def play(
    agent: Agent | AgentFactory | str,
    target: str,
    *,
    name: str = "",
    token: str = "",
    table: str = "",
    seat: Seat | None = None,
    tables: int = 1,
    matches: int = 1,
    rules: str = "",
    against: Sequence[str] = ("gentle", "gentle", "gentle"),
    all_seats: bool = False,
    seed: str = "",
    secret: bytes | None = None,
    delivery: Delivery = Delivery.ON_DECISION,
    report: Report | None = None,
    trust: Trust = UNKNOWN,
) -> list[Result]:
    """Connects an agent to ``target``, a ``host:port`` or a join link, and plays until its matches are over.

    With ``table``, a code, it sits down there and plays ``matches`` matches. Otherwise it opens
    ``tables`` tables of its own and plays ``matches`` at each, with the house bots ``against`` to its
    left, across and to its right, or with ``all_seats`` against itself.

    ``secret`` is what the agent's random numbers are made from, fresh unless it is given. ``report`` gets
    a sentence whenever something is worth knowing; by default it is written to standard error.

    :raises AgentFailure: if the agent is a program that does not start, or ends again and again.
    :raises SpadesError: if the server cannot be reached or refuses the name, the table or the rules.
    """
    player = agent_of(agent)
    say = report or _to_stderr
    own = [] if player is agent else [player]
    async with closing(own), Server(target, token, trust) as server:
        await server.info()
        await get_ready(player)
        if not token:
            await server.register(name or _free_name(player.name))
        opened: list[str] = []
        if table:
            await server.sit(table, seat, OccupantKind.AGENT)
            opened.append(table)
        mine = tuple(Seat) if all_seats else (Seat.SOUTH,)
        bots = () if all_seats else tuple(zip(Seat.WEST.clockwise(), against, strict=False))
        if not table:
            for number in range(tables):
                made = await server.create_table(
                    rules,
                    seats=mine,
                    bots=bots,
                    many_seats=all_seats,
                    seed=f"{seed}/{number}" if seed and tables > 1 else seed,
                    kind=OccupantKind.AGENT,
                )
                opened.append(made.code)
        connection = Connection(
            server, player, secret or secrets.token_bytes(32), delivery, opened, say
        )
        return await _play_matches(connection, server, opened, matches, hosted=not table)


async def compete(
    agent: Agent | AgentFactory | str,
    target: str,
    competition: str,
    *,
    token: str,
    entry: str = "",
    partner: str = "",
    at_once: int = 0,
    secret: bytes | None = None,
    delivery: Delivery = Delivery.ON_DECISION,
    report: Report | None = None,
    heard: Callable[[Result], None] | None = None,
    trust: Trust = UNKNOWN,
) -> CompetitionStatus:
    """Enters an agent in a competition and plays all its games, until the competition is over.

    ``token`` is that of the player who enters; an agent that was ended goes on with the same one. The agent
    has both seats of its side, or one, and the agent of the player ``partner`` the other; that player has
    to enter with this one as partner.
    ``heard`` gets the result of each game.

    :raises AgentFailure: if the agent is a program that does not start, or ends again and again.
    :raises SpadesError: if the server cannot be reached, or refuses the entry.
    """
    player = agent_of(agent)
    say = report or _to_stderr
    own = [] if player is agent else [player]
    async with closing(own), Server(target, token, trust) as server:
        await server.info()
        await get_ready(player)
        competitions = Competitions(server)
        name = await competitions.enter(competition, entry, at_once=at_once, partner=partner)
        status = await competitions.get(competition)
        if status.over:
            # An entry is good for ever, so that whoever was ended can come back: also when it is too late.
            if status.stage is CompetitionStage.FINISHED:
                say(f"{name} has nothing left to play in {status.id}: {status.stage.value}.")
            return status
        connection = Connection(
            server, player, secret or secrets.token_bytes(32), delivery, None, say
        )
        async with connection.listening():
            awaited = _awaited(status, name)
            until = f"; it stands when {awaited} has entered too" if awaited else ""
            say(f"{name} is entered in {competition} and waits for its tables{until}.")
            games = asyncio.create_task(_hear(connection, heard or _nothing))
            end = asyncio.create_task(_until_over(competitions, competition, name, say))
            try:
                await asyncio.wait({games, end}, return_when=asyncio.FIRST_COMPLETED)
                if games.done():
                    # It ends only when the connection is lost for good.
                    games.result()
                return end.result()
            finally:
                await tasks.end(games, end)


def _awaited(status: CompetitionStatus, entry: str) -> str:
    """The name of the player who has yet to enter as a partner; empty if nobody has."""
    return next((one.awaits for one in status.entries if one.name == entry), "")


async def _hear(connection: Connection, heard: Callable[[Result], None]) -> None:
    while True:
        over = await connection.next_over()
        if over.outcome is not None:
            heard(Result(over.table, over.seats, over.outcome, over.record))


def _nothing(_result: Result) -> None:
    """What is done with a result that nobody asked for."""


async def _until_over(
    competitions: Competitions, name: str, entry: str, report: Report
) -> CompetitionStatus:
    """Waits for the end of a competition, also when the line breaks in between.

    What befalls the entry meanwhile is reported: nobody else tells whoever runs its agent.
    """
    lost = 0
    known: CompetitionEntry | None = None
    while True:
        try:
            async for status in competitions.watch(name):
                lost = 0
                own = next((one for one in status.entries if one.name == entry), None)
                for sentence in () if own is None else _befallen(known, own):
                    report(sentence)
                known = own
                if status.over:
                    return status
        except SpadesError as error:
            if error.reason is not Reason.DRAINING or lost >= RECONNECT_TRIES:
                raise
        lost += 1
        await asyncio.sleep(back_off(lost))


_LATE: Final = ("timed out", "stalled")
"""The causes of faults that waiting for other tables can have."""


def _befallen(before: CompetitionEntry | None, now: CompetitionEntry) -> Iterator[str]:
    """What is new of an entry's faults, and that it was withdrawn."""
    known = {} if before is None else {one.cause: one.count for one in before.fault_causes}
    for one in now.fault_causes:
        if one.count > known.get(one.cause, 0):
            times = "once" if one.count == 1 else f"{one.count} times"
            yield f"{now.name} had a fault in {one.unit}: {one.cause}, {times} so far. {one.sentence}".strip()
            if one.cause in _LATE and one.cause not in known and now.at_once > 1:
                yield (
                    f"It plays {now.at_once} units at once, and tables that it answers one after the other"
                    " wait for each other: a bot that thinks for long should take fewer, with --at-once 1."
                )
    if now.withdrawn and not (before is not None and before.withdrawn):
        yield f"{now.name} is withdrawn and plays no more: {now.withdrawn}."


def _blocking(play_on: Callable[P, Coroutine[None, None, R]]) -> Callable[P, R]:
    @functools.wraps(play_on)
    def run_to_the_end(*args: P.args, **kwargs: P.kwargs) -> R:
        return eventloop.run(play_on(*args, **kwargs))

    return run_to_the_end


run = _blocking(play)
"""Does what :func:`play` does, for programs without an event loop."""


async def _play_matches(
    connection: Connection, server: Server, codes: Sequence[str], matches: int, *, hosted: bool
) -> list[Result]:
    results: list[Result] = []
    left = dict.fromkeys(codes, matches)
    async with connection.listening():
        if hosted:
            for code in codes:
                await _start(server, code)
        while left:
            over = await connection.next_over()
            if over.outcome is not None and over.table in left:
                results.append(Result(over.table, over.seats, over.outcome, over.record))
                left[over.table] -= 1
                if left[over.table]:
                    if hosted:
                        await _start(server, over.table)
                    continue
                connection.forget(over.table)
                with contextlib.suppress(SpadesError):
                    await server.leave(over.table)
            left.pop(over.table, None)
    return results


async def _start(server: Server, code: str) -> None:
    """Starts a match, also when the line breaks in that moment."""
    for attempt in itertools.count(1):
        try:
            await server.start(code)
        except ServerUnreachable:
            if attempt > RECONNECT_TRIES:
                raise
            await asyncio.sleep(back_off(attempt))
        except SpadesError as refusal:
            # An earlier try may have got there, and only its answer have been lost.
            if attempt == 1 or refusal.reason is not Reason.TABLE_STATE:
                raise
            return
        else:
            return


def _free_name(name: str) -> str:
    """A name that is probably free: agents are many and their names few."""
    suffix = f"-{secrets.token_hex(3)}"
    return name[: 24 - len(suffix)] + suffix


def _to_stderr(sentence: str) -> None:
    print(sentence, file=sys.stderr)  # the default of a command line program
