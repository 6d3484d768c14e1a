"""What a journal costs: agents at ordinary tables, with everything written first and with nothing written."""

from __future__ import annotations

import asyncio
import tempfile
import time
from statistics import median

from report import Row
from wire import connection_per_seat, cpu_seconds, one_connection, process

from spades_agents import Delivery, Server, eventloop

ROUNDS = 3
HANDS = 4


def rows() -> list[Row]:
    """Measures both by turns in one run."""
    with (
        tempfile.TemporaryDirectory() as folder,
        process("table_server.py") as memory,
        process("table_server.py", folder) as disk,
    ):
        seats: dict[int, list[float]] = {memory[0]: [], disk[0]: []}
        lane: dict[int, list[float]] = {memory[0]: [], disk[0]: []}
        cpu: dict[int, list[float]] = {memory[0]: [], disk[0]: []}
        for _ in range(ROUNDS):
            for port, pid in (memory, disk):
                run = connection_per_seat(port, 10, 6, Delivery.ON_DECISION)
                seats[port].append(eventloop.run(run))
                before = cpu_seconds(pid)
                lane[port].append(eventloop.run(one_connection(port, 100, HANDS))[0])
                actions = 100 * HANDS * 56
                cpu[port].append((cpu_seconds(pid) - before) / actions * 1e6)
        tables = asyncio.run(_open_tables(disk[0], 900))
    off, on = median(cpu[memory[0]]), median(cpu[disk[0]])
    return [
        _row("10 tables, connection per seat", seats, memory[0], disk[0], ">= 0.8"),
        _row("100 tables, one connection", lane, memory[0], disk[0], ""),
        Row("  CPU per action, server", f"{on:.0f} us written, {off:.0f} not", "", ""),
        Row("900 tables opened", f"{tables:,.0f}/s, each written before it is answered", "", ""),
    ]


async def _open_tables(port: int, number: int) -> float:
    """Tables opened per second by one client, twenty at a time."""
    async with Server(f"127.0.0.1:{port}") as server:
        await server.register(f"opener-{port}")
        start = time.perf_counter()
        for _ in range(number // 20):
            await asyncio.gather(*(server.create_table("") for _ in range(20)))
        return number / (time.perf_counter() - start)


def _row(what: str, rates: dict[int, list[float]], memory: int, disk: int, aim: str) -> Row:
    off, on = median(rates[memory]), median(rates[disk])
    return Row(what, f"{on:,.0f} actions/s written, {off:,.0f} not", f"{on / off:.2f}", aim)
