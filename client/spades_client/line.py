"""The line client: a table in sentences, for pipes, screen readers and plain terminals."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Final

from spades import (
    MAX_BID,
    DecisionKind,
    MakeBid,
    NextHand,
    PassCards,
    Phase,
    Play,
    Reason,
    SeatView,
    SpadesError,
    TableError,
    format_cards,
    quick_count,
    rng_key,
)
from spades.actions import Action
from spades.bids import BIDS
from spades_agents import HOUSE_BOTS
from spades_agents.agent import Agent, decide
from spades_client.answers import answer
from spades_client.lines import LineInput
from spades_client.narrate import narrate
from spades_client.phrases import people, printable
from spades_client.session import Changed, Ended, LineBack, LineLost, TableSession, Update
from spades_client.state import ClientState
from spades_client.words import Typed, Word, understand
from spades_proto.table import Courtesy, RecordKept, TableStage, TableState

Say = Callable[[str], None]


class Ask(Enum):
    """What the client waits for from its player."""

    NOTHING = "nothing"
    DECISION = "a decision"
    NEXT_HAND = "the next hand"
    REMATCH = "a rematch"
    LOBBY = "the start"


@dataclass(frozen=True, slots=True)
class LineOptions:
    """What the command line settled."""

    agent: Agent | None = None
    """Plays the seat in place of the player, and then no input is read."""
    agent_secret: bytes = b""
    record: Path | None = None
    """Where to append the record of each match."""
    start_when_full: bool = False
    """Whether the host starts the match as soon as all four seats are taken."""
    solo: bool = False
    """Whether the table is this program's own and ends with it."""


_ANSWERS_DECISION: Final = (MakeBid, PassCards, Play)


