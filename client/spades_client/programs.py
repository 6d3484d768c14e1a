"""What the sub-commands do; each is imported only when it is asked for."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spades import Reason, Seat, SpadesError, TableError, agent_secret, parse_seed
from spades_agents import Server
from spades_agents.specs import agent_of
from spades_client.archive import read_record
from spades_client.ending import Terminated, exit_status, to_the_end
from spades_client.identity import default_name, log_in
from spades_client.line import LineClient, LineOptions
from spades_client.phrases import printable
from spades_client.places import Place, connected
from spades_client.recent import RecentTable, forget_recent, note_recent
from spades_client.session import TableSession
from spades_client.solo import SoloTable, solo_session
from spades_client.terminals import full_screen
from spades_proto.table import TableStage
from spades_proto.tempo import tempo_name
from spades_proto.timing import TimeControl
from spades_server.logs import quieten


@dataclass(frozen=True, slots=True)
class PlayerOptions:
    """The options that playing and joining share."""

    name: str = ""
    auto: str = ""
    record: Path | None = None
    tempo_ms: int | None = None
    plain: bool = False
    ascii: bool = False


@dataclass(frozen=True, slots=True)
class NewTable:
    """What a table is to be like, if one is opened."""

    rules: str = ""
    tempo_ms: int | None = None
    time_control: TimeControl | None = None
    new: bool = False
    """Whether to open one in any case."""
    hints: bool = True
    """Whether clients may give hints at it."""
    particular: bool = False
    """Whether a free seat at another table will not do."""


def say(sentence: str) -> None:
    """Writes one line to standard output at once."""
    sys.stdout.write(printable(sentence) + "\n")
    sys.stdout.flush()


def _descriptor(options: PlayerOptions) -> int | None:
    """Where lines are read from; a seat that a bot plays reads none."""
    if options.auto or sys.stdin is None or sys.stdin.closed:
        return None
    return sys.stdin.fileno()


def _line_options(options: PlayerOptions, secret: bytes, *, solo: bool) -> LineOptions:
    agent = agent_of(options.auto) if options.auto else None
    if options.record is not None:
        # A path that cannot be written is found before the deal, not after the match.
        try:
            options.record.open("a").close()
        except OSError as error:
            raise TableError(
                f"{options.record} cannot be written: {error.strerror}.", Reason.RECORD_NOT_FOUND
            ) from None
    return LineOptions(
        options.record, start_when_full=not solo, solo=solo, agent=agent, agent_secret=secret
    )


class _Told(Exception):
    """A table ended in a way that was not to be expected, and its client has said so."""

    def __init__(self, why: SpadesError) -> None:
        super().__init__(printable(why.sentence))
        self.why = why


async def _run_table(
    session: TableSession, line_options: LineOptions, options: PlayerOptions
) -> None:
    """Plays at a table in the client that fits the terminal."""
    if full_screen(plain=options.plain, auto=options.auto):
        from spades_client.screen.evening import show_table

        told, failure = await show_table(session, line_options, ascii_wanted=options.ascii)
        for sentence in told:
            say(sentence)
    else:
        client = LineClient(session, say, line_options, _descriptor(options))
        await client.run()
        failure = client.failure
    if failure is not None:
        raise _Told(failure) if session.state.table is not None else failure


async def play(
    rules: str, levels: Sequence[str], seed: str, options: PlayerOptions, *, hints: bool = True
) -> None:
    """Plays against house bots."""
    quieten()
    secret = agent_secret(parse_seed(seed), Seat.SOUTH) if seed else secrets.token_bytes(32)
    line_options = _line_options(options, secret, solo=True)
    tempo = 0 if options.auto and options.tempo_ms is None else options.tempo_ms
    table = SoloTable(rules, levels, options.name or default_name(), seed, tempo, hints)
    async with solo_session(table) as session:
        await _run_table(session, line_options, options)


@asynccontextmanager
async def _reached(place: Place) -> AsyncGenerator[Server]:
    """A connection to a server, with what is worth knowing of it said."""
    told: list[str] = []
    async with connected(place, told) as server:
        for sentence in told:
            say(sentence)
        yield server


async def join(
    place: Place, code: str, wanted: NewTable, seat: Seat | None, options: PlayerOptions
) -> None:
    """Sits down at a table of a server: the one named, one's own, the only free one, or a new one."""
    line_options = _line_options(options, secrets.token_bytes(32), solo=False)
    place, code = place.with_code(code)
    async with _reached(place) as server:
        held = await log_in(server, options.name)
        try:
            say(f"You are {held.name} on {server.target}.")
            table = await _find_table(server, code, wanted)
            taken = await server.sit(table, seat)
            note_recent(RecentTable(server.address, table, name=options.name))
            session = TableSession(server, table, taken)
            await _run_table(session, line_options, options)
        finally:
            held.release()


