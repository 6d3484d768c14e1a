"""How soon people are answered: 200 tables at a human pace, 1,000 who watch, and 100 who do not read."""

from __future__ import annotations

import asyncio
import contextlib
import random
import resource
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import quantiles
from typing import Final

from grpc import aio
from report import Row
from wire import process

from spades import Seat
from spades_agents import Server, eventloop
from spades_proto import wire as messages
from spades_proto.channel import CLIENT_OPTIONS, Options
from spades_proto.v1 import action_pb2, frame_pb2, tables_pb2, tables_pb2_grpc

TABLES: Final = 200
SPECTATORS: Final = 1_000
STALLED: Final = 100
PAUSE_S: Final = (1.0, 4.0)
"""How long a person thinks."""

PHASE_S: Final = 15.0
ROUNDS: Final = 4
"""How often both are measured, by turns; the calmest round of each counts, since others only add to it."""

AT_ONCE: Final = 40
"""How many clients are opened at a time."""

RULES: Final = "classic,floor=none,target=10000,max_hands=1000,next_hand_wait=0"

OWN_LINE: Final[Options] = (("grpc.use_local_subchannel_pool", 1),)
"""Without it all clients of a process share one TCP connection."""

NARROW: Final[Options] = (("grpc.http2.lookahead_bytes", 256),)
"""A reader's end that is full after a few frames: at this pace 64 KiB would take hours to fill."""

Metadata = tuple[tuple[str, str], ...]


class Room:
    """The clients of a server, each on a line of its own."""

    def __init__(self, target: str, stack: AsyncExitStack) -> None:
        self.target = target
        self.answers_s: list[float] = []
        """How long each answer took, since the list was emptied last."""
        self._stack = stack
        self._tasks: set[asyncio.Task[None]] = set()

    async def seat(self, code: str, token: str, seat: Seat) -> None:
        """Opens a person's feed, who answers what it is asked."""
        stub, metadata = await self._client(token)
        call = stub.Watch(
            tables_pb2.WatchRequest(table=code, seat=messages.SEAT.to_wire(seat)), metadata=metadata
        )
        await call.read()
        self._run(self._play(call, stub, code, metadata))

    async def spectate(self, code: str, token: str) -> None:
        """Opens a spectator's feed, who reads it."""
        stub, metadata = await self._client(token)
        call = stub.Watch(tables_pb2.WatchRequest(table=code), metadata=metadata)
        await call.read()
        self._run(_read(call))

    @asynccontextmanager
    async def stalled(self, codes: Sequence[str], token: str) -> AsyncGenerator[None]:
        """Within the block there are spectators who read the first of it and no more."""
        async with AsyncExitStack() as stack:
            for number in range(STALLED):
                options = (*CLIENT_OPTIONS, *OWN_LINE, *NARROW)
                channel = aio.insecure_channel(self.target, options=options)
                await stack.enter_async_context(channel)
                call = tables_pb2_grpc.TablesStub(channel).Watch(
                    tables_pb2.WatchRequest(table=codes[number % len(codes)]),
                    metadata=_bearer(token),
                )
                stack.callback(call.cancel)
                await call.read()
            yield

    async def measure(self) -> list[float]:
        """What answers take for a while."""
        self.answers_s = []
        await asyncio.sleep(PHASE_S)
        return self.answers_s

    async def close(self) -> None:
        """Everybody hangs up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.wait(self._tasks)

    async def _client(self, token: str) -> tuple[tables_pb2_grpc.TablesStub, Metadata]:
        channel = aio.insecure_channel(self.target, options=(*CLIENT_OPTIONS, *OWN_LINE))
        await self._stack.enter_async_context(channel)
        return tables_pb2_grpc.TablesStub(channel), _bearer(token)

    def _run(self, doing: object) -> None:
        assert asyncio.iscoroutine(doing)
        task = asyncio.create_task(doing)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play(
        self,
        call: aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse],
        stub: tables_pb2_grpc.TablesStub,
        code: str,
        metadata: Metadata,
    ) -> None:
        while isinstance(response := await call.read(), tables_pb2.WatchResponse):
            for frame in response.frames:
                if frame.HasField("decision"):
                    self._run(self._answer(frame, stub, code, metadata))

    async def _answer(
        self,
        frame: frame_pb2.Frame,
        stub: tables_pb2_grpc.TablesStub,
        code: str,
        metadata: Metadata,
    ) -> None:
        await asyncio.sleep(random.uniform(*PAUSE_S))
        asked = frame.decision
        action = action_pb2.Action()
        if asked.legal_plays:
            action.play = random.choice(asked.legal_plays)
        else:
            action.bid.CopyFrom(asked.legal_bids[3])
        command = action_pb2.Command(
            table=code,
            request_id=f"{asked.id}-{random.getrandbits(64):x}",
            decision=asked.id,
            epoch=frame.epoch,
            action=action,
        )
        begun = time.perf_counter()
        await stub.Act(tables_pb2.ActRequest(command=command), metadata=metadata, timeout=30)
        self.answers_s.append(time.perf_counter() - begun)


async def _read(
    call: aio.UnaryStreamCall[tables_pb2.WatchRequest, tables_pb2.WatchResponse],
) -> None:
    while isinstance(await call.read(), tables_pb2.WatchResponse):
        pass


def _bearer(token: str) -> Metadata:
    return (("authorization", f"Bearer {token}"),)


async def _open_tables(room: Room) -> tuple[list[str], str]:
    """Seats four at every table, spreads the spectators and starts; gives codes and a token to watch with."""
    hosts: list[tuple[str, str]] = []
    async with Server(room.target) as desk:

        async def table(number: int) -> None:
            code, host = "", ""
            for seat in Seat:
                client = Server(room.target)
                async with client:
                    await client.register(f"{seat}-{number}-{random.getrandbits(40):x}")
                    if not code:
                        code, host = (await client.create_table(RULES)).code, client.token
                        hosts.append((code, host))
                    await client.sit(code, seat)
                await room.seat(code, client.token, seat)

        await _in_turn([table(number) for number in range(TABLES)])
        await desk.register(f"watcher-{random.getrandbits(40):x}")
        codes = [code for code, _ in hosts]
        watching = [room.spectate(codes[n % TABLES], desk.token) for n in range(SPECTATORS)]
        await _in_turn(watching)
        for code, token in hosts:
            async with Server(room.target, token) as host:
                await host.start(code)
        return codes, desk.token


async def _in_turn(doings: Sequence[object]) -> None:
    """Does many things, some of them at once."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(doing: object) -> None:
        async with room:
            assert asyncio.iscoroutine(doing)
            await doing

    await asyncio.gather(*map(one, doings))


