"""The line to a table: slow, broken and mended, taken over, and not understood."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, Protocol, cast

import grpc
import pytest
from grpc import aio

from spades import (
    Bid,
    Card,
    CardPlayed,
    MakeBid,
    NextHand,
    Play,
    Reason,
    Seat,
    SpadesError,
    TableError,
    parse_cards,
)
from spades_agents import Server
from spades_agents.caller import Metadata
from spades_agents.trust import ServerUnreachable
from spades_client.line import LineClient, LineOptions
from spades_client.places import Place
from spades_client.programs import run as run_program
from spades_client.programs import tables as list_tables
from spades_client.session import Changed, Ended, LineBack, LineLost, TableSession, Update
from spades_client.state import ClientState, reduce
from spades_proto import wire
from spades_proto.frames import Command, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.status import status_of
from spades_proto.table import AnyEvent
from spades_proto.v1 import frame_pb2, lobby_pb2, tables_pb2
from spades_proto.version import PROTOCOL
from spades_server.app import SpadesServer
from spades_server.host import TableHost

IN_BETWEEN = "Your last move is still on its way; nothing was sent."
REPLACED = "A newer connection took this seat over; this one is not needed."


class Parlour(Protocol):
    @property
    def client(self) -> LineClient: ...
    @property
    def session(self) -> TableSession: ...
    @property
    def host(self) -> TableHost: ...
    @property
    def told(self) -> list[str]: ...
    def type(self, line: str, /) -> None: ...
    async def hear(self, text: str, /) -> str: ...
    async def ended(self) -> None: ...
    def move(self) -> Seat: ...
    def move_all(self) -> None: ...
    def events(self) -> list[AnyEvent]: ...


class Proxy(Protocol):
    @property
    def target(self) -> str: ...
    def hold(self) -> None: ...
    def release(self) -> None: ...
    def cut(self) -> None: ...
    def mend(self) -> None: ...


class Step(Protocol):
    @property
    def frames(self) -> dict[Seat | None, list[Frame]]: ...
    def snapshot(self, viewer: Seat | None, /) -> Frame: ...


OpenParlour = Callable[..., Awaitable[Parlour]]
Evening = Callable[..., Sequence[Step]]


async def offered(parlour: Parlour) -> list[Card]:
    prompt = await parlour.hear("Your card? You may play ")
    return list(parse_cards(prompt.removesuffix(".").split(" play ")[1]))


async def at_the_first_card(parlour: Parlour) -> list[Card]:
    await parlour.hear("Your bid?")
    parlour.type("4")
    await parlour.hear("You bid 4.")
    parlour.move_all()
    return await offered(parlour)


def played(parlour: Parlour, seat: Seat | None = None) -> list[Card]:
    """The cards that lie in the server's log, of one seat or of all."""
    events = [event for event in parlour.events() if isinstance(event, CardPlayed)]
    return [event.card for event in events if seat is None or event.seat is seat]


def plays_told(parlour: Parlour) -> list[str]:
    return [line.split(" the ")[1] for line in parlour.told if " play" in line and " the " in line]


# C09: a slow server


