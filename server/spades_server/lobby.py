"""All tables of a server, by their codes."""

from __future__ import annotations

import contextlib
import logging
import secrets
from collections.abc import Callable, Container, Iterator
from concurrent.futures import Executor
from typing import Final

from spades import Reason, Rules, Seat, SpadesError, TableError, parse_seed
from spades_agents import HOUSE_BOTS
from spades_proto.frames import Goodbye, GoodbyeReason
from spades_proto.records import STRUCK_NAME
from spades_proto.table import OccupantKind, TableStage
from spades_proto.tempo import SLOWEST_MS
from spades_proto.timing import TimeControl
from spades_server.commands import AddBot, Close, Player, PlayerGone, Resume, Sit, Start, Tick
from spades_server.config import ServerConfig
from spades_server.counters import Counters
from spades_server.goodbyes import DRAINING
from spades_server.host import TableHost
from spades_server.journal import Journal, MemoryJournal, Stored, StoredTable
from spades_server.table import Table
from spades_server.table_log import TableConfig

log: Final = logging.getLogger("spades.lobby")

CODE_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters that are not mistaken for one another when they are read out."""

CODE_LENGTH: Final = 5


class Lobby:
    """Opens, finds and closes tables."""

    def __init__(
        self,
        config: ServerConfig,
        journal: Journal,
        clock: Callable[[], int],
        executor: Executor,
    ) -> None:
        self._config = config
        self._journal = journal
        self._clock = clock
        self._executor = executor
        self._hosts: dict[str, TableHost] = {}
        self._set_aside: set[str] = set()
        """The codes of stored tables that could not be made again."""
        self.counters = Counters()
        self.watchers: list[Callable[[TableHost, Player, Seat], None]] = []
        """Called when a player takes a seat, so that a stream that is open already feeds it too."""

    def __iter__(self) -> Iterator[TableHost]:
        return iter(list(self._hosts.values()))

    def __len__(self) -> int:
        return len(self._hosts)

    def create(
        self,
        host: Player,
        rules: Rules,
        *,
        private: bool = False,
        many_seats: bool = False,
        tempo_ms: int | None = None,
        seed: str = "",
        time_control: TimeControl | None = None,
        hints: bool = True,
    ) -> TableHost:
        """Opens a table; it has hints where neither the server nor the table has them off.

        :raises TableError: if the server is full or lets nobody choose a seed.
        """
        most = self._config.max_tables_per_player
        if most and sum(one.table.host_id == host.id for one in self) >= most:
            raise TableError(
                f"{host.name} has {most} tables open and can open no more.", Reason.TOO_MANY
            )
        if len(self._hosts) >= self._config.max_tables:
            raise TableError(
                f"This server has {len(self._hosts)} tables and opens no more.", Reason.TOO_MANY
            )
        if seed and not self._config.allow_seeds:
            raise TableError(
                "This server lets nobody choose a seed: whoever did would know the cards.",
                Reason.SEED_NOT_ALLOWED,
            )
        if "\0" in seed:
            # No database but SQLite keeps it in a text.
            raise TableError("A seed cannot hold the character U+0000.", Reason.INVALID_FIELD)
        code = self._free_code()
        tempo = self._config.tempo_ms if tempo_ms is None else min(max(tempo_ms, 0), SLOWEST_MS)
        config = TableConfig(
            code,
            rules,
            private=private,
            many_seats=many_seats,
            seed_chosen=bool(seed),
            seed=seed,
            tempo_us=tempo * 1_000,
            grace_us=int(self._config.grace_s * 1_000_000),
            abandoned_us=int(self._config.abandoned_s * 1_000_000),
            time_control=self._config.time_control if time_control is None else time_control,
            hints=hints and self._config.hints,
        )
        table = Table(config, host, self._clock())
        opened = TableHost(
            table,
            self._journal,
            self._clock,
            self._executor,
            self._forget,
            self.counters,
            memo_every=self._config.memo_every,
        )
        self._hosts[code] = opened
        log.info("table opened", extra={"table": code, "host": host.name, "private": private})
        return opened

    def open_competition_table(
        self, make: Callable[[str], Table], closed: Callable[[TableHost], None]
    ) -> TableHost:
        """Opens a table that a competition makes of a code; ``closed`` is called when it is no more.

        Nothing of it is stored here: the competition keeps what comes of it.
        """

        def gone(host: TableHost) -> None:
            self._drop(host)
            closed(host)

        table = make(self._free_code())
        opened = TableHost(
            table,
            MemoryJournal(),
            self._clock,
            self._executor,
            gone,
            self.counters,
            memo_every=0,
        )
        self._hosts[table.config.code] = opened
        for seat, owner in zip(Seat, table.owners, strict=True):
            if owner is not None:
                for watcher in self.watchers:
                    watcher(opened, Player(owner, table.state.name_of(seat)), seat)
        # A table without connected agents has nobody to wait for.
        opened.submit(Tick())
        return opened

    def find(self, code: str) -> TableHost:
        """Finds a table; the code may be written in either case.

        :raises TableError: if there is none.
        """
        found = self._hosts.get(code.strip().upper())
        if found is None:
            shown = code if len(code) <= 20 else code[:20] + "…"
            raise TableError(f"There is no table {shown!r}.", Reason.TABLE_NOT_FOUND)
        return found

    def sit(self, host: TableHost, player: Player, seat: Seat | None, kind: OccupantKind) -> Seat:
        """Seats a player and says where."""
        before = set(self._seats_of(host, player))
        host.submit(Sit(player, kind, seat))
        mine = self._seats_of(host, player)
        taken = next((one for one in mine if one not in before), seat or mine[0])
        for watcher in self.watchers:
            watcher(host, player, taken)
        return taken

    def add_bot(self, host: TableHost, player: Player, bot: str, seat: Seat | None) -> None:
        """Seats a house bot.

        :raises TableError: if there is none of that name.
        """
        if bot not in HOUSE_BOTS:
            raise TableError(
                f"There is no house bot {bot!r}: {', '.join(HOUSE_BOTS)} are.", Reason.UNKNOWN_BOT
            )
        host.submit(AddBot(player, bot, seat))

    def start(self, host: TableHost, player: Player) -> None:
        """Starts a match with a fresh seed, or with the next of a chosen one."""
        text, number = host.table.config.seed, host.table.match_number
        seed = secrets.token_bytes(32)
        if text:
            seed = parse_seed(text if number == 0 else f"{text}/rematch/{number}")
        host.submit(Start(player, seed))

    def restore(self, stored: Stored, known: Container[str]) -> None:
        """Opens the tables again that were open when the server ended, each at the same card.

        ``known`` are the ids of all players: whoever else a table waits for was deleted. Where the last
        commits may be lost a new epoch begins, which was never before: what was seen may not have happened.
        """
        epoch = self._clock() if stored.maybe_lost else 0
        for one in stored.tables:
            try:
                table = made_again(one)
            except (SpadesError, AssertionError) as error:
                # One table that cannot be made again must not cost all others theirs; its rows stay.
                self._set_aside.add(one.config.code)
                log.critical(
                    "table set aside",
                    extra={"table": one.config.code, "error": type(error).__name__},
                )
                continue
            if table.state.stage is TableStage.CLOSED:
                # The server was killed between the end of the table and the end of its rows.
                self._journal.forget(one.config.code)
                continue
            host = TableHost(
                table,
                self._journal,
                self._clock,
                self._executor,
                self._forget,
                self.counters,
                replayed=len(one.commands),
                memo_every=self._config.memo_every,
            )
            self._hosts[one.config.code] = host
            host.submit(Resume(epoch, stored.seen_us))
            for player in sorted({table.host_id, *filter(None, table.owners)}):
                if player not in known:
                    # The server was killed between the end of the player and the tables' news of it.
                    host.submit(PlayerGone(Player(player, STRUCK_NAME)))
            log.info("table restored", extra={"table": one.config.code, "events": table.seq})

    def seats_held(self, player: Player) -> list[tuple[TableHost, Seat]]:
        """Everywhere that a player sits."""
        return [(host, seat) for host in self for seat in self._seats_of(host, player)]

    def lose(self, player: Player) -> list[TableHost]:
        """Has all tables go on without a player who was deleted, and says which of them it concerned."""
        concerned = [host for host in self if player.id in (host.table.host_id, *host.table.owners)]
        for host in concerned:
            # A server that is stopping does it when it starts again.
            with contextlib.suppress(SpadesError):
                host.submit(PlayerGone(player))
        return concerned

    def discard(self, host: TableHost) -> None:
        """Takes back a table that could not be opened as it was asked for."""
        self._forget(host)

    async def close_table(self, host: TableHost, sentence: str) -> None:
        """Closes a table for whoever runs the server."""
        await host.perform(Close(sentence))

    def drain(self) -> None:
        """Says goodbye to all viewers of all tables."""
        for host in self:
            host.feeds.end(DRAINING)
            host.close()

    def _seats_of(self, host: TableHost, player: Player) -> list[Seat]:
        owners = host.table.owners
        return [seat for seat in Seat if owners[seat] == player.id]

    def _forget(self, host: TableHost) -> None:
        self._drop(host)
        self._journal.forget(host.table.config.code)

    def _drop(self, host: TableHost) -> None:
        code = host.table.config.code
        host.feeds.end(Goodbye(GoodbyeReason.TABLE_CLOSED, "The table is closed."))
        host.close()
        self._hosts.pop(code, None)
        log.info("table closed", extra={"table": code})

    def _free_code(self) -> str:
        while True:
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            if code not in self._hosts and code not in self._set_aside:
                return code


def made_again(stored: StoredTable) -> Table:
    """The table that was stored, at the same card."""
    if stored.memo is None:
        table = Table(stored.config, stored.host, stored.opened_us, stored.epoch)
    else:
        table = Table.recall(stored.config, stored.memo)
    for time_us, command in stored.commands:
        table.handle(command, time_us)
        table.take_finished()
    return table
