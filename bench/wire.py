"""How fast ordinary lobby tables play over gRPC, server and agents in two processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from echo import round_trips_per_second
from report import Row

from spades import Bid, Card, MakeBid, Play, Seat, SeatView
from spades_agents import Delivery, Server, eventloop, play
from spades_agents.bots import RandomBot
from spades_agents.connection import Connection
from spades_client.session import Changed, TableSession
from spades_proto.table import OccupantKind, TableStage
from spades_proto.verification import verify

HERE = Path(__file__).parent
RULES = "classic,floor=none,target=10000,max_hands={hands},next_hand_wait=0"


@contextmanager
def process(script: str, *arguments: str) -> Generator[tuple[int, int]]:
    """Runs a server of this folder; gives its port and its process id."""
    with subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        assert running.stdout is not None and running.stdin is not None
        yield int(running.stdout.readline()), running.pid
        running.stdin.close()


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CountingBot(RandomBot):
    """A random bot that counts its answers."""

    def __init__(self) -> None:
        self.answers = 0

    def bid(self, view: SeatView) -> Bid:
        """Bids at random."""
        self.answers += 1
        return super().bid(view)

    def play(self, view: SeatView) -> Card:
        """Plays at random."""
        self.answers += 1
        return super().play(view)


async def one_connection(port: int, tables: int, hands: int) -> tuple[float, list[str]]:
    """Actions per second with all seats of all tables on one stream; and some records."""
    bot = CountingBot()
    rules = RULES.format(hands=hands)
    start = time.perf_counter()
    results = await play(
        bot, f"127.0.0.1:{port}", tables=tables, rules=rules, all_seats=True, report=lambda _: None
    )
    rate = bot.answers / (time.perf_counter() - start)
    return rate, [result.record for result in results]


async def connection_per_seat(port: int, tables: int, hands: int, delivery: Delivery) -> float:
    """Actions per second with a stream, and a TCP connection, for each seat."""
    rules = RULES.format(hands=hands)
    bots: list[CountingBot] = []
    async with contextlib.AsyncExitStack() as stack:
        connections: list[Connection] = []
        hosts: list[tuple[Server, str]] = []
        for number in range(tables):
            code = ""
            for seat in Seat:
                server = await stack.enter_async_context(Server(f"127.0.0.1:{port}"))
                await server.register(f"{seat}-{number}-{random.getrandbits(40):x}")
                if not code:
                    made = await server.create_table(rules, kind=OccupantKind.AGENT)
                    code = made.code
                    hosts.append((server, code))
                await server.sit(code, seat, OccupantKind.AGENT)
                bot = CountingBot()
                bots.append(bot)
                connection = Connection(
                    server, bot, os.urandom(32), delivery, [code], lambda _: None
                )
                await stack.enter_async_context(connection.listening())
                connections.append(connection)
        start = time.perf_counter()
        for server, code in hosts:
            await server.start(code)
        await asyncio.gather(*(connection.next_over() for connection in connections))
        return sum(bot.answers for bot in bots) / (time.perf_counter() - start)


async def person(server: Server, code: str, seat: Seat, answers: list[int]) -> None:
    """Plays a seat as a person's client does, without thinking, until the match is over."""
    session = TableSession(server, code, seat)
    answered = 0
    sending: set[asyncio.Task[None]] = set()
    async for update in session.updates():
        if not isinstance(update, Changed):
            continue
        state = update.new
        if state.table is not None and state.table.stage is TableStage.FINISHED:
            break
        view = state.view
        if state.decision is None or view is None or state.decision.id == answered:
            continue
        answered = state.decision.id
        answers[0] += 1
        bids, plays = view.legal_bids, view.legal_plays
        deed = MakeBid(random.choice(bids)) if bids else Play(random.choice(plays))
        task = asyncio.create_task(session.act(deed, state, answered))
        sending.add(task)
        task.add_done_callback(sending.discard)
    # The last card ends the match; nobody follows the feed to its answer any more.
    for task in sending:
        task.cancel()


