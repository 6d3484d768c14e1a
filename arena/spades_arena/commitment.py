"""What is published before the first card: a digest of the seed, and one of every stream of deals."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from spades import ALGORITHM
from spades_arena.spec import EventSpec
from spades_arena.stream import stream_deals


def board_commitments(seed: bytes, spec: EventSpec) -> list[str]:
    """The SHA-256 of each stream's seed, from stream 1 on: what the records of its tables begin with.

    A stream's seed is 256 bits that nobody can guess, so that no salt is needed beside it.
    """
    return [stream_deals(seed, number).commitment() for number in range(1, spec.units + 1)]


def merkle_root(leaves: Sequence[str]) -> str:
    """One digest for all of them, so that a single one can be opened without the others (as in RFC 6962)."""
    nodes = [hashlib.sha256(b"\0" + bytes.fromhex(leaf)).digest() for leaf in leaves]
    while len(nodes) > 1:
        nodes = [
            hashlib.sha256(b"\1" + nodes[i] + nodes[i + 1]).digest()
            if i + 1 < len(nodes)
            else nodes[i]
            for i in range(0, len(nodes), 2)
        ]
    return nodes[0].hex()


def commitments(seed: bytes, spec: EventSpec) -> dict[str, Any]:
    """What stands in commitments.json."""
    leaves = board_commitments(seed, spec)
    return {
        "event": spec.name,
        "seed_commitment": spec.seed_commitment,
        "algorithm": ALGORITHM,
        "root": merkle_root(leaves),
        "streams": leaves,
    }
