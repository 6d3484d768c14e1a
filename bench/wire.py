"""How fast ordinary lobby tables play over gRPC, server and agents in two processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from echo import round_trips_per_second
from report import Row

from spades import Card, DecisionKind, MakeBid, Play, Seat
from spades_agents import Delivery, Server, play
from spades_agents.bots import RandomBot
from spades_agents.connection import Connection
from spades_client.session import Changed, TableSession
from spades_proto.records import verify
from spades_proto.table import OccupantKind, TableStage

HERE = Path(__file__).parent
RULES = "classic,floor=none,target=10000,max_hands={hands},next_hand_wait=0"


@contextmanager
def process(script: str) -> Iterator[tuple[int, int]]:
    """Runs a server of this folder; gives its port and its process id."""
    with subprocess.Popen(
        [sys.executable, str(HERE / script)],
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

    def bid(self, view):  # type: ignore[no-untyped-def]
        self.answers += 1
        return super().bid(view)

    def play(self, view):  # type: ignore[no-untyped-def]
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


async def people(port: int, tables: int, hands: int) -> float:
    """Actions per second of people's clients: Watch and Act, a connection each."""
    rules = RULES.format(hands=hands)
    answers = [0]

    async def person(server: Server, code: str, seat: Seat) -> None:
        session = TableSession(server, code, seat)
        answered = 0
        async for update in session.updates():
            if not isinstance(update, Changed):
                continue
            state = update.new
            if state.table is not None and state.table.stage is TableStage.FINISHED:
                return
            view = state.view
            if state.decision is None or view is None or state.decision.id == answered:
                continue
            answered = state.decision.id
            answers[0] += 1
            if state.decision.kind is DecisionKind.BID:
                await session.act(MakeBid(random.choice(view.legal_bids)), answered)
            else:
                card: Card = random.choice(view.legal_plays)
                await session.act(Play(card), answered)

    async with contextlib.AsyncExitStack() as stack:
        tasks: list[asyncio.Task[None]] = []
        hosts: list[tuple[Server, str]] = []
        for number in range(tables):
            code = ""
            for seat in Seat:
                server = await stack.enter_async_context(Server(f"127.0.0.1:{port}"))
                await server.register(f"{seat}-{number}-{random.getrandbits(40):x}")
                if not code:
                    made = await server.create_table(rules)
                    code = made.code
                    hosts.append((server, code))
                await server.sit(code, seat)
                tasks.append(asyncio.create_task(person(server, code, seat)))
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
    table: list[Row] = []
    with process("echo.py") as (echo, _), process("table_server.py") as (port, pid):
        e10 = asyncio.run(round_trips_per_second(echo, 10, 3.0))
        e100 = asyncio.run(round_trips_per_second(echo, 100, 3.0))
        table.append(Row("E(10), echo round trips", f"{e10:,.0f}/s", "", ""))
        table.append(Row("E(100)", f"{e100:,.0f}/s", "", ""))
        cpu_server, cpu_client = cpu_seconds(pid), time.process_time()
        rate, records = asyncio.run(one_connection(port, 100, 12))
        actions = 100 * 12 * 56
        server_us = (cpu_seconds(pid) - cpu_server) / actions * 1e6
        client_us = (time.process_time() - cpu_client) / actions * 1e6
        again = asyncio.run(round_trips_per_second(echo, 100, 3.0))
        base = (e100 + again) / 2
        table.append(
            Row("100 tables on one connection", f"{rate:,.0f} actions/s", f"{rate / base:.2f} E(100)", ">= 1.5")
        )
        table.append(Row("  CPU per action", f"server {server_us:.0f} us, agents {client_us:.0f} us", "", ""))
        seats = asyncio.run(connection_per_seat(port, 10, 10, Delivery.ON_DECISION))
        table.append(
            Row("10 tables, connection per seat, on decision", f"{seats:,.0f} actions/s", f"{seats / e10:.2f} E(10)", ">= 0.5")
        )
        at_once = asyncio.run(connection_per_seat(port, 10, 6, Delivery.IMMEDIATE))
        table.append(
            Row("10 tables, connection per seat, immediate", f"{at_once:,.0f} actions/s", f"{at_once / e10:.2f} E(10)", ">= 0.25")
        )
        human = asyncio.run(people(port, 10, 4))
        table.append(
            Row("10 tables, people's Watch and Act", f"{human:,.0f} actions/s", f"{human / e10:.2f} E(10)", "")
        )
        checked = asyncio.run(verified(port, records, 5))
        table.append(Row("records verified", f"{checked} of {len(records)}", "", ""))
    return table
