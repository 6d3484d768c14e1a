"""What the programs of an event write to their standard error, kept in its folder."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from spades_arena.spec import Entry

MOST_BYTES: Final = 1 << 20
"""How many bytes of an entry are kept, the first ones."""

STDERR: Final = "stderr"
"""The name of the file within the folder of an entry."""


class StderrFiles:
    """One file for each entry that writes something; any number of processes append to it."""

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most = most_bytes

    def path(self, entry: Entry) -> Path:
        """Where the file of an entry is, once it has written something."""
        # A name of nothing but dots is no name of a folder.
        name = entry.name if entry.name.strip(".") else entry.name.replace(".", "%2E")
        return self._folder / name / STDERR

    def of(self, entry: Entry) -> Callable[[bytes], None]:
        """Something that takes what a program of an entry writes."""
        path = self.path(entry)

        def keep(data: bytes) -> None:
            # What a program complains of is worth less than its game, which goes on without the file.
            with contextlib.suppress(OSError):
                self._append(path, data)

        return keep

    def _append(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            room = self._most - file.tell()
            if room > 0:
                file.write(data[:room])
