"""What every call needs: who calls, and how a refusal ends it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from grpc import aio

from spades import Reason, SpadesError, TableError
from spades_proto.frames import Goodbye, GoodbyeReason
from spades_proto.status import status_of
from spades_proto.version import METADATA_KEY, check_protocol
from spades_server.commands import Player
from spades_server.limits import Limits
from spades_server.players import Players

Context = aio.ServicerContext[Any, Any]


def check_client(context: Context) -> None:
    """Refuses a client that says it speaks another version of the protocol.

    A stock client says nothing, and is taken at the words it sends.

    :raises TableError: if the versions differ.
    """
    said = _metadata(context, METADATA_KEY)
    if said.isascii() and said.isdigit():
        check_protocol(int(said), who="client")


@dataclass(frozen=True, slots=True)
class Gate:
    """Whom the calls come from, and whether they come too often."""

    players: Players
    limits: Limits

    def stranger(self, context: Context, cost: float = 1.0) -> None:
        """Lets a call in that needs no token, and counts as so many.

        :raises TableError: if there are too many from its address, or the versions of the protocol differ.
        """
        check_client(context)
        self.limits.spend(_address(context), cost)

    def caller(self, context: Context) -> Player:
        """Finds out who calls.

        :raises TableError: if the token is missing or unknown, the calls are too many, or the versions of the
            protocol differ.
        """
        check_client(context)
        said = _metadata(context, "authorization")
        scheme, _, token = said.partition(" ")
        try:
            player = self.players.find(token.strip() if scheme.lower() == "bearer" else "")
        except TableError:
            # Whoever guesses tokens does not get far.
            self.limits.spend(_address(context))
            raise
        self.limits.spend(player.id)
        return player


async def refuse(context: Context, error: SpadesError, field: str = "") -> NoReturn:
    """Ends a call with a refusal."""
    status = status_of(error, field)
    trailing = tuple(status.trailing_metadata or ())
    await context.abort(status.code, status.details or "", trailing)
    raise AssertionError("abort raises")


def end(context: Context, goodbye: Goodbye) -> None:
    """Ends a stream with a status that says the same as its goodbye, which a client may miss.

    gRPC drops what a client has not read when a status comes that is no success.
    """
    reason = _END_REASONS.get(goodbye.reason)
    if reason is None:
        return
    status = status_of(TableError(goodbye.sentence, reason))
    context.set_code(status.code)
    context.set_details(goodbye.sentence)
    context.set_trailing_metadata(tuple(status.trailing_metadata or ()))


_END_REASONS: Final = {
    GoodbyeReason.DRAINING: Reason.DRAINING,
    GoodbyeReason.REPLACED: Reason.REPLACED,
    GoodbyeReason.SLOW_CONSUMER: Reason.SLOW_CONSUMER,
    GoodbyeReason.RATE_LIMITED: Reason.RATE_LIMITED,
}
"""A table that closes ends its streams in good order, which is no refusal."""


def _address(context: Context) -> str:
    """Where a call comes from; the port changes with every connection."""
    return str(context.peer()).rpartition(":")[0]


def _metadata(context: Context, key: str) -> str:
    pairs: Iterable[tuple[str, str | bytes]] = context.invocation_metadata() or ()
    for name, value in pairs:
        if name == key and isinstance(value, str):
            return value
    return ""
