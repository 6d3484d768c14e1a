"""The server as a whole: built, started and stopped."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Final

import grpc
from grpc import aio
from grpc_health.v1 import health_pb2

from spades import Reason, SpadesError
from spades_proto.channel import SERVER_OPTIONS
from spades_proto.link import Link
from spades_server.addresses import bracketed, reachable_addresses
from spades_server.admin import admin_socket
from spades_server.config import ServerConfig
from spades_server.journal import Journal, MemoryJournal
from spades_server.limits import Limits
from spades_server.lobby import Lobby
from spades_server.players import Players
from spades_server.services.calls import Gate
from spades_server.services.registry import Services
from spades_server.streams import Streams
from spades_server.wall_clock import ServerClock, wall_clock

if TYPE_CHECKING:
    from spades_server.metrics import Metrics

log: Final = logging.getLogger("spades.server")


class CannotListen(SpadesError):
    """The address is taken or not there."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.TABLE_STATE)


SEEN_S: Final = 1.0
"""How often a server notes that it runs: so exactly a restart knows how long it did not."""


class SpadesServer:
    """Tables, players and services behind one port. Made and used within one event loop."""

    def __init__(
        self,
        config: ServerConfig,
        journal: Journal | None = None,
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self.config = config
        self._clock = ServerClock(clock)
        self.port = 0
        """The port that the server listens on, once it does."""
        self.players = Players(self._clock)
        self.streams = Streams(config.max_streams, config.max_streams_per_player)
        self._journal = journal or _journal(config)
        self.broken = asyncio.Event()
        """Set when nothing can be written any more: then the server must stop."""
        self.why_broken = ""
        self.asked_to_stop = asyncio.Event()
        """Set when whoever runs the server wants it to stop."""
        self.started_us = clock()
        self.fingerprint = ""
        """Of the certificate, where the server has made it for itself."""
        self._doors = AsyncExitStack()
        self._executor = ThreadPoolExecutor(max_workers=2, thread_name_prefix="bot")
        self.lobby = Lobby(config, self._journal, self._clock, self._executor)
        self.limits = Limits(config.rate, time.monotonic)
        self._services = Services(
            config,
            self.lobby,
            self._journal,
            Gate(self.players, self.limits),
            self.streams,
            self._clock,
            lambda: self.links,
        )
        self.competitions = self._services.competitions
        self._server: aio.Server | None = None
        self._keep_alive: asyncio.Task[None] | None = None
        self._noting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listens.

        :raises CannotListen: if the address is taken or not there.
        """
        metrics = self._metrics()
        timers = () if metrics is None else (metrics.timer,)
        server = aio.server(options=SERVER_OPTIONS, interceptors=timers)
        self._services.add_to(server)
        where = f"{bracketed(self.config.address)}:{self.config.port}"
        try:
            self.port = self._listen(server, where)
        except RuntimeError as error:
            self._journal.close()
            raise CannotListen(
                f"Cannot listen on {where}: another program has the port, or the address is not"
                " this machine's. Choose another with --port."
            ) from error
        except SpadesError:
            # The certificate: the data is for others again.
            self._journal.close()
            raise
        self._journal.start(self._break)
        stored = self._journal.restore()
        self.players.restore(stored.players)
        known = {account.player.id for account in stored.players}
        self._clock.begin_after(stored.latest_us)
        self.lobby.restore(stored, known)
        if self.competitions is not None:
            self.competitions.restore(stored.competitions, known)
        if metrics is not None:
            self._show(metrics)
        await server.start()
        self._server = server
        await self._open_side_doors()
        self.look_after_streams()
        self._noting = asyncio.create_task(self._note_that_it_runs())
        for name in ("", *self._services.names):
            await self._services.health.set(name, health_pb2.HealthCheckResponse.SERVING)
        log.info("listening", extra={"address": self.config.address, "port": self.port})

    async def revoke_token(self, name: str) -> None:
        """Makes a player's token worthless; whoever runs the server may want that.

        :raises TableError: if there is no player of that name.
        """
        await self._services.accounts.renew_token(self.players.named(name).player)

    def _listen(self, server: aio.Server, where: str) -> int:
        config = self.config
        if not config.secure:
            return server.add_insecure_port(where)
        # Certificates take a while to import, and a match against bots has none.
        from spades_server import certificates  # noqa: PLC0415

        if config.certificate is not None and config.key is not None:
            own = certificates.signed_certificate(config.certificate, config.key)
        else:
            own = certificates.own_certificate(None if config.home is None else config.home / "tls")
        self.fingerprint = own.fingerprint
        credentials = grpc.ssl_server_credentials([(own.key, own.chain)])
        return server.add_secure_port(where, credentials)

    async def _open_side_doors(self) -> None:
        """Announces the server, and opens the socket for whoever runs it."""
        config = self.config
        if config.announce:
            from spades_server.announcement import announced  # noqa: PLC0415  # as above

            await self._doors.enter_async_context(
                announced(
                    config.name,
                    reachable_addresses(config.address),
                    self.port,
                    self.fingerprint,
                    secure=config.secure,
                )
            )
        if config.home is not None:
            await self._doors.enter_async_context(admin_socket(self, config.home))

    def _metrics(self) -> Metrics | None:
        if not self.config.metrics_port:
            return None
        from spades_server.metrics import Metrics  # noqa: PLC0415  # as above

        return Metrics()

    def _show(self, metrics: Metrics) -> None:
        try:
            port = self._doors.enter_context(metrics.served(self, self.config.metrics_port))
        except OSError as error:
            self._journal.close()
            raise CannotListen(
                f"Cannot listen on 127.0.0.1:{self.config.metrics_port} for figures: {error.strerror}."
                " Choose another port with --metrics."
            ) from error
        else:
            log.info("metrics", extra={"address": f"http://127.0.0.1:{port}/metrics"})

    @property
    def links(self) -> tuple[Link, ...]:
        """The links by which the server is reached, once it listens."""
        host = self.config.host
        hosts = (host,) if host else reachable_addresses(self.config.address)
        return tuple(
            Link(f"{bracketed(one)}:{self.port}", fingerprint=self.fingerprint) for one in hosts
        )

    async def _note_that_it_runs(self) -> None:
        """Notes the time now and then, so that a restart takes none from the clocks that was not thought."""
        while True:
            await asyncio.sleep(SEEN_S)
            if len(self.lobby):
                self._journal.seen(self._clock())

    def look_after_streams(self) -> None:
        """Begins to send heartbeats, at the pace that is set now."""
        if self._keep_alive is not None:
            self._keep_alive.cancel()
        self._keep_alive = asyncio.create_task(self.streams.keep_alive())

    async def stop(self) -> None:
        """Says goodbye to everybody and ends, at the latest after the configured time."""
        server, self._server = self._server, None
        if server is None:
            return
        log.info("stopping", extra={"tables": len(self.lobby), "streams": len(self.streams)})
        await self._services.health.enter_graceful_shutdown()
        if self.competitions is not None:
            await self.competitions.stop()
        self._services.agents.end()
        self.lobby.drain()
        await self._doors.aclose()
        # What can no longer be written is never answered: nobody is to wait for it.
        await server.stop(0 if self.why_broken else self.config.stop_s)
        for task in (self._keep_alive, self._noting):
            if task is not None:
                task.cancel()
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._journal.close()
        log.info("stopped")

    def _break(self, sentence: str) -> None:
        self.why_broken = sentence
        self.broken.set()


def _journal(config: ServerConfig) -> Journal:
    """Where a server writes, by its settings."""
    if config.data is None and not config.database:
        return MemoryJournal()
    # A database takes a while to import, and a match against bots has none.
    from spades_server.storage.journal import open_journal  # noqa: PLC0415

    return open_journal(config)


@asynccontextmanager
async def running(config: ServerConfig) -> AsyncGenerator[SpadesServer]:
    """A server that listens within the block."""
    server = SpadesServer(config)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
