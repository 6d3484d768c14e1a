"""The small files that a client keeps for its user."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Writes a file that is there whole or not at all, and that only its user can read.

    :raises OSError: if it cannot be written; what was there before is there still.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A name of its own, since another client of this user may write the same file now.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise
