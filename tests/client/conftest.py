"""What the tests of the client share: the command in processes of its own, tables whose bots move when
they are told to, and the frames of whole matches.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

import spades
from spades import (
    Action,
    Look,
    MakeBid,
    Match,
    NextHand,
    PassCards,
    Phase,
    Play,
    Seat,
    SeededDeals,
    Surrender,
    Undo,
    UndoRule,
    parse_rules,
    parse_seed,
)
from spades.view import TableView
from spades_agents import Advice, Server
from spades_client.line import LineClient, LineOptions
from spades_client.session import TableSession
from spades_proto import wire
from spades_proto.frames import Command, DecisionRequest, Frame
from spades_proto.table import AnyEvent, Courtesy, OccupantKind
from spades_proto.v1 import frame_pb2
from spades_server.app import SpadesServer, running
from spades_server.commands import BotDeed, Deed, Leave, Player, Presence, Sit, Start, TableCommand
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.table import Table
from spades_server.table_log import SECOND, Entry, TableConfig
from tests.client.command import Spades
from tests.lines import hung_up

GUARD_S = 60.0
"""After how long a test that waits in vain fails; nothing is ever measured against it."""

NEVER_MS = 3_600_000
"""A tempo at which house bots move only when a test makes them."""


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keeps identities out of the home folder, in this process and in those that it starts."""
    folder = tmp_path / "state"
    monkeypatch.setenv("SPADES_STATE", str(folder))
    monkeypatch.setenv("SPADES_CONFIG", str(tmp_path / "settings.toml"))
    monkeypatch.setenv("SPADES_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LOGNAME", "tester")
    return folder


# The command in a process of its own


def command_line(arguments: Sequence[str]) -> list[str]:
    return [str(Path(sys.executable).with_name("spades")), *arguments]


def environment(changes: dict[str, str | None]) -> dict[str, str]:
    changed = {**os.environ, **changes}
    return {name: value for name, value in changed.items() if value is not None}


@dataclass(frozen=True)
class Run:
    """A program that has ended."""

    status: int
    output: str
    errors: str

    @property
    def lines(self) -> list[str]:
        return self.output.splitlines()


def run_to_end(*arguments: str, text: str | bytes = "", **env: str | None) -> Run:
    """Runs `spades` with an input from a pipe, to its end."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run(
        command_line(arguments),
        input=data,
        capture_output=True,
        timeout=GUARD_S,
        check=False,
        env=environment(env),
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="session")
def run() -> Callable[..., Run]:
    return run_to_end


@pytest.fixture(name="spades")
async def spades_command() -> AsyncIterator[Spades]:
    """The command in processes of its own, at a server of this test's."""
    async with running(ServerConfig(port=0, tempo_ms=0)) as server:

        async def done(*words: str) -> Run:
            there = ("--server", f"127.0.0.1:{server.port}")
            return await asyncio.to_thread(run_to_end, *words, *there)

        yield done