class LineClient:
    """One table, one player, line by line."""

    def __init__(
        self,
        session: TableSession,
        say: Say,
        options: LineOptions,
        descriptor: int | None = None,
    ) -> None:
        """Reads lines from a file descriptor, or with ``None`` none at all."""
        self._session = session
        self._options = options
        self._updates: deque[Update] = deque()
        self._wake = asyncio.Event()
        self._lines = None if descriptor is None else LineInput(descriptor, self._wake.set)
        self._write = say
        self._sending: asyncio.Task[None] | None = None
        self._asked: tuple[Ask, int, bool] | None = None
        """What was prompted for last, so that it is not prompted for twice."""
        self._end_once = False
        self._left = False
        self._started = False
        self.failure: SpadesError | None = None
        """Why the session ended, where it was not to be expected."""

    async def run(self) -> None:
        """Plays until the player leaves or the table is gone."""
        pump = asyncio.create_task(self._pump())
        pump.add_done_callback(self._wake_up)
        try:
            while not self._left:
                await self._wake.wait()
                self._wake.clear()
                while self._updates and not self._left:
                    await self._take(self._updates.popleft())
                if not self._left:
                    await self._serve_player()
                if pump.done() and not self._updates:
                    pump.result()
                    return
        finally:
            for task in (pump, self._sending):
                if task is not None:
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError, SpadesError):
                        await task

    async def _pump(self) -> None:
        async for update in self._session.updates():
            self._updates.append(update)
            self._wake.set()

    def _wake_up(self, _task: asyncio.Task[None]) -> None:
        self._wake.set()

    # What the table says.

    async def _take(self, update: Update) -> None:
        match update:
            case Changed():
                for sentence in narrate(update.old, update.frame, update.new):
                    self._say(sentence)
                if isinstance(update.frame.payload, RecordKept):
                    await self._keep_record(update.frame.payload.match)
                self._start_when_full(update.new)
            case LineLost(sentence):
                self._say(sentence)
            case LineBack():
                self._say("The line is back.")
                self._asked = None
            case Ended(sentence, refusal):
                # A table that never showed is the command line's failure and told there.
                if refusal is None or self._session.state.table is not None:
                    self._say(sentence)
                self.failure = refusal
                self._left = True

    async def _keep_record(self, match: str) -> None:
        path = self._options.record
        if path is None:
            return
        try:
            line = await self._session.server.record(match)
            with path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except (SpadesError, OSError) as error:
            why = error.sentence if isinstance(error, SpadesError) else f"{error.strerror}."
            self.failure = TableError(
                f"The record could not be written to {path}: {why}", Reason.RECORD_NOT_FOUND
            )
            self._say(self.failure.sentence)
        else:
            self._say(f"The record is written to {path}.")

    def _start_when_full(self, state: ClientState) -> None:
        table = state.table
        if not self._options.start_when_full or table is None or self._started:
            return
        if table.opened.host != self._own_name():
            return
        if table.stage is TableStage.OPEN and all(status.occupant for status in table.seats):
            self._started = True
            self._say("All seats are taken.")
            self._start()

    # What the player says.

    def _ask(self) -> Ask:
        state = self._session.state
        table = state.table
        if table is None or state.seat is None or self._sending is not None:
            return Ask.NOTHING
        if table.stage is TableStage.OPEN:
            return Ask.LOBBY
        if table.stage is TableStage.FINISHED:
            return Ask.REMATCH
        if state.decision is not None:
            return Ask.DECISION
        match = table.match
        waiting = match is not None and match.phase is Phase.HAND_OVER
        if waiting and match is not None and state.seat not in match.asked:
            return Ask.NEXT_HAND
        return Ask.NOTHING

    async def _serve_player(self) -> None:
        """Prompts if something is asked for, and takes the lines that have arrived."""
        self._note_sent()
        ask = self._ask()
        if self._options.agent is not None:
            await self._serve_agent(self._options.agent, ask)
            return
        self._prompt(ask)
        lines = self._lines
        if lines is None:
            return
        # On a terminal a line is for now or for nothing; from a pipe it waits for its question.
        while not self._left and (lines.is_terminal or ask is not Ask.NOTHING):
            line = lines.take()
            if line is None:
                break
            self._end_once = False
            await self._typed(line.strip(), ask)
            self._note_sent()
            ask = self._ask()
            self._prompt(ask)
        if lines.ended and self._sending is None and not self._left:
            await self._input_ended(lines)

    async def _serve_agent(self, agent: Agent, ask: Ask) -> None:
        state = self._session.state
        if ask is Ask.REMATCH:
            self._left = True
            await self._leave()
        elif ask is Ask.NEXT_HAND and self._new((ask, state.hand_number, False)):
            self._send(NextHand())
        elif ask is Ask.DECISION:
            view = self._agent_view()
            if view is not None and self._new((ask, self._decision_id(), view.sees_hand)):
                action = decide(agent, view)
                self._send(await action if isinstance(action, Awaitable) else action)

    def _agent_view(self) -> SeatView | None:
        state = self._session.state
        match = state.table.match if state.table else None
        if match is None or state.seat is None:
            return None
        secret = self._options.agent_secret
        key = rng_key(secret, match.commitment, state.seat) if secret else b""
        return SeatView(match, state.seat, key)

    def _new(self, asked: tuple[Ask, int, bool]) -> bool:
        if asked == self._asked:
            return False
        self._asked = asked
        return True

    def _decision_id(self) -> int:
        decision = self._session.state.decision
        return decision.id if decision is not None else 0

    def _prompt(self, ask: Ask) -> None:
        """Says what is asked for, once; nothing when nothing is."""
        view = self._session.state.view
        sees = view is not None and view.sees_hand
        number = self._decision_id() or self._session.state.hand_number
        if ask is not Ask.NOTHING and self._new((ask, number, sees)):
            for sentence in self._prompt_words(ask):
                self._say(sentence)

    def _prompt_words(self, ask: Ask) -> list[str]:
        state = self._session.state
        view = state.view
        if ask is Ask.NEXT_HAND:
            return ["Type next, or an empty line, for the next hand."]
        if ask is Ask.REMATCH:
            return ["Type again for a rematch, or quit."]
        if ask is Ask.LOBBY:
            return self._lobby_words()
        if view is None or view.decision is None:
            return []
        match view.decision.kind:
            case DecisionKind.BID if view.may_look:
                return ["Your turn: type blind to bid blind nil, or look."]
            case DecisionKind.BID:
                quick = self._quick(view)
                if quick == 0:
                    return ["Your bid? The quick count is 0: type nil, or a number."]
                return [f"Your bid? The quick count is {quick}; an empty line bids it."]
            case DecisionKind.PASS_CARDS:
                partner = people(self._table(), view.seat.partner, view.seat)
                return [f"Pass {view.pass_count} cards to {partner}: pass, and the cards."]
            case DecisionKind.PLAY:
                return [f"Your card? You may play {format_cards(view.legal_plays)}."]

    def _lobby_words(self) -> list[str]:
        table = self._table()
        if table.opened.host != self._own_name():
            return ["Waiting for the host to start."]
        code = table.opened.code
        return [
            f"Others join with: spades join {code}",
            "Type bots gentle to seat house bots at the empty seats, and start to begin.",
        ]

    async def _typed(self, line: str, ask: Ask) -> None:
        if not line:
            self._empty_line(ask)
            return
        try:
            typed = understand(line)
        except SpadesError as error:
            self._say(error.sentence)
            return
        if typed.word is Word.QUIT:
            self._left = True
            await self._leave()
        elif (typed.word is Word.AGAIN and ask is Ask.REMATCH) or typed.word is Word.START:
            self._start()
        elif typed.word is Word.BOTS:
            self._add_bots(typed.argument)
        elif typed.deed is not None:
            self._deed(typed, ask)
        else:
            for sentence in answer(typed.word, typed.argument, self._session.state) or []:
                self._say(sentence)

    def _empty_line(self, ask: Ask) -> None:
        view = self._session.state.view
        if ask is Ask.NEXT_HAND:
            self._send(NextHand())
        elif ask is Ask.DECISION and view is not None:
            quick = self._quick(view) if view.legal_bids and not view.may_look else 0
            if quick and self._sending is None:
                self._send(MakeBid(BIDS[quick]))
            else:
                # Nil, a card and a look are too much to be done by a key that slipped.
                for sentence in self._prompt_words(ask):
                    self._say(sentence)

    def _deed(self, typed: Typed, ask: Ask) -> None:
        """Sends what can be sent now, and says why the rest is not."""
        deed = typed.deed
        assert deed is not None, "only deeds are sent"
        if self._session.state.seat is None:
            self._say("A spectator only watches; nothing was sent.")
        elif self._sending is not None:
            self._say("Your last move is still on its way; nothing was sent.")
        elif isinstance(deed, _ANSWERS_DECISION) and ask is not Ask.DECISION:
            self._say("It is not your turn; nothing was sent.")
        else:
            self._send(deed)

    def _send(self, deed: Action | Courtesy) -> None:
        answers = isinstance(deed, _ANSWERS_DECISION)
        decision = self._decision_id() if answers else 0
        self._sending = asyncio.create_task(self._session.act(deed, decision))
        self._sending.add_done_callback(self._wake_up)

    def _note_sent(self) -> None:
        """Says why the last thing that was sent was refused, if it was; the prompt comes again."""
        sending = self._sending
        if sending is None or not sending.done():
            return
        self._sending = None
        error = sending.exception()
        if isinstance(error, SpadesError):
            self._say(error.sentence)
            self._asked = None
        elif error is not None:
            raise error

    def _start(self) -> None:
        before = self._commitment()
        call = self._session.server.start(self._session.table)
        self._at_the_lobby(call, lambda: self._commitment() != before)

    def _commitment(self) -> str:
        table = self._session.state.table
        return table.match.commitment if table is not None and table.match is not None else ""

    def _add_bots(self, argument: str) -> None:
        bot = argument or next(reversed(HOUSE_BOTS))
        call = self._session.server.add_bot(self._session.table, bot)
        self._at_the_lobby(call, lambda: all(one.occupant for one in self._table().seats))

    def _at_the_lobby(self, call: Coroutine[Any, Any, object], seen: Callable[[], bool]) -> None:
        """Has the lobby do something; it is over when the feed shows it, as with every other deed."""
        if self._sending is not None:
            call.close()
            self._say("Your last move is still on its way; nothing was sent.")
            return

        async def ask() -> None:
            await call
            await self._session.until(seen)

        self._sending = asyncio.create_task(ask())
        self._sending.add_done_callback(self._wake_up)

    async def _input_ended(self, lines: LineInput) -> None:
        """End of input leaves the table; on a terminal it must be meant."""
        if lines.is_terminal and not self._end_once:
            self._end_once = True
            lines.take_end()
            self._say("End of input: once more leaves the table.")
            return
        if self._session.state.seat is None and not lines.is_terminal:
            # A spectator has nothing to type: it watches on.
            self._lines = None
            return
        self._left = True
        await self._leave()

    async def _leave(self) -> None:
        if self._session.state.seat is None:
            self._say("You leave.")
            return
        table = self._session.state.table
        playing = table is not None and table.stage is TableStage.PLAYING
        playing = playing and not self._options.solo
        with contextlib.suppress(SpadesError):
            await self._session.server.leave(self._session.table)
        kept = " Your seat stays yours: join again to come back." if playing else ""
        self._say(f"You leave the table.{kept}")

    # Small things.

    def _say(self, sentence: str) -> None:
        self._write(printable(sentence))

    def _table(self) -> TableState:
        table = self._session.state.table
        assert table is not None, "there is a table once there is something to say of it"
        return table

    def _own_name(self) -> str:
        table, seat = self._table(), self._session.state.seat
        return table.name_of(seat) if seat is not None else ""

    def _quick(self, view: SeatView) -> int:
        """The quick count (rules.md 8), moved into the legal bids where they are fewer."""
        count = min(quick_count(view.hand, view.rules.deck), MAX_BID)
        legal = [bid.tricks for bid in view.legal_bids]
        return min(legal, key=lambda tricks: abs(tricks - count))
