"""The folder of an event: what is fixed at its start, its journal, its records."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from spades import SpadesError
from spades_arena.canonical import pretty
from spades_arena.commitment import commitments
from spades_arena.errors import ArenaError
from spades_arena.journal import Journal, is_being_written, read_journal
from spades_arena.lines import opening_line, unit_line
from spades_arena.schedule import Unit
from spades_arena.sequential import stop_of
from spades_arena.spec import EventSpec, parse_spec
from spades_arena.state import EventState, Kind, fold
from spades_arena.stderr import StderrFiles
from spades_arena.stream import event_seed, seed_commitment
from spades_arena.unit import PlayedUnit

EVENT: Final = "event.json"
SEED: Final = "seed.json"
COMMITMENTS: Final = "commitments.json"
JOURNAL: Final = "journal.jsonl"
RECORDS: Final = "records"
AGENTS: Final = "agents"


@dataclass(frozen=True, slots=True)
class EventFolder:
    """An event on disk."""

    path: Path
    spec: EventSpec
    server_seed: bytes
    client_seeds: tuple[str, ...] = ()

    @classmethod
    def create(
        cls,
        path: Path,
        spec: EventSpec,
        server_seed: bytes,
        client_seeds: tuple[str, ...] = (),
    ) -> EventFolder:
        """Writes down what an event is, before its first card.

        :raises ArenaError: if the folder holds something already, or cannot be written.
        """
        assert spec.seed_commitment == seed_commitment(server_seed), "the seed is the committed one"
        folder = cls(path, spec, server_seed, client_seeds)
        if path.exists() and any(path.iterdir()):
            raise ArenaError(
                f"{path} is not empty: go on with `spades compete resume {shlex.quote(str(path))}`, or"
                " name another folder with --out."
            )
        try:
            (path / RECORDS).mkdir(parents=True, exist_ok=True)
            write_whole(path / SEED, pretty(folder._seed_json()))
            write_whole(path / COMMITMENTS, pretty(commitments(folder.seed, spec)))
            # The last: a folder with this file is an event.
            write_whole(path / EVENT, spec.line() + "\n")
        except OSError as error:
            raise ArenaError(f"{path} cannot be written: {error.strerror}.") from None
        return folder

    @classmethod
    def open(cls, path: Path) -> EventFolder:
        """Reads what an event is.

        :raises ArenaError: if the folder holds none, or its seed is not the one that was committed to.
        """
        spec = read_event(path / EVENT)
        seed = read_json(path / SEED)
        try:
            server_seed = bytes.fromhex(seed["server_seed"])
            folder = cls(path, spec, server_seed, tuple(seed["client_seeds"]))
        except (KeyError, ValueError, TypeError):
            raise ArenaError(f"{path / SEED} holds no seed.") from None
        if seed_commitment(server_seed) != spec.seed_commitment:
            raise ArenaError(f"{path / SEED}: the seed is not the one that the event committed to.")
        return folder

    @property
    def seed(self) -> bytes:
        """The seed of all deals."""
        return event_seed(self.server_seed, self.spec, self.client_seeds)

    def journal(self) -> Journal:
        """Opens the journal for writing, and begins it if there is none.

        :raises ArenaError: if another program writes it, or it was changed.
        """
        journal = Journal(self.path / JOURNAL)
        if not journal.lines:
            journal.append(self.opening())
        return journal

    @property
    def is_running(self) -> bool:
        """Whether another program plays it just now."""
        return is_being_written(self.path / JOURNAL)

    def opening(self) -> dict[str, Any]:
        """The first line of the journal."""
        return opening_line(self.spec)

    def state(self) -> EventState:
        """Where the event stands, without writing anything.

        :raises ArenaError: if the journal was changed.
        """
        path = self.path / JOURNAL
        data = path.read_bytes() if path.exists() else b""
        return self.state_of(list(read_journal(data).lines))

    def state_of(self, lines: list[dict[str, Any]]) -> EventState:
        """Where the event stands by these lines."""
        return fold(self.spec, lines, stop_of(self.spec))

    @property
    def stderr(self) -> StderrFiles:
        """What its programs wrote to their standard error; nothing else depends on it."""
        return StderrFiles(self.path / AGENTS)

    def record_path(self, unit: Unit) -> Path:
        """Where the records of a unit's tables are."""
        return self.path / RECORDS / f"{unit.id}.jsonl"

    def keep(self, journal: Journal, played: PlayedUnit) -> None:
        """Writes a unit's records and then its line: what the journal knows has its records."""
        path = self.record_path(played.result.unit)
        if played.records:
            write_whole(path, "".join(line + "\n" for line in played.records))
        else:
            # A unit that was broken off in an earlier run may have left some.
            path.unlink(missing_ok=True)
        journal.append(unit_line(played.result))

    def forget_unfinished(self, journal: Journal) -> None:
        """Removes records that the journal does not know: a program was ended between the two."""
        known = {
            line["result"]["unit"] for line in journal.lines if line["kind"] == Kind.UNIT.value
        }
        for path in sorted((self.path / RECORDS).iterdir()):
            if path.name.removesuffix(".jsonl") not in known:
                path.unlink()

    def _seed_json(self) -> dict[str, Any]:
        return {"server_seed": self.server_seed.hex(), "client_seeds": list(self.client_seeds)}


def read_event(path: Path) -> EventSpec:
    """Reads an event from its file.

    :raises ArenaError: naming the file, and what is wrong with it.
    """
    data = read_json(path)
    try:
        return parse_spec(data)
    except SpadesError as error:
        raise ArenaError(f"{path}: {error.sentence}") from None


def read_json(path: Path) -> dict[str, Any]:
    """Reads a file of an event.

    :raises ArenaError: if it is not there or holds no JSON object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ArenaError(
            f"{path.parent} holds no event: {path.name} cannot be read: {error.strerror}."
        ) from None
    except (ValueError, RecursionError):
        raise ArenaError(f"{path} is not JSON.") from None
    if not isinstance(data, dict):
        raise ArenaError(f"{path} holds no JSON object.")
    return cast("dict[str, Any]", data)


def write_whole(path: Path, text: str) -> None:
    """Writes a file so that it is there whole or not at all."""
    beside = path.with_name(path.name + ".part")
    beside.write_text(text, encoding="utf-8", newline="")
    beside.replace(path)
