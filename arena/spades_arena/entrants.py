"""Entries from what somebody types: names that differ, and a digest of the program behind each."""

from __future__ import annotations

import hashlib
import shlex
import shutil
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from spades_agents.bots import HOUSE_BOTS
from spades_agents.specs import PROGRAM, load_agent
from spades_arena.errors import ArenaError
from spades_arena.spec import Entry
from spades_proto.software import SOFTWARE


def entry_of(spec: str, name: str = "", owner: str = "") -> Entry:
    """Makes an entry of a spec; without a name it is called after its agent.

    :raises SpadesError: if the name cannot be used.
    """
    return Entry(name or _short_name(spec), spec, owner, program_digest(spec))


def entries_of(words: Sequence[str]) -> tuple[Entry, ...]:
    """Makes the entries of an event of ``NAME=SPEC`` or specs; agents of one name are told apart by a number.

    :raises SpadesError: if a name cannot be used, or nothing is named or plays.
    """
    parted = [split_name(word) for word in words]
    given = [name for name, _ in parted if name]
    short = [_short_name(spec) for name, spec in parted if not name]
    made: list[Entry] = []
    for name, spec in parted:
        entry = entry_of(spec, name)
        if not name and (entry.name in given or short.count(entry.name) > 1):
            taken = {*given, *(one.name for one in made)}
            entry = replace(entry, name=_numbered(entry.name, taken))
        made.append(entry)
    return tuple(made)


def split_name(word: str) -> tuple[str, str]:
    """The name and the spec of ``NAME=SPEC``; a spec alone has an empty name, whatever ``=`` it holds.

    >>> split_name("Old one=sharp"), split_name("cmd:./bot --level=3")
    (('Old one', 'sharp'), ('', 'cmd:./bot --level=3'))

    :raises ArenaError: if there is nothing before the ``=``, or nothing behind it.
    """
    before, equals, after = word.partition("=")
    if not equals or _is_spec(word, before):
        return "", word
    name, spec = before.strip(), after.strip()
    if not name or not spec:
        what = "name an entry" if spec else "say who plays"
        raise ArenaError(
            f"{word!r} does not {what}: write NAME=AGENT, as in 'Old one=sharp', or the agent alone."
        )
    return name, spec


def _is_spec(word: str, before: str) -> bool:
    """Whether a word with a ``=`` is a command or a path, which may hold one of its own."""
    script = _script(word)
    is_path = script.suffix == ".py" and ("/" in before or "\\" in before or script.is_file())
    return word.startswith(PROGRAM) or is_path


def _numbered(name: str, taken: Collection[str]) -> str:
    """A name with the first number that makes it one of its own."""
    return next(made for made in (f"{name} {i}" for i in count(1)) if made not in taken)


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
        if entry.spec.startswith(PROGRAM):
            _check_command(entry.spec)


def _check_command(spec: str) -> None:
    """Refuses a command whose program is not there: else all its games would be forfeited."""
    program = _words(spec)[0]
    if shutil.which(program) is None:
        raise ArenaError(f"{spec} cannot play: there is no program {program} that can be started.")


def _words(spec: str) -> list[str]:
    """The words of a command, its program first; none if it cannot be read as one."""
    try:
        return shlex.split(spec.removeprefix(PROGRAM))
    except ValueError:
        return []


def _files(spec: str) -> list[Path]:
    """The files that a spec names: the scripts of a command, or its program where it has none."""
    if spec.startswith(PROGRAM):
        words = _words(spec)
        scripts = [path for path in map(Path, words[1:]) if path.is_file()]
        program = shutil.which(words[0]) if words and not scripts else None
        return scripts if program is None else [Path(program)]
    path = _script(spec)
    return [path] if path.suffix == ".py" and path.is_file() else []


def _script(spec: str) -> Path:
    """The path of a spec without the class behind it; of a spec that is none, something without a suffix."""
    place, colon, name = spec.rpartition(":")
    return Path(spec if not colon or name.endswith(".py") else place)


def _short_name(spec: str) -> str:
    """The class, file or program of a spec; one that names nothing is judged when its agent is loaded."""
    words = spec.removeprefix(PROGRAM).split()
    word = words[0] if words else ""
    place, _, name = word.rpartition(":")
    short = name if place and not name.endswith(".py") else Path(word).stem
    return "".join(one for one in short if one.isalnum() or one in ".+@_-")[:30] or "agent"
