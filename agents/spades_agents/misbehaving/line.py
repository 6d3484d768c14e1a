"""What misbehaving bots do to a server, with none of the manners that the SDK has for its agents."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from enum import Enum
from typing import Final

from spades import CARDS, Play
from spades_agents.answers import Answers, Commands
from spades_agents.bots import Beginner
from spades_agents.connection import Connection, Delivery
from spades_agents.fallback import fallback
from spades_agents.feed import Feed
from spades_agents.news import MatchNews, Place
from spades_agents.server import Server
from spades_proto import wire
from spades_proto.v1 import action_pb2, agents_pb2

REPEATS: Final = 20
"""How often the chatty one sends everything."""


class Rudeness(Enum):
    """What a client does at its first card and at each one after it."""

    SILENT = "sends nothing"
    ILLEGAL = "sends a card that it does not hold"
    MALFORMED = "sends commands that could never be right"
    CHATTY = "sends everything many times, under old and new request ids"
    STALE = "sends each card when it is asked for the next"
    DYING = "goes away without a farewell"


async def misbehave(
    kind: Rudeness, server: Server, table: str, report: Callable[[str], None]
) -> None:
    """Plays the seats that a player holds at a table, and misbehaves there until the table is gone.

    :raises SpadesError: if the server refuses the connection, or wants it no more.
    """
    answers = _RudeAnswers(kind, report)
    connection = Connection(
        server,
        Beginner(),
        secrets.token_bytes(32),
        Delivery.ON_DECISION,
        [table],
        report,
        answers,
    )
    async with connection.listening():
        leaving = asyncio.create_task(answers.left.wait())
        over = asyncio.create_task(connection.next_over())
        try:
            while True:
                await asyncio.wait((leaving, over), return_when=asyncio.FIRST_COMPLETED)
                if leaving.done() or over.result().outcome is None:
                    return
                over = asyncio.create_task(connection.next_over())
        finally:
            for task in (leaving, over):
                task.cancel()
            await asyncio.gather(leaving, over, return_exceptions=True)


class _RudeAnswers(Answers):
    """Asks no agent, and takes no notice of refusals."""

    def __init__(self, kind: Rudeness, report: Callable[[str], None]) -> None:
        super().__init__(Beginner(), report)
        self.left = asyncio.Event()
        """Set when the client wants to be gone."""
        self._kind = kind
        self._held: Commands = ()
        self._answered_last = 0

    def ask(self, place: Place, feed: Feed, news: MatchNews) -> Commands:
        """Plays as it should until it has a card to play."""
        del news
        if feed.decision_id == self._answered_last and feed.view().sees_hand:
            return ()
        honest = self.command(place, feed, fallback(feed.view()))
        # What is refused or lost is not sent again.
        self.drop(place)
        if not honest.action.HasField("play"):
            return [honest]
        self._answered_last = feed.decision_id
        return self._rudely(honest, feed)

    def _rudely(self, honest: action_pb2.Command, feed: Feed) -> Commands:
        match self._kind:
            case Rudeness.SILENT:
                return ()
            case Rudeness.ILLEGAL:
                foreign = next(card for card in CARDS if card not in feed.view().hand)
                honest.action.CopyFrom(wire.action_to_wire(Play(foreign)))
                return [honest]
            case Rudeness.MALFORMED:
                return _malformed(honest)
            case Rudeness.CHATTY:
                again = [_copy(honest) for _ in range(REPEATS)]
                for command in again:
                    command.request_id = secrets.token_hex(8)
                return [honest] * REPEATS + again
            case Rudeness.STALE:
                late, self._held = self._held, [honest]
                return late
            case Rudeness.DYING:
                self.left.set()
                return ()

    def answered(self, place: Place, answered: agents_pb2.Answered) -> None:
        """A refusal is nothing to learn from."""
        del place, answered


def _malformed(honest: action_pb2.Command) -> Commands:
    """A command with one thing wrong, for each thing that can be wrong with one."""
    nothing, endless, nameless, lost, early = (_copy(honest) for _ in range(5))
    nothing.ClearField("action")
    endless.request_id = "x" * 1_000
    nameless.request_id = ""
    lost.table = "no such table at all, by any means"
    early.decision += 1_000_000
    return [nothing, endless, nameless, lost, early]


def _copy(command: action_pb2.Command) -> action_pb2.Command:
    other = action_pb2.Command()
    other.CopyFrom(command)
    return other
