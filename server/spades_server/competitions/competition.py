"""A competition without I/O: what was entered and what was played go in, how it stands comes out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spades_arena.canonical import pretty
from spades_arena.commitment import board_commitments, commitments, merkle_root
from spades_arena.journal import CHAIN, START, chained, read_journal
from spades_arena.schedule import Unit
from spades_arena.spec import EventSpec
from spades_arena.state import EventState, Kind, fold
from spades_arena.stream import event_seed
from spades_proto.competition import CompetitionStage
from spades_server.competitions.registration import Registration


class Competition:
    """One competition: its registration, and from the start on the journal of its units.

    The journal is the arena's, line for line, and how it stands is the arena's fold of it.
    """

    def __init__(self, registration: Registration, texts: Sequence[str] = ()) -> None:
        """``texts`` are the lines of the journal that were stored before.

        :raises ArenaError: if they do not follow from one another.
        """
        reading = read_journal("".join(text + "\n" for text in texts).encode())
        self.lines: list[dict[str, Any]] = list(reading.lines)
        self._head = reading.head if texts else START
        self._state: EventState | None = None
        self._root = ""
        if self.is_closed:
            # The server was killed between the last line and the note of it.
            registration = replace(registration, stage=CompetitionStage.FINISHED)
        self.registration = registration

    @property
    def spec(self) -> EventSpec:
        """The event; only once it has begun."""
        spec = self.registration.spec
        assert spec is not None, "it has begun"
        return spec

    @property
    def has_begun(self) -> bool:
        """Whether the entries are closed, and there is something to play."""
        return self.registration.spec is not None

    @property
    def seed(self) -> bytes:
        """The seed of all deals: a secret until the end."""
        return event_seed(self.registration.server_seed, self.spec)

    @property
    def state(self) -> EventState:
        """Where the event stands."""
        if self._state is None:
            self._state = fold(self.spec, self.lines)
        return self._state

    @property
    def streams_root(self) -> str:
        """What was committed to at the start: one digest for all streams of deals."""
        if not self._root and self.has_begun:
            self._root = merkle_root(board_commitments(self.seed, self.spec))
        return self._root

    def has_left(self, entry: str) -> bool:
        """Whether an entry was taken out; one that its forfeits have withdrawn may be back (see the fold)."""
        return any(
            line["kind"] == Kind.WITHDRAWAL.value and line["entry"] == entry for line in self.lines
        )

    def written(self, line: Mapping[str, Any]) -> str:
        """A line as it will stand in the journal, which does not have it yet."""
        return chained(line, self._head)[0]

    def take(self, text: str) -> None:
        """Takes in a line that was written next, and is safe now."""
        line: dict[str, Any] = json.loads(text)
        self._head = line.pop(CHAIN)
        self.lines.append(line)
        self._state = None

    def texts(self) -> Iterator[str]:
        """The lines as they stand in the journal."""
        head = START
        for line in self.lines:
            text, head = chained(line, head)
            yield text

    @property
    def is_closed(self) -> bool:
        """Whether the last line has been written."""
        return bool(self.lines) and self.lines[-1]["kind"] == Kind.CLOSED.value

    def is_open_to_all(self, stream: int) -> bool:
        """Whether a stream of deals is done with at all tables, so that it is no secret any more."""
        return self.has_begun and stream not in self.state.sealed

    def unit(self, name: str) -> Unit | None:
        """The unit of a name."""
        if not self.has_begun:
            return None
        return next((unit for unit in self.state.units if unit.id == name), None)

    def fixed_files(self) -> dict[str, str]:
        """The files of the event that do not depend on what was played; the seed is among them."""
        seed: dict[str, object] = {
            "server_seed": self.registration.server_seed.hex(),
            "client_seeds": [],
        }
        return {
            "event.json": self.spec.line() + "\n",
            "seed.json": pretty(seed),
            "commitments.json": pretty(commitments(self.seed, self.spec)),
        }
