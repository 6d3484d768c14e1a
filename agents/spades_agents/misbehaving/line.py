"""What misbehaving bots do to a server, with none of the manners that the SDK has for its agents."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from enum import Enum
from typing import Final

from spades import CARDS, Play, Seat
from spades_agents.bots import Beginner
from spades_agents.connection import Connection, Delivery
from spades_agents.fallback import fallback
from spades_agents.feed import Feed
from spades_agents.server import Server
from spades_proto import wire
from spades_proto.v1 import action_pb2, agents_pb2

REPEATS: Final = 20
"""How often the chatty one sends everything."""

Place = tuple[str, Seat]
Commands = list[action_pb2.Command]


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
    connection = _RudeConnection(kind, server, table, report)
    async with connection.listening():
        leaving = asyncio.create_task(connection.left.wait())
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


class _RudeConnection(Connection):
    """Asks no agent, and takes no notice of refusals."""

    def __init__(
        self, kind: Rudeness, server: Server, table: str, report: Callable[[str], None]
    ) -> None:
        super().__init__(
            server, Beginner(), secrets.token_bytes(32), Delivery.ON_DECISION, [table], report
        )
        self.left = asyncio.Event()
        """Set when the client wants to be gone."""
        self._kind = kind
        self._held: Commands = []
        self._answered_last = 0

    def _ask(self, key: Place, feed: Feed, commands: Commands) -> None:
        if feed.decision_id == self._answered_last and feed.view().sees_hand:
            return
        honest = self._command(key, feed, fallback(feed.view()))
        # What is refused or lost is not sent again.
        self._pending.clear()
        if not honest.action.HasField("play"):
            commands.append(honest)
            return
        self._answered_last = feed.decision_id
        commands += self._rudely(honest, feed)

    def _rudely(self, honest: action_pb2.Command, feed: Feed) -> Commands:
        match self._kind:
            case Rudeness.SILENT:
                return []
            case Rudeness.ILLEGAL:
                foreign = next(card for card in CARDS if card not in feed.view().hand)
                return [_changed(honest, action=wire.action_to_wire(Play(foreign)))]
            case Rudeness.MALFORMED:
                return [
                    _changed(honest, action=action_pb2.Action()),
                    _changed(honest, request_id="x" * 1_000),
                    _changed(honest, request_id=""),
                    _changed(honest, table="no such table at all, by any means"),
                    _changed(honest, decision=honest.decision + 1_000_000),
                ]
            case Rudeness.CHATTY:
                again = [_changed(honest, request_id=secrets.token_hex(8)) for _ in range(REPEATS)]
                return [honest] * REPEATS + again
            case Rudeness.STALE:
                late, self._held = self._held, [honest]
                return late
            case Rudeness.DYING:
                self.left.set()
                return []

    def _answered(self, answered: agents_pb2.Answered, commands: Commands) -> None:
        """A refusal is nothing to learn from."""
        del answered, commands


def _changed(command: action_pb2.Command, **fields: object) -> action_pb2.Command:
    """A command that differs in some fields."""
    other = action_pb2.Command()
    other.CopyFrom(command)
    for name in fields:
        other.ClearField(name)  # type: ignore[arg-type]  # a field's name
    other.MergeFrom(action_pb2.Command(**fields))  # type: ignore[arg-type]  # as above
    return other
