"""Where accepted events go before anybody hears of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from spades import Match, Outcome, Reason, Seat, TableError
from spades_proto.records import Circumstances, record_line
from spades_server.commands import Player, TableCommand
from spades_server.memo import TableMemo
from spades_server.table_log import Entry, TableConfig

KEPT_RECORDS: Final = 2_000
"""How many finished matches are kept in memory."""


Done = Callable[[], None]


class Batch(NamedTuple):
    """What one command did to one table: committed as a whole or not at all."""

    table: str
    epoch: int
    entries: Sequence[Entry]
    finished: tuple[Match, Circumstances, Seat | None] | None = None
    """The match that ended with it, and the first dealer of the one before."""
    private: bool = False
    """Whether the table is left out of lists, and so are its records."""
    command: TableCommand | None = None
    """What the table did; ``None`` for its opening. The same commands make the same table again."""
    time_us: int = 0
    """When, by the table's own clock."""
    opening: tuple[TableConfig, Player] | None = None
    """For a new table: what is settled, and its host."""
    memo: Callable[[], TableMemo] | None = None
    """Now and then: what takes the place of all commands so far, this one included."""


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table as it was stored: its memo, or its opening, and what was done at it since make it again."""

    config: TableConfig
    host: Player
    epoch: int
    opened_us: int
    commands: Sequence[tuple[int, TableCommand]]
    """With the time of each."""
    memo: TableMemo | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """What a server finds when it starts."""

    players: Sequence[tuple[Player, bytes]] = ()
    """With the SHA-256 of their tokens."""
    tables: Sequence[StoredTable] = ()


class Journal(Protocol):
    """The store that the server writes to.

    ``commit`` returns at once; ``done`` is called on the event loop when the batch is safe, in the order of
    the commits of each table. Only then is the batch published and the command answered.
    """

    def start(self, broken: Callable[[str], None]) -> None:
        """Begins; ``broken`` is told, on the event loop, why nothing can be written any more."""
        ...

    def restore(self) -> Stored:
        """Reads what was stored before."""
        ...

    def commit(self, batch: Batch, done: Done) -> None:
        """Takes a batch in."""
        ...

    def keep_player(self, player: Player, digest: bytes, done: Done) -> None:
        """Keeps whose a token is; ``done`` is called when that is safe."""
        ...

    def forget(self, table: str) -> None:
        """Takes out a table that is closed; its records stay."""
        ...

    def close(self) -> None:
        """Ends; what was taken in is written first."""
        ...

    def record(self, match: str) -> str:
        """The record of a finished match.

        :raises TableError: if there is none.
        """
        ...

    def records(self) -> Sequence[Circumstances]:
        """The finished matches of tables that are not private, the newest first."""
        ...

    def outcome(self, match: str) -> Outcome:
        """How a finished match ended.

        :raises TableError: if there is none.
        """
        ...


class MemoryJournal:
    """Keeps finished matches as long as the process lives, and nothing else."""

    def __init__(self) -> None:
        self._finished: OrderedDict[str, tuple[Match, Circumstances, Seat | None]] = OrderedDict()
        self._private: set[str] = set()

    def start(self, broken: Callable[[str], None]) -> None:
        """Nothing is written, so nothing can break."""

    def restore(self) -> Stored:
        """There is nothing from before."""
        return Stored()

    def keep_player(self, player: Player, digest: bytes, done: Done) -> None:
        """The list of players has it, and that is all."""
        done()

    def forget(self, table: str) -> None:
        """Nothing is kept of a table but its records."""

    def close(self) -> None:
        """Nothing is open."""

    def commit(self, batch: Batch, done: Done) -> None:
        """Keeps a finished match; everything is as safe as it will be at once."""
        if batch.finished is not None:
            self._finished[batch.finished[1].match] = batch.finished
            if batch.private:
                self._private.add(batch.finished[1].match)
            if len(self._finished) > KEPT_RECORDS:
                oldest, _ = self._finished.popitem(last=False)
                self._private.discard(oldest)
        done()

    def record(self, match: str) -> str:
        """Writes the record when it is asked for: most never are."""
        finished, circumstances, former = self._find(match)
        return record_line(finished, circumstances, former)

    def records(self) -> Sequence[Circumstances]:
        """Lists what is kept."""
        return [
            circumstances
            for _, circumstances, _ in reversed(self._finished.values())
            if circumstances.match not in self._private
        ]

    def outcome(self, match: str) -> Outcome:
        """How a finished match ended."""
        outcome = self._find(match)[0].outcome
        assert outcome is not None, "only finished matches are kept"
        return outcome

    def _find(self, match: str) -> tuple[Match, Circumstances, Seat | None]:
        found = self._finished.get(match)
        if found is None:
            raise TableError(f"There is no record of a match {match!r}.", Reason.RECORD_NOT_FOUND)
        return found
