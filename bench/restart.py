"""How soon a server with a thousand running matches is ready again, and what idle tables weigh."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from report import Row
from start import SPADES
from wire import process

from spades import MakeBid, Play, Seat, parse_rules
from spades_agents import Server
from spades_proto.frames import Command
from spades_proto.table import OccupantKind
from spades_server.commands import Deed, Player, Presence
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.lobby import Lobby
from spades_server.storage.journal import open_journal
from spades_server.wall_clock import wall_clock

TABLES = 1_000
TRIES = 3
HANDS = (3, 6)
RULES = "classic,floor=none,target=10000,max_hands=100,next_hand_wait=0"


def rows() -> list[Row]:
    """Measures and compares."""
    with tempfile.TemporaryDirectory() as name:
        full, empty = Path(name, "full"), Path(name, "empty")
        actions = asyncio.run(_fill(full, TABLES))
        nothing = [_served(empty) for _ in range(TRIES)]
        ready = [_served(full) for _ in range(TRIES)]
        with process("table_server.py", str(Path(name, "idle"))) as (port, pid):
            before = rss_mb(pid)
            asyncio.run(_open_idle(port))
            idle = rss_mb(pid) - before
    fast, slow = min(one.ms for one in nothing), min(one.ms for one in ready)
    running = min(one.mb for one in ready) - min(one.mb for one in nothing)
    return [
        Row("an empty database, to the ready line", f"{fast:,.0f} ms", "", ""),
        Row(
            f"{TABLES:,} running matches, {actions:,} actions",
            f"{slow:,.0f} ms",
            f"{slow / fast:.1f} x empty",
            "< 5,000 ms",
        ),
        Row(f"{TABLES:,} idle tables, four seats taken", f"{idle:.0f} MB", "", "< 100 MB"),
        Row(f"{TABLES:,} running matches, restored", f"{running:.0f} MB", "", ""),
    ]


class Served(NamedTuple):
    """What a server took to be ready."""

    ms: float
    mb: float


def _served(folder: Path) -> Served:
    """From the start of the command to its ready line, and what the process holds then."""
    command = [SPADES, "serve", "--port", "0", "--data", str(folder), "--log-level", "error"]
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline(), "the server says that it is ready"
        served = Served((time.perf_counter() - start) * 1_000, rss_mb(running.pid))
        running.kill()
    return served


def rss_mb(pid: int) -> float:
    """The memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def _open_idle(port: int) -> None:
    """Opens tables whose four seats are taken, and at which nothing happens."""
    async with contextlib.AsyncExitStack() as stack:
        players: list[Server] = []
        for seat in Seat:
            player = await stack.enter_async_context(Server(f"127.0.0.1:{port}"))
            await player.register(str(seat))
            players.append(player)
        for _ in range(TABLES):
            made = await players[0].create_table("")
            await asyncio.gather(
                *(player.sit(made.code, seat) for player, seat in zip(players, Seat, strict=True))
            )


async def _fill(folder: Path, matches: int) -> int:
    """Fills a database with matches in the middle of a hand; returns how many actions they have."""
    config = ServerConfig(data=folder, max_tables=matches)
    journal = open_journal(config)
    journal.start(print)
    executor = ThreadPoolExecutor(max_workers=1)
    lobby = Lobby(config, journal, wall_clock, executor)
    dice = random.Random(7)
    done = 0
    for start in range(0, matches, 50):
        playing = [_play(lobby, number, dice) for number in range(start, min(start + 50, matches))]
        done += sum(await asyncio.gather(*playing))
    lobby.drain()
    journal.close()
    executor.shutdown()
    return done


async def _play(lobby: Lobby, number: int, dice: random.Random) -> int:
    """Opens a table and plays into the middle of a hand."""
    people = [Player(f"{number:04}-{seat}", f"{seat} {number}") for seat in Seat]
    host = lobby.create(people[0], parse_rules(RULES))
    for seat, player in zip(Seat, people, strict=True):
        lobby.sit(host, player, seat, OccupantKind.PERSON)
        await host.perform(Presence(seat, listening=True))
    lobby.start(host, people[0])
    hands, rest = dice.randint(*HANDS), dice.randint(10, 40)
    actions = hands * 56 + rest
    for _ in range(actions):
        await _act(host, people, dice)
    return actions


async def _act(host: TableHost, people: list[Player], dice: random.Random) -> None:
    """Does what the seat to act may do; a hand that is over is followed by the next by itself."""
    table = host.table
    match = table.match
    assert match is not None and match.turn is not None, "the next hand is dealt at once"
    seat = match.turn
    request = table.decision_for(seat)
    assert request is not None, "the seat is to act"
    if request.legal_bids:
        deed: MakeBid | Play = MakeBid(dice.choice(request.legal_bids))
    else:
        deed = Play(dice.choice(request.legal_plays))
    name = f"{dice.getrandbits(64):016x}"
    code = table.config.code
    command = Command(code, deed, seat, name, request.id, table.epoch, match.hand_number)
    await host.perform(Deed(people[seat], command))
