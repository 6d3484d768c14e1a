"""Join links: a server's address, the fingerprint of its certificate, and perhaps a table.

``spades://192.168.1.5:7450/K7QF2#mF3…`` is all that a player needs: the client connects to the address,
trusts the certificate with this fingerprint and no other, and sits down at the table.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, replace
from typing import Final

from spades import NotationError, Reason
from spades_proto.address import parse_address

SCHEME: Final = "spades://"

_LINK: Final = re.compile(
    r"spades://(?P<address>[^/#?]+)(?:/(?P<code>[0-9A-Za-z]{0,16}))?(?:#(?P<fingerprint>[0-9A-Za-z_-]{43}))?"
)


def fingerprint_of(certificate: bytes) -> str:
    """The SHA-256 of a certificate in DER, in the 43 characters that a link carries (base64url)."""
    digest = hashlib.sha256(certificate).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class Link:
    """Where a server is, and how it is recognised."""

    target: str
    """``HOST:PORT``."""
    code: str = ""
    """The table, if one is meant."""
    fingerprint: str = ""
    """Of the server's certificate; empty where it is not known beforehand."""

    @property
    def host(self) -> str:
        """The host alone, an IPv6 address without its brackets."""
        return self.target.rpartition(":")[0].strip("[]")

    @property
    def port(self) -> int:
        """The port."""
        return int(self.target.rpartition(":")[2])

    def to_table(self, code: str) -> Link:
        """The link to a table of the server."""
        return replace(self, code=code)

    def __str__(self) -> str:
        """The notation that :func:`parse_link` reads."""
        code = f"/{self.code}" if self.code else ""
        fingerprint = f"#{self.fingerprint}" if self.fingerprint else ""
        return f"{SCHEME}{self.target}{code}{fingerprint}"


def parse_link(text: str) -> Link:
    """Reads a link, or an address as :func:`~spades_proto.address.parse_address` does.

    >>> parse_link("table.example")
    Link(target='table.example:7450', code='', fingerprint='')

    :raises NotationError: if it is neither.
    """
    said = text.strip()
    if not said.lower().startswith(SCHEME):
        return Link(parse_address(said))
    found = _LINK.fullmatch(SCHEME + said[len(SCHEME) :])
    if found is None:
        raise NotationError(
            f"{text!r} is no whole join link: spades://HOST:PORT/TABLE#FINGERPRINT is one, and its"
            " fingerprint has 43 characters.",
            Reason.INVALID_NOTATION,
        )
    code = (found["code"] or "").upper()
    return Link(parse_address(found["address"]), code, found["fingerprint"] or "")