class Program:
    """`spades` in a process, spoken to line by line."""

    def __init__(self, process: asyncio.subprocess.Process, errors: Path) -> None:
        self.process = process
        self.lines: list[str] = []
        """Everything that it has said."""
        self._errors = errors

    @property
    def errors(self) -> str:
        return self._errors.read_text()

    async def line(self) -> str | None:
        """The next line; ``None`` at the end of the output."""
        assert self.process.stdout is not None
        try:
            data = await asyncio.wait_for(self.process.stdout.readline(), GUARD_S)
        except TimeoutError:
            raise AssertionError(f"nothing more is said: {self.lines} {self.errors}") from None
        if not data:
            return None
        self.lines.append(data.decode().rstrip("\n"))
        return self.lines[-1]

    async def hear(self, text: str) -> str:
        """Reads on to the next line that holds a text."""
        while (line := await self.line()) is not None:
            if text in line:
                return line
        raise AssertionError(f"{text!r} was never said: {self.lines} {self.errors}")

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    def hang_up(self) -> None:
        """Ends the input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def end(self) -> int:
        """Reads to the end; returns the exit status."""
        while await self.line() is not None:
            pass
        return await asyncio.wait_for(self.process.wait(), GUARD_S)

    async def play(self, until: str) -> str:
        """Answers every prompt with something sensible until a text is said."""
        while (line := await self.line()) is not None:
            if until in line:
                return line
            reply = reply_to(line)
            if reply is not None:
                self.type(reply)
        raise AssertionError(f"{until!r} was never said: {self.lines} {self.errors}")


def reply_to(line: str) -> str | None:
    """What a player answers to a prompt; ``None`` to anything else."""
    if line.startswith("Your bid? "):
        return "bid 3"
    if line.startswith("Your card? "):
        return "play " + line.rstrip(".").split()[-1]
    if line.startswith("Type next"):
        return "next"
    return None


StartProgram = Callable[..., Awaitable[Program]]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[StartProgram]:
    """Starts `spades` in a process that is gone when the test is."""
    programs: list[Program] = []

    async def started(*arguments: str, **env: str | None) -> Program:
        errors = tmp_path / f"errors-{len(programs)}.txt"
        with errors.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                *command_line(arguments),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=file,
                env=environment(env),
            )
        programs.append(Program(process, errors))
        return programs[-1]

    yield started
    for program in programs:
        with suppress(ProcessLookupError):
            program.process.kill()
        program.hang_up()
        await program.end()


@pytest.fixture
async def served(start: StartProgram) -> tuple[Program, str]:
    """A server process whose bots do not dawdle, and its address."""
    server = await start("serve", "--port", "0", "--tempo", "0", "--log-level", "error")
    where = (await server.hear("Join with: ")).split()[-1]
    return server, where


# Advice that says what a test wants to hear


@dataclass(frozen=True, slots=True)
class Said(Advice):
    """Advice whose reasons are given in words."""

    words: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        return self.words


@pytest.fixture(scope="session")
def advice() -> Callable[..., Advice]:
    """Makes advice for South: an action and the reasons for it."""

    def said(action: Action, *words: str) -> Advice:
        return Said(Seat.SOUTH, action, (), words)

    return said


# A line client in this process, at a table whose bots move when they are told to


class Parlour:
    """South at a line client, three house bots on strings, and a real server between them."""

    def __init__(
        self, client: LineClient, session: TableSession, host: TableHost, descriptor: int
    ) -> None:
        self.client = client
        self.session = session
        self.host = host
        self.told: list[str] = []
        self.running: asyncio.Task[None] | None = None
        self._descriptor = descriptor
        self._heard = 0
        self._news = asyncio.Event()

    def say(self, sentence: str) -> None:
        self.told.append(sentence)
        self._news.set()

    def type(self, line: str) -> None:
        self.press(f"{line}\n")

    def press(self, keys: str) -> None:
        os.write(self._descriptor, keys.encode())

    def hang_up(self) -> None:
        """Ends the input for good."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    async def ended(self) -> None:
        """Waits for the client to be done."""
        assert self.running is not None
        await asyncio.wait_for(asyncio.shield(self.running), GUARD_S)

    async def hear(self, text: str) -> str:
        """Waits for the next sentence that holds a text."""
        async with asyncio.timeout(GUARD_S):
            while True:
                while self._heard < len(self.told):
                    self._heard += 1
                    if text in self.told[self._heard - 1]:
                        return self.told[self._heard - 1]
                self._news.clear()
                try:
                    await self._news.wait()
                except asyncio.CancelledError:
                    raise AssertionError(f"{text!r} was never said: {self.told}") from None

    def move(self) -> Seat:
        """Has the bot whose turn it is do the plainest thing; says whose turn it was."""
        table = self.host.table
        seat = table.match.turn if table.match else None
        assert seat is not None and seat is not Seat.SOUTH, "a bot is to move"
        view = table.bot_view(seat)
        action = Play(view.legal_plays[0]) if view.legal_plays else MakeBid(spades.Bid(3))
        self.host.submit(BotDeed(seat, table.decision_id, action))
        return seat

    def move_all(self) -> None:
        """Has the bots move until it is South's turn, or nobody's."""
        while self.host.table.match is not None and self.host.table.match.turn not in (
            None,
            Seat.SOUTH,
        ):
            self.move()

    def events(self) -> list[AnyEvent]:
        """What has happened at the table."""
        return [entry.event for entry in self.host.table.log]


