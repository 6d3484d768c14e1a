"""All services of a server, as gRPC finds them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

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
from spades_server.config import ServerConfig
from spades_server.journal import Journal
from spades_server.lobby import Lobby
from spades_server.services.agents import AgentsService
from spades_server.services.calls import Gate
from spades_server.services.lobby import LobbyService
from spades_server.services.players import PlayersService
from spades_server.services.records import RecordsService
from spades_server.services.tables import TablesService
from spades_server.streams import Streams

if TYPE_CHECKING:
    from spades_server.competitions.office import Competitions

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


class Services:
    """What a server offers on its port."""

    def __init__(
        self,
        config: ServerConfig,
        lobby: Lobby,
        journal: Journal,
        gate: Gate,
        streams: Streams,
        clock: Callable[[], int],
        links: Callable[[], Iterable[Link]],
    ) -> None:
        """``links`` gives those by which the server is reached, once it listens."""
        self._gate = gate
        self._streams = streams
        self.agents = AgentsService(lobby, gate, streams)
        self._tables = TablesService(lobby, gate, streams)
        self.competitions: Competitions | None = None
        """All competitions; ``None`` where there can be none."""
        if config.competitions:
            # Competitions take a while to import, and a match against bots is none.
            from spades_server.competitions.office import Competitions  # noqa: PLC0415

            self.competitions = Competitions(lobby, journal, clock, self.agents.is_connected)
        self.accounts = PlayersService(lobby, self.competitions, gate, journal, streams)
        self._lobby = LobbyService(lobby, gate, config, links)
        self._records = RecordsService(journal, self.competitions, gate)
        self.health = health.aio.HealthServicer()
        self.names: tuple[str, ...] = ()
        """The full names of the services that there are, once they are registered."""

    def add_to(self, server: aio.Server) -> None:
        """Registers all of them, with those for health and reflection."""
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
                        self.agents.connect,
                        request_deserializer=agents_pb2.ConnectRequest.FromString,
                    ),
                ),
            )
        )
        lobby_pb2_grpc.add_LobbyServicer_to_server(self._lobby, server)
        players_pb2_grpc.add_PlayersServicer_to_server(self.accounts, server)
        records_pb2_grpc.add_RecordsServicer_to_server(self._records, server)
        names = [*SERVICES]
        if self.competitions is not None:
            names.append(self._serve_competitions(server, self.competitions))
        health_pb2_grpc.add_HealthServicer_to_server(self.health, server)
        self.names = tuple(names)
        known = (*names, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(known, server)

    def _serve_competitions(self, server: aio.Server, competitions: Competitions) -> str:
        """Adds the service of competitions, and gives its name."""
        from spades_proto.v1 import competitions_pb2, competitions_pb2_grpc  # noqa: PLC0415  # as above
        from spades_server.services.competitions import CompetitionsService  # noqa: PLC0415

        service = CompetitionsService(competitions, self._gate, self._streams)
        competitions_pb2_grpc.add_CompetitionsServicer_to_server(service, server)
        return competitions_pb2.DESCRIPTOR.services_by_name["Competitions"].full_name


def _handlers(service: str, **methods: Any) -> grpc.GenericRpcHandler:
    return grpc.method_handlers_generic_handler(service, methods)
