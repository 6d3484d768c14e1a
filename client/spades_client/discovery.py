"""Finds the servers that are announced on the local network (mDNS)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from spades_proto.discovery import FINGERPRINT, PROTOCOL_KEY, SECURE, SERVICE
from spades_proto.link import Link
from spades_proto.version import PROTOCOL

if TYPE_CHECKING:
    from zeroconf.asyncio import AsyncServiceInfo

LISTEN_S: Final = 2.0
"""For how many seconds announcements are listened for: the second question is asked after one."""

RESOLVE_MS: Final = 2_000

_FINGERPRINT: Final = re.compile(r"[0-9A-Za-z_-]{43}")


@dataclass(frozen=True, slots=True)
class Found:
    """A server that is announced. Whoever is on the network can announce one, so its name proves nothing."""

    name: str
    link: Link
    secure: bool
    protocol: int

    @property
    def fits(self) -> bool:
        """Whether it speaks this client's protocol."""
        return self.protocol == PROTOCOL


async def find_servers(seconds: float = LISTEN_S) -> list[Found]:
    """Listens for a while; the servers by name. Nothing is found where mDNS is not possible."""
    # Only who looks around pays for the import.
    from zeroconf import IPVersion, ServiceStateChange, Zeroconf  # noqa: PLC0415
    from zeroconf.asyncio import (  # noqa: PLC0415
        AsyncServiceBrowser,
        AsyncServiceInfo,
        AsyncZeroconf,
    )

    names: set[str] = set()

    def changed(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        del zeroconf, service_type
        if state_change is ServiceStateChange.Removed:
            names.discard(name)
        else:
            names.add(name)

    try:
        mdns = AsyncZeroconf(ip_version=IPVersion.V4Only)
    except OSError:
        return []
    try:
        browser = AsyncServiceBrowser(mdns.zeroconf, SERVICE, handlers=[changed])
        await asyncio.sleep(seconds)
        await browser.async_cancel()
        infos = [AsyncServiceInfo(SERVICE, name) for name in sorted(names)]
        resolved = await asyncio.gather(
            *(info.async_request(mdns.zeroconf, RESOLVE_MS) for info in infos)
        )
    finally:
        await mdns.async_close()
    found = [_found(info) for info, is_known in zip(infos, resolved, strict=True) if is_known]
    return [one for one in found if one is not None]


def _found(info: AsyncServiceInfo) -> Found | None:
    addresses = info.parsed_addresses()
    if not addresses or info.port is None:
        return None
    said = info.decoded_properties
    fingerprint = said.get(FINGERPRINT) or ""
    if not _FINGERPRINT.fullmatch(fingerprint):
        fingerprint = ""
    api = said.get(PROTOCOL_KEY) or ""
    return Found(
        info.name.removesuffix(f".{SERVICE}"),
        Link(f"{addresses[0]}:{info.port}", fingerprint=fingerprint),
        said.get(SECURE) == "1",
        int(api) if api.isascii() and api.isdigit() else 0,
    )
