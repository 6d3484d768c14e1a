"""Whether a line that was lost is tried again, and when."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

import grpc
from grpc import aio

from spades import Reason, SpadesError
from spades_agents.caller import explained
from spades_proto.frames import Goodbye

RECONNECT_FIRST: Final = 0.2
RECONNECT_MOST: Final = 5.0
RECONNECT_TRIES: Final = 60

_LOST: Final = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        # What grpc.aio makes of a write that fails in the moment in which the call ends (grpc #36066).
        grpc.StatusCode.INTERNAL,
    }
)
"""How a call ends whose line has broken."""

_COME_BACK: Final = frozenset((Reason.SLOW_CONSUMER, Reason.RATE_LIMITED))
"""Why a server ends a stream that may be opened again."""


class ConnectionLost(SpadesError):
    """The server did not come back in time, or told this connection not to."""

    def __init__(self, sentence: str, reason: Reason = Reason.DRAINING) -> None:
        super().__init__(sentence, reason)


class StreamEnded(Exception):
    """The stream must be opened again, after so many milliseconds; not an error."""

    def __init__(self, why: str, after_ms: int = 0) -> None:
        super().__init__(why)
        self.after_ms = after_ms


def leave(goodbye: Goodbye) -> None:
    """Ends the stream as the server asks: for good, or to come back.

    :raises ConnectionLost: if the server does not want it back.
    :raises StreamEnded: if it does.
    """
    if goodbye.retry_after_ms is None:
        raise ConnectionLost(goodbye.sentence, Reason.REPLACED)
    raise StreamEnded(goodbye.sentence, goodbye.retry_after_ms)


def back_off(attempt: int) -> float:
    """How many seconds to wait before attempt number ``attempt``, from 1, with jitter."""
    longest = min(RECONNECT_MOST, RECONNECT_FIRST * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.8, 1.2)


class Reconnection:
    """Counts how often a line was tried in vain since the last welcome."""

    def __init__(self, target: str, report: Callable[[str], None]) -> None:
        self._target = target
        self._report = report
        self._attempt = 0

    def welcomed(self) -> None:
        """Notes that the line is there."""
        self._attempt = 0

    def pause_after(self, error: aio.AioRpcError) -> float:
        """Counts a lost line, and says how many seconds to wait before the next try.

        :raises SpadesError: if there is no use in another try.
        """
        refusal = explained(error, self._target)
        if refusal.reason is Reason.REPLACED:
            raise ConnectionLost(refusal.sentence, Reason.REPLACED) from error
        # gRPC drops what was not read before a status that is no success, so the goodbye may be missing.
        if error.code() not in _LOST and refusal.reason not in _COME_BACK:
            raise refusal from error
        self._attempt += 1
        if self._attempt > RECONNECT_TRIES:
            raise ConnectionLost(f"The server at {self._target} did not come back.") from error
        if self._attempt == 1:
            self._report(f"The line to {self._target} is lost; reconnecting.")
        return back_off(self._attempt)
