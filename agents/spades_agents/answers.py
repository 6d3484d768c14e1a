"""An agent's answers to what its seats are asked, and the commands that carry them."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Sequence

from spades import Look, Play, Reason, SeatView, SpadesError
from spades.actions import Action
from spades_agents.agent import Agent, decide
from spades_agents.failures import GivenUp, failure_of, in_words
from spades_agents.fallback import fallback
from spades_agents.feed import Feed
from spades_agents.news import MatchNews, Place
from spades_proto import wire
from spades_proto.v1 import action_pb2, agents_pb2

Commands = Sequence[action_pb2.Command]
Later = Coroutine[None, None, action_pb2.Command | None]
"""A command that is thought about; ``None`` if it came too late."""


class Answers:
    """Asks an agent each decision once, and keeps what was sent until the server has answered."""

    def __init__(self, agent: Agent, report: Callable[[str], None]) -> None:
        self._agent = agent
        self._report = report
        self._asked: dict[Place, tuple[int, bool]] = {}
        """The decision that each seat was asked last, and whether it saw its hand then."""
        self._pending: dict[Place, action_pb2.Command] = {}
        """What was sent and has not been seen to happen; sent again after a lost line."""
        self._prefix = secrets.token_hex(8)
        self._numbers = itertools.count(1)
        self.given_up: GivenUp | None = None
        """Why nothing more can be asked of the agent, once that is so."""

    @property
    def pending(self) -> Commands:
        """What was sent and has not been answered."""
        return tuple(self._pending.values())

    def ask(self, place: Place, feed: Feed, news: MatchNews) -> Commands | Later:
        """Asks for the decision that is open for a seat: what is sent at once, or what is thought about."""
        view = feed.view()
        asked = (feed.decision_id, view.sees_hand)
        if self._asked.get(place) == asked:
            return ()
        self._asked[place] = asked
        heard = news.pending(place)
        try:
            action = decide(self._agent, view) if heard is None else self._decide_after(heard, view)
        except Exception as error:  # noqa: BLE001  # the author's code: its fault is reported and played over
            return [self._failed(place, feed, error)]
        if not isinstance(action, Play) and isinstance(action, Awaitable):
            return self._think(place, feed, asked[0], action)
        return [self.command(place, feed, action)]

    def answered(self, place: Place, answered: agents_pb2.Answered) -> SpadesError | None:
        """Takes in what the server says of a command; gives back why it was refused."""
        pending = self._pending.get(place)
        if pending is None or pending.request_id != answered.request_id:
            return None
        del self._pending[place]
        return wire.refusal_from_wire(answered.refusal) if answered.HasField("refusal") else None

    def after(self, refusal: SpadesError, place: Place, feed: Feed) -> Commands:
        """What is sent in place of a command that was refused."""
        if refusal.reason is Reason.STALE_DECISION:
            return [self._take_back(place)] if feed.has_stand_in else ()
        if not feed.is_asked:
            return ()
        return [self.command(place, feed, self._fallback(place, feed, refusal.sentence))]

    def drop(self, place: Place) -> None:
        """Forgets a seat."""
        self._pending.pop(place, None)
        self._asked.pop(place, None)

    def command(self, place: Place, feed: Feed, action: Action) -> action_pb2.Command:
        """A command that answers a seat's open decision; it is pending from now on."""
        looks = isinstance(action, Look)
        command = action_pb2.Command(
            table=place[0],
            seat=wire.SEAT.to_wire(place[1]),
            request_id=f"{self._prefix}-{next(self._numbers)}",
            decision=0 if looks else feed.decision_id,
            epoch=feed.epoch,
            hand_number=feed.hand_number if looks else 0,
            action=wire.action_to_wire(action),
        )
        self._pending[place] = command
        return command

    async def _decide_after(self, heard: asyncio.Task[None], view: SeatView) -> Action:
        """Asks once the agent has heard that the match has begun."""
        await asyncio.wait((heard,))
        action = decide(self._agent, view)
        return await action if isinstance(action, Awaitable) else action

    async def _think(
        self, place: Place, feed: Feed, decision: int, answer: Awaitable[Action]
    ) -> action_pb2.Command | None:
        try:
            action = await answer
        except Exception as error:  # noqa: BLE001  # the author's code: its fault is reported and played over
            if feed.decision_id == decision:
                return self._failed(place, feed, error)
            self._note(error)
            return None
        if feed.decision_id != decision:
            # It came too late; if a house bot has the seat meanwhile, the agent is there again.
            return self._take_back(place) if feed.has_stand_in else None
        return self.command(place, feed, action)

    def _failed(self, place: Place, feed: Feed, error: Exception) -> action_pb2.Command:
        """What is sent where the agent gave no answer: something legal, and how it failed."""
        self._note(error)
        command = self.command(place, feed, self._fallback(place, feed, in_words(error)))
        command.failure.CopyFrom(wire.failure_to_wire(failure_of(error)))
        return command

    def _note(self, error: Exception) -> None:
        if isinstance(error, GivenUp) and self.given_up is None:
            self.given_up = error

    def _take_back(self, place: Place) -> action_pb2.Command:
        return action_pb2.Command(
            table=place[0],
            seat=wire.SEAT.to_wire(place[1]),
            request_id=f"{self._prefix}-{next(self._numbers)}",
            take_seat_back=action_pb2.TakeSeatBack(),
        )

    def _fallback(self, place: Place, feed: Feed, why: str) -> Action:
        """Something legal in place of an answer that was none, so that the table goes on."""
        self._report(f"Table {place[0]}, {place[1]}: {self._agent.name} did not answer well: {why}")
        return fallback(feed.view())
