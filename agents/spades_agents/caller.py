"""The way to a server: the channel, whose calls go over it, and what a failed one means."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Final, Self, TypeVar

import grpc
from grpc import aio

from spades import Reason, SpadesError, TableError
from spades_agents.trust import ServerUnreachable, Trust, is_loopback, open_channel, remember
from spades_proto.link import Link, parse_link
from spades_proto.software import SOFTWARE
from spades_proto.status import error_of
from spades_proto.version import METADATA_KEY, PROTOCOL

CALL_TIMEOUT: Final = 10.0
"""How many seconds a call may take, the time to connect included."""

MOST_WAIT_S: Final = 5.0
"""How long a call waits at most for a server that takes no more requests at the moment."""

Request = TypeVar("Request")
Response = TypeVar("Response")
Metadata = tuple[tuple[str, str], ...]

UNKNOWN: Final = Trust()


class Caller:
    """Whoever makes calls to a server: a player once there is a token.

    It is open within ``async with``, and may be opened again.
    """

    def __init__(self, address: str, token: str = "", trust: Trust = UNKNOWN) -> None:
        """``address`` is a join link, or ``HOST`` or ``HOST:PORT``.

        A distant server is trusted by the fingerprint of a link or by an authority; ``trust`` says what else.

        :raises NotationError: if it is neither.
        """
        self.link = parse_link(address)
        self.target = self.link.target
        """The server's ``host:port``."""
        self.token = token
        self.links: tuple[str, ...] = ()
        """The links by which others reach the server, once it has said what it is."""
        self.fingerprint = ""
        """Of the certificate by which the server is recognised, if it is by one."""
        self._trust = trust
        self._channel: aio.Channel | None = None

    async def __aenter__(self) -> Self:
        self._channel, self.fingerprint = await open_channel(self.link, self._trust)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    @property
    def recognised_by(self) -> str:
        """The fingerprint, by which a server is the same under all its addresses, else the address."""
        return self.fingerprint or self.target

    @property
    def address(self) -> str:
        """Where the server is, with the fingerprint by which it was to be recognised, if there was one."""
        return str(self.link.to_table("")) if self.link.fingerprint else self.target

    @property
    def invitation(self) -> str:
        """What others need to find the server: a link where one is known, else its address."""
        if is_loopback(self.link.host):
            distant = (one for one in self.links if not is_loopback(parse_link(one).host))
            return next(distant, self.target)
        return (
            str(Link(self.target, fingerprint=self.fingerprint))
            if self.fingerprint
            else self.target
        )

    @property
    def whole_link(self) -> str:
        """The same with the fingerprint, also of a server of this machine.

        Whoever copies it elsewhere can tell the server from any other.
        """
        if self.fingerprint and self.invitation == self.target:
            return str(Link(self.target, fingerprint=self.fingerprint))
        return self.invitation

    @property
    def channel(self) -> aio.Channel:
        """The open channel."""
        if self._channel is None:
            raise RuntimeError(
                f"The connection to {self.target} is closed: open it with 'async with' first."
            )
        return self._channel

    @property
    def metadata(self) -> Metadata:
        """What goes with every call: who calls, and which protocol it speaks."""
        version = (METADATA_KEY, str(PROTOCOL))
        if not self.token:
            return (version, ("spades-software", SOFTWARE))
        return (
            version,
            ("spades-software", SOFTWARE),
            ("authorization", f"Bearer {self.token}"),
        )

    def remember(self) -> None:
        """Keeps by what the server was recognised, now that it has shown to be one."""
        remember(self.link, self._trust, self.fingerprint)

    async def call(
        self, method: aio.UnaryUnaryMultiCallable[Request, Response], request: Request
    ) -> Response:
        """Makes a call as the player of this connection.

        :raises SpadesError: if it is refused, or nothing answers.
        """
        for last in (False, False, True):
            try:
                return await method(request, metadata=self.metadata, timeout=CALL_TIMEOUT)
            except aio.AioRpcError as error:
                refusal = explained(error, self.target)
                wait_s = refusal.retry_after_s if isinstance(refusal, TableError) else None
                if last or wait_s is None or wait_s > MOST_WAIT_S:
                    raise refusal from error
            # The server takes the next request then: whoever asked too often is served a little later.
            await asyncio.sleep(wait_s)
        raise AssertionError("the last try returns or raises")


def explained(error: aio.AioRpcError, target: str) -> SpadesError:
    """Says in a sentence what a failed call means."""
    refusal = error_of(error)
    if refusal is not None:
        return refusal
    match error.code():
        case (
            grpc.StatusCode.UNAVAILABLE
            | grpc.StatusCode.DEADLINE_EXCEEDED
            # What a server that is stopping makes of a call that comes too late.
            | grpc.StatusCode.CANCELLED
        ):
            return ServerUnreachable(
                f"No server answers at {target}: is it running, and is the address right?"
            )
        case grpc.StatusCode.UNIMPLEMENTED:
            return ServerUnreachable(f"What answers at {target} is not a Spades server.")
        case code:
            return TableError(
                f"The call to {target} failed: {code.name}: {error.details()}", Reason.TABLE_STATE
            )