async def people(port: int) -> tuple[list[list[float]], list[list[float]]]:
    """The times of answers, round by round, without and with readers who do not read."""
    calm: list[list[float]] = []
    stalled: list[list[float]] = []
    async with AsyncExitStack() as stack:
        room = Room(f"127.0.0.1:{port}", stack)
        stack.push_async_callback(room.close)
        codes, token = await _open_tables(room)
        await room.measure()
        for _ in range(ROUNDS):
            calm.append(await room.measure())
            async with room.stalled(codes, token):
                stalled.append(await room.measure())
    return calm, stalled


def rows() -> list[Row]:
    """Measures both by turns in one run."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        # A connection for each of 1,900 clients is more than a shell allows by itself.
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with (
        tempfile.TemporaryDirectory() as folder,
        process("table_server.py", folder) as (port, _),
    ):
        calm, stalled = eventloop.run(people(port))
    told, p99 = _told(calm)
    told_slow, p99_slow = _told(stalled)
    return [
        Row(f"{TABLES} tables of people, {SPECTATORS:,} spectators", told, "", "p99 < 50 ms"),
        Row(
            f"and {STALLED} spectators who do not read",
            told_slow,
            f"p99 {p99_slow / p99 - 1:+.1%}",
            "< +5 %",
        ),
    ]


def _told(rounds: list[list[float]]) -> tuple[str, float]:
    """What is said of the rounds, and the p99 of the calmest."""
    cuts = [quantiles(answers, n=100) for answers in rounds]
    p50, p99 = min(one[49] for one in cuts) * 1_000, min(one[98] for one in cuts) * 1_000
    worst = max(one[98] for one in cuts) * 1_000
    number = sum(map(len, rounds))
    return f"{number:,} answers, p50 {p50:.1f} ms, p99 {p99:.1f} to {worst:.1f} ms", p99
