"""The socket for whoever runs the server: on this machine, in the data folder, for its owner alone."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from grpc import aio

from spades_proto.admin import admin_address
from spades_proto.channel import SERVER_OPTIONS
from spades_proto.v1 import admin_pb2_grpc

if TYPE_CHECKING:
    from spades_server.app import SpadesServer

log: Final = logging.getLogger("spades.server")


@asynccontextmanager
async def admin_socket(server: SpadesServer, folder: Path) -> AsyncGenerator[None]:
    """Listens inside the block; where the folder's path is too long for a socket, it only logs so."""
    from spades_server.services.admin import AdminService  # noqa: PLC0415  # only servers with data have one

    address = admin_address(folder)
    own = aio.server(options=SERVER_OPTIONS)
    admin_pb2_grpc.add_AdminServicer_to_server(AdminService(server), own)
    # Nobody else may so much as connect, whatever the folder allows.
    former = os.umask(0o177)
    try:
        own.add_insecure_port(address)
        listens = True
    except RuntimeError:
        log.warning("no admin socket", extra={"address": address})
        listens = False
    finally:
        os.umask(former)
    if not listens:
        yield
        return
    await own.start()
    try:
        yield
    finally:
        await own.stop(0)
