"""All competitions of a server: opened, entered, started, kept, and shown."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
from collections.abc import AsyncIterator, Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import Final

from spades import Reason, TableError
from spades_arena.errors import ArenaError
from spades_arena.lines import closing_line, opening_line, unit_line, withdrawal_line
from spades_arena.unit import PlayedUnit
from spades_proto.competition import CompetitionStage, CompetitionStatus, CompetitionTerms
from spades_proto.records import STRUCK_NAME
from spades_server.commands import Player
from spades_server.competitions.artefacts import files_of, record_of
from spades_server.competitions.competition import Competition
from spades_server.competitions.driver import Driver
from spades_server.competitions.entries import Entered
from spades_server.competitions.ledger import Ledger
from spades_server.competitions.registration import (
    LONGEST_TITLE,
    Registration,
    check_terms,
    parse_registration,
)
from spades_server.competitions.standings import status_of
from spades_server.journal import Journal, StoredCompetition
from spades_server.lobby import CODE_LETTERS, Lobby
from spades_server.players import check_shown

log: Final = logging.getLogger("spades.competitions")

ID_LENGTH: Final = 6
"""One letter more than a table's code has, so that neither is taken for the other."""

MOST_UNITS_AT_ONCE: Final = 64
MOST_OF_ONE: Final = 5
"""How many competitions of one organiser may be open or running at once."""

MOST_IN_ALL: Final = 100

_RECORD: Final = re.compile(
    rf"(?P<competition>[{CODE_LETTERS}]{{{ID_LENGTH}}})-(?P<unit>[cm]\d+-u\d+)-t(?P<table>[12])"
)


