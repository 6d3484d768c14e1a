"""Addresses of servers, as people type them."""

from __future__ import annotations

import re
from typing import Final

from spades import NotationError, Reason
from spades_proto.channel import DEFAULT_PORT

_ADDRESS: Final = re.compile(
    r"(?P<host>\[[0-9A-Fa-f:.]+(?:%[^\]\s]+)?\]|[^\s:/\[\]]+)(?::(?P<port>[0-9]{1,5}))?"
)


def parse_address(text: str) -> str:
    """Reads ``HOST`` or ``HOST:PORT`` and gives ``HOST:PORT``; an IPv6 host stands in brackets.

    >>> parse_address("table.example"), parse_address("[::1]:7000")
    ('table.example:7450', '[::1]:7000')

    :raises NotationError: if it is no address.
    """
    found = _ADDRESS.fullmatch(text.strip())
    port = int(found["port"] or DEFAULT_PORT) if found else 0
    if found is None or not 0 < port < 1 << 16:
        raise NotationError(
            f"{text!r} is no address of a server: a host is, or HOST:PORT, or [IPv6]:PORT.",
            Reason.INVALID_NOTATION,
        )
    return f"{found['host']}:{port}"
