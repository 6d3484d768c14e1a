"""The small files that a client keeps for its user."""

from __future__ import annotations

from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Writes a file that is there whole or not at all, and that only its user can read.

    :raises OSError: if it cannot be written; what was there before is there still.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
