"""One way to write JSON, so that a digest of it means something."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def canonical(value: object) -> str:
    """Writes JSON with sorted names and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: object) -> str:
    """The SHA-256 of a value's canonical JSON."""
    return sha256(canonical(value))


def sha256(text: str) -> str:
    """The SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def pretty(value: Mapping[str, object]) -> str:
    """Writes JSON for people, ending with a line end."""
    return json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
