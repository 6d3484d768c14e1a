"""Where a server is reached from: the addresses of this machine."""

from __future__ import annotations

import ipaddress

import ifaddr


def reachable_addresses(listening: str) -> tuple[str, ...]:
    """The IPv4 addresses under which a server that listens on one is reached from elsewhere.

    A server that listens on all of them is reached by each of the machine's, the loopback's left out where
    there is another.
    """
    if not ipaddress.ip_address(listening).is_unspecified:
        return (listening,)
    found = [
        str(address.ip)
        for adapter in ifaddr.get_adapters()
        for address in adapter.ips
        if address.is_IPv4
    ]
    distant = [one for one in found if not ipaddress.ip_address(one).is_loopback]
    # Addresses that a machine has given itself for want of a better one come last.
    distant.sort(key=lambda one: ipaddress.ip_address(one).is_link_local)
    return tuple(dict.fromkeys(distant)) or ("127.0.0.1",)


def bracketed(host: str) -> str:
    """A host as it stands before a port: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host