async def people(port: int, tables: int, hands: int) -> float:
    """Actions per second of people's clients: Watch and Act, a connection each."""
    answers = [0]
    async with contextlib.AsyncExitStack() as stack:
        tasks: list[asyncio.Task[None]] = []
        hosts: list[tuple[Server, str]] = []
        for number in range(tables):
            code = ""
            for seat in Seat:
                server = await stack.enter_async_context(Server(f"127.0.0.1:{port}"))
                await server.register(f"{seat}-{number}-{random.getrandbits(40):x}")
                if not code:
                    code = (await server.create_table(RULES.format(hands=hands))).code
                    hosts.append((server, code))
                await server.sit(code, seat)
                tasks.append(asyncio.create_task(person(server, code, seat, answers)))
        start = time.perf_counter()
        for server, code in hosts:
            await server.start(code)
        await asyncio.gather(*tasks)
        return answers[0] / (time.perf_counter() - start)


async def verified(port: int, records: list[str], sample: int) -> int:
    """Verifies a sample of records that the server kept; returns how many."""
    async with Server(f"127.0.0.1:{port}") as server:
        await server.register(f"verifier-{random.getrandbits(40):x}")
        chosen = random.sample(records, min(sample, len(records)))
        for record in chosen:
            verify(await server.record(record))
    return len(chosen)


def rows() -> list[Row]:
    """Measures and compares, echo and game by turns in one run."""
    with process("echo.py") as (echo, _), process("table_server.py") as (port, pid):
        ten = asyncio.run(round_trips_per_second(echo, 10, 3.0))
        hundred = asyncio.run(round_trips_per_second(echo, 100, 3.0))
        lane, records = _lane_rows(port, pid, echo, hundred)
        seats = eventloop.run(connection_per_seat(port, 10, 10, Delivery.ON_DECISION))
        at_once = eventloop.run(connection_per_seat(port, 10, 6, Delivery.IMMEDIATE))
        human = eventloop.run(people(port, 10, 4))
        again = asyncio.run(round_trips_per_second(echo, 10, 3.0))
        checked = asyncio.run(verified(port, records, 5))
    base = (ten + again) / 2
    return [
        Row("E(10), echo round trips", f"{ten:,.0f}/s, after the games {again:,.0f}/s", "", ""),
        *lane,
        _row("10 tables, connection per seat, on decision", seats, base, "E(10)", ">= 0.5"),
        _row("10 tables, connection per seat, immediate", at_once, base, "E(10)", ">= 0.25"),
        _row("10 tables, people's Watch and Act", human, base, "E(10)", ">= 0.25"),
        Row("records verified", f"{checked} of {len(records)}", "", ""),
    ]


def _lane_rows(port: int, pid: int, echo: int, before: float) -> tuple[list[Row], list[str]]:
    """The fast lane: all tables on one connection; twice, since the first run fills the caches."""
    tables, hands = 100, 10
    actions = tables * hands * 56
    eventloop.run(one_connection(port, tables, 2))
    server_cpu, agents_cpu = cpu_seconds(pid), time.process_time()
    rate, records = eventloop.run(one_connection(port, tables, hands))
    server_us = (cpu_seconds(pid) - server_cpu) / actions * 1e6
    agents_us = (time.process_time() - agents_cpu) / actions * 1e6
    after = asyncio.run(round_trips_per_second(echo, 100, 3.0))
    base = (before + after) / 2
    return [
        Row("E(100)", f"{before:,.0f}/s, after the game {after:,.0f}/s", "", ""),
        _row("100 tables on one connection", rate, base, "E(100)", ">= 1.5"),
        Row("  CPU per action", f"server {server_us:.0f} us, agents {agents_us:.0f} us", "", ""),
    ], records


def _row(what: str, rate: float, base: float, unit: str, aim: str) -> Row:
    return Row(what, f"{rate:,.0f} actions/s", f"{rate / base:.2f} {unit}", aim)
