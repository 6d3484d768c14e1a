"""Runs one table: gives it the time, commits and publishes what it says, and lets its bots think."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Final

from spades import MakeBid, Play, Reason, Seat, SeatView, SpadesError, TableError
from spades.actions import Action, Look, PassCards
from spades_agents import HOUSE_BOTS
from spades_agents.agent import Agent, decide
from spades_agents.fallback import fallback
from spades_proto.frames import Answer
from spades_proto.table import TableClosed, TableStage
from spades_server.commands import BotDeed, Measured, Presence, TableCommand, Tick
from spades_server.config import MEMO_EVERY
from spades_server.counters import Counters
from spades_server.deadline import Deadline
from spades_server.feeds import TableFeeds
from spades_server.game import BotTask
from spades_server.goodbyes import SEAT_LEFT
from spades_server.journal import Batch, Journal
from spades_server.mailbox import Sink
from spades_server.reasoning import Reasoning
from spades_server.table import Table
from spades_server.table_log import Entry

log: Final = logging.getLogger("spades.table")

Done = Callable[[Answer], None]

TRIP_CHANGE_US: Final = 5_000
"""A round trip that differs by less from the one before is the same."""


def is_journaled(command: TableCommand, entries: Sequence[Entry], answer: Answer) -> bool:
    """Whether what a table has done must be done again after a restart.

    That is everything but what changed nothing: time in which nothing was due, and an answer that was given
    before. Much of what changes a table is no event, such as who listens, or why a request was refused.
    """
    return bool(entries) or not (isinstance(command, Tick) or answer.replayed)


class TableHost:
    """One table with everything around it that has I/O."""

    def __init__(
        self,
        table: Table,
        journal: Journal,
        clock: Callable[[], int],
        executor: Executor,
        closed: Callable[[TableHost], None],
        counters: Counters,
        *,
        replayed: int | None = None,
        memo_every: int = MEMO_EVERY,
    ) -> None:
        """Makes a host of a new table, or of one that is in the journal already.

        ``replayed`` is how many commands made that again. After ``memo_every`` commands the table writes a
        memo, or more in a long match, whose memo is longer; after 0 never.
        """
        self.table = table
        self.feeds = TableFeeds(table, clock)
        self._journal = journal
        self._clock = clock
        self._executor = executor
        self._closed = closed
        self._counters = counters
        self._bots: dict[str, Agent] = {}
        self._reasoning = Reasoning()
        self._deadline = Deadline(clock, self._due)
        self._thinking: asyncio.Future[Action] | None = None
        self._decision = 0
        """The decision that a bot was asked last."""
        self._pending = 0
        """How many batches are on their way to the journal: nobody hears of them before they are safe."""
        self._waiting: deque[Callable[[], None]] = deque()
        self._ended = False
        self._memo_every = memo_every
        self._since_memo = replayed or 0
        """How many commands there are since the last memo."""
        if replayed is None:
            self._commit(None, table.opening, None, Answer())

    def submit(self, command: TableCommand, done: Done | None = None) -> None:
        """Has the table do a command; ``done`` gets the answer once it is safe.

        :raises SpadesError: if the command is refused.
        """
        if self._ended:
            raise TableError("The server is stopping; come back in a while.", Reason.DRAINING)
        self._counters.commands += 1
        try:
            entries, answer = self.table.handle(command, self._clock())
        except SpadesError:
            self._counters.refusals += 1
            raise
        if answer.refusal is not None:
            self._counters.refusals += 1
        if is_journaled(command, entries, answer):
            self._commit(command, entries, done, answer)
        elif done is not None:
            self.when_safe(lambda: done(answer))

    async def perform(self, command: TableCommand) -> Answer:
        """Has the table do a command and waits for the answer.

        :raises SpadesError: if the command is refused.
        """
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def done(answer: Answer) -> None:
            if not answered.done():
                answered.set_result(answer)

        self.submit(command, done)
        return await answered

    def when_safe(self, then: Callable[[], None]) -> None:
        """Does something as soon as everything that the table has done is safe: at once if it is."""
        if self._pending:
            self._waiting.append(then)
        else:
            then()

    async def safe(self) -> None:
        """Waits until everything that the table has done is safe."""
        if self._pending:
            reached = asyncio.Event()
            self._waiting.append(reached.set)
            await reached.wait()

    def attach(self, player: str, seat: Seat | None, sink: Sink, epoch: int, after: int) -> None:
        """Starts a player's feed, with nothing in it that is not safe yet, and notes who listens."""

        def begin() -> None:
            if self._ended:
                return
            if seat is not None and self.table.owners[seat] != player:
                # The seat was given up while the feed waited: what it sees now is for other eyes.
                sink.end(SEAT_LEFT, self.feeds.goodbye(SEAT_LEFT))
                return
            self.feeds.attach(seat, sink, epoch, after)
            if seat is not None:
                before = self.table.clock.reading
                self.submit(Presence(seat, listening=True))
                if self.table.clock.reading != before:
                    self.when_safe(self.feeds.show_clock)

        self.when_safe(begin)

    def detach(self, seat: Seat | None, sink: Sink) -> None:
        """Ends a feed, and notes who listens no more."""

        def end() -> None:
            if self.feeds.detach(seat, sink) and seat is not None:
                # A table that closed meanwhile, or a server that is stopping, has nobody to tell.
                with contextlib.suppress(SpadesError):
                    self.submit(Presence(seat, listening=False))

        self.when_safe(end)

    def measured(self, seat: Seat, round_trip_us: int) -> None:
        """Tells the clock of a round trip, if it is not the one that it knows."""
        known = self.table.clock.round_trips_us[seat]
        if known is None or abs(known - round_trip_us) > max(TRIP_CHANGE_US, known // 4):
            with contextlib.suppress(SpadesError):
                self.submit(Measured(seat, round_trip_us))

    def close(self) -> None:
        """Stops the table for good; its feeds have been ended by whoever closes it."""
        self._ended = True
        self._deadline.set(None)
        if self._thinking is not None:
            self._thinking.cancel()

    def _commit(
        self,
        command: TableCommand | None,
        entries: tuple[Entry, ...],
        done: Done | None,
        answer: Answer,
    ) -> None:
        finished = self.table.take_finished()

        def committed() -> None:
            self._pending -= 1
            self.feeds.publish(entries)
            self._reasoning.tell(self.table.config.code, entries)
            self._counters.events += len(entries)
            if done is not None:
                done(answer)
            if finished is not None:
                self._counters.matches += 1
                log.info(
                    "match ended",
                    extra={
                        "table": self.table.config.code,
                        "match": finished.circumstances.match,
                        "outcome": str(finished.match.outcome),
                        "hands": finished.match.hand_number,
                    },
                )
            # What waited may do something that must be safe before the next hears of anything.
            while self._waiting and not self._pending:
                self._waiting.popleft()()
            if entries and isinstance(entries[-1].event, TableClosed):
                self._closed(self)
            else:
                self._schedule()

        table = self.table
        self._since_memo += command is not None
        every = self._memo_every
        remembers = every > 0 and self._since_memo >= max(every, table.events_of_match // 8)
        if remembers:
            self._since_memo = 0
        batch = Batch(
            table.config.code,
            table.epoch,
            entries,
            finished,
            table.config.private,
            command,
            table.now_us,
            None if command is not None else (table.config, table.host),
            table.memo if remembers else None,
        )
        self._pending += 1
        self._journal.commit(batch, committed)

    def _schedule(self) -> None:
        """Sets the one timer to whatever comes next: a deadline, or a bot's turn."""
        if self._ended or self.table.state.stage is TableStage.CLOSED:
            self._deadline.set(None)
            return
        task = self.table.bot_task()
        due = self.table.next_deadline()
        if task is not None and task.decision != self._decision:
            if task.due_us <= self._clock():
                self._ask(task)
            elif due is None or task.due_us < due:
                due = task.due_us
        self._deadline.set(due)

    def _due(self) -> None:
        self.submit(Tick())
        self._schedule()

    def _ask(self, task: BotTask) -> None:
        """Has a bot think in the executor, never on the event loop."""
        self._decision = task.decision
        agent = self._bots.get(task.bot)
        if agent is None:
            agent = self._bots[task.bot] = HOUSE_BOTS[task.bot]()
        view = self.table.bot_view(task.seat)
        loop = asyncio.get_running_loop()
        thinking = loop.run_in_executor(self._executor, think, agent, view)
        self._thinking = thinking
        thinking.add_done_callback(lambda future: self._thought(task, view, future))

    def _thought(self, task: BotTask, view: SeatView, future: asyncio.Future[Action]) -> None:
        if future.cancelled() or self._ended:
            return
        error = future.exception()
        if error is None:
            action = future.result()
        else:
            # What it says may name a card of a running hand, so only its kind is logged.
            self._counters.bot_failures += 1
            log.error("a house bot failed", extra={"bot": task.bot, "error": type(error).__name__})
            action = fallback(view)
        if isinstance(action, Look):
            # The decision stays open after a look, so it is asked again.
            self._decision = 0
        self._reasoning.note(task.bot, view, action)
        try:
            self.submit(BotDeed(task.seat, task.decision, action))
        except SpadesError as refusal:
            self._reasoning.forget_last()
            if refusal.reason is not Reason.STALE_DECISION:
                self._counters.bot_failures += 1
                log.warning(
                    "a house bot played wrong",
                    extra={"bot": task.bot, "reason": refusal.reason.name},
                )
                self.submit(BotDeed(task.seat, task.decision, fallback(view)))
                return
            log.debug(
                "a house bot came too late", extra={"bot": task.bot, "reason": refusal.reason.name}
            )
            if self._decision == task.decision:
                # The decision may fall to a bot again, which must be asked anew then.
                self._decision = 0
            self._schedule()


def think(agent: Agent, view: SeatView) -> Action:
    """Asks a house bot, whose methods are plain ones."""
    action = decide(agent, view)
    assert isinstance(action, Look | MakeBid | PassCards | Play), "house bots answer at once"
    return action
