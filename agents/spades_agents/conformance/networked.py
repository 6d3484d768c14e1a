"""Clauses about a program that speaks the protocol itself: it plays at a table, whatever the line does."""

from __future__ import annotations

import asyncio
import secrets
import shlex
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

from spades import Seat
from spades_agents.conformance.clause import Clause, authors_code
from spades_agents.conformance.crooked import Trick, crooked_line
from spades_agents.conformance.findings import NotKept
from spades_agents.program import Program
from spades_agents.server import Server, Table
from spades_proto.link import Link
from spades_proto.table import TableStage

Reached = Callable[[Table], bool]

PLACE: Final = "{link}"
"""What stands for the link of the table in a command."""

START_S: Final = 30.0
"""How many seconds a program has to sit down."""

LOOK_EVERY_S: Final = 0.02
"""How often the table is looked at."""

GAMES: Final = (
    ("classic", "classic,max_hands=1", "plays a hand"),
    (
        "blind",
        "larch,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=2",
        "plays with blind nil and the exchange of cards",
    ),
    (
        "team-minimum",
        "classic,min_team_bid=4,max_hands=2",
        "keeps to the least sum of a side's bids",
    ),
    ("jokers", "jokers,max_hands=2", "plays with jokers"),
    ("nyc", "nyc,max_hands=2", "plays with the 2D as a spade"),
)
"""Rules under which a bot is watched."""

OPPONENTS: Final = ((Seat.WEST, "gentle"), (Seat.NORTH, "gentle"), (Seat.EAST, "random"))


def networked_clauses(command: str, target: str, limit_s: float) -> list[Clause]:
    """The clauses for a program that gets the link of a table and plays there, at a server of this machine.

    :raises ValueError: if the command cannot be read, or has no place for the link.
    """
    words = shlex.split(command)
    if not any(PLACE in word for word in words):
        raise ValueError(f"{command!r} does not say where the link goes: write {PLACE} there")

    def clause(name: str, demand: str, rules: str, trick: Trick) -> Clause:
        async def test() -> str:
            async with crooked_line(target, trick) as (address, line):
                with authors_code():
                    await _play(words, target, address, rules, limit_s)
            if line.refusals:
                raise NotKept(f"What it sent was refused: {line.refusals[0]}")
            return "" if trick is Trick.NONE else f"{line.played} times"

        return Clause(name, demand, test)

    games = [clause(name, demand, rules, Trick.NONE) for name, rules, demand in GAMES]
    tricks = [trick for trick in Trick if trick is not Trick.NONE]
    return games + [
        clause(f"line-{trick.name.lower()}", trick.value, GAMES[0][1], trick) for trick in tricks
    ]


async def _play(
    words: Sequence[str], target: str, address: str, rules: str, limit_s: float
) -> None:
    async with Server(target) as host:
        await host.register(f"check {secrets.token_hex(3)}")
        table = await host.create_table(rules, bots=OPPONENTS, tempo_ms=0)
        link = str(Link(address, table.code))
        async with _running([word.replace(PLACE, link) for word in words]) as program:
            await _until(
                host, table, _is_full, program, START_S, "It did not sit down at the table"
            )
            await host.start(table.code)
            hands = table.rules.max_hands
            patience_s = 2 * limit_s * 15 * hands
            await _until(
                host, table, _is_over, program, patience_s, "It did not play on to the end"
            )


def _is_full(table: Table) -> bool:
    return all(status.occupant is not None for status in table.seats)


def _is_over(table: Table) -> bool:
    return table.stage is TableStage.FINISHED


async def _until(
    host: Server,
    table: Table,
    reached: Reached,
    program: Program,
    patience_s: float,
    complaint: str,
) -> None:
    try:
        async with asyncio.timeout(patience_s):
            while not reached(await host.get_table(table.code)):
                if program.ended and not reached(await host.get_table(table.code)):
                    raise NotKept(
                        f"{complaint}: it {program.how_it_ended}.\n{program.errors}".strip()
                    )
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        raise NotKept(f"{complaint} within {patience_s:g} s.\n{program.errors}".strip()) from None


@asynccontextmanager
async def _running(command: Sequence[str]) -> AsyncGenerator[Program]:
    program = Program(lambda _: None, lambda: None)
    try:
        await program.start(command)
    except OSError as error:
        raise NotKept(f"{shlex.join(command)} cannot be started: {error.strerror}.") from error
    try:
        yield program
    finally:
        await program.stop()
