"""The journal of an event: one line for each finished unit, each vouching for all before it."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedWriter
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from filelock import FileLock, Timeout

from spades_arena.canonical import canonical, sha256
from spades_arena.errors import ArenaError

START: Final = sha256("spades/journal/1")
"""What the first line's digest is chained to."""

CHAIN: Final = "chain"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a journal holds."""

    lines: tuple[dict[str, Any], ...]
    """The whole lines, without their digests."""
    head: str
    """The digest of the last whole line."""
    size: int
    """How many bytes the whole lines take."""
    torn: bool
    """Whether a piece of a line follows, which was being written when the program was ended."""


def chained(line: Mapping[str, Any], head: str) -> tuple[str, str]:
    """Writes a line with its digest; gives the digest too."""
    body = canonical(line)
    digest = sha256(head + body)
    return canonical({**line, CHAIN: digest}), digest


def read_journal(data: bytes) -> Reading:
    """Reads a journal and checks its chain; a torn last line is left out.

    :raises ArenaError: naming the first line that does not follow from the ones before.
    """
    *whole, rest = data.split(b"\n")
    head = START
    lines: list[dict[str, Any]] = []
    for number, raw in enumerate(whole, 1):
        line, head = _check(number, raw, head)
        lines.append(line)
    return Reading(tuple(lines), head, len(data) - len(rest), torn=bool(rest))


def _check(number: int, raw: bytes, head: str) -> tuple[dict[str, Any], str]:
    try:
        line: Any = json.loads(raw)
        given = line.pop(CHAIN)
        text, digest = chained(line, head)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        raise ArenaError(f"journal.jsonl, line {number}: it is no line of a journal.") from None
    if given != digest or text.encode() != raw:
        raise ArenaError(
            f"journal.jsonl, line {number}: its digest does not fit, so this line or one before it was"
            " changed."
        )
    return line, digest


def lock_of(path: Path) -> Path:
    """The file that whoever writes a journal has locked."""
    return path.with_suffix(".lock")


def is_being_written(path: Path) -> bool:
    """Whether another program writes a journal just now."""
    if not lock_of(path).exists():
        return False
    lock = FileLock(lock_of(path))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:
        # It is somebody else's file, and nothing can be told of it.
        return False
    lock.release()
    return False


WAIT_S: Final = 1.0
"""How long the lock is waited for: a program killed while it starts another may hold it for a moment."""


class Journal:
    """A journal that is open for writing; nobody else can write it meanwhile."""

    def __init__(self, path: Path) -> None:
        """Opens a journal, or begins one, and drops a torn last line.

        :raises ArenaError: if somebody else writes it, or a line of it was changed.
        """
        self._lock = FileLock(lock_of(path))
        try:
            self._lock.acquire(timeout=WAIT_S)
        except Timeout:
            raise ArenaError(f"Another program is running the event in {path.parent}.") from None
        try:
            reading = read_journal(path.read_bytes() if path.exists() else b"")
            self._file: BufferedWriter = path.open("ab")
            self._file.truncate(reading.size)
        except ArenaError:
            self._lock.release()
            raise
        self.lines: list[dict[str, Any]] = list(reading.lines)
        self._head = reading.head
        self.finished = False
        """Whether nothing is to be written any more."""

    def append(self, line: Mapping[str, Any]) -> None:
        """Writes a line whole; it outlives this program from here on."""
        text, self._head = chained(line, self._head)
        self._file.write(text.encode() + b"\n")
        self._file.flush()
        self.lines.append(dict(line))

    def close(self) -> None:
        """Lets others write.

        The lock's file goes with a finished event. Of one that goes on it stays: somebody could hold the
        file that is removed while another makes a new one, and both would write.
        """
        self._file.close()
        self._lock.release()
        if self.finished:
            with contextlib.suppress(OSError):
                Path(self._lock.lock_file).unlink()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
