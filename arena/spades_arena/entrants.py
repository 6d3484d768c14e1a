"""Entries from what somebody types: names that differ, and a digest of the program behind each."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
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


def entries_of(specs: Sequence[str]) -> tuple[Entry, ...]:
    """Makes the entries of an event; agents of one name are told apart by a number."""
    made = [entry_of(spec) for spec in specs]
    names = [entry.name for entry in made]
    return tuple(
        replace(entry, name=f"{entry.name} {names[: place + 1].count(entry.name)}")
        if names.count(entry.name) > 1
        else entry
        for place, entry in enumerate(made)
    )


def program_digest(spec: str) -> str:
    """The SHA-256 of the file that a spec names, or the software's version for a house bot; else empty."""
    if spec in HOUSE_BOTS:
        return SOFTWARE
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in _files(spec)]
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("".join(digests).encode()).hexdigest() if digests else ""


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

    :raises SpadesError: saying why.
    """
    for entry in entries:
        if entry.is_connected:
            raise ArenaError(
                f"{entry.name} was connected to a server and cannot be started here: what was played is told"
                " by `spades compete report` and `verify`."
            )
        load_agent(entry.spec)


def _files(spec: str) -> list[Path]:
    """The files that a spec names: the scripts of a command, or its program where it has none."""
    if spec.startswith(COMMAND):
        try:
            words = shlex.split(spec.removeprefix(COMMAND))
        except ValueError:
            return []
        scripts = [path for path in map(Path, words[1:]) if path.is_file()]
        program = shutil.which(words[0]) if words and not scripts else None
        return scripts if program is None else [Path(program)]
    place, colon, name = spec.rpartition(":")
    path = Path(spec if not colon or name.endswith(".py") else place)
    return [path] if path.suffix == ".py" and path.is_file() else []


def _short_name(spec: str) -> str:
    """The class, file or program of a spec."""
    word = spec.removeprefix(COMMAND).split()[0] if spec.strip() else spec
    place, _, name = word.rpartition(":")
    short = name if place and not name.endswith(".py") else Path(word).stem
    return "".join(letter for letter in short if letter.isalnum() or letter in ".+@_-")[:30]
