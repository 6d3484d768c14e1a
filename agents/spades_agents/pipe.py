"""Bots in any language: a program that is asked in lines of JSON and answers in them."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from spades import Bid, Card, MakeBid, Outcome, PassCards, Play, Rules, Seat, SeatView
from spades.actions import Action
from spades_agents.agent import Agent
from spades_agents.conversation import Conversation
from spades_agents.failures import AgentFailure, DidNotStart, GivenUp
from spades_agents.loop_thread import LoopThread
from spades_proto import wire
from spades_proto.v1 import pipe_pb2

START_S: Final = 30.0
"""How many seconds a program has to say that it is ready."""

MOST_DEATHS: Final = 3
"""After how many runs in a row that ended without a good answer a program is given up."""


class PipeAgent(Agent):
    """An agent whose decisions a program makes.

    One process plays all the seats of the agent. It is started when it is needed first. When it ends, all
    decisions that are open fail, or the next one if none is; after that, or for a new match, it is started
    anew. A program that ends again and again without a good answer in between is given up: then every
    decision fails at once.

    Its failures are those of :mod:`spades_agents.failures`. It knows no time limit for a decision: whoever
    asks may stop waiting, and a late answer is thrown away.
    """

    def __init__(self, command: Sequence[str], start_s: float = START_S) -> None:
        self.command = tuple(command)
        """The program and its arguments."""
        self.name = _name_of(self.command)
        self.version = ""
        """The version that the program says it has, once it is ready."""
        self.on_errors: Callable[[bytes], None] | None = None
        """Takes what the program writes to its error stream; set before the program is started."""
        self._start_s = start_s
        self._thread = LoopThread(f"pipe of {self.name}")
        self._talk: Conversation | None = None
        """The last run of the program, which may be over."""
        self._deaths = 0
        """How many runs in a row, up to the last that is over, have ended without a good answer."""
        self._buried: Conversation | None = None
        """The last run whose end was counted."""
        self._given_up: GivenUp | None = None
        self._starting = asyncio.Lock()

    # What an agent does.

    async def bid(self, view: SeatView) -> Bid:
        """Asks the program for a bid."""
        action = await self._decide(view)
        assert isinstance(action, MakeBid), "it was looked at when it came"
        return action.bid

    async def blind_bid(self, view: SeatView) -> bool:
        """Asks the program to look or to bid blind nil."""
        return isinstance(await self._decide(view), MakeBid)

    async def pass_cards(self, view: SeatView) -> Sequence[Card]:
        """Asks the program for cards to pass."""
        action = await self._decide(view)
        assert isinstance(action, PassCards), "it was looked at when it came"
        return action.cards

    async def play(self, view: SeatView) -> Card:
        """Asks the program for a card."""
        action = await self._decide(view)
        assert isinstance(action, Play), "it was looked at when it came"
        return action.card

    async def get_ready(self) -> None:
        """Starts the program if it does not run, also one that was given up.

        :raises DidNotStart: if it cannot be started, or does not say that it is ready.
        """
        await self._thread.run(self._begin())

    async def start_match(self, seat: Seat, rules: Rules) -> None:
        """Tells the program that a match begins; one that has ended is started anew."""
        message = pipe_pb2.PipeStart(seat=wire.SEAT.to_wire(seat), rules=wire.rules_to_wire(rules))
        await self._thread.run(self._tell(pipe_pb2.PipeRequest(start=message)))

    async def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
        """Tells the program how a match ended; one that is gone need not know."""
        message = pipe_pb2.PipeEnd(
            seat=wire.SEAT.to_wire(seat),
            outcome=None if outcome is None else wire.outcome_to_wire(outcome),
        )
        await self._thread.run(self._tell_if_running(pipe_pb2.PipeRequest(end=message)))

    async def close(self) -> None:
        """Ends the program: it is asked to by the end of its input, and killed if it does not."""
        await self._thread.run(self._stop())
        self._thread.stop()

    @property
    def errors(self) -> str:
        """The end of what the program has written to its error stream."""
        return "" if self._talk is None else self._talk.errors

    # What happens in the thread of the pipe.

    async def _begin(self) -> None:
        self._deaths = 0
        self._given_up = None
        await self._running()

    async def _decide(self, view: SeatView) -> Action:
        return await self._thread.run(self._ask(view))

    async def _ask(self, view: SeatView) -> Action:
        talk = self._talk
        if talk is None or talk is self._buried:
            talk = await self._running()
        # Else it runs, or it has ended since it was asked last: then this decision is the one to hear of it.
        try:
            return await talk.ask(view)
        except AgentFailure as failure:
            if not talk.goes_on:
                self._bury(talk, failure)
                if self._given_up is not None:
                    raise self._given_up from failure
            raise

    async def _tell(self, request: pipe_pb2.PipeRequest) -> None:
        (await self._running()).write(request)

    async def _tell_if_running(self, request: pipe_pb2.PipeRequest) -> None:
        if self._talk is not None:
            self._talk.write(request)

    async def _running(self) -> Conversation:
        """The conversation with the program, which is started if it does not run.

        :raises DidNotStart: if it cannot be started, or does not say that it is ready.
        :raises GivenUp: if it has ended too often.
        """
        async with self._starting:
            if self._talk is not None:
                if self._talk.goes_on:
                    return self._talk
                self._bury(self._talk, self._talk.failure)
                await self._talk.stop()
            if self._given_up is not None:
                raise self._given_up
            talk = Conversation(self.command, self.on_errors)
            try:
                ready = await talk.start(self._start_s)
            except DidNotStart as failure:
                self._count_death(failure)
                raise
            self.name = ready.name or self.name
            self.version = ready.version
            self._talk = talk
            return talk

    def _bury(self, talk: Conversation, failure: AgentFailure) -> None:
        """Counts the end of a run, whoever notices it, once."""
        if talk is self._buried:
            return
        self._buried = talk
        if talk.has_answered:
            self._deaths = 0
        self._count_death(failure)

    def _count_death(self, failure: AgentFailure) -> None:
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            said = f"it ended {MOST_DEATHS} times in a row without a good answer. {failure}"
            shown = f"{shlex.join(self.command)} is given up: {said}"
            self._given_up = GivenUp(shown, failure.evidence)

    async def _stop(self) -> None:
        async with self._starting:
            if self._talk is not None:
                await self._talk.stop()


def _name_of(command: Sequence[str]) -> str:
    """The name of a program's file, or of the script that an interpreter runs."""
    script = next((word for word in command[1:2] if Path(word).suffix), command[0])
    return Path(script).stem
