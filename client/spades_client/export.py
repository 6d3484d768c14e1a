"""`spades export`: records in the notation that Spades programs exchange."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from spades import Reason, SpadesError
from spades_arena.occasions import occasions
from spades_client.archive import read_lines
from spades_client.phrases import printable
from spades_proto.ptn import HEADER, Occasion, ptn_blocks
from spades_proto.records import RecordError
from spades_proto.verification import Verified, verify

IN_MEMORY: Final = 16_000_000
"""How many bytes are kept in memory before they are known to be good."""


class ExportError(SpadesError):
    """The export cannot be written where it should go."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.INVALID_FIELD)


def export(source: Path, out: Path | None) -> bool:
    """Writes the records of a file, or of an event's folder, to a file or to standard output.

    Nothing is written anywhere unless every record holds.

    :raises SpadesError: if a record does not hold, or something cannot be read or written.
    """
    if out is None or _is_standard_output(out):
        with _held(source) as (kept, _):
            # Bytes, so that an export is the same on every terminal.
            sys.stdout.flush()
            shutil.copyfileobj(kept, sys.stdout.buffer)
            sys.stdout.buffer.flush()
        return True
    _check_place(source, out)
    try:
        write = _write_file if _is_replaced(out) else _write_through
        matches, hands = write(source, out)
    except OSError as error:
        raise ExportError(f"{out} cannot be written: {error.strerror}.") from None
    held = f"{_count(hands, 'hand', 'hands')} of {_count(matches, 'match', 'matches')}"
    sys.stdout.write(printable(f"{held} {'is' if hands == 1 else 'are'} in {out}.") + "\n")
    return True


def _is_standard_output(out: Path) -> bool:
    """Whether a path leads where standard output goes, as ``/dev/stdout`` does."""
    try:
        return os.path.samestat(out.stat(), os.fstat(sys.stdout.fileno()))
    except (OSError, ValueError):
        return False


def _is_replaced(out: Path) -> bool:
    """Whether there is a file that can be replaced, or nothing; a pipe or a device must stay what it is."""
    try:
        return stat.S_ISREG(out.stat().st_mode)
    except FileNotFoundError:
        return True


def _check_place(source: Path, out: Path) -> None:
    """Refuses to write over what is read.

    :raises ExportError: if the export would become one of the files of the event, or the records themselves.
    """
    read, place = _real(source), _real(out)
    if source.is_dir() and read in place.parents:
        raise ExportError(
            f"{out} would lie in {source}, where `spades compete verify` knows every file: name another"
            " place."
        )
    if place == read:
        raise ExportError(f"{out} holds the records themselves: name another file.")


def _real(path: Path) -> Path:
    """Where a path leads; one that goes round in circles stays as it is."""
    return Path(os.path.realpath(path))


def _write_file(source: Path, out: Path) -> tuple[int, int]:
    """Writes a file that is there whole or not at all, where a link leads to it; counts matches and hands."""
    real = _real(out)
    beside = real.with_name(real.name + ".part")
    try:
        with beside.open("wb") as file:
            counts = _write(source, file)
        beside.replace(real)
    finally:
        beside.unlink(missing_ok=True)
    return counts


def _write_through(source: Path, out: Path) -> tuple[int, int]:
    """Writes to what is no file, and counts matches and hands."""
    with _held(source) as (kept, counts), out.open("wb") as file:
        shutil.copyfileobj(kept, file)
    return counts


@contextmanager
def _held(source: Path) -> Generator[tuple[IO[bytes], tuple[int, int]]]:
    """The whole export, once every record is known to hold, and its numbers of matches and hands."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as kept:
        counts = _write(source, kept)
        kept.seek(0)
        yield kept, counts


def _write(source: Path, file: IO[bytes]) -> tuple[int, int]:
    """Writes all records, and counts the matches and their hands."""
    matches = hands = 0
    file.write(HEADER.encode())
    for occasion, verified in _records(source):
        matches += 1
        for block in ptn_blocks(verified, occasion):
            hands += 1
            file.write(f"\n{block}".encode())
    return matches, hands


def _records(source: Path) -> Iterator[tuple[Occasion, Verified]]:
    files = occasions(source) if source.is_dir() else [(Occasion(), source)]
    for occasion, path in files:
        for number, line in read_lines(path):
            try:
                verified = verify(line)
            except RecordError as error:
                raise RecordError(
                    f"{path}, line {number}: does not hold. {error.sentence}"
                ) from error
            match = verified.circumstances.match
            if occasion.unit and not match.startswith(f"{occasion.unit}-t"):
                raise RecordError(
                    f"{path}, line {number}: it is the record of {match or 'another match'}, and not of"
                    f" unit {occasion.unit}."
                )
            yield occasion, verified


def _count(number: int, one: str, more: str) -> str:
    return f"{number} {one if number == 1 else more}"