async def _find_table(server: Server, code: str, wanted: NewTable) -> str:
    if code:
        return code
    opens = bool(wanted.rules) or wanted.time_control is not None or wanted.particular
    if not wanted.new:
        _, held = await server.me()
        if held:
            return held[0][0]
        free = [
            table
            for table in await server.list_tables()
            if table.stage is TableStage.OPEN and any(one.occupant is None for one in table.seats)
        ]
        if len(free) == 1 and not opens:
            return free[0].code
        if len(free) > 1 and not opens:
            listed = ", ".join(f"{table.code} of {table.host}" for table in free)
            raise TableError(
                f"Several tables have a free seat: {listed}. Name one, or open another with --new.",
                Reason.TABLE_STATE,
            )
    opened = await server.create_table(
        wanted.rules,
        tempo_ms=wanted.tempo_ms,
        time_control=wanted.time_control,
        hints=wanted.hints,
    )
    return opened.code


async def watch(place: Place, code: str, options: PlayerOptions) -> None:
    """Watches a table as a spectator."""
    place, code = place.with_code(code)
    async with _reached(place) as server:
        held = await log_in(server, options.name, "-watch")
        try:
            table = code or await _only_table(server)
            note_recent(RecentTable(server.address, table, watched=True))
            session = TableSession(server, table, None)
            await _run_table(session, LineOptions(), options)
        finally:
            held.release()


async def _only_table(server: Server) -> str:
    tables = await server.list_tables()
    if len(tables) == 1:
        return tables[0].code
    if not tables:
        raise TableError("There is no table to watch.", Reason.TABLE_NOT_FOUND)
    listed = ", ".join(f"{table.code} of {table.host}" for table in tables)
    raise TableError(f"There are several tables: {listed}. Name one.", Reason.TABLE_STATE)


async def servers() -> None:
    """Lists the servers that are announced on the network."""
    from spades_client.discovery import find_servers

    found = await find_servers()
    for one in found:
        how = "" if one.secure else ", not encrypted"
        how += "" if one.fits else ", another version"
        say(f"{one.name}{how}: {one.link}")
    if not found:
        say(
            "No server is announced on this network. One elsewhere is joined by its link or address."
        )


async def tables(place: Place, name: str) -> None:
    """Lists the tables of a server."""
    async with _reached(place) as server:
        held = await log_in(server, name, "-watch")
        try:
            found = await server.list_tables()
        finally:
            held.release()
    for table in found:
        seated = sum(status.occupant is not None for status in table.seats)
        how = f", tempo {tempo_name(table.tempo_ms)}" + ("" if table.hints else ", without hints")
        say(f"{table.code} of {table.host}: {table.stage.value}, {seated} of 4 seats taken{how}.")
    if not found:
        say("There is no table.")


async def replay(path: Path, viewer: Seat | None, hand: int, number: int, *, letters: bool) -> None:
    """Steps through a record in full screen."""
    from spades_client.screen.evening import show_replay

    await show_replay(read_record(path, hand, number), viewer, hand, ascii_wanted=letters)


async def start() -> None:
    """The start screen, again and again until it is left."""
    from spades_client.screen.evening import show_start
    from spades_client.screen.wishes import GoTo, OpenRecord, PlayBots

    notice, row = "", 0
    while True:
        wish, row = await show_start(notice, row)
        notice = ""
        try:
            match wish:
                case None:
                    return
                case PlayBots(rules, levels):
                    options = PlayerOptions(tempo_ms=wish.own.tempo_ms)
                    await play(rules, levels, "", options, hints=wish.own.hints)
                case OpenRecord(path):
                    await replay(path, None, 0, 1, letters=False)
                case GoTo(server, code, watch=True):
                    await watch(Place(server), code, PlayerOptions())
                case GoTo(server, code):
                    wanted = NewTable(
                        tempo_ms=wish.own.tempo_ms, new=wish.new, hints=wish.own.hints
                    )
                    await join(Place(server), code, wanted, None, PlayerOptions(wish.name))
        except SpadesError as error:
            notice = printable(error.sentence)
            _forget_if_gone(wish, error)
        except _Told as told:
            notice = str(told)
            _forget_if_gone(wish, told.why)


def _forget_if_gone(wish: object, error: SpadesError) -> None:
    """A table that is gone is not offered again."""
    from spades_client.screen.wishes import GoTo

    gone = error.reason in (Reason.TABLE_NOT_FOUND, Reason.TABLE_CLOSED, Reason.TOKEN_INVALID)
    if gone and isinstance(wish, GoTo):
        forget_recent(wish.server, wish.code)


def run(program: Coroutine[Any, Any, None]) -> int:
    """Runs a program to its end and says what went wrong, if something did; returns the exit status."""
    try:
        return exit_status(lambda: asyncio.run(to_the_end(program)))
    except _Told:
        return 1
    except Terminated as terminated:
        return 128 + terminated.number
    except BrokenPipeError:
        # Whoever read the output has gone: there is nobody to tell.
        sys.stderr.close()
        return 1