async def test_c09_while_a_card_is_on_its_way_words_are_answered_and_nothing_is_sent_twice(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour(target=proxy.target)
    first, second, *_ = await at_the_first_card(table)
    proxy.hold()
    table.type(str(first))
    for line in ("help", "hand", "", str(second), str(first), "undo"):
        table.type(line)
    await table.hear("help: this list.")
    await table.hear("Your hand: ")
    for _ in range(3):
        await table.hear(IN_BETWEEN)
    assert played(table) == []
    proxy.release()
    await table.hear(f"You play the {first.name}.")
    assert played(table) == [first]
    assert sum(line.startswith("Your card?") for line in table.told) == 1


async def test_c09_a_late_refusal_gives_the_prompt_again_and_the_card_stays_in_the_hand(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour(target=proxy.target)
    cards = await at_the_first_card(table)
    proxy.hold()
    table.type("2S")
    table.type("score")
    await table.hear("The match goes to 500")
    proxy.release()
    await table.hear("2S")
    assert await offered(table) == cards
    table.type(str(cards[0]))
    await table.hear(f"You play the {cards[0].name}.")


async def test_c09_one_can_leave_while_a_card_is_on_its_way(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour(target=proxy.target)
    cards = await at_the_first_card(table)
    proxy.hold()
    table.type(str(cards[0]))
    table.type("quit")
    table.type("hand")
    proxy.release()
    await table.hear("You leave the table.")
    await table.ended()
    assert table.client.failure is None


async def test_a_card_that_was_sent_into_a_broken_line_is_played_once_when_the_line_is_back(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour(target=proxy.target)
    cards = await at_the_first_card(table)
    proxy.cut()
    await table.hear("is lost; trying to come back.")
    table.type(str(cards[0]))
    table.type("score")
    await table.hear("The match goes to 500")
    proxy.mend()
    await table.hear("The line is back.")
    await table.hear(f"You play the {cards[0].name}.")
    table.move_all()
    await table.hear("trick 1.")
    assert played(table, Seat.SOUTH) == [cards[0]]


# A lost line


async def test_after_a_cut_in_the_middle_of_a_trick_the_client_is_back_at_the_same_card(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour(target=proxy.target)
    cards = await at_the_first_card(table)
    table.type(str(cards[-1]))
    await table.hear("You play ")
    table.move()
    await table.hear("West plays ")
    proxy.cut()
    assert await table.hear("is lost") == (
        f"The line to {proxy.target} is lost; trying to come back."
    )
    # Two cards and the trick are missed, and more if another leads, until South is to play.
    table.move_all()
    proxy.mend()
    await table.hear("The line is back.")
    await table.hear("trick 1.")
    cards = await offered(table)
    view = table.session.state.view
    assert view is not None
    assert (view.turn, view.legal_plays) == (Seat.SOUTH, tuple(cards))
    assert plays_told(table) == [f"{card.name}." for card in played(table)]
    assert sum("is lost" in line for line in table.told) == 1


async def test_after_a_cut_at_ones_own_turn_the_prompt_comes_again(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour(target=proxy.target)
    cards = await at_the_first_card(table)
    proxy.cut()
    await table.hear("is lost")
    proxy.mend()
    await table.hear("The line is back.")
    assert await offered(table) == cards
    table.type(str(cards[0]))
    await table.hear(f"You play the {cards[0].name}.")


async def test_a_log_that_is_no_continuation_is_begun_again_with_a_snapshot(
    parlour: OpenParlour, proxy: Proxy
) -> None:
    table = await parlour("max_hands=1,floor=none", target=proxy.target)
    await table.hear("Your bid?")
    proxy.cut()
    await table.hear("is lost")
    epoch = table.session.state.epoch
    # As if the server had gone on from another log meanwhile.
    table.host.table.epoch = epoch + 1
    proxy.mend()
    await table.hear("You are at table ")
    await table.hear("Your bid?")
    assert table.session.state.epoch == epoch + 1
    table.type("4")
    await table.hear("You bid 4.")


async def test_a_newer_connection_ends_this_one_with_a_sentence_and_without_a_retry(
    parlour: OpenParlour,
) -> None:
    table = await parlour()
    await at_the_first_card(table)
    session = table.session
    async with Server(session.server.target, session.server.token) as server:
        newer = TableSession(server, session.table, Seat.SOUTH)
        async with aclosing(newer.updates()) as updates:
            first = await anext(updates)
            assert isinstance(first, Changed)
            await table.hear(REPLACED)
            await table.ended()
            assert table.client.failure is not None
            assert table.client.failure.reason is Reason.REPLACED
            # The newer one is not replaced in turn: it hears of its own card.
            card = table.host.table.bot_view(Seat.SOUTH).legal_plays[0]
            decision = newer.state.decision
            assert decision is not None
            command = Command(session.table, Play(card), Seat.SOUTH, "r1", decision.id)
            await server.act(command)
            heard = await anext(updates)
            assert isinstance(heard, Changed)
            assert heard.frame.payload == CardPlayed(Seat.SOUTH, card)


async def test_a_closed_table_ends_the_client_with_its_sentence(
    parlour: OpenParlour, puppet_server: SpadesServer
) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    puppet_server.lobby.discard(table.host)
    await table.hear("The table is closed.")
    await table.ended()
    assert table.client.failure is None


async def test_a_stopping_server_is_told_at_once(
    parlour: OpenParlour, puppet_server: SpadesServer
) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    await puppet_server.stop()
    await table.hear("The server is stopping; come back in a while.")
    table.type("hand")
    await table.hear("Your hand: ")


# A scripted server: frames exactly as they are wanted


class Script:
    """What one call of Watch answers: responses, and then a status."""

    def __init__(
        self,
        *frames: Frame | frame_pb2.Frame,
        status: grpc.StatusCode | None = None,
        details: str = "",
        refusal: SpadesError | None = None,
    ) -> None:
        messages = [
            frame if isinstance(frame, frame_pb2.Frame) else wire.frame_to_wire(frame)
            for frame in frames
        ]
        self.responses = [tables_pb2.WatchResponse(frames=[message]) for message in messages]
        ends = bool(messages) and messages[-1].HasField("goodbye")
        self.changes = len(messages) - ends
        self.status = status or (grpc.StatusCode.OK if ends else grpc.StatusCode.UNAVAILABLE)
        self.details = details
        self.trailing: tuple[tuple[str, str | bytes], ...] = ()
        if refusal is not None:
            written = status_of(refusal)
            self.status, self.details = written.code, written.details or ""
            self.trailing = tuple(written.trailing_metadata or ())


class ScriptedTables:
    """Plays its scripts, one for each call, and notes from where it was asked to go on."""

    def __init__(self) -> None:
        self.scripts: deque[Script] = deque()
        self.asked: list[tuple[int, int]] = []
        self._seen = 0
        self._news = asyncio.Event()

    def saw(self) -> None:
        """Notes that the client has taken a frame in."""
        self._seen += 1
        self._news.set()

    async def watch(
        self, request: tables_pb2.WatchRequest, context: aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[tables_pb2.WatchResponse]:
        self.asked.append((request.epoch, request.after))
        script = self.scripts.popleft()
        wanted = self._seen + script.changes
        for response in script.responses:
            yield response
        if script.status is grpc.StatusCode.OK:
            return
        # gRPC drops messages that are unread when an error overtakes them.
        while self._seen < wanted:
            self._news.clear()
            await self._news.wait()
        await context.abort(script.status, script.details, script.trailing)


class ScriptedLobby:
    """Says that it speaks some version of the protocol, or nothing sensible at all."""

    def __init__(self) -> None:
        self.protocol = PROTOCOL
        self.failure = ""

    async def get_server(
        self, request: lobby_pb2.GetServerRequest, context: aio.ServicerContext[Any, Any]
    ) -> lobby_pb2.GetServerResponse:
        del request
        if self.failure:
            await context.abort(grpc.StatusCode.UNKNOWN, self.failure)
        return lobby_pb2.GetServerResponse(protocol=self.protocol)


class Scripted:
    """A server that says what a test wants to hear."""

    def __init__(self) -> None:
        self.tables = ScriptedTables()
        self.lobby = ScriptedLobby()
        self.port = 0

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    def play(self, *scripts: Script) -> None:
        self.tables.scripts.extend(scripts)


@pytest.fixture
async def scripted() -> AsyncIterator[Scripted]:
    it = Scripted()
    server = aio.server()
    watch = grpc.unary_stream_rpc_method_handler(
        it.tables.watch,
        tables_pb2.WatchRequest.FromString,
        tables_pb2.WatchResponse.SerializeToString,
    )
    get_server = grpc.unary_unary_rpc_method_handler(
        it.lobby.get_server,
        lobby_pb2.GetServerRequest.FromString,
        lobby_pb2.GetServerResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (
            grpc.method_handlers_generic_handler("spades.v1.Tables", {"Watch": watch}),
            grpc.method_handlers_generic_handler("spades.v1.Lobby", {"GetServer": get_server}),
        )
    )
    it.port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield it
    await server.stop(None)


async def updates_of(scripted: Scripted, seat: Seat | None) -> list[Update]:
    """Follows the scripts to their end."""
    async with Server(scripted.target) as server:
        session = TableSession(server, "TABLE", seat)
        heard: list[Update] = []
        async with asyncio.timeout(60), aclosing(session.updates()) as updates:
            async for update in updates:
                heard.append(update)
                if isinstance(update, Changed):
                    scripted.tables.saw()
        return heard


def goodbye(reason: GoodbyeReason, seq: int = 0, after: int | None = None) -> Frame:
    return Frame(1, seq, 0, Goodbye(reason, f"The sentence of {reason.name}.", after))


CLOSED = goodbye(GoodbyeReason.TABLE_CLOSED)


@pytest.fixture
def frames(evening: Evening) -> list[Frame]:
    """A feed as West sees it."""
    steps = evening("jokers,max_hands=1,undo=on", "an evening")
    return [frame for step in steps for frame in step.frames[Seat.WEST]][:40]


async def test_a_gap_is_filled_at_once_from_the_last_frame_that_was_seen(
    scripted: Scripted, frames: list[Frame]
) -> None:
    scripted.play(Script(*frames[:12], frames[15]), Script(*frames[12:20], CLOSED))
    heard = await updates_of(scripted, Seat.WEST)
    assert scripted.tables.asked == [(0, 0), (1, 12)]
    assert [one.frame.seq for one in heard if isinstance(one, Changed)] == list(range(1, 21))
    assert heard[-1] == Ended("The sentence of TABLE_CLOSED.")
    assert not any(isinstance(one, LineLost | LineBack) for one in heard)


async def test_a_frame_that_is_not_known_here_is_made_up_for_by_a_snapshot(
    scripted: Scripted, frames: list[Frame], evening: Evening
) -> None:
    snapshot = evening("jokers,max_hands=1,undo=on", "an evening")[12].snapshot(Seat.WEST)
    unknown = frame_pb2.Frame(epoch=1, seq=6)
    scripted.play(Script(*frames[:5], unknown), Script(snapshot, CLOSED))
    heard = await updates_of(scripted, Seat.WEST)
    assert scripted.tables.asked == [(0, 0), (0, 0)]
    assert [one.new.seq for one in heard if isinstance(one, Changed)] == [
        1,
        2,
        3,
        4,
        5,
        snapshot.seq,
    ]


async def test_a_lost_line_is_told_once_and_so_is_its_return(
    scripted: Scripted, frames: list[Frame]
) -> None:
    scripted.play(
        Script(*frames[:3]), Script(), Script(), Script(*frames[3:6]), Script(*frames[6:8], CLOSED)
    )
    heard = await updates_of(scripted, Seat.WEST)
    kinds = [type(one).__name__ for one in heard]
    assert kinds == [
        *(["Changed"] * 3),
        *("LineLost", "LineBack"),
        *(["Changed"] * 3),
        *("LineLost", "LineBack"),
        *(["Changed"] * 2),
        "Ended",
    ]
    assert scripted.tables.asked == [(0, 0), (1, 3), (1, 3), (1, 3), (1, 6)]


async def test_a_heartbeat_is_enough_to_say_that_the_line_is_back(
    scripted: Scripted, frames: list[Frame]
) -> None:
    beat = Frame(1, 3, 0, Heartbeat(10_000))
    scripted.play(Script(*frames[:3]), Script(beat), Script(CLOSED))
    heard = await updates_of(scripted, Seat.WEST)
    names = [type(one).__name__ for one in heard if not isinstance(one, Changed)]
    assert names == ["LineLost", "LineBack", "LineLost", "LineBack", "Ended"]


async def test_a_goodbye_that_says_when_to_come_back_is_obeyed(
    scripted: Scripted, frames: list[Frame]
) -> None:
    slow = goodbye(GoodbyeReason.SLOW_CONSUMER, 3, 0)
    scripted.play(Script(*frames[:3], slow), Script(*frames[3:5], CLOSED))
    heard = await updates_of(scripted, Seat.WEST)
    assert [type(one) for one in heard] == [Changed] * 5 + [Ended]
    assert scripted.tables.asked == [(0, 0), (1, 3)]


async def test_a_server_that_stops_and_comes_back_is_told_with_its_sentence(
    scripted: Scripted, frames: list[Frame]
) -> None:
    draining = goodbye(GoodbyeReason.DRAINING, 3, 0)
    scripted.play(Script(*frames[:3], draining), Script(), Script(*frames[3:5], CLOSED))
    heard = await updates_of(scripted, Seat.WEST)
    rest = [one for one in heard if not isinstance(one, Changed)]
    assert rest == [
        LineLost("The sentence of DRAINING."),
        LineBack(),
        Ended("The sentence of TABLE_CLOSED."),
    ]


async def test_a_stream_that_just_ends_is_opened_again(
    scripted: Scripted, frames: list[Frame]
) -> None:
    scripted.play(Script(*frames[:3], status=grpc.StatusCode.OK), Script(*frames[3:5], CLOSED))
    heard = await updates_of(scripted, Seat.WEST)
    assert [type(one) for one in heard] == [Changed] * 5 + [Ended]


@pytest.mark.parametrize("status", [grpc.StatusCode.NOT_FOUND, grpc.StatusCode.UNAUTHENTICATED])
async def test_a_refused_feed_is_not_asked_for_again(
    scripted: Scripted, status: grpc.StatusCode
) -> None:
    scripted.play(Script(status=status, details="gone"))
    (ended,) = await updates_of(scripted, Seat.WEST)
    assert isinstance(ended, Ended)
    assert "gone" in ended.sentence
    assert ended.refusal is not None


async def test_being_replaced_is_the_end_with_its_reason(scripted: Scripted) -> None:
    scripted.play(Script(goodbye(GoodbyeReason.REPLACED)))
    (ended,) = await updates_of(scripted, Seat.WEST)
    assert isinstance(ended, Ended)
    assert ended.sentence == "The sentence of REPLACED."
    assert ended.refusal is not None
    assert ended.refusal.reason is Reason.REPLACED


async def test_a_goodbye_that_was_lost_before_its_status_is_read_from_the_status(
    scripted: Scripted, frames: list[Frame]
) -> None:
    draining = TableError("The server is stopping.", Reason.DRAINING)
    scripted.play(
        Script(*frames[:3], status=grpc.StatusCode.RESOURCE_EXHAUSTED, details="Too slow."),
        Script(refusal=TableError("Too slow.", Reason.SLOW_CONSUMER)),
        Script(*frames[3:5], refusal=draining),
        Script(*frames[5:7], status=grpc.StatusCode.ABORTED, details=REPLACED),
    )
    heard = await updates_of(scripted, Seat.WEST)
    rest = [one for one in heard if not isinstance(one, Changed)]
    assert rest[:2] == [LineLost("The server is stopping."), LineBack()]
    (ended,) = rest[2:]
    assert isinstance(ended, Ended)
    assert ended.sentence == REPLACED
    assert ended.refusal is not None
    assert ended.refusal.reason is Reason.REPLACED


async def test_a_server_that_feeds_no_more_streams_is_not_asked_again(scripted: Scripted) -> None:
    full = TableError("This server feeds 10 streams and opens no more.", Reason.TOO_MANY)
    scripted.play(Script(refusal=full))
    (ended,) = await updates_of(scripted, Seat.WEST)
    assert isinstance(ended, Ended)
    assert ended.sentence == full.sentence


# Versions and strangers


@pytest.mark.parametrize(("version", "older"), [(PROTOCOL + 1, "client"), (PROTOCOL - 1, "server")])
async def test_a_server_of_another_version_is_refused_and_the_older_side_is_named(
    scripted: Scripted, version: int, older: str
) -> None:
    scripted.lobby.protocol = version
    async with Server(scripted.target) as server:
        with pytest.raises(TableError) as raised:
            await server.info()
    assert raised.value.reason is Reason.VERSION_MISMATCH
    assert raised.value.sentence == (
        f"The server speaks version {version} of the protocol and this side version {PROTOCOL}:"
        f" the {older} is the older one and must be updated."
    )


@pytest.mark.parametrize(("version", "older"), [(PROTOCOL + 1, "server"), (PROTOCOL - 1, "client")])
async def test_a_server_refuses_a_client_of_another_version_and_names_the_older_side(
    puppet_server: SpadesServer, monkeypatch: pytest.MonkeyPatch, version: int, older: str
) -> None:
    monkeypatch.setattr("spades_agents.caller.PROTOCOL", version)
    async with Server(f"127.0.0.1:{puppet_server.port}") as server:
        with pytest.raises(TableError) as raised:
            await server.info()
    assert raised.value.reason is Reason.VERSION_MISMATCH
    assert raised.value.sentence == (
        f"The client speaks version {version} of the protocol and this side version {PROTOCOL}:"
        f" the {older} is the older one and must be updated."
    )


async def test_something_that_is_no_spades_server_is_called_so() -> None:
    stranger = aio.server()
    port = stranger.add_insecure_port("127.0.0.1:0")
    await stranger.start()
    async with Server(f"127.0.0.1:{port}") as server:
        with pytest.raises(ServerUnreachable, match="is not a Spades server"):
            await server.info()
    await stranger.stop(None)


async def test_a_sentence_of_a_hostile_server_moves_no_cursor(
    scripted: Scripted, capsys: pytest.CaptureFixture[str]
) -> None:
    scripted.lobby.failure = "\x1b[2Jboo\r\nYou win.\x07"
    status = await asyncio.to_thread(run_program, list_tables(Place(scripted.target), ""))
    told = capsys.readouterr()
    assert status == 1
    assert told.out == ""
    assert "?[2Jboo" in told.err
    assert told.err.removesuffix("\n").isprintable()


class HostileSession:
    """Says terrible things, and refuses everything with worse."""

    def __init__(self, frame: Frame) -> None:
        self.server = self
        self.invitation = "x\x1b[31m"
        self.table = "TABLE"
        self.metadata: Metadata = ()
        self.state = ClientState(Seat.WEST)
        self._frame = frame

    async def updates(self) -> AsyncIterator[Update]:
        old, self.state = self.state, reduce(self.state, self._frame)
        yield Changed(old, self._frame, self.state)
        yield LineLost("lost\x1b[1;1H\n")
        await asyncio.sleep(0)
        yield Ended("over\x07\x9b", SpadesError("x\x00", Reason.TABLE_CLOSED))


async def test_no_sentence_of_a_table_moves_a_cursor_or_begins_a_line(evening: Evening) -> None:
    names = ("Ann", "\x1b]0;B\x07\nYou win.\u202e", "Cyd", "\x9b31m")
    step = evening("max_hands=1,floor=none", "an evening", names)[12]
    session = HostileSession(step.snapshot(Seat.WEST))
    said: list[str] = []
    client = LineClient(cast("TableSession", session), said.append, LineOptions())
    await client.run()
    assert any("?]0;B??You win.?" in line or "East ?31m" in line for line in said)
    assert said[-2:] == ["lost?[1;1H?", "over??"]
    assert all(line.isprintable() for line in said)


# Doing things


class LateServer(Server):
    """A server that is out of reach for some calls, and then answers."""

    def __init__(self, failures: int) -> None:
        super().__init__("nowhere")
        self.commands: list[Command] = []
        self._failures = failures

    async def act(self, command: Command) -> int:
        self.commands.append(command)
        if len(self.commands) <= self._failures:
            raise ServerUnreachable("No server answers.")
        return 0


async def test_a_deed_is_sent_again_with_the_same_request_id_until_it_is_answered() -> None:
    server = LateServer(2)
    session = TableSession(server, "TABLE", Seat.WEST)
    await session.act(Play(Card("QS")), session.state, 7)
    assert len(server.commands) == 3
    assert len({command.request_id for command in server.commands}) == 1
    assert server.commands[0].decision == 7
    assert server.commands[0].hand_number == 0
    await session.act(NextHand(), session.state)
    assert server.commands[3].request_id != server.commands[0].request_id
    assert server.commands[3].decision == 0


async def test_a_deed_is_done_when_the_state_shows_it(parlour: OpenParlour) -> None:
    table = await parlour()
    await table.hear("Your bid?")
    session = table.session
    decision = session.state.decision
    assert decision is not None
    await session.act(MakeBid(Bid(2)), session.state, decision.id)
    assert session.state.table is not None
    assert session.state.table.match is not None
    assert session.state.table.match.bids[Seat.SOUTH] == Bid(2)
    assert session.state.decision is None
