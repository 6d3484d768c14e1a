"""Figures for Prometheus: read from the server when they are asked for, so that counting costs nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

import grpc
from grpc import aio
from prometheus_client import CollectorRegistry, Gauge, Histogram, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from spades_proto.table import TableStage

if TYPE_CHECKING:
    from spades_server.app import SpadesServer

LAG_S: Final = 1.0
"""How often the event loop's lag is measured."""

BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)


class ServerCollector(Collector):
    """Reads what the server knows of itself."""

    def __init__(self, server: SpadesServer) -> None:
        self._server = server

    def collect(self) -> Iterable[Metric]:
        """Everything, as it stands."""
        server = self._server
        tables = GaugeMetricFamily("spades_tables", "Tables that are open.", labels=["stage"])
        stages = [host.table.state.stage for host in server.lobby]
        for stage in TableStage:
            tables.add_metric([stage.value], stages.count(stage))
        yield tables
        spectators = sum(len(host.feeds.spectators) for host in server.lobby)
        for name, text, value in (
            ("spades_streams", "Streams that are open.", len(server.streams)),
            ("spades_spectators", "Spectators that watch.", spectators),
            ("spades_players", "Players that are known.", len(server.players)),
        ):
            yield GaugeMetricFamily(name, text, value=value)
        counted = server.lobby.counters
        for name, text, value in (
            ("spades_commands", "Commands that tables were given.", counted.commands),
            ("spades_refusals", "Commands that tables refused.", counted.refusals),
            ("spades_events", "Events that were written and published.", counted.events),
            ("spades_matches", "Matches that were played to their end.", counted.matches),
            (
                "spades_bot_failures",
                "House bots that failed or played wrong.",
                counted.bot_failures,
            ),
            ("spades_slow_readers", "Streams that were not read.", server.streams.slow),
            ("spades_rate_limited", "Requests that came too often.", server.limits.refused),
        ):
            yield CounterMetricFamily(name, text, value=value)


class CallTimer(aio.ServerInterceptor):
    """Measures how long unary calls take, by method and outcome."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._seconds = Histogram(
            "spades_call_seconds",
            "How long unary calls took.",
            ["method", "outcome"],
            buckets=BUCKETS,
            registry=registry,
        )

    async def intercept_service(
        self,
        continuation: Callable[
            [grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any] | None]
        ],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any] | None:
        """Puts the stopwatch around a unary handler; a stream lasts as long as it lasts."""
        handler = await continuation(handler_call_details)
        # A method that is not there has no handler.
        if handler is None or handler.unary_unary is None:
            return handler
        method = str(handler_call_details.method).rpartition("/")[2]
        inner = cast("Callable[[object, object], Awaitable[object]]", handler.unary_unary)

        async def timed(request: object, context: object) -> object:
            with self._timed(method):
                return await inner(request, context)

        return grpc.unary_unary_rpc_method_handler(
            cast("Any", timed),
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    @contextmanager
    def _timed(self, method: str) -> Generator[None]:
        began = time.perf_counter()
        outcome = "refused"
        try:
            yield
            outcome = "ok"
        finally:
            self._seconds.labels(method, outcome).observe(time.perf_counter() - began)


class Metrics:
    """A page of figures on loopback."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.timer = CallTimer(self.registry)
        self._lag = Gauge(
            "spades_loop_lag_seconds", "How late the event loop was.", registry=self.registry
        )

    @contextmanager
    def served(self, server: SpadesServer, port: int) -> Generator[int]:
        """Serves them inside the block; gives the port.

        :raises OSError: if the port is taken.
        """
        self.registry.register(ServerCollector(server))
        page, thread = start_http_server(port, "127.0.0.1", self.registry)
        measuring = asyncio.create_task(self._measure_lag())
        try:
            yield int(page.server_port)
        finally:
            measuring.cancel()
            page.shutdown()
            page.server_close()
            thread.join()

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LAG_S
            await asyncio.sleep(LAG_S)
            self._lag.set(max(loop.time() - due, 0.0))