OpenParlour = Callable[..., Awaitable[Parlour]]


@pytest.fixture
async def puppet_server() -> AsyncIterator[SpadesServer]:
    """A server whose bots never move by themselves."""
    config = ServerConfig(port=0, allow_seeds=True, tempo_ms=NEVER_MS)
    async with running(config) as server:
        yield server


@pytest.fixture
async def parlour(puppet_server: SpadesServer) -> AsyncIterator[OpenParlour]:
    """Opens a parlour: South leads the first trick. ``terminal`` says what the input is."""
    async with AsyncExitStack() as stack:

        async def opened(
            rules: str = "max_hands=1",
            *,
            terminal: bool = True,
            target: str = "",
            options: LineOptions | None = None,
            seed: str = "7",
        ) -> Parlour:
            player = Server(target or f"127.0.0.1:{puppet_server.port}")
            await stack.enter_async_context(player)
            await player.register("Ann")
            bots = [(seat, "gentle") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
            table = await player.create_table(
                rules, seats=(Seat.SOUTH,), bots=bots, start=True, seed=seed
            )
            session = TableSession(player, table.code, Seat.SOUTH)
            ours, theirs = _terminal() if terminal else _pipe()
            made: list[Parlour] = []
            client = LineClient(
                session,
                lambda sentence: made[0].say(sentence),  # noqa: PLW0108  # it is made below
                options or LineOptions(),
                theirs,
            )
            made.append(Parlour(client, session, puppet_server.lobby.find(table.code), ours))
            running = made[0].running = asyncio.create_task(client.run())
            stack.push_async_callback(_finish, running, made[0].hang_up)
            return made[0]

        yield opened


def _pipe() -> tuple[int, int]:
    theirs, ours = os.pipe()
    return ours, theirs


def _terminal() -> tuple[int, int]:
    ours, theirs = os.openpty()
    modes = termios.tcgetattr(theirs)
    modes[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, modes)
    return ours, theirs


async def _finish(running: asyncio.Task[None], hang_up: Callable[[], None]) -> None:
    running.cancel()
    with suppress(asyncio.CancelledError):
        await running
    hang_up()


class Proxy:
    """A line between a client and a server that can be slow, cut and mended."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._server: asyncio.Server | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self._down = False
        self.calls = 0
        """How many connections were made."""

    @property
    def target(self) -> str:
        assert self._server is not None
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)

    async def close(self) -> None:
        assert self._server is not None
        await hung_up(self._server)
        self.cut()
        await self._server.wait_closed()
        await asyncio.gather(*self._serving)

    def hold(self) -> None:
        """Keeps what the client sends."""
        self._flows.clear()

    def release(self) -> None:
        self._flows.set()

    def cut(self) -> None:
        """Breaks every connection; new ones are broken too until the line is mended."""
        self._down = True
        self._flows.set()
        for writer in self._writers:
            writer.transport.abort()

    def mend(self) -> None:
        self._down = False

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(asyncio.create_task(self._serve(reader, writer)))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.calls += 1
        self._writers.add(writer)
        try:
            if self._down:
                return
            back, forth = await asyncio.open_connection("127.0.0.1", self._port)
            self._writers.add(forth)
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._pump(reader, forth, self._flows))
                    group.create_task(self._pump(back, writer, None))
            finally:
                self._writers.discard(forth)
                forth.transport.abort()
        except* OSError:
            pass
        finally:
            self._writers.discard(writer)
            writer.transport.abort()

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        gate: asyncio.Event | None,
    ) -> None:
        while data := await reader.read(65_536):
            if gate is not None:
                await gate.wait()
            writer.write(data)
            await writer.drain()
        writer.transport.abort()


@pytest.fixture
async def proxy(puppet_server: SpadesServer) -> AsyncIterator[Proxy]:
    """A line to the server of the puppets."""
    it = Proxy(puppet_server.port)
    await it.open()
    yield it
    await it.close()


# Whole matches as frames

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)


@dataclass(frozen=True)
class Step:
    """What one command did to a table, and how each viewer was told."""

    entries: tuple[Entry, ...]
    frames: dict[Seat | None, list[Frame]]
    views: dict[Seat | None, TableView]
    """What each viewer sees of the match after it, if there is one."""
    taken: tuple[int, ...]
    """The tricks that each seat has taken, by the referee."""
    snapshots: dict[Seat | None, Frame]
    deck: spades.Deck

    def snapshot(self, viewer: Seat | None) -> Frame:
        """What a viewer gets who comes after it."""
        return over_the_wire(self.snapshots[viewer], viewer, self.deck)

    def decision(self, viewer: Seat | None) -> DecisionRequest | None:
        """What a viewer is asked for after it."""
        return self.snapshots[viewer].decision


def over_the_wire(frame: Frame, viewer: Seat | None, deck: spades.Deck) -> Frame:
    """Encodes and decodes a frame."""
    data = wire.frame_to_wire(frame).SerializeToString()
    decoded = wire.frame_from_wire(frame_pb2.Frame.FromString(data), viewer, deck)
    assert decoded is not None
    return decoded


def frames_of(table: Table, entries: Iterable[Entry], viewer: Seat | None) -> list[Frame]:
    """Tells a viewer what has happened: redacted, with the decision where it was opened."""
    frames: list[Frame] = []
    for entry in entries:
        event: Any = entry.event
        shown = isinstance(event, spades.HandShown) and event.seat is viewer
        if spades.has_secret(event):
            event = spades.redact(event, viewer)
        asked = table.decision_for(viewer)
        decision = asked if entry.seq == table.decision_id or shown else None
        frame = Frame(table.epoch, entry.seq, entry.time_us, event, decision)
        frames.append(over_the_wire(frame, viewer, table.config.rules.deck))
    return frames


def snapshot_of(table: Table, viewer: Seat | None) -> Frame:
    return Frame(
        table.epoch, table.seq, 0, table.state.snapshot(viewer), table.decision_for(viewer)
    )


class Evening:
    """Four people at a table of a server without I/O, who do whatever comes into their heads."""

    def __init__(self, rules: str, seed: str, names: Sequence[str]) -> None:
        config = TableConfig("TABLE", parse_rules(rules), grace_us=60 * SECOND)
        self._players = {
            seat: Player(f"player {seat}", name) for seat, name in zip(Seat, names, strict=True)
        }
        self.table = Table(config, self._players[Seat.SOUTH], 0)
        self._seed = parse_seed(seed)
        self._random = Random(seed)
        self._now = 0
        self._requests = 0

    def steps(self) -> Iterator[Step]:
        """Plays a match to its end."""
        yield self._step(self.table.opening)
        for seat, player in self._players.items():
            yield self._do(Sit(player, OccupantKind.PERSON, seat))
            yield self._do(Presence(seat, listening=True))
        yield self._do(Start(self._players[Seat.SOUTH], self._seed))
        while (match := self.table.match) is not None and match.phase is not Phase.MATCH_OVER:
            yield from self._wander(match)
        yield self._deed(Seat.EAST, Courtesy.WELL_PLAYED)
        for player in self._players.values():
            yield self._do(Leave(player))

    def _wander(self, match: Match) -> Iterator[Step]:
        roll = self._random.random()
        seat = self._random.choice(list(Seat))
        state = match.state
        if roll < 0.02:
            yield self._do(Presence(seat, listening=False))
            yield self._do(Presence(seat, listening=True))
        elif roll < 0.03:
            # A house bot stands in at once for a player who leaves, and until the player is back.
            yield self._do(Leave(self._players[seat]))
            yield self._do(Presence(seat, listening=True))
        elif roll < 0.04 and seat not in state.proposed and seat.partner not in state.proposed:
            yield self._deed(seat, Surrender())
        elif match.phase is Phase.HAND_OVER:
            if roll < 0.5:
                yield self._deed(seat, Courtesy.GOOD_LUCK)
            waiting = [one for one in Seat if one not in state.asked]
            yield self._deed(self._random.choice(waiting), NextHand())
        elif state.face_down and roll < 0.3:
            yield self._deed(self._random.choice(sorted(state.face_down)), Look())
        elif state.last_played is not None and roll > 0.93 and match.rules.undo is UndoRule.ON:
            yield self._deed(state.last_played, Undo())
        elif match.turn is not None:
            yield self._deed(match.turn, self._choose(match, match.turn))

    def _choose(self, match: Match, seat: Seat) -> Action:
        legal = match.legal(seat)
        if match.phase is Phase.PASSING:
            view = spades.view(match, seat)
            return PassCards(tuple(self._random.sample(view.hand, view.pass_count)))
        return self._random.choice(legal[:5] if match.phase is Phase.BIDDING else legal)

    def _deed(self, seat: Seat, deed: Action | Courtesy) -> Step:
        self._requests += 1
        match = self.table.match
        asked = isinstance(deed, MakeBid | PassCards | Play)
        command = Command(
            "TABLE",
            deed,
            seat,
            request_id=str(self._requests),
            decision=self.table.decision_id if asked else 0,
            epoch=self.table.epoch,
            hand_number=match.hand_number if match and not asked else 0,
        )
        return self._do(Deed(self._players[seat], command))

    def _do(self, command: TableCommand) -> Step:
        self._now += 1_000
        entries, answer = self.table.handle(command, self._now)
        assert answer.refusal is None, answer.refusal
        return self._step(entries)

    def _step(self, entries: tuple[Entry, ...]) -> Step:
        table, match = self.table, self.table.match
        return Step(
            entries,
            {viewer: frames_of(table, entries, viewer) for viewer in VIEWERS},
            {viewer: spades.view(match, viewer) for viewer in VIEWERS} if match else {},
            match.state.taken if match else (),
            {viewer: snapshot_of(table, viewer) for viewer in VIEWERS},
            table.config.rules.deck,
        )


@pytest.fixture(scope="session")
def evening() -> Callable[..., tuple[Step, ...]]:
    """Plays a match by rules and a seed, one command at a time; the names are those of the seats."""

    @cache
    def played(
        rules: str, seed: str, names: tuple[str, ...] = ("Ann", "Bob", "Cyd", "Dan")
    ) -> tuple[Step, ...]:
        return tuple(Evening(rules, seed, names).steps())

    return played


@pytest.fixture(scope="session")
def finished_match() -> Callable[[str, str], Match]:
    """Plays a match to its end: everybody bids 3 and plays the first legal card."""

    def played(rules: str, seed: str) -> Match:
        match = Match(parse_rules(rules), SeededDeals(parse_seed(seed)))
        while match.phase is not Phase.MATCH_OVER:
            if match.turn is None:
                match.deal_next()
            elif match.phase is Phase.BIDDING:
                match.bid(match.turn, spades.Bid(3))
            else:
                match.act(match.turn, match.legal(match.turn)[0])
        return match

    return played
