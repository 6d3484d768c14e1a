"""The agents' connection: frames in, decisions out, and back again after the line was lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from enum import Enum
from typing import Final

from spades import Reason
from spades_agents.agent import Agent
from spades_agents.answers import Answers, Commands, Later
from spades_agents.endings import Endings, Over
from spades_agents.feed import Applied, Feed
from spades_agents.news import LAST_WORDS_S, MatchNews, Place
from spades_agents.reconnection import ConnectionLost, StreamEnded, leave
from spades_agents.server import Server
from spades_agents.stream import AgentStream
from spades_agents.tasks import end
from spades_proto import wire
from spades_proto.frames import Goodbye, GoodbyeReason
from spades_proto.software import SOFTWARE
from spades_proto.v1 import action_pb2, agents_pb2
from spades_proto.version import PROTOCOL


class Delivery(Enum):
    """When the server sends events."""

    ON_DECISION = "together, when the seat must act"
    IMMEDIATE = "as they happen"


_DELIVERY: Final = {
    Delivery.ON_DECISION: agents_pb2.DELIVERY_ON_DECISION,
    Delivery.IMMEDIATE: agents_pb2.DELIVERY_IMMEDIATE,
}

_GONE: Final = frozenset(
    (Reason.TABLE_NOT_FOUND, Reason.TABLE_CLOSED, Reason.NOT_YOUR_SEAT, Reason.NOT_SEATED)
)
"""Why nothing that is sent for a seat will be taken any more."""


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
        answers: Answers | None = None,
    ) -> None:
        """``tables`` are the codes of those at which it plays; ``None``: wherever it has a seat.

        ``answers`` are what decides in place of the agent.
        """
        self._agent = agent
        self._secret = secret
        self._delivery = delivery
        self._tables = None if tables is None else set(tables)
        self._report = report
        self._feeds: dict[Place, Feed] = {}
        self._answers = answers or Answers(agent, report)
        self._endings = Endings()
        self._news = MatchNews(agent, report)
        self._stream = AgentStream(server, report)
        self._welcome = asyncio.Event()
        self._thinking: set[asyncio.Task[None]] = set()
        self._thought_about: dict[Place, asyncio.Task[None]] = {}
        """What is thought about for each seat: its last decision that was not answered at once."""
        self._listener: asyncio.Task[None] | None = None
        self._leaving: asyncio.Task[None] | None = None
        self._gone_told = False
        """Whether it was told since the welcome that the tables of before are gone: of one, for all."""

    @asynccontextmanager
    async def listening(self) -> AsyncGenerator[None]:
        """Keeps the stream open inside the block; on entering it is welcome.

        :raises SpadesError: if the server refuses the connection.
        """
        listener = self._listener = asyncio.create_task(self._stream.keep_open(self))
        welcome = asyncio.create_task(self._welcome.wait())
        try:
            await self._first_of(welcome)
            yield
        finally:
            leaving = () if self._leaving is None else (self._leaving,)
            await end(welcome, listener, *leaving, *self._thinking)
            await self._news.finish()

    async def next_over(self) -> Over:
        """Waits for the next match, or table, that is over.

        :raises SpadesError: if the connection is lost for good.
        :raises GivenUp: if the agent is a program that ends again and again.
        """
        getter = asyncio.create_task(self._endings.next())
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

    def hello(self) -> agents_pb2.Hello:
        """Who is there, and what it has seen of each table."""
        return agents_pb2.Hello(
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

    def check_on(self) -> None:
        """Looks whether the agent can still be asked.

        :raises GivenUp: if not.
        """
        if self._answers.given_up is not None:
            raise self._answers.given_up

    def unanswered(self) -> Commands:
        """What was sent and may have been lost with the line."""
        return self._answers.pending

    def take(self, response: agents_pb2.ConnectResponse) -> Commands:
        """Takes in what the server says, and gives back what the agent answers at once.

        :raises StreamEnded: if the stream must be opened again.
        :raises ConnectionLost: if the server does not want it back.
        """
        if response.HasField("welcome"):
            self._gone_told = False
            self._welcome.set()
        if response.HasField("goodbye"):
            leave(wire.goodbye_from_wire(response.goodbye))
        commands: list[action_pb2.Command] = []
        for answered in response.answered:
            commands += self._take_answered(answered)
        for some in response.frames:
            commands += self._take_frames(some)
        return commands

    def _take_answered(self, answered: agents_pb2.Answered) -> Commands:
        place = (answered.table, wire.SEAT.from_wire(answered.seat))
        refusal = self._answers.answered(place, answered)
        feed = self._feeds.get(place)
        if refusal is None or feed is None:
            return ()
        if refusal.reason in _GONE:
            # A server that was ended in between may have none of the tables of before.
            gone = Goodbye(GoodbyeReason.TABLE_CLOSED, refusal.sentence)
            if not self._gone_told:
                self._gone_told = True
                self._report(f"Table {place[0]}: {refusal.sentence}")
            self._seat_ended(place, gone, told=True)
            return ()
        return self._answers.after(refusal, place, feed)

    def _take_frames(self, some: agents_pb2.SeatFrames) -> Commands:
        place = (some.table, wire.SEAT.from_wire(some.seat))
        if self._tables is not None and place[0] not in self._tables:
            return ()
        feed = self._feeds.get(place)
        fresh = feed is None
        if feed is None:
            feed = self._feeds[place] = Feed(place[1], self._secret)
        for frame in some.frames:
            applied = feed.take(frame)
            if applied is Applied.NEW:
                continue
            if frame.HasField("goodbye"):
                self._seat_ended(place, wire.goodbye_from_wire(frame.goodbye))
                return ()
            if applied is Applied.GAP:
                raise StreamEnded("a frame is missing")
        if fresh:
            self._endings.pass_over(feed.state)
        self._news.follow(place, feed.state.match if feed.state else None)
        self._endings.note(place[0], self._feeds, feed.state)
        if not feed.decision_id or not feed.is_asked:
            return ()
        answer = self._answers.ask(place, feed, self._news)
        if isinstance(answer, Sequence):
            self._leave_if_given_up()
            return answer
        if not feed.has_stand_in:
            # Its decision before was played over. (From a house bot a late answer takes the seat back.)
            self._break_off(place)
        self._send_when_ready(place, answer)
        return ()

    def _break_off(self, place: Place) -> None:
        """Has a seat think no more about what is not asked any more."""
        task = self._thought_about.pop(place, None)
        if task is not None:
            task.cancel()

    def _send_when_ready(self, place: Place, answer: Later) -> None:
        async def think() -> None:
            command = await answer
            if self._thought_about.get(place) is task:
                # Only thinking is broken off: gRPC ends a call of which a write is cancelled.
                del self._thought_about[place]
            self._leave_if_given_up()
            if command is not None:
                await self._stream.send(command)

        task = self._thought_about[place] = asyncio.create_task(think())
        self._thinking.add(task)
        task.add_done_callback(self._thinking.discard)

    def _leave_if_given_up(self) -> None:
        """Leaves when the agent is given up: its seats are empty then, and the server sees that they are."""
        if self._answers.given_up is not None and self._leaving is None:
            self._leaving = asyncio.create_task(self._leave())

    async def _leave(self) -> None:
        """Ends the stream once all open decisions have been answered for."""
        if self._thinking:
            await asyncio.wait(tuple(self._thinking), timeout=LAST_WORDS_S)
        await self._stream.finish()

    def _seat_ended(self, place: Place, goodbye: Goodbye, *, told: bool = False) -> None:
        feed = self._feeds.get(place)
        state = None if feed is None else feed.state
        if self._endings.closed_with_its_match(place[0], self._feeds, state):
            # The table was closed with its match, so both are told of together.
            self._news.follow(place, None if state is None else state.match)
        elif goodbye.reason is not GoodbyeReason.TABLE_CLOSED:
            self._report(f"Table {place[0]}, {place[1]}: {goodbye.sentence}")
        elif not told and sum(table == place[0] for table, _ in self._feeds) == 1:
            # It is closed for all seats, of which this is the last.
            self._report(f"Table {place[0]}: {goodbye.sentence}")
        self._feeds.pop(place, None)
        self._break_off(place)
        self._answers.drop(place)
        self._news.drop(place)
        if not any(table == place[0] for table, _ in self._feeds):
            self._endings.table_gone(place)
