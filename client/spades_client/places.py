"""Where a command goes: a server by its link or address, or the one that is found nearby."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from spades_agents import Server, ServerUnreachable, Trust
from spades_client.discovery import find_servers
from spades_client.known import KnownServersFile
from spades_client.phrases import printable
from spades_proto.channel import DEFAULT_PORT
from spades_proto.link import SCHEME, parse_link

LOCAL = f"127.0.0.1:{DEFAULT_PORT}"


@dataclass(frozen=True, slots=True)
class Place:
    """A server as the command line names it, and what is asked of it."""

    address: str = ""
    """A link or an address; empty for the one on this machine, or else the only one nearby."""
    insecure: bool = False
    authority: Path | None = None

    def trust(self, known: KnownServersFile) -> Trust:
        """What is asked of the server."""
        return Trust(known, self.authority, insecure=self.insecure)

    def with_code(self, code: str) -> tuple[Place, str]:
        """The place and the table of what was typed, which is a code or a whole link."""
        if not code.lower().startswith(SCHEME):
            return self, code
        link = parse_link(code)
        return Place(str(link.to_table("")), self.insecure, self.authority), link.code


@asynccontextmanager
async def connected(place: Place, told: list[str]) -> AsyncGenerator[Server]:
    """A connection to the server of a place, which has said what it is; ``told`` gets what is worth knowing.

    :raises SpadesError: if there is none, or it is not the one that was meant.
    """
    known = KnownServersFile()
    address = place.address or await _nearby()
    async with Server(address, trust=place.trust(known)) as server:
        before = known.find(server.target)
        await server.info()
        if not before and not server.link.fingerprint and known.find(server.target):
            told.append(
                f"The server at {server.target} is new to you. Its certificate has the fingerprint"
                f" {server.fingerprint}; from now on no other is taken."
            )
        yield server


async def _nearby() -> str:
    """The address of the server of this machine, else of the only one on the network.

    Anybody on the network can announce anything, so the announced fingerprint proves nothing: the certificate
    is compared with the one that is known, or is new.
    """
    if await _listens(LOCAL):
        return LOCAL
    found = await find_servers()
    if len(found) == 1:
        return found[0].link.target
    if not found:
        raise ServerUnreachable(
            f"No server answers at {LOCAL}, and none is announced on this network: name one with"
            " --server, or by its link."
        )
    listed = ", ".join(printable(f"{one.name} at {one.link.target}") for one in found)
    raise ServerUnreachable(
        f"Several servers are on this network: {listed}. Name one with --server."
    )


async def _listens(target: str) -> bool:
    link = parse_link(target)
    try:
        _, writer = await asyncio.open_connection(link.host, link.port)
    except OSError:
        return False
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return True
