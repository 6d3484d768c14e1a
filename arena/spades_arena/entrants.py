"""Entries from what somebody types: names that differ, and a digest of the program behind each."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from spades_agents.bots import HOUSE_BOTS
from spades_agents.specs import load_agent
from spades_arena.errors import ArenaError
from spades_arena.spec import Entry
from spades_proto.software import SOFTWARE

COMMAND = "cmd:"
"""How a spec begins that names a program."""


def entry_of(spec: str, name: str = "", owner: str = "") -> Entry:
    """Makes an entry of a spec; without a name it is called after its agent.

    :raises SpadesError: if the name cannot be used.
    """
    return Entry(name or _short_name(spec), spec, owner, program_digest(spec))


def two_entries(first: str, second: str) -> tuple[Entry, Entry]:
    """Makes the entries of a match; an agent that meets itself gets two names."""
    a, b = entry_of(first), entry_of(second)
    if a.name == b.name:
        return entry_of(first, f"{a.name} A"), entry_of(second, f"{b.name} B")
    return a, b


def program_digest(spec: str) -> str:
    """The SHA-256 of the file that a spec names, or the software's version for a house bot; else empty."""
    if spec in HOUSE_BOTS:
        return SOFTWARE
    path = _program(spec)
    if path is None or not path.is_file():
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_programs(entries: Sequence[Entry]) -> None:
    """Refuses to go on with programs that are others than when the event began.

    :raises ArenaError: naming the first that has changed.
    """
    for entry in entries:
        if entry.digest and program_digest(entry.spec) != entry.digest:
            raise ArenaError(
                f"{entry.spec} is not what it was when the event began: another version is another"
                " entry, so begin another event."
            )


def check_agents(entries: Sequence[Entry]) -> None:
    """Refuses entries that name no agent, before anything is written.

    :raises SpecError: saying why.
    """
    for entry in entries:
        load_agent(entry.spec)


def _program(spec: str) -> Path | None:
    if spec.startswith(COMMAND):
        try:
            words = shlex.split(spec.removeprefix(COMMAND))
        except ValueError:
            return None
        found = shutil.which(words[0]) if words else None
        return None if found is None else Path(found)
    place, colon, name = spec.rpartition(":")
    if not colon or name.endswith(".py"):
        place = spec
    return Path(place) if place.endswith(".py") else None


def _short_name(spec: str) -> str:
    """The class, file or program of a spec."""
    word = spec.removeprefix(COMMAND).split()[0] if spec.strip() else spec
    place, _, name = word.rpartition(":")
    short = name if place and not name.endswith(".py") else Path(word).stem
    return "".join(letter for letter in short if letter.isalnum() or letter in ".+@_-")[:30]
