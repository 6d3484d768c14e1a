"""The line client: a table in sentences, for pipes, screen readers and plain terminals."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from spades import (
    DecisionKind,
    MakeBid,
    NextHand,
    SeatView,
    SpadesError,
    format_cards,
    quick_count,
    rng_key,
)
from spades.bids import BIDS
from spades_agents.agent import Agent, decide
from spades_agents.hooks import close, get_ready
from spades_agents.news import MatchNews
from spades_agents.tasks import end
from spades_client.asks import Ask, offered_bid
from spades_client.desk import Desk, DeskOptions
from spades_client.lines import LineInput
from spades_client.phrases import join_command, people, printable
from spades_client.session import LineBack, TableSession, Update
from spades_proto.table import TakeSeatBack

Say = Callable[[str], None]

WARNING_S: Final = 10.0
"""How many seconds before the end of its time a player is warned."""


@dataclass(frozen=True, slots=True)
class LineOptions(DeskOptions):
    """What the command line settled."""

    agent: Agent | None = None
    """Plays the seat in place of the player, and then no input is read."""
    agent_secret: bytes = b""


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
        self._options = options
        self._updates: deque[Update] = deque()
        self._wake = asyncio.Event()
        self._desk = Desk(session, options, self._wake.set)
        self._lines = None if descriptor is None else LineInput(descriptor, self._wake.set)
        self._write = say
        agent = options.agent
        self._news = None if agent is None else MatchNews(agent, self._say)
        self._asked: tuple[Ask, int, bool] | None = None
        """What was prompted for last, so that it is not prompted for twice."""
        self._end_once = False
        self._warned_for: int | None = None
        self._warning: asyncio.TimerHandle | None = None

    @property
    def failure(self) -> SpadesError | None:
        """Why the session ended, where it was not to be expected."""
        return self._desk.failure

    async def run(self) -> None:
        """Plays until the player leaves or the table is gone."""
        desk = self._desk
        pump = asyncio.create_task(self._pump())
        pump.add_done_callback(lambda _: self._wake.set())
        try:
            if self._options.agent is not None:
                await get_ready(self._options.agent)
            while not desk.left:
                await self._wake.wait()
                self._wake.clear()
                while self._updates and not desk.left:
                    update = self._updates.popleft()
                    self._say_all(await desk.take(update))
                    self._set_warning()
                    if isinstance(update, LineBack):
                        self._asked = None
                if not desk.left:
                    await self._serve_player()
                if pump.done() and not self._updates:
                    pump.result()
                    return
        finally:
            await end(pump)
            if self._warning is not None:
                self._warning.cancel()
            await desk.close()
            await self._end_agent()

    async def _pump(self) -> None:
        async for update in self._desk.session.updates():
            self._updates.append(update)
            self._wake.set()

    async def _serve_player(self) -> None:
        """Prompts if something is asked for, and takes the lines that have arrived."""
        desk = self._desk
        self._note_sent()
        if self._options.agent is not None:
            await self._serve_agent(self._options.agent, desk.ask)
            return
        self._prompt(desk.ask)
        lines = self._lines
        if lines is None:
            return
        # On a terminal a line is for now or for nothing; from a pipe it waits for its question.
        while not desk.left and (lines.is_terminal or desk.ask is not Ask.NOTHING):
            line = lines.take()
            if line is None:
                break
            self._end_once = False
            await self._typed(line.strip())
            self._note_sent()
            self._prompt(desk.ask)
        if lines.ended and not desk.sending and not desk.left:
            await self._input_ended(lines)

    async def _serve_agent(self, agent: Agent, ask: Ask) -> None:
        desk = self._desk
        await self._tell_agent()
        if ask is Ask.REMATCH:
            self._say(await desk.leave())
        elif ask is Ask.NEXT_HAND and self._new((ask, desk.state.hand_number, False)):
            desk.send(NextHand())
        elif ask is Ask.STAND_IN and self._new((ask, desk.state.seq, False)):
            desk.send(TakeSeatBack())
        elif ask is Ask.DECISION:
            view = self._agent_view()
            if view is not None and self._new((ask, desk.decision_id, view.sees_hand)):
                action = decide(agent, view)
                desk.send(await action if isinstance(action, Awaitable) else action)

    async def _tell_agent(self) -> None:
        """Has the agent hear that its match has begun, or how it ended, before it is asked anything."""
        state = self._desk.state
        if self._news is None or state.seat is None or state.table is None:
            return
        place = (state.table.opened.code, state.seat)
        self._news.follow(place, state.table.match)
        news = self._news.pending(place)
        if news is not None:
            await asyncio.wait((news,))

    async def _end_agent(self) -> None:
        if self._news is not None and self._options.agent is not None:
            await self._news.finish()
            await close(self._options.agent)

    def _agent_view(self) -> SeatView | None:
        state = self._desk.state
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

    def _prompt(self, ask: Ask) -> None:
        """Says what is asked for, once; nothing when nothing is."""
        state = self._desk.state
        view = state.view
        sees = view is not None and view.sees_hand
        number = self._desk.decision_id or state.hand_number
        if ask is not Ask.NOTHING and self._new((ask, number, sees)):
            self._say_all(self._prompt_words(ask))

    def _prompt_words(self, ask: Ask) -> list[str]:
        desk = self._desk
        view = desk.state.view
        if ask is Ask.NEXT_HAND:
            return ["Type next, or an empty line, for the next hand."]
        if ask is Ask.REMATCH:
            return ["Type again for a rematch, or quit."]
        if ask is Ask.LOBBY:
            return self._lobby_words()
        if ask is Ask.STAND_IN:
            return ["Type back, or an empty line, to take your seat back."]
        if view is None or view.decision is None:
            return []
        match view.decision.kind:
            case DecisionKind.BID if view.may_look:
                return ["Your turn: type blind to bid blind nil, or look."]
            case DecisionKind.BID:
                count, bid = quick_count(view.hand, view.rules.deck), offered_bid(view)
                bids = "it" if count == bid else bid
                return [f"Your bid? The quick count is {count}; an empty line bids {bids}."]
            case DecisionKind.PASS_CARDS:
                partner = people(desk.table, view.seat.partner, view.seat)
                return [f"Pass {view.pass_count} cards to {partner}: pass, and the cards."]
            case DecisionKind.PLAY:
                return [f"Your card? You may play {format_cards(view.legal_plays)}."]

    def _lobby_words(self) -> list[str]:
        if not self._desk.is_host:
            return ["Waiting for the host to start."]
        code = self._desk.table.opened.code
        return [
            f"Others join with: {join_command(code, self._desk.session.server.invitation)}",
            "Type bots gentle to seat house bots at the empty seats, and start to begin.",
            "bots gentle North is for one seat; bots alone tells the levels.",
        ]

    async def _typed(self, line: str) -> None:
        if line:
            self._say_all(await self._desk.typed(line))
            return
        ask, view = self._desk.ask, self._desk.state.view
        if ask is Ask.NEXT_HAND:
            self._desk.send(NextHand())
        elif ask is Ask.STAND_IN:
            self._desk.send(TakeSeatBack())
        elif ask is Ask.DECISION and view is not None:
            quick = offered_bid(view) if view.legal_bids and not view.may_look else 0
            if quick:
                self._desk.send(MakeBid(BIDS[quick]))
            else:
                # Nil, a card and a look are too much to be done by a key that slipped.
                self._say_all(self._prompt_words(ask))

    def _set_warning(self) -> None:
        """Has the player told in time that the time runs out."""
        clock, left = self._desk.state.clock, self._desk.time_left_s
        own = clock is not None and clock.seat is self._desk.state.seat
        due = clock.deadline_us if own and clock is not None else None
        if due == self._warned_for:
            return
        self._warned_for = due
        if self._warning is not None:
            self._warning.cancel()
            self._warning = None
        if due is not None and left is not None and left > WARNING_S:
            loop = asyncio.get_running_loop()
            self._warning = loop.call_later(left - WARNING_S, self._warn)

    def _warn(self) -> None:
        if self._desk.ask is Ask.DECISION and not self._desk.left:
            self._say(f"You have {WARNING_S:.0f} seconds left.")

    def _note_sent(self) -> None:
        """Says why the last thing that was sent was refused, if it was; the prompt comes again."""
        refused = self._desk.settled()
        if refused is not None:
            self._say(refused)
            self._asked = None

    async def _input_ended(self, lines: LineInput) -> None:
        """End of input leaves the table; on a terminal it must be meant."""
        if lines.is_terminal and not self._end_once:
            self._end_once = True
            lines.take_end()
            self._say("End of input: once more leaves the table.")
        elif self._desk.state.seat is None and not lines.is_terminal:
            # A spectator has nothing to type: it watches on.
            self._lines = None
        else:
            self._say(await self._desk.leave())

    def _say(self, sentence: str) -> None:
        self._write(printable(sentence))

    def _say_all(self, sentences: list[str]) -> None:
        for sentence in sentences:
            self._say(sentence)
