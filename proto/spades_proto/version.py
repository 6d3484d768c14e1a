"""The version of the protocol, which both ends of a connection compare."""

from __future__ import annotations

from typing import Final

from spades import Reason, TableError

PROTOCOL: Final = 1
"""Raised when old clients and new servers, or the reverse, could not play with each other."""

METADATA_KEY: Final = "spades-protocol"
"""The metadata of every call carries the client's version under this key."""


def check_protocol(theirs: int, *, who: str) -> None:
    """Refuses another version of the protocol.

    :raises TableError: saying which side is the older one.
    """
    if theirs == PROTOCOL:
        return
    older = who if theirs < PROTOCOL else ("client" if who == "server" else "server")
    raise TableError(
        f"The {who} speaks version {theirs} of the protocol and this side version {PROTOCOL}:"
        f" the {older} is the older one and must be updated.",
        Reason.VERSION_MISMATCH,
    )
