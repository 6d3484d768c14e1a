"""All open streams of a server: whose they are, how many there may be, and heartbeats for the idle ones."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from spades import Reason, TableError
from spades_proto.frames import Goodbye, GoodbyeReason
from spades_server.feeds import HEARTBEAT_S
from spades_server.round_trips import RoundTrip

LAST_WORD_S: Final = 2.0
"""How many seconds a stream that is to end has to be read to its end."""


class Mailbox(Protocol):
    """What a stream writes from."""

    goodbye: Goodbye | None
    """Why the stream ends, once it does."""
    on_end: Callable[[], object]
    """Called when it is to end."""

    @property
    def round_trip(self) -> RoundTrip | None:
        """Measures the stream's round trip, if that is of use."""
        ...

    def beat(self, chunk: bytes, *, always: bool = False) -> None:
        """Takes a heartbeat, unless something was sent since the last one, or ``always``."""
        ...


@dataclass(frozen=True, slots=True)
class Stream:
    """What is known of an open stream."""

    player: str
    """The id of whoever opened it."""
    heartbeat: Callable[[int], bytes]
    """Encodes what it gets when it is idle, with the number to be echoed, or 0."""
    end: Callable[[Goodbye], object]
    """Has it end."""


class Streams:
    """Counts open streams, keeps the idle ones alive, and ends those of one player."""

    def __init__(self, most: int, most_of_player: int = 0) -> None:
        self._most = most
        self._most_of_player = most_of_player or most
        self._of_player: Counter[str] = Counter()
        self._reserved = 0
        self.slow = 0
        """How many streams were ended since they were not read."""
        self._open: dict[Mailbox, Stream] = {}

    def __len__(self) -> int:
        return len(self._open)

    def require_room(self, player: str) -> None:
        """Refuses a stream too many.

        :raises TableError: if as many are open as may be, in all or of one player.
        """
        if self._of_player[player] >= self._most_of_player:
            raise TableError(
                f"One player has {self._most_of_player} streams and opens no more.", Reason.TOO_MANY
            )
        if len(self._open) + self._reserved >= self._most:
            raise TableError(
                f"This server feeds {self._most} streams and opens no more.", Reason.TOO_MANY
            )

    @contextmanager
    def reserved(self, player: str) -> Generator[None]:
        """Counts a stream that has not begun yet."""
        self._of_player[player] += 1
        self._reserved += 1
        try:
            yield
        finally:
            self._reserved -= 1
            self._release(player)

    def _release(self, player: str) -> None:
        self._of_player[player] -= 1
        if not self._of_player[player]:
            del self._of_player[player]

    @contextmanager
    def open(self, mailbox: Mailbox, stream: Stream) -> Generator[None]:
        """Counts a stream while it is open."""
        self._open[mailbox] = stream
        self._of_player[stream.player] += 1
        loop, handler = asyncio.get_running_loop(), asyncio.current_task()
        ending: list[asyncio.TimerHandle] = []

        def end() -> None:
            # Whoever does not read its goodbye is not waited for: its handler may be blocked in a write.
            if handler is not None and not ending:
                ending.append(loop.call_later(LAST_WORD_S, handler.cancel))

        mailbox.on_end = end
        try:
            yield
        finally:
            for timer in ending:
                timer.cancel()
            del self._open[mailbox]
            self._release(stream.player)
            goodbye = mailbox.goodbye
            self.slow += goodbye is not None and goodbye.reason is GoodbyeReason.SLOW_CONSUMER

    def end_of(self, player: str, goodbye: Goodbye) -> None:
        """Ends all streams of a player."""
        for stream in list(self._open.values()):
            if stream.player == player:
                stream.end(goodbye)

    async def keep_alive(self) -> None:
        """Sends heartbeats for ever: one task for all streams, not a timer for each."""
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            now_s = asyncio.get_running_loop().time()
            for mailbox, stream in list(self._open.items()):
                trip = mailbox.round_trip
                echo = 0 if trip is None else trip.ask(now_s)
                mailbox.beat(stream.heartbeat(echo), always=bool(echo))
