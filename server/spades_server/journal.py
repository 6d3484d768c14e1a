"""Where accepted events go before anybody hears of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from spades import Outcome, Reason, TableError
from spades_proto.profile import PlayedMatch
from spades_proto.records import Circumstances, without_name
from spades_server.commands import Player, TableCommand
from spades_server.memo import TableMemo
from spades_server.pages import page
from spades_server.players import Account
from spades_server.results import Career, FinishedMatch, PlayerMatch, results_by_player
from spades_server.table_log import Entry, TableConfig

KEPT_RECORDS: Final = 2_000
"""How many finished matches are kept in memory."""


Done = Callable[[], None]


class Batch(NamedTuple):
    """What one command did to one table: committed as a whole or not at all."""

    table: str
    epoch: int
    entries: Sequence[Entry]
    finished: FinishedMatch | None = None
    """The match that ended with it."""
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
class StoredCompetition:
    """A competition as it was stored."""

    name: str
    document: str
    """What is known of it beside its units."""
    lines: Sequence[str]
    """Its journal."""


@dataclass(frozen=True, slots=True)
class Stored:
    """What a server finds when it starts."""

    players: Sequence[Account] = ()
    tables: Sequence[StoredTable] = ()
    competitions: Sequence[StoredCompetition] = ()
    """The oldest first."""
    seen_us: int = 0
    """When the server was last known to run; 0: that is not known."""
    maybe_lost: bool = False
    """Whether the last commits may be lost, since the machine has crashed under them."""

    @property
    def latest_us(self) -> int:
        """The latest time that is stored anywhere: before it the server has been already."""
        times = [self.seen_us]
        for one in self.tables:
            times.append(one.opened_us if one.memo is None else one.memo.now_us)
            times += [time_us for time_us, _ in one.commands[-1:]]
        return max(times)


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

    def keep_player(self, account: Account, done: Done) -> None:
        """Keeps a new player; ``done`` is called when that is safe."""
        ...

    def replace_token(self, account: Account, done: Done) -> None:
        """Keeps the new token of a player in place of the old one."""
        ...

    def delete_player(self, player: Player, done: Done) -> None:
        """Takes out a player with token, results and history, and strikes the name in all records."""
        ...

    def seen(self, now_us: int) -> None:
        """Notes that the server runs, so that a restart knows how long it did not."""
        ...

    def forget(self, table: str) -> None:
        """Takes out a table that is closed; its records stay."""
        ...

    def keep_competition(self, name: str, created_us: int, document: str, done: Done) -> None:
        """Keeps what is known of a competition, in place of what was known before."""
        ...

    def keep_competition_line(
        self, name: str, number: int, line: str, records: str, done: Done
    ) -> None:
        """Keeps a line of a competition's journal, and the records that belong to it."""
        ...

    async def competition_records(self, name: str, number: int) -> str:
        """The records that belong to a line of a competition's journal, or nothing."""
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

    async def career(self, player: str) -> Career:
        """The matches of a player that count, added up."""
        ...

    async def history(
        self, player: str, size: int, token: str
    ) -> tuple[Sequence[PlayedMatch], str]:
        """A page of a player's matches, the newest first, and the token of the next.

        :raises TableError: if the size is out of range.
        """
        ...


class MemoryJournal:
    """Keeps finished matches as long as the process lives, and nothing else."""

    def __init__(self) -> None:
        self._finished: OrderedDict[str, FinishedMatch] = OrderedDict()
        self._private: set[str] = set()
        self._careers: dict[str, Career] = {}
        self._histories: dict[str, dict[str, PlayerMatch]] = {}
        self._competition_records: dict[tuple[str, int], str] = {}

    def start(self, broken: Callable[[str], None]) -> None:
        """Nothing is written, so nothing can break."""

    def restore(self) -> Stored:
        """There is nothing from before."""
        return Stored()

    def keep_player(self, account: Account, done: Done) -> None:
        """The list of players has it, and that is all."""
        done()

    def replace_token(self, account: Account, done: Done) -> None:
        """The list of players has it, and that is all."""
        done()

    def delete_player(self, player: Player, done: Done) -> None:
        """Strikes the name in the records that are kept."""
        self._careers.pop(player.id, None)
        for match in self._histories.pop(player.id, {}):
            finished = self._finished[match]
            struck = without_name(finished.circumstances, player.name)
            self._finished[match] = finished._replace(circumstances=struck)
        done()

    def keep_competition(self, name: str, created_us: int, document: str, done: Done) -> None:
        """The list of competitions has it, and that is all."""
        done()

    def keep_competition_line(
        self, name: str, number: int, line: str, records: str, done: Done
    ) -> None:
        """Keeps the records; the competition has the line."""
        if records:
            self._competition_records[name, number] = records
        done()

    async def competition_records(self, name: str, number: int) -> str:
        """The records of a line."""
        return self._competition_records.get((name, number), "")

    def seen(self, now_us: int) -> None:
        """Nothing is there after a restart."""

    def forget(self, table: str) -> None:
        """Nothing is kept of a table but its records."""

    def close(self) -> None:
        """Nothing is open."""

    def commit(self, batch: Batch, done: Done) -> None:
        """Keeps a finished match; everything is as safe as it will be at once."""
        if batch.finished is not None:
            self._keep(batch.finished, private=batch.private)
        done()

    def _keep(self, finished: FinishedMatch, *, private: bool) -> None:
        name = finished.circumstances.match
        self._finished[name] = finished
        if private:
            self._private.add(name)
        for player, result in results_by_player(finished).items():
            self._careers[player] = self._careers.get(player, Career()).plus(result)
            self._histories.setdefault(player, {})[name] = result
        if len(self._finished) > KEPT_RECORDS:
            oldest, dropped = self._finished.popitem(last=False)
            self._private.discard(oldest)
            for owner in filter(None, dropped.owners):
                # The sums stay; what is listed is what can be looked up.
                self._histories.get(owner, {}).pop(oldest, None)

    async def career(self, player: str) -> Career:
        """The sums."""
        return self._careers.get(player, Career())

    async def history(
        self, player: str, size: int, token: str
    ) -> tuple[Sequence[PlayedMatch], str]:
        """The matches whose records are kept."""
        played = self._histories.get(player, {})
        names, following = page(list(reversed(played)), size, token)
        shown = [played[name].shown(self._find(name).circumstances.players) for name in names]
        return shown, following

    def record(self, match: str) -> str:
        """Writes the record when it is asked for: most never are."""
        return self._find(match).line

    def records(self) -> Sequence[Circumstances]:
        """Lists what is kept."""
        return [
            finished.circumstances
            for match, finished in reversed(self._finished.items())
            if match not in self._private
        ]

    def outcome(self, match: str) -> Outcome:
        """How a finished match ended."""
        outcome = self._find(match).match.outcome
        assert outcome is not None, "only finished matches are kept"
        return outcome

    def _find(self, match: str) -> FinishedMatch:
        found = self._finished.get(match)
        if found is None:
            raise TableError(f"There is no record of a match {match!r}.", Reason.RECORD_NOT_FOUND)
        return found
