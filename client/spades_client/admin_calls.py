"""What whoever runs a server asks of it, over its admin socket."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

import grpc
from grpc import aio

from spades import Seat, SpadesError
from spades_agents import ServerUnreachable
from spades_client.programs import say
from spades_proto import wire
from spades_proto.admin import admin_address
from spades_proto.channel import CLIENT_OPTIONS
from spades_proto.status import error_of
from spades_proto.v1 import admin_pb2, admin_pb2_grpc

TIMEOUT_S: Final = 10.0

T = TypeVar("T")


@asynccontextmanager
async def _admin(folder: Path) -> AsyncGenerator[admin_pb2_grpc.AdminStub]:
    address = admin_address(folder)
    async with aio.insecure_channel(address, options=CLIENT_OPTIONS) as channel:
        yield admin_pb2_grpc.AdminStub(channel)


async def _answered(call: Awaitable[T], folder: Path) -> T:
    """Waits for an answer.

    :raises SpadesError: if it is a refusal, or no server is there.
    """
    try:
        return await call
    except aio.AioRpcError as error:
        refusal: SpadesError | None = error_of(error)
        if refusal is not None:
            raise refusal from error
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            raise ServerUnreachable(f"No server runs with the data in {folder}.") from error
        raise ServerUnreachable(
            f"The server did not answer: {error.code().name}: {error.details()}"
        ) from error


async def status(folder: Path) -> None:
    """Tells how the server is doing."""
    async with _admin(folder) as admin:
        call = admin.GetStatus(admin_pb2.GetStatusRequest(), timeout=TIMEOUT_S)
        it = await _answered(call, folder)
    since = datetime.fromtimestamp(it.started_us / 1_000_000).astimezone()
    say(f"Spades {it.version} runs since {since:%Y-%m-%d %H:%M}.")
    say(
        f"Tables: {it.tables}, {it.matches} of them in a match. Streams: {it.streams}."
        f" Players: {it.players}."
    )
    for link in it.links:
        say(f"Reached by: {link}")


async def tables(folder: Path) -> None:
    """Lists all tables."""
    async with _admin(folder) as admin:
        call = admin.ListAllTables(admin_pb2.ListAllTablesRequest(), timeout=TIMEOUT_S)
        it = await _answered(call, folder)
    for table in it.tables:
        seats = wire.seats_from_wire(table.seats)
        named = (
            f"{seat} {status.occupant.name}{', away' if status.away else ''}"
            for seat, status in zip(Seat, seats, strict=True)
            if status.occupant is not None
        )
        stage = wire.TABLE_STAGE.from_wire(table.state).value
        hand = f", hand {table.hand}" if table.hand else ""
        private = ", private" if table.private else ""
        watched = f", {table.spectators} watching" if table.spectators else ""
        say(
            f"{table.code} of {table.host}: {stage}{hand}{private}{watched};"
            f" {'; '.join(named) or 'nobody sits there'}."
        )
    if not it.tables:
        say("There is no table.")


async def close_table(folder: Path, code: str, sentence: str) -> None:
    """Closes a table."""
    async with _admin(folder) as admin:
        request = admin_pb2.CloseTableRequest(table=code, sentence=sentence)
        await _answered(admin.CloseTable(request, timeout=TIMEOUT_S), folder)
    say(f"Table {code.upper()} is closed.")


async def revoke_token(folder: Path, name: str) -> None:
    """Makes a player's token worthless."""
    async with _admin(folder) as admin:
        request = admin_pb2.RevokeTokenRequest(name=name)
        await _answered(admin.RevokeToken(request, timeout=TIMEOUT_S), folder)
    say(f"The token of {name} is worthless now. The name stays taken.")


async def stop(folder: Path) -> None:
    """Stops the server."""
    async with _admin(folder) as admin:
        await _answered(admin.Stop(admin_pb2.StopRequest(), timeout=TIMEOUT_S), folder)
    say("The server is stopping.")
