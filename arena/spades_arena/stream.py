"""The deals of an event: everything follows from one seed, and nothing leads back to it."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from spades import SeededDeals, parse_seed
from spades_arena.canonical import digest
from spades_arena.spec import EventSpec

STAGE: Final = "main"
"""The one stage that an event has; part of every stream's label, so that there may be more."""


def seed_commitment(server_seed: bytes) -> str:
    """What is published before entries close: the SHA-256 of the seed."""
    return hashlib.sha256(server_seed).hexdigest()


def event_seed(server_seed: bytes, spec: EventSpec, client_seeds: Sequence[str] = ()) -> bytes:
    """The seed of all deals: the server's, with the terms, the entries and what clients add.

    The server commits itself before it knows the entries, and who enters does not know its seed: neither
    can choose the cards alone.
    """
    parts = [
        digest(spec.terms()),
        *sorted(digest(entry.to_json()) for entry in spec.entries),
        *sorted(parse_seed(seed).hex() for seed in client_seeds),
    ]
    return hmac.digest(server_seed, ("spades/event/1/" + "/".join(parts)).encode(), "sha256")


def stream_seed(seed: bytes, stream: int, stage: str = STAGE) -> bytes:
    """The seed of one stream of deals, on which every match of the event plays the unit of that number."""
    return hmac.digest(seed, f"spades/stream/1/{stage}/{stream}".encode(), "sha256")


def stream_deals(seed: bytes, stream: int) -> SeededDeals:
    """The deals of one stream."""
    return SeededDeals(stream_seed(seed, stream))
