"""Players over the real wire: persons by Watch and Act, agents by Connect, and spectators, at one table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random
from typing import Final

from spades import Bid, Card, MakeBid, Play, Reason, Seat, SeatView, SpadesError
from spades_agents import Agent, Delivery
from spades_agents.connection import Connection
from spades_client.session import Changed, Ended, LineBack, LineLost, TableSession
from spades_proto.table import OccupantKind, TableStage
from tests.faults.history import History
from tests.faults.recording import RecordingServer

PATIENCE: Final = 90.0
"""How many seconds a party waits for what must come."""

_TOO_LATE: Final = frozenset((Reason.STALE_DECISION, Reason.NOT_YOUR_TURN))
"""What a person is told whose stand-in, or whose own earlier request, came first."""


class Stuck(Exception):
    """A party cannot go on."""


class Party:
    """Four players at a table of their own, whose deeds follow from a seed."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.persons: list[Person] = []
        self.over = asyncio.Event()
        """Set when somebody has heard that the match has ended."""
        self.one_by_one = False
        """Whether there is one decision and no more each time that the party may go on."""
        self._may_act = asyncio.Event()
        self._may_act.set()
        self._complaints: list[str] = []
        self._news = asyncio.Event()

    @property
    def seq(self) -> int:
        """The number of the newest event that anybody has heard of."""
        return max(person.session.state.seq for person in self.persons)

    def hold(self) -> None:
        """Nobody decides anything until :meth:`go_on`; what was sent is on its way all the same."""
        self._may_act.clear()

    def go_on(self) -> None:
        """Everybody decides again."""
        self._may_act.set()

    async def leave_to_act(self) -> None:
        """Waits until a decision may be taken."""
        await self._may_act.wait()
        if self.one_by_one:
            self.hold()

    def tell(self) -> None:
        """Says that something has happened."""
        self._news.set()

    def run(self, doing: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Does something beside; the party is stuck if it fails."""

        def done(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and (error := task.exception()) is not None:
                self._complaints.append(f"{type(error).__name__}: {error}")
                self.tell()

        task = asyncio.create_task(doing)
        task.add_done_callback(done)
        return task

    async def until(self, seen: Callable[[], bool]) -> None:
        """Waits until something is so that the players' clients know of.

        :raises Stuck: if it does not come, or if something has gone wrong.
        """
        try:
            async with asyncio.timeout(PATIENCE):
                while not seen():
                    if self._complaints:
                        raise Stuck(f"table {self.code}: {self._complaints[0]}")
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise Stuck(f"table {self.code} stood still at event {self.seq}") from None

    async def played_out(self) -> None:
        """Waits until the match has ended and everybody knows it."""
        await self.until(self.over.is_set)
        await self.together()

    async def lost(self) -> None:
        """Waits until every client has noticed that its line is gone."""
        await self.until(lambda: all(person.lost for person in self.persons))

    async def together(self) -> None:
        """Waits until every client has its line back, and all know the same."""

        def same() -> bool:
            seqs = {person.session.state.seq for person in self.persons}
            return len(seqs) == 1 and not any(person.lost for person in self.persons)

        await self.until(same)


class Person:
    """A client at a seat, or a spectator's, that answers what it is asked as its dice fall."""

    def __init__(
        self, server: RecordingServer, party: Party, seat: Seat | None, dice: Random
    ) -> None:
        self.server = server
        self.session = TableSession(server, party.code, seat)
        self.lost = False
        self._party = party
        self._dice = dice
        self._answered = 0
        self._acting: set[asyncio.Task[None]] = set()

    async def watch(self) -> None:
        """Follows the table and answers, for as long as it is not cancelled."""
        try:
            async for update in self.session.updates():
                match update:
                    case LineLost():
                        self.lost = True
                    case LineBack():
                        self.lost = False
                    case Ended(sentence):
                        raise Stuck(f"{self.server.name} was sent away: {sentence}")
                    case Changed():
                        self._consider()
                self._party.tell()
        finally:
            for task in self._acting:
                task.cancel()

    def _consider(self) -> None:
        state = self.session.state
        if state.table is not None and state.table.stage is TableStage.FINISHED:
            self._party.over.set()
        if state.decision is None or state.decision.id == self._answered:
            return
        self._answered = state.decision.id
        task = self._party.run(self._act())
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)

    async def _act(self) -> None:
        await self._party.leave_to_act()
        state = self.session.state
        view = state.view
        if state.decision is None or view is None:
            return
        bids, plays = view.legal_bids, view.legal_plays
        deed = MakeBid(self._dice.choice(bids[:6])) if bids else Play(self._dice.choice(plays))
        try:
            await self.session.act(deed, state, state.decision.id)
        except SpadesError as refusal:
            if refusal.reason not in _TOO_LATE:
                raise


class Dicer(Agent):
    """An agent that decides as its dice fall."""

    def __init__(self, dice: Random, party: Party) -> None:
        self._dice = dice
        self._party = party

    async def bid(self, view: SeatView) -> Bid:
        """Bids."""
        await self._party.leave_to_act()
        return self._dice.choice(view.legal_bids[:6])

    async def play(self, view: SeatView) -> Card:
        """Plays."""
        await self._party.leave_to_act()
        return self._dice.choice(view.legal_plays)


def hands(number: int) -> str:
    """The rules of a match of so many hands, whatever the score."""
    return f"classic,floor=none,target=10000,max_hands={number},next_hand_wait=0"


@asynccontextmanager
async def seated(
    target: str,
    history: History,
    seed: str,
    *,
    rules: str = "",
    agents: int = 0,
    spectators: int = 1,
) -> AsyncGenerator[Party]:
    """A party whose match has not begun; the last ``agents`` seats are agents', the others persons'.

    The match has one hand unless there are other rules. When the block ends the clients hang up.
    """
    async with AsyncExitStack() as stack:

        async def joined(name: str) -> RecordingServer:
            server = RecordingServer.to(target, history)
            await stack.enter_async_context(server)
            await server.register(name)
            return server

        host = await joined(f"{seed} South")
        party = Party((await host.create_table(rules or hands(1))).code)
        for seat in Seat:
            server = host if seat is Seat.SOUTH else await joined(f"{seed} {seat}")
            dice = Random(f"{seed} {seat}")
            if seat < 4 - agents:
                await server.sit(party.code, seat)
                party.persons.append(Person(server, party, seat, dice))
                continue
            await server.sit(party.code, seat, OccupantKind.AGENT)
            connection = Connection(
                server,
                Dicer(dice, party),
                dice.randbytes(32),
                Delivery.ON_DECISION if seat % 2 else Delivery.IMMEDIATE,
                [party.code],
                lambda _: None,
            )
            await stack.enter_async_context(connection.listening())
        for number in range(spectators):
            server = await joined(f"{seed} sees {number}")
            party.persons.append(Person(server, party, None, Random(seed)))
        watching = [party.run(person.watch()) for person in party.persons]
        try:
            await party.until(lambda: all(one.session.state.table for one in party.persons))
            yield party
        finally:
            for task in watching:
                task.cancel()
            await asyncio.wait(watching)


async def start(party: Party) -> None:
    """Starts the match."""
    await party.persons[0].server.start(party.code)
