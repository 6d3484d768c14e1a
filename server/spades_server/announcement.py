"""Announces a server on the local network by mDNS (RFC 6762, 6763)."""

from __future__ import annotations

import ipaddress
import logging
import secrets
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Final

from zeroconf import Error, IPVersion, ServiceInfo
from zeroconf.asyncio import AsyncZeroconf

from spades_proto.discovery import FINGERPRINT, PROTOCOL_KEY, SECURE, SERVICE
from spades_proto.version import PROTOCOL

log: Final = logging.getLogger("spades.server")

MAX_NAME: Final = 48
"""The longest name that is announced, in bytes: a label of DNS has 63, and a number may be added."""


@asynccontextmanager
async def announced(
    name: str, addresses: Sequence[str], port: int, fingerprint: str, *, secure: bool
) -> AsyncGenerator[None]:
    """Announces a server inside the block; where that is not possible, it only logs so.

    Two servers of one name are told apart by a number.
    """
    properties = {PROTOCOL_KEY: str(PROTOCOL), SECURE: "1" if secure else "0"}
    if fingerprint:
        properties[FINGERPRINT] = fingerprint
    label = _label(name)
    service = ServiceInfo(
        SERVICE,
        f"{label}.{SERVICE}",
        port=port,
        properties=properties,
        server=f"spades-{secrets.token_hex(4)}.local.",
        addresses=[ipaddress.ip_address(one).packed for one in addresses],
    )
    try:
        mdns = AsyncZeroconf(ip_version=IPVersion.V4Only)
    except OSError as error:
        log.warning("not announced", extra={"error": error.strerror})
        yield
        return
    try:
        try:
            registered = mdns.async_register_service(  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
                service, allow_name_change=True
            )
            await (await registered)
            log.info("announced", extra={"service": service.name})
        except (Error, OSError) as error:
            log.warning("not announced", extra={"error": str(error) or type(error).__name__})
        yield
    finally:
        # Says goodbye for all that was announced, so that nobody lists a server that is gone.
        await mdns.async_unregister_all_services()
        await mdns.async_close()


def _label(name: str) -> str:
    """A name as one label of DNS: neither dots nor too long."""
    kept = (name or socket.gethostname()).replace(".", " ").strip() or "Spades"
    return kept.encode()[:MAX_NAME].decode(errors="ignore")