class Competitions:
    """The competitions by their ids.

    Whatever changes one is in the journal before anybody sees it; one change is made at a time.
    """

    def __init__(
        self,
        lobby: Lobby,
        journal: Journal,
        clock: Callable[[], int],
        is_connected: Callable[[str], bool],
    ) -> None:
        """``is_connected`` says of a player, by id, whether its agent is there."""
        self._lobby = lobby
        self._journal = journal
        self._clock = clock
        self._player_is_connected = is_connected
        self._found: dict[str, Competition] = {}
        self._set_aside: set[str] = set()
        """The ids of stored competitions that could not be read."""
        self._ledger = Ledger(journal)
        self._drivers: dict[str, Driver] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.stopping = asyncio.Event()
        """Set when the server stops: whoever watches is sent away."""

    def find(self, name: str) -> Competition:
        """Finds a competition; the id may be written in either case.

        :raises TableError: if there is none.
        """
        found = self._found.get(name.strip().upper())
        if found is None:
            raise TableError(
                f"There is no competition {name[:20]!r}.", Reason.COMPETITION_NOT_FOUND
            )
        return found

    def status(self, competition: Competition) -> CompetitionStatus:
        """Shows a competition as it stands."""
        running = self._drivers.get(competition.registration.id)
        playing = 0 if running is None else running.playing
        return status_of(competition, self._is_connected, playing)

    @property
    def newest_first(self) -> Mapping[str, Competition]:
        """All of them by their ids."""
        return dict(reversed(self._found.items()))

    async def create(self, player: Player, title: str, terms: CompetitionTerms) -> Competition:
        """Opens a competition for entries, and commits the server to a seed.

        :raises SpadesError: if it cannot be played so, or there are too many.
        """
        check_shown("title", title, LONGEST_TITLE)
        check_terms(terms)
        live = [one.registration for one in self._found.values() if not _is_over(one)]
        mine = sum(one.organiser.id == player.id for one in live)
        if mine >= MOST_OF_ONE or len(live) >= MOST_IN_ALL:
            whose = f"{player.name} has {mine}" if mine >= MOST_OF_ONE else f"There are {len(live)}"
            raise TableError(
                f"{whose} competitions that are not over, and no more can be opened.",
                Reason.TOO_MANY,
            )
        registration = Registration(
            id=self._free_id(),
            title=title,
            organiser=player,
            created_us=self._clock(),
            terms=terms,
            server_seed=secrets.token_bytes(32),
        )
        competition = self._found[registration.id] = Competition(registration)
        async with self._ledger.changing(competition):
            await self._ledger.register(competition, registration)
        log.info("competition opened", extra={"competition": registration.id})
        return competition

    async def enter(
        self,
        competition: Competition,
        player: Player,
        name: str,
        bot: str,
        at_once: int,
        partner: str = "",
    ) -> str:
        """Enters a player's agent, or for the organiser a house bot; says under which name.

        ``partner`` is the name of the player whose agent has the other seat.

        :raises SpadesError: if it cannot be entered.
        """
        async with self._ledger.changing(competition):
            before = competition.registration
            registration = before.entered(player, name, bot, at_once, partner)
            if registration is not before:
                await self._ledger.register(competition, registration)
        entry = None if bot else registration.of_player(player)
        return name or bot if entry is None else entry.name

    async def withdraw(self, competition: Competition, player: Player, name: str) -> None:
        """Takes an entry out, one's own or as the organiser anybody's.

        :raises SpadesError: if that cannot be.
        """
        async with self._ledger.changing(competition):
            registration = competition.registration
            entry = registration.named(name) if name else registration.of_player(player)
            if entry is None:
                raise TableError(
                    f"{player.name} has no entry in {registration.id}.", Reason.INVALID_FIELD
                )
            if player.id not in entry.players:
                registration.require_organiser(player, "take out the entry of another")
            by = "by its player" if player.id in entry.players else "by the organiser"
            await self._take_out(competition, entry, f"it was taken out {by}")

    async def start(self, competition: Competition, player: Player) -> None:
        """Closes the entries and begins to play.

        :raises SpadesError: if that cannot be.
        """
        async with self._ledger.changing(competition):
            registration = competition.registration
            registration.require_organiser(player, "start it")
            begun = registration.begun()
            await self._ledger.register(competition, begun)
            await self._ledger.append(competition, opening_line(competition.spec))
        self._play(competition)
        log.info("competition started", extra={"competition": begun.id})

    async def call_off(self, competition: Competition, player: Player) -> None:
        """Calls a competition off that has not begun.

        :raises SpadesError: if that cannot be.
        """
        async with self._ledger.changing(competition):
            registration = competition.registration
            registration.require_organiser(player, "call it off")
            registration.require(CompetitionStage.OPEN, f"{registration.id} cannot be called off")
            off = replace(registration, stage=CompetitionStage.CALLED_OFF)
            await self._ledger.register(competition, off)

    async def news(self, competition: Competition, most_s: float) -> None:
        """Waits until something has changed, or the server stops, or the time is over."""
        await self._ledger.news(competition, most_s)

    def files(self, competition: Competition) -> AsyncIterator[tuple[str, str]]:
        """The files of a competition that is over, one after the other.

        :raises TableError: if it is not.
        """
        return files_of(competition, self._journal)

    async def record(self, match: str) -> str | None:
        """The record of a competition's table; ``None`` if the id is of none.

        :raises TableError: while the same deals are played at other tables.
        """
        named = _RECORD.fullmatch(match)
        competition = None if named is None else self._found.get(named["competition"])
        if named is None or competition is None:
            return None
        return await record_of(competition, self._journal, named["unit"], int(named["table"]))

    async def lose(self, player: Player) -> None:
        """Goes on without a player who was deleted: the name goes, and the entry is taken out."""
        for competition in list(self._found.values()):
            async with self._ledger.changing(competition):
                await self._lose(competition, player)

    def restore(self, stored: Sequence[StoredCompetition], known: Container[str]) -> None:
        """Takes in the competitions of before, and goes on with those that were running."""
        for one in stored:
            try:
                registration = parse_registration(one.document)
                competition = Competition(registration, one.lines)
            except (ArenaError, ValueError, KeyError) as error:
                # One that cannot be read must not cost the others theirs; its rows stay.
                kind = type(error).__name__
                log.critical(
                    "competition set aside", extra={"competition": one.name, "error": kind}
                )
                self._set_aside.add(one.name)
                continue
            self._found[registration.id] = competition
        for competition in self._found.values():
            self._play_again(competition, known)

    async def stop(self) -> None:
        """Drops what is being played: it is played again after the next start."""
        self.stopping.set()
        self._ledger.wake_all()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _play_again(self, competition: Competition, known: Container[str]) -> None:
        registration = competition.registration
        entrants = (player for one in registration.entries for player in one.players)
        people = {registration.organiser.id, *entrants}
        gone = [Player(one, STRUCK_NAME) for one in sorted(people) if one and one not in known]
        if gone or registration.stage is CompetitionStage.RUNNING:
            # A task of its own, since what has to be written first takes a while.
            self._play(competition, gone)

    def _play(self, competition: Competition, gone: Sequence[Player] = ()) -> None:
        name = competition.registration.id

        async def keep(played: PlayedUnit) -> None:
            async with self._ledger.changing(competition):
                records = "".join(line + "\n" for line in played.records)
                await self._ledger.append(competition, unit_line(played.result), records)

        async def play() -> None:
            try:
                async with self._ledger.changing(competition):
                    if competition.has_begun and not competition.lines:
                        # The server was killed between the two writings of the start.
                        await self._ledger.append(competition, opening_line(competition.spec))
                    for player in gone:
                        await self._lose(competition, player)
                if competition.registration.stage is CompetitionStage.RUNNING:
                    driver = Driver(competition, self._lobby, self._clock, keep, MOST_UNITS_AT_ONCE)
                    self._drivers[name] = driver
                    await driver.run()
                    await self._close(competition)
            except Exception as error:
                # The last boundary: what fails here must not pass unseen, nor tell of a card.
                kind = type(error).__name__
                log.critical("a competition has failed", extra={"competition": name, "error": kind})
                raise
            finally:
                self._drivers.pop(name, None)

        task = asyncio.create_task(play())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _close(self, competition: Competition) -> None:
        async with self._ledger.changing(competition):
            if not competition.is_closed:
                await self._ledger.append(competition, closing_line(competition.state))
            over = replace(competition.registration, stage=CompetitionStage.FINISHED)
            await self._ledger.register(competition, over)
        log.info("competition over", extra={"competition": competition.registration.id})

    async def _lose(self, competition: Competition, player: Player) -> None:
        registration = competition.registration
        concerned = [one for one in registration.entries if one.concerns(player)]
        if concerned:
            for entry in concerned:
                if not _is_over(competition):
                    await self._take_out(competition, entry, "its player was deleted")
            entries = tuple(one.struck(player) for one in competition.registration.entries)
            await self._ledger.register(
                competition, replace(competition.registration, entries=entries)
            )
        if registration.organiser.id == player.id:
            nobody = replace(competition.registration, organiser=Player("", STRUCK_NAME))
            if nobody.stage is CompetitionStage.OPEN:
                # Nobody could start it any more.
                nobody = replace(nobody, stage=CompetitionStage.CALLED_OFF)
            await self._ledger.register(competition, nobody)

    async def _take_out(self, competition: Competition, entry: Entered, reason: str) -> None:
        registration = competition.registration
        if registration.stage is CompetitionStage.OPEN:
            await self._ledger.register(competition, registration.without(entry.name))
            return
        registration.require(
            CompetitionStage.RUNNING, f"No entry of {registration.id} can be taken out"
        )
        if competition.has_left(entry.name):
            return
        await self._ledger.append(competition, withdrawal_line(entry.name, reason))
        running = self._drivers.get(registration.id)
        if running is not None:
            running.look_again()

    def _is_connected(self, entry: Entered) -> bool:
        there = map(self._player_is_connected, entry.players)
        return bool(entry.bot) or (not entry.awaits and bool(entry.players) and all(there))

    def _free_id(self) -> str:
        while True:
            name = "".join(secrets.choice(CODE_LETTERS) for _ in range(ID_LENGTH))
            if name not in self._found and name not in self._set_aside:
                return name


def _is_over(competition: Competition) -> bool:
    stage = competition.registration.stage
    return stage in (CompetitionStage.FINISHED, CompetitionStage.CALLED_OFF)
