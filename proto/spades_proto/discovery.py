"""How servers are found on the local network (mDNS): what both ends call them."""

from __future__ import annotations

from typing import Final

SERVICE: Final = "_spades._tcp.local."
"""The type of the service that is announced (RFC 6763)."""

FINGERPRINT: Final = "fp"
"""The key of the certificate's fingerprint in the TXT record; absent where an authority vouches for it."""

SECURE: Final = "tls"
"""The key of whether the server encrypts: `1` or `0`."""

PROTOCOL_KEY: Final = "api"
"""The key of the version of the protocol."""
