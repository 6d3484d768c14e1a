"""The servers that were met before, by the fingerprints of their certificates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

from spades_client.files import write_private
from spades_client.identity import state_folder


class KnownServersFile:
    """Fingerprints by ``host:port``, in a file of the client's state.

    A file that is spoilt is as good as none: every server is new then, and said to be.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or state_folder() / "servers.json"

    def find(self, target: str) -> str:
        """The fingerprint that is known, or nothing."""
        return self._load().get(target, "")

    def keep(self, target: str, fingerprint: str) -> None:
        """Keeps the fingerprint of a server; where nothing can be kept, it stays new."""
        known = self._load()
        if known.get(target) == fingerprint:
            return
        known[target] = fingerprint
        try:
            write_private(self._path, json.dumps(known, indent=1))
        except OSError:
            return

    def _load(self) -> dict[str, str]:
        try:
            found = json.loads(self._path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return {}
        pairs = cast("dict[object, object]", found) if isinstance(found, dict) else {}
        return {
            target: fingerprint
            for target, fingerprint in pairs.items()
            if isinstance(target, str) and isinstance(fingerprint, str)
        }
