"""The server as a whole: built, started and stopped."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from spades import Reason, SpadesError
from spades_proto.channel import SERVER_OPTIONS
from spades_proto.link import Link
from spades_proto.v1 import (
    agents_pb2,
    lobby_pb2,
    lobby_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    records_pb2,
    records_pb2_grpc,
    tables_pb2,
)
from spades_server.addresses import bracketed, reachable_addresses
from spades_server.admin import admin_socket
from spades_server.config import ServerConfig
from spades_server.journal import Journal, MemoryJournal
from spades_server.limits import Limits
from spades_server.lobby import Lobby
from spades_server.players import Players
from spades_server.services.agents import AgentsService
from spades_server.services.calls import Gate
from spades_server.services.lobby import LobbyService
from spades_server.services.players import PlayersService
from spades_server.services.records import RecordsService
from spades_server.services.tables import TablesService
from spades_server.streams import Streams

if TYPE_CHECKING:
    from spades_server.competitions.office import Competitions
    from spades_server.metrics import Metrics

log: Final = logging.getLogger("spades.server")

SERVICES: Final = tuple(
    descriptor.full_name
    for module in (
        agents_pb2,
        lobby_pb2,
        players_pb2,
        records_pb2,
        tables_pb2,
    )
    for descriptor in module.DESCRIPTOR.services_by_name.values()
)
"""The full names of the services that every server has, for health and reflection."""


class CannotListen(SpadesError):
    """The address is taken or not there."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.TABLE_STATE)


class StorageBroken(SpadesError):
    """What is done can no longer be written down."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.TABLE_STATE)


SEEN_S: Final = 1.0
"""How often a server notes that it runs: so exactly a restart knows how long it did not."""

_STARTED_US: Final = time.time_ns() // 1_000 - time.monotonic_ns() // 1_000


def wall_clock() -> int:
    """The time in microseconds since the Unix epoch, as it was at the start and steady since then.

    A clock that is set while matches are played, or a machine that sleeps, hurries nobody.
    """
    return _STARTED_US + time.monotonic_ns() // 1_000


class ServerClock:
    """The time of a server, which is never before what its tables have seen already."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._ahead_us = 0

    def __call__(self) -> int:
        """The time in microseconds."""
        return self._clock() + self._ahead_us

    def begin_after(self, latest_us: int) -> None:
        """Goes on from a time, where the machine's clock is behind it: else the tables would wait."""
        self._ahead_us = max(latest_us - self._clock(), 0)


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
        self._gate = Gate(self.players, self.limits)
        self._agents = AgentsService(self.lobby, self._gate, self.streams)
        self._tables = TablesService(self.lobby, self._gate, self.streams)
        self.competitions = self._competitions() if config.competitions else None
        self._accounts = PlayersService(
            self.lobby, self.competitions, self._gate, self._journal, self.streams
        )
        self._health = health.aio.HealthServicer()
        self._served: tuple[str, ...] = ()
        """The full names of the services that there are."""
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
        self._add_services(server)
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
        for name in ("", *self._served):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        log.info("listening", extra={"address": self.config.address, "port": self.port})

    async def revoke_token(self, name: str) -> None:
        """Makes a player's token worthless; whoever runs the server may want that.

        :raises TableError: if there is no player of that name.
        """
        await self._accounts.renew_token(self.players.named(name).player)

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
        await self._health.enter_graceful_shutdown()
        if self.competitions is not None:
            await self.competitions.stop()
        self._agents.end()
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

    def _add_services(self, server: aio.Server) -> None:
        # The two feeds write bytes that were encoded once for all viewers, so they are registered here
        # and not by the generated functions.
        server.add_generic_rpc_handlers(
            (
                _handlers(
                    tables_pb2.DESCRIPTOR.services_by_name["Tables"].full_name,
                    Watch=grpc.unary_stream_rpc_method_handler(
                        self._tables.watch,
                        request_deserializer=tables_pb2.WatchRequest.FromString,
                    ),
                    Act=grpc.unary_unary_rpc_method_handler(
                        self._tables.act,
                        request_deserializer=tables_pb2.ActRequest.FromString,
                        response_serializer=tables_pb2.ActResponse.SerializeToString,
                    ),
                    Echo=grpc.unary_unary_rpc_method_handler(
                        self._tables.echo,
                        request_deserializer=tables_pb2.EchoRequest.FromString,
                        response_serializer=tables_pb2.EchoResponse.SerializeToString,
                    ),
                ),
                _handlers(
                    agents_pb2.DESCRIPTOR.services_by_name["Agents"].full_name,
                    Connect=grpc.stream_stream_rpc_method_handler(
                        self._agents.connect,
                        request_deserializer=agents_pb2.ConnectRequest.FromString,
                    ),
                ),
            )
        )
        lobby_pb2_grpc.add_LobbyServicer_to_server(
            LobbyService(self.lobby, self._gate, self.config, lambda: self.links), server
        )
        players_pb2_grpc.add_PlayersServicer_to_server(self._accounts, server)
        records_pb2_grpc.add_RecordsServicer_to_server(
            RecordsService(self._journal, self.competitions, self._gate), server
        )
        names = [*SERVICES]
        if self.competitions is not None:
            names.append(self._serve_competitions(server, self.competitions))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        self._served = tuple(names)
        known = (*names, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(known, server)

    def _competitions(self) -> Competitions:
        # Competitions take a while to import, and a match against bots is none.
        from spades_server.competitions.office import Competitions  # noqa: PLC0415

        return Competitions(self.lobby, self._journal, self._clock, self._agents.is_connected)

    def _serve_competitions(self, server: aio.Server, competitions: Competitions) -> str:
        """Adds the service of competitions, and gives its name."""
        from spades_proto.v1 import competitions_pb2, competitions_pb2_grpc  # noqa: PLC0415  # as above
        from spades_server.services.competitions import CompetitionsService  # noqa: PLC0415

        service = CompetitionsService(competitions, self._gate, self.streams)
        competitions_pb2_grpc.add_CompetitionsServicer_to_server(service, server)
        return competitions_pb2.DESCRIPTOR.services_by_name["Competitions"].full_name


def _journal(config: ServerConfig) -> Journal:
    """Where a server writes, by its settings."""
    if config.data is None and not config.database:
        return MemoryJournal()
    # A database takes a while to import, and a match against bots has none.
    from spades_server.storage.journal import open_journal  # noqa: PLC0415

    return open_journal(config)


def _handlers(service: str, **methods: Any) -> grpc.GenericRpcHandler:
    return grpc.method_handlers_generic_handler(service, methods)


@asynccontextmanager
async def running(config: ServerConfig) -> AsyncGenerator[SpadesServer]:
    """A server that listens within the block."""
    server = SpadesServer(config)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def serve(config: ServerConfig, ready: Callable[[SpadesServer], None]) -> None:
    """Serves until SIGTERM or SIGINT; a second signal ends it at once.

    :raises CannotListen: if the address is taken or not there.
    """
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if stopping.is_set():
            # The process is asked again: the default action ends it now.
            for number in (signal.SIGTERM, signal.SIGINT):
                loop.remove_signal_handler(number)
            signal.raise_signal(signal.SIGTERM)
        stopping.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    async with running(config) as server:
        ready(server)
        waits = {
            asyncio.create_task(one.wait())
            for one in (stopping, server.broken, server.asked_to_stop)
        }
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
    if server.why_broken:
        raise StorageBroken(server.why_broken)
