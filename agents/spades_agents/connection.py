"""The agents' stream: frames in, decisions out, and back again after the line was lost."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Final, Protocol

import grpc
from grpc import aio

from spades import Look, Outcome, Play, Reason, Seat, SeatView, SpadesError
from spades.actions import Action
from spades_agents.agent import Agent, decide
from spades_agents.failures import in_words
from spades_agents.fallback import fallback
from spades_agents.feed import Applied, Feed
from spades_agents.news import MatchNews
from spades_agents.server import Server, explained
from spades_proto import wire
from spades_proto.frames import Goodbye, GoodbyeReason
from spades_proto.software import SOFTWARE
from spades_proto.table import TableStage
from spades_proto.v1 import action_pb2, agents_pb2
from spades_proto.version import PROTOCOL

RECONNECT_FIRST: Final = 0.2
RECONNECT_MOST: Final = 5.0
RECONNECT_TRIES: Final = 60


class Delivery(Enum):
    """When the server sends events."""

    ON_DECISION = "together, when the seat must act"
    IMMEDIATE = "as they happen"


_DELIVERY: Final = {
    Delivery.ON_DECISION: agents_pb2.DELIVERY_ON_DECISION,
    Delivery.IMMEDIATE: agents_pb2.DELIVERY_IMMEDIATE,
}


@dataclass(frozen=True, slots=True)
class Over:
    """A match at a table has ended, or with no outcome the table has."""

    table: str
    seats: tuple[Seat, ...]
    outcome: Outcome | None
    record: str


class ConnectionLost(SpadesError):
    """The server did not come back in time, or told this connection not to."""

    def __init__(self, sentence: str, reason: Reason = Reason.DRAINING) -> None:
        super().__init__(sentence, reason)


class _Resume(Exception):
    """The stream must be opened again, after so many milliseconds; not an error."""

    def __init__(self, why: str, after_ms: int = 0) -> None:
        super().__init__(why)
        self.after_ms = after_ms


class Stream(Protocol):
    """The part of a bidirectional call that is used here."""

    async def read(self) -> agents_pb2.ConnectResponse | object:
        """Waits for the next response, or the end."""
        ...

    async def write(self, request: agents_pb2.ConnectRequest) -> None:
        """Sends a request."""
        ...


def back_off(attempt: int) -> float:
    """How many seconds to wait before attempt number ``attempt``, from 1, with jitter."""
    longest = min(RECONNECT_MOST, RECONNECT_FIRST * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.8, 1.2)


class Connection:
    """All seats of one player, on one stream."""

    def __init__(
        self,
        server: Server,
        agent: Agent,
        secret: bytes,
        delivery: Delivery,
        tables: Sequence[str] | None,
        report: Callable[[str], None],
    ) -> None:
        """``tables`` are the codes of those at which it plays; ``None``: wherever it has a seat."""
        self._server = server
        self._agent = agent
        self._secret = secret
        self._delivery = delivery
        self._tables = None if tables is None else set(tables)
        self._report = report
        self._feeds: dict[tuple[str, Seat], Feed] = {}
        self._asked: dict[tuple[str, Seat], tuple[int, bool]] = {}
        """The decision that each seat was asked last, and whether it saw its hand then."""
        self._pending: dict[tuple[str, Seat], action_pb2.Command] = {}
        """What was sent and has not been seen to happen; sent again after a lost line."""
        self._over: asyncio.Queue[Over] = asyncio.Queue()
        self._reported: set[str] = set()
        self._news = MatchNews(agent, report)
        self._welcome = asyncio.Event()
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)
        self._thinking: set[asyncio.Task[None]] = set()
        self._listener: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._call: Stream | None = None
        """The open stream, once the hello is out."""
        self._attempt = 0
        """How often the line was tried in vain since the last welcome."""
        self._gone_told = False
        """Whether it was told since then that the server has not the tables of before: of one, for all."""

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        """Keeps the stream open inside the block; on entering it is welcome.

        :raises SpadesError: if the server refuses the connection.
        """
        listener = self._listener = asyncio.create_task(self._listen())
        welcome = asyncio.create_task(self._welcome.wait())
        try:
            await self._first_of(welcome)
            yield
        finally:
            for task in (welcome, listener, *self._thinking):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, SpadesError):
                    await task
            await self._news.finish()

    async def next_over(self) -> Over:
        """Waits for the next match, or table, that is over.

        :raises SpadesError: if the connection is lost for good.
        """
        getter = asyncio.create_task(self._over.get())
        try:
            await self._first_of(getter)
        finally:
            getter.cancel()
        return getter.result()

    def forget(self, table: str) -> None:
        """Takes no notice of a table any more."""
        if self._tables is not None:
            self._tables.discard(table)

    async def _first_of(self, task: asyncio.Task[bool] | asyncio.Task[Over]) -> None:
        assert self._listener is not None, "only while listening"
        await asyncio.wait({task, self._listener}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            await self._listener
            raise ConnectionLost("The stream ended before the match did.")

    async def _listen(self) -> None:
        while True:
            try:
                await self._stream()
            except _Resume as resume:
                await asyncio.sleep(resume.after_ms / 1000)
            except aio.AioRpcError as error:
                self._lost(error)
                await asyncio.sleep(back_off(self._attempt))

    def _lost(self, error: aio.AioRpcError) -> None:
        """Counts a lost line.

        :raises SpadesError: if there is no use in another try.
        """
        refusal = explained(error, self._server.target)
        if refusal.reason is Reason.REPLACED:
            raise ConnectionLost(refusal.sentence, Reason.REPLACED) from error
        # gRPC drops what was not read before a status that is no success, so the goodbye may be missing.
        if error.code() not in _LOST and refusal.reason not in _COME_BACK:
            raise refusal from error
        self._attempt += 1
        if self._attempt > RECONNECT_TRIES:
            raise ConnectionLost(
                f"The server at {self._server.target} did not come back."
            ) from error
        if self._attempt == 1:
            self._report(f"The line to {self._server.target} is lost; reconnecting.")

    async def _stream(self) -> None:
        call = self._server.agents().Connect(metadata=self._server.metadata)
        try:
            await self._send(call, self._hello())
            self._call = call
            if self._pending:
                pending = list(self._pending.values())
                await self._send(call, agents_pb2.ConnectRequest(commands=pending))
            while True:
                response = await call.read()
                if not isinstance(response, agents_pb2.ConnectResponse):
                    # The end of the stream: an error if the status says so, a short break if not.
                    if await call.code() is grpc.StatusCode.OK:
                        raise _Resume("the server ended the stream", 200)
                    raise await _error_of(call)
                echo = response.heartbeat.echo
                commands = self._take(response)
                if commands or echo:
                    echoes = (echo,) if echo else ()
                    await self._send(
                        call, agents_pb2.ConnectRequest(commands=commands, echoes=echoes)
                    )
        except asyncio.InvalidStateError as error:
            # The call ended between two writes.
            raise _Resume("the call ended") from error
        finally:
            self._call = None
            call.cancel()

    async def _send(self, call: Stream, request: agents_pb2.ConnectRequest) -> None:
        """Writes to a stream, after whoever is writing: gRPC ends a call that is written to twice at once."""
        async with self._writing:
            await call.write(request)

    def _hello(self) -> agents_pb2.ConnectRequest:
        hello = agents_pb2.Hello(
            protocol=PROTOCOL,
            agent=f"{self._agent.name} on {SOFTWARE}",
            delivery=_DELIVERY[self._delivery],
            resume=[
                agents_pb2.ResumePoint(
                    table=table, seat=wire.SEAT.to_wire(seat), epoch=feed.epoch, after=feed.seq
                )
                for (table, seat), feed in self._feeds.items()
            ],
        )
        return agents_pb2.ConnectRequest(hello=hello)

    def _take(self, response: agents_pb2.ConnectResponse) -> list[action_pb2.Command]:
        if response.HasField("welcome"):
            self._attempt = 0
            self._gone_told = False
            self._welcome.set()
        if response.HasField("goodbye"):
            _leave(wire.goodbye_from_wire(response.goodbye))
        commands: list[action_pb2.Command] = []
        for answered in response.answered:
            self._answered(answered, commands)
        for some in response.frames:
            self._take_frames(some, commands)
        return commands

    def _take_frames(self, some: agents_pb2.SeatFrames, commands: list[action_pb2.Command]) -> None:
        key = (some.table, wire.SEAT.from_wire(some.seat))
        if self._tables is not None and key[0] not in self._tables:
            return
        feed = self._feeds.get(key)
        fresh = feed is None
        if feed is None:
            feed = self._feeds[key] = Feed(key[1], self._secret)
        for frame in some.frames:
            applied = feed.take(frame)
            if applied is Applied.NEW:
                continue
            if frame.HasField("goodbye"):
                self._seat_ended(key, wire.goodbye_from_wire(frame.goodbye))
                return
            if applied is Applied.GAP:
                raise _Resume("a frame is missing")
        if fresh and feed.state is not None:
            # A match that was over when the agent came was not its own.
            self._reported.add(feed.state.record)
        self._news.follow(key, feed.state.match if feed.state else None)
        self._note_end(key, feed)
        if feed.decision_id and feed.is_asked:
            self._ask(key, feed, commands)

    def _note_end(self, key: tuple[str, Seat], feed: Feed) -> None:
        state = feed.state
        if state is None or not state.record or state.record in self._reported:
            return
        if state.stage is TableStage.FINISHED and state.match is not None:
            self._reported.add(state.record)
            seats = tuple(seat for table, seat in self._feeds if table == key[0])
            self._over.put_nowait(Over(key[0], seats, state.match.outcome, state.record))

    def _seat_ended(self, key: tuple[str, Seat], goodbye: Goodbye, *, told: bool = False) -> None:
        feed = self._feeds.get(key)
        state = None if feed is None else feed.state
        match = None if state is None else state.match
        if state is not None and match is not None and match.outcome is not None and state.record:
            # The table was closed with its match, so both are told of together.
            self._news.follow(key, match)
            if state.record not in self._reported:
                self._reported.add(state.record)
                seats = tuple(seat for table, seat in self._feeds if table == key[0])
                self._over.put_nowait(Over(key[0], seats, match.outcome, state.record))
        elif not told:
            self._report(f"Table {key[0]}, {key[1]}: {goodbye.sentence}")
        self._feeds.pop(key, None)
        self._pending.pop(key, None)
        self._asked.pop(key, None)
        self._news.drop(key)
        if not any(table == key[0] for table, _ in self._feeds):
            self._over.put_nowait(Over(key[0], (key[1],), None, ""))

    def _ask(
        self,
        key: tuple[str, Seat],
        feed: Feed,
        commands: list[action_pb2.Command],
    ) -> None:
        view = feed.view()
        asked = (feed.decision_id, view.sees_hand)
        if self._asked.get(key) == asked:
            return
        self._asked[key] = asked
        news = self._news.pending(key)
        try:
            action = decide(self._agent, view) if news is None else self._decide_after(news, view)
        except Exception as error:  # noqa: BLE001  # the author's code: its fault is reported and played over
            action = self._fallback(key, feed, in_words(error))
        if not isinstance(action, Play) and isinstance(action, Awaitable):
            task = asyncio.create_task(self._think(key, feed, asked[0], action))
            self._thinking.add(task)
            task.add_done_callback(self._thinking.discard)
        else:
            commands.append(self._command(key, feed, action))

    async def _decide_after(self, news: asyncio.Task[None], view: SeatView) -> Action:
        """Asks once the agent has heard that the match has begun."""
        await asyncio.wait((news,))
        action = decide(self._agent, view)
        return await action if isinstance(action, Awaitable) else action

    async def _think(
        self,
        key: tuple[str, Seat],
        feed: Feed,
        decision: int,
        answer: Awaitable[Action],
    ) -> None:
        try:
            action = await answer
        except Exception as error:  # noqa: BLE001  # the author's code: its fault is reported and played over
            if feed.decision_id != decision:
                return
            action = self._fallback(key, feed, in_words(error))
        if feed.decision_id != decision:
            # It came too late; if a house bot has the seat meanwhile, the agent is there again.
            if not feed.has_stand_in:
                return
            command = self._take_back(key)
        else:
            command = self._command(key, feed, action)
        call = self._call
        if call is None:
            # The line broke meanwhile; the listener opens it again and sends what is pending.
            return
        with contextlib.suppress(aio.AioRpcError, asyncio.InvalidStateError):
            await self._send(call, agents_pb2.ConnectRequest(commands=[command]))

    def _command(self, key: tuple[str, Seat], feed: Feed, action: Action) -> action_pb2.Command:
        looks = isinstance(action, Look)
        command = action_pb2.Command(
            table=key[0],
            seat=wire.SEAT.to_wire(key[1]),
            request_id=f"{self._prefix}-{next(self._numbers)}",
            decision=0 if looks else feed.decision_id,
            epoch=feed.epoch,
            hand_number=feed.hand_number if looks else 0,
            action=wire.action_to_wire(action),
        )
        self._pending[key] = command
        return command

    def _take_back(self, key: tuple[str, Seat]) -> action_pb2.Command:
        return action_pb2.Command(
            table=key[0],
            seat=wire.SEAT.to_wire(key[1]),
            request_id=f"{self._prefix}-{next(self._numbers)}",
            take_seat_back=action_pb2.TakeSeatBack(),
        )

    def _answered(self, answered: agents_pb2.Answered, commands: list[action_pb2.Command]) -> None:
        key = (answered.table, wire.SEAT.from_wire(answered.seat))
        pending = self._pending.get(key)
        if pending is None or pending.request_id != answered.request_id:
            return
        del self._pending[key]
        if not answered.HasField("refusal"):
            return
        error = wire.refusal_from_wire(answered.refusal)
        feed = self._feeds.get(key)
        if feed is None:
            return
        if error.reason in _GONE:
            # A server that was ended in between may have none of the tables of before.
            gone = Goodbye(GoodbyeReason.TABLE_CLOSED, error.sentence)
            self._seat_ended(key, gone, told=self._gone_told)
            self._gone_told = True
            return
        if error.reason is Reason.STALE_DECISION:
            if feed.has_stand_in:
                commands.append(self._take_back(key))
            return
        if not feed.is_asked:
            return
        commands.append(self._command(key, feed, self._fallback(key, feed, error.sentence)))

    def _fallback(self, key: tuple[str, Seat], feed: Feed, why: str) -> Action:
        """Something legal in place of an answer that was none, so that the table goes on."""
        self._report(f"Table {key[0]}, {key[1]}: {self._agent.name} did not answer well: {why}")
        return fallback(feed.view())


_LOST: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        # What grpc.aio makes of a write that fails in the moment in which the call ends (grpc #36066).
        grpc.StatusCode.INTERNAL,
    }
)
"""How a call ends whose line has broken."""

_GONE: Final = frozenset(
    (Reason.TABLE_NOT_FOUND, Reason.TABLE_CLOSED, Reason.NOT_YOUR_SEAT, Reason.NOT_SEATED)
)
"""Why nothing that is sent for a seat will be taken any more."""

_COME_BACK: Final = frozenset((Reason.SLOW_CONSUMER, Reason.RATE_LIMITED))
"""Why a server ends a stream that may be opened again."""


def _leave(goodbye: Goodbye) -> None:
    """Ends the stream as the server asks: for good, or to come back."""
    if goodbye.retry_after_ms is None:
        raise ConnectionLost(goodbye.sentence, Reason.REPLACED)
    raise _Resume(goodbye.sentence, goodbye.retry_after_ms)


async def _error_of(
    call: aio.StreamStreamCall[agents_pb2.ConnectRequest, agents_pb2.ConnectResponse],
) -> aio.AioRpcError:
    return aio.AioRpcError(
        await call.code(),
        aio.Metadata(*(await call.initial_metadata() or ())),
        aio.Metadata(*(await call.trailing_metadata() or ())),
        details=await call.details(),
    )
