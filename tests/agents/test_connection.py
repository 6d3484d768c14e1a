"""Agents on a real server: the same game as in process, whatever the line does meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

import pytest

import spades
from spades import (
    Bid,
    BidMade,
    Card,
    Outcome,
    Reason,
    Rules,
    Seat,
    SeatView,
    SpadesError,
    Surrender,
)
from spades_agents import (
    HOUSE_BOTS,
    Agent,
    ConnectionLost,
    Delivery,
    Result,
    Server,
    ServerUnreachable,
    SpecError,
    play,
    play_local_async,
    run,
)
from spades_agents import reconnection as sdk
from spades_agents.local import LocalMatch
from spades_agents.stream import AgentStream
from spades_proto.frames import Command
from spades_proto.records import game_json
from spades_proto.table import OccupantKind, TableStage
from spades_proto.v1 import action_pb2
from spades_proto.verification import verify
from spades_server.app import SpadesServer, running
from spades_server.commands import Presence
from spades_server.config import ServerConfig
from tests.lines import hung_up

SOUTH, WEST, NORTH, EAST = Seat
PATIENCE = 30.0
SECRET = b"an agent's own secret"
BLIND = "max_hands=2,floor=none,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"


class Proxy:
    """A line between an agent and a server that can be cut."""

    def __init__(self, port: int) -> None:
        self.to = port
        self.port = 0
        self.opened = 0
        """How many connections have come."""
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    @property
    def target(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        self._writers.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(far_writer)
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(self._pump(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65_536):
                sink.write(data)
                await sink.drain()
        sink.transport.abort()

    def cut(self) -> None:
        """Breaks every connection off; new ones are taken."""
        writers, self._writers = self._writers, set()
        for writer in writers:
            writer.transport.abort()

    async def stop(self) -> None:
        if self._server is not None:
            await hung_up(self._server)
        self.cut()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        # What was on its way to the server when the line was cut has come there meanwhile.
        self.cut()


@pytest.fixture
async def proxy(server: SpadesServer) -> AsyncIterator[Proxy]:
    it = Proxy(server.port)
    await it.start()
    yield it
    await it.stop()


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost line is tried again at once."""
    monkeypatch.setattr(sdk, "RECONNECT_FIRST", 0.01)
    monkeypatch.setattr(sdk, "RECONNECT_MOST", 0.1)


class Drawing(Agent):
    """Decides everything by its own random numbers, also what blind and which cards to pass."""

    def bid(self, view: SeatView) -> Bid:
        return view.legal_bids[view.rng_seed % min(6, len(view.legal_bids))]

    def play(self, view: SeatView) -> Card:
        return view.rng().choice(view.legal_plays)

    def blind_bid(self, view: SeatView) -> bool:
        return view.rng_seed % 3 == 0

    def pass_cards(self, view: SeatView) -> Sequence[Card]:
        return view.rng().sample(view.hand, view.pass_count)


class Counting(Drawing):
    """Counts its cards and does something at some of them."""

    def __init__(self, at: dict[int, Callable[[], None]]) -> None:
        self.at = at
        self.cards = 0

    def play(self, view: SeatView) -> Card:
        self.cards += 1
        if (deed := self.at.get(self.cards)) is not None:
            deed()
        return super().play(view)


async def game_on(target: str, record: str) -> str:
    """The game part of a record, as the server gives it."""
    async with Server(target) as reader:
        await reader.register(f"reader of {record[:8]}")
        line = await reader.record(record)
    game = game_json(verify(line).match)
    # The line holds these very bytes.
    assert f'"game":{game}' in line
    return game


async def local_game(
    agents: Sequence[Agent | str], rules: str, seed: str, seats: Sequence[Seat] = (SOUTH,)
) -> str:
    secrets = dict.fromkeys(seats, SECRET)
    played: LocalMatch = await play_local_async(agents, rules, seed, agent_secrets=secrets)
    return game_json(played.match)


# The same game in process and over the wire.


@pytest.mark.parametrize("delivery", Delivery)
@pytest.mark.parametrize("rules", ["max_hands=3,floor=none", BLIND, "nyc,max_hands=2"])
async def test_the_same_game_is_played_in_process_and_over_the_wire(
    target: str, rules: str, delivery: Delivery
) -> None:
    others = ["random", "gentle", "beginner"]
    (result,) = await play(
        Drawing, target, rules=rules, against=others, seed="equal", secret=SECRET, delivery=delivery
    )
    local = await local_game([Drawing(), *others], rules, "equal")
    assert await game_on(target, result.record) == local


@pytest.mark.parametrize("delivery", Delivery)
async def test_one_agent_in_four_seats_plays_the_same_game_in_process_and_over_the_wire(
    target: str, delivery: Delivery
) -> None:
    (result,) = await play(
        Drawing, target, rules=BLIND, all_seats=True, seed="four", secret=SECRET, delivery=delivery
    )
    assert result.seats == tuple(Seat)
    assert await game_on(target, result.record) == await local_game(
        [Drawing()] * 4, BLIND, "four", tuple(Seat)
    )


async def test_house_bots_in_the_same_seats_play_the_same_on_the_server_and_through_the_sdk(
    target: str,
) -> None:
    rules, seed = "max_hands=2", "who"
    games: set[str] = set()
    secret = spades.agent_secret(spades.parse_seed(seed), SOUTH)
    for name in ("gentle", "random"):
        (result,) = await play(name, target, rules=rules, seed=seed, secret=secret)
        games.add(await game_on(target, result.record))
        local = await play_local_async([name, "gentle", "gentle", "gentle"], rules, seed)
        assert game_json(local.match) in games
    assert len(games) == 2


class Slow(Drawing):
    """Thinks for a moment, as an async agent may."""

    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        await asyncio.sleep(0)
        return view.rng().choice(view.legal_plays)


class Threaded(Drawing):
    blocking = True


@pytest.mark.parametrize("kind", [Slow, Threaded])
async def test_async_and_blocking_agents_play_the_same_game_over_the_wire(
    target: str, kind: type[Agent]
) -> None:
    rules = "max_hands=1"
    (result,) = await play(kind, target, rules=rules, seed="kinds", secret=SECRET)
    local = await local_game([Drawing(), *["gentle"] * 3], rules, "kinds")
    assert await game_on(target, result.record) == local


async def test_many_tables_are_played_on_one_stream(target: str, server: SpadesServer) -> None:
    streams: set[int] = set()

    class Busy(Drawing):
        def play(self, view: SeatView) -> Card:
            streams.add(len(server.streams))
            return super().play(view)

    results = await play(
        Busy, target, rules="max_hands=1", tables=12, matches=2, seed="many", secret=SECRET
    )
    assert len(results) == 24
    assert len({result.table for result in results}) == 12
    assert len({result.record for result in results}) == 24
    assert streams == {1}
    # Each table has a game of its own, the one that its seed says.
    games = {await game_on(target, one.record) for one in results if "-1-" in one.record}
    assert len(games) == 12
    local = [
        await local_game([Drawing(), *["gentle"] * 3], "max_hands=1", f"many/{n}")
        for n in range(12)
    ]
    assert set(local) == games
    assert {result.seats for result in results} == {(SOUTH,)}


async def test_an_agent_that_thinks_at_many_tables_at_once_never_breaks_its_own_line(
    target: str,
) -> None:
    """gRPC ends a call that is written to twice at once, so answers that are ready together take turns."""

    class Thoughtful(Drawing):
        async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            for _ in range(3):
                await asyncio.sleep(0)
            return super().play(view)

    reports: list[str] = []
    results = await play(
        Thoughtful,
        target,
        rules="max_hands=2",
        tables=16,
        seed="thoughtful",
        secret=SECRET,
        report=reports.append,
    )
    assert len(results) == 16
    assert reports == []


async def test_a_rematch_is_another_match_with_the_next_dealer(
    target: str, server: SpadesServer
) -> None:
    results = await play(Drawing, target, rules="max_hands=1", matches=3, seed="again")
    async with Server(target) as reader:
        await reader.register("reader")
        matches = [verify(await reader.record(one.record)).match for one in results]
    assert [match.state.first_dealer for match in matches] == [EAST, SOUTH, WEST]
    assert len({match.state.commitment for match in matches}) == 3
    assert len(server.lobby) == 0


async def test_s22_over_the_wire_a_bid_is_what_the_agent_said(target: str) -> None:
    said: list[Bid] = []

    class Scribe(Drawing):
        def bid(self, view: SeatView) -> Bid:
            bid = super().bid(view)
            said.append(bid)
            return bid

        def play(self, view: SeatView) -> Card:
            assert view.bids[SOUTH] is said[-1] or view.bids[SOUTH] == said[-1]
            return super().play(view)

    (result,) = await play(Scribe, target, rules="max_hands=8,floor=none", seed="S22")
    async with Server(target) as reader:
        await reader.register("reader")
        match = verify(await reader.record(result.record)).match
    souths = [e.bid for e in match.log if isinstance(e, BidMade) and e.seat is SOUTH]
    assert souths == said == [hand.bids[SOUTH] for hand in match.sheet]
    assert len(said) == 8


# What an agent does wrong.


class Failing(Drawing):
    """Raises, or answers with something impossible, every third time."""

    def __init__(self, how: str) -> None:
        self.how = how
        self.asked = 0

    def bid(self, view: SeatView) -> Bid:
        self.asked += 1
        if self.how == "raise":
            raise ZeroDivisionError("in bid()")
        return Bid(99) if self.how == "illegal" else None  # type: ignore[return-value]  # that is the fault

    def play(self, view: SeatView) -> Card:
        self.asked += 1
        if self.asked % 3:
            return super().play(view)
        if self.how == "raise":
            raise ZeroDivisionError("in play()")
        if self.how == "illegal":
            return next(card for card in view.rules.deck if card not in view.hand)
        return None  # type: ignore[return-value]  # that is the fault


class FailingLater(Failing):
    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
        await asyncio.sleep(0)
        return super().play(view)


@pytest.mark.parametrize("kind", [Failing, FailingLater])
@pytest.mark.parametrize(
    ("how", "named"),
    [("raise", "ZeroDivisionError: in play()"), ("illegal", "hand"), ("nothing", "is no card")],
)
async def test_an_agent_that_answers_badly_is_reported_and_its_match_goes_on(
    target: str, kind: Callable[[str], Agent], how: str, named: str
) -> None:
    reports: list[str] = []
    (result,) = await play(
        kind(how), target, rules="max_hands=1", seed="faults", report=reports.append
    )
    assert result.outcome
    faults = [one for one in reports if "did not answer well" in one]
    # One bid and every third of fourteen answers, of which the bid was the first.
    assert len(faults) == 1 + 4
    assert all(one.startswith(f"Table {result.table}, South: ") for one in faults)
    assert named in faults[-1]


@pytest.mark.parametrize("method", ["blind_bid", "pass_cards"])
async def test_a_fault_in_an_optional_method_is_reported_and_the_match_goes_on(
    target: str, method: str
) -> None:
    class Useless(Drawing):
        def blind_bid(self, view: SeatView) -> bool:
            if method == "blind_bid":
                raise RuntimeError("in blind_bid()")
            return True

        def pass_cards(self, view: SeatView) -> Sequence[Card]:
            raise RuntimeError("in pass_cards()")

    reports: list[str] = []
    (result,) = await play(Useless, target, rules=BLIND, seed="useless", report=reports.append)
    assert result.outcome
    assert f"RuntimeError: in {method}()" in reports[0]


# Lines that break.


@pytest.mark.parametrize("delivery", Delivery)
async def test_a_cut_line_is_opened_again_and_the_game_is_the_same(
    target: str, proxy: Proxy, delivery: Delivery
) -> None:
    rules = "max_hands=2,floor=none"
    agent = Counting({5: proxy.cut, 6: proxy.cut, 19: proxy.cut})
    reports: list[str] = []
    async with asyncio.timeout(PATIENCE):
        (result,) = await play(
            agent, proxy.target, rules=rules, seed="cut", secret=SECRET, delivery=delivery,
            report=reports.append,
        )  # fmt: skip
    assert proxy.opened >= 4
    assert sum("is lost; reconnecting" in one for one in reports) >= 2
    assert len(reports) == sum("is lost; reconnecting" in one for one in reports)
    local = await local_game([Drawing(), *["gentle"] * 3], rules, "cut")
    assert await game_on(target, result.record) == local


async def test_a_line_that_breaks_is_no_news_to_the_agent(proxy: Proxy) -> None:
    class Listening(Counting):
        def start_match(self, seat: Seat, rules: Rules) -> None:
            heard.append(f"start at {seat} to {rules.target}")

        def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
            heard.append(f"end at {seat}: {outcome}")

    heard: list[str] = []
    agent = Listening({5: proxy.cut, 12: proxy.cut})
    (result,) = await play(
        agent, proxy.target, rules="max_hands=1,floor=none", report=lambda _: None
    )
    assert proxy.opened >= 3
    assert heard == ["start at South to 500", f"end at South: {result.outcome}"]


async def test_an_answer_that_is_ready_after_the_line_was_opened_again_still_gets_there(
    target: str, proxy: Proxy, server: SpadesServer
) -> None:
    class Pensive(Drawing):
        async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # pyright: ignore[reportIncompatibleMethodOverride]
            card = view.rng().choice(view.legal_plays)
            if len(view.hand) == 9:
                proxy.cut()
                (host,) = server.lobby
                for away in (True, False):
                    await until(lambda: host.table.state.seats[SOUTH].away is away)  # noqa: B023  # awaited here
                # A call there and back, so that the welcome has been there too.
                await probe.info()
            return card

    async with asyncio.timeout(PATIENCE), Server(target) as probe:
        (result,) = await play(
            Pensive, proxy.target, rules="max_hands=1", seed="pensive", secret=SECRET,
            report=lambda _: None,
        )  # fmt: skip
    local = await local_game([Drawing(), *["gentle"] * 3], "max_hands=1", "pensive")
    assert await game_on(target, result.record) == local


async def test_many_tables_survive_a_cut_line_too(target: str, proxy: Proxy) -> None:
    agent = Counting({20: proxy.cut, 90: proxy.cut})
    async with asyncio.timeout(PATIENCE):
        results = await play(
            agent, proxy.target, rules="max_hands=1", tables=8, seed="cuts", secret=SECRET,
            report=lambda _: None,
        )  # fmt: skip
    assert proxy.opened >= 3
    games = {await game_on(target, one.record) for one in results}
    local = [
        await local_game([Drawing(), *["gentle"] * 3], "max_hands=1", f"cuts/{n}") for n in range(8)
    ]
    assert games == set(local)


class Pondering(Agent):
    """Never answers."""

    async def bid(self, view: SeatView) -> int:
        await asyncio.Event().wait()
        return 1

    def play(self, view: SeatView) -> Card:
        return view.legal_plays[0]


async def test_a_table_that_is_closed_is_told_once_and_not_for_each_seat(
    target: str, server: SpadesServer
) -> None:
    told: list[str] = []
    playing = asyncio.create_task(
        play(Pondering, target, all_seats=True, rules="max_hands=1", report=told.append)
    )
    async with asyncio.timeout(PATIENCE):
        await until(lambda: any(host.table.match for host in server.lobby))
        (host,) = list(server.lobby)
        code = host.table.config.code
        await server.lobby.close_table(host, "Enough for today.")
        with contextlib.suppress(SpadesError):
            await playing
    assert [sentence for sentence in told if code in sentence] == [
        f"Table {code}: The table is closed."
    ]


class Brief(Drawing):
    """Answers a little later, and tells how many cards it was asked for."""

    def __init__(self) -> None:
        self.cards = 0
        self.asked = asyncio.Condition()

    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # methods may be either
        async with self.asked:
            self.cards += 1
            self.asked.notify_all()
        return super().play(view)

    async def is_asked_again(self) -> None:
        """Waits for the next card; after the last for nothing."""
        before = self.cards
        async with self.asked:
            await self.asked.wait_for(lambda: self.cards > before or before == 13)


async def test_an_answer_that_is_being_sent_is_not_broken_off_by_the_next_question(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """gRPC ends the whole call when a write is cancelled, and a bot that won a trick is asked at once."""
    broken_off: list[str] = []
    whole, agent = AgentStream.send, Brief()

    async def send(stream: AgentStream, command: action_pb2.Command) -> None:
        try:
            await whole(stream, command)
            # What follows from it may be there before whoever writes hears that it is out.
            await agent.is_asked_again()
        except asyncio.CancelledError:
            broken_off.append(command.request_id)
            raise

    monkeypatch.setattr(AgentStream, "send", send)
    async with asyncio.timeout(PATIENCE):
        (result,) = await play(agent, target, rules="max_hands=1", report=lambda _: None)
    assert result.outcome is not None
    assert broken_off == []


async def test_a_slow_agent_that_the_server_gave_up_comes_back(
    target: str, server: SpadesServer
) -> None:
    def fall_behind() -> None:
        (host,) = server.lobby
        sink = host.feeds.seats[SOUTH]
        assert sink is not None
        for _ in range(300):
            sink.push(b"", 1, flush=True)

    reports: list[str] = []
    agent = Counting({4: fall_behind})
    async with asyncio.timeout(PATIENCE):
        (result,) = await play(
            agent, target, rules="max_hands=1", seed="slow", secret=SECRET, report=reports.append
        )
    assert agent.cards >= 13
    local = await local_game([Drawing(), *["gentle"] * 3], "max_hands=1", "slow")
    assert await game_on(target, result.record) == local


async def test_a_second_connection_replaces_the_first_which_does_not_come_back(
    target: str, server: SpadesServer
) -> None:
    """S10."""
    async with Server(target) as owner:
        await owner.register("Twice")
        token = owner.token
        code = (await owner.create_table("max_hands=1", bots=((WEST, "gentle"),))).code
        async with asyncio.timeout(PATIENCE):
            first = asyncio.create_task(
                play(Drawing, target, token=token, table=code, seat=SOUTH, report=lambda _: None)
            )
            await until(lambda: len(server.streams) == 1)
            second = asyncio.create_task(
                play(Drawing, target, token=token, table=code, seat=SOUTH, report=lambda _: None)
            )
            with pytest.raises(ConnectionLost, match="A newer connection") as caught:
                await first
            assert caught.value.reason is Reason.REPLACED
            await owner.add_bot(code, "gentle")
            await owner.start(code)
            results = await second
    assert [result.table for result in results] == [code]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110  # nothing tells of what is counted here
        await asyncio.sleep(0.005)


async def test_an_agent_whose_server_never_comes_back_gives_up(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sdk, "RECONNECT_TRIES", 3)

    def lose() -> None:
        proxy.to = 1  # Nothing listens there.
        proxy.cut()

    reports: list[str] = []
    with pytest.raises(SpadesError, match="did not come back"):
        await play(Counting({3: lose}), proxy.target, rules="max_hands=1", report=reports.append)
    assert sum("is lost; reconnecting" in one for one in reports) == 1


async def test_a_line_that_breaks_often_is_never_given_up_while_it_comes_back(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sdk, "RECONNECT_TRIES", 3)
    agent = Counting(dict.fromkeys(range(2, 12), proxy.cut))
    async with asyncio.timeout(PATIENCE):
        (result,) = await play(
            agent, proxy.target, rules="max_hands=1", seed="often", report=lambda _: None
        )
    assert result.outcome
    assert proxy.opened > 10


# Sitting down at a table of others.


async def test_an_agent_sits_down_at_a_table_by_its_code_and_leaves_it_in_the_end(
    target: str, server: SpadesServer
) -> None:
    async with Server(target) as host:
        await host.register("Host")
        code = (
            await host.create_table(
                "max_hands=1", seats=(WEST,), bots=((NORTH, "random"), (EAST, "random"))
            )
        ).code
        guest = asyncio.create_task(
            play(Drawing, target, table=code, name="Guest", report=lambda _: None)
        )
        async with asyncio.timeout(PATIENCE):
            await until(lambda: len(server.streams) == 1)
            occupant = server.lobby.find(code).table.state.seats[SOUTH].occupant
            assert occupant is not None
            assert (occupant.kind, occupant.name) == (OccupantKind.AGENT, "Guest")
            await host.start(code)
            table = server.lobby.find(code).table
            # The host does not listen: a house bot stands in for it at once when it leaves.
            await host.leave(code)
            (result,) = await guest
        assert (result.table, result.seats) == (code, (SOUTH,))
        assert table.owners[SOUTH] is None


async def test_a_match_that_was_over_before_the_agent_came_is_not_counted_as_its_own(
    target: str, server: SpadesServer
) -> None:
    async with Server(target) as host:
        await host.register("Host")
        code = (await host.create_table("max_hands=1", seats=(WEST,))).code
        await host.add_bot(code, "random")
        table_host = server.lobby.find(code)
        table = table_host.table
        await host.start(code)
        table_host.submit(Presence(WEST, listening=True))
        async with asyncio.timeout(PATIENCE):
            await until(lambda: table.match is not None and table.match.turn is WEST)
            await host.act(Command(code, Surrender(), WEST, "give up", hand_number=1))
        assert table.state.stage is TableStage.FINISHED
        await host.remove_bot(code, SOUTH)
        guest = asyncio.create_task(
            play(Drawing, target, table=code, name="Late", report=lambda _: None)
        )
        async with asyncio.timeout(PATIENCE):
            await until(lambda: not table.state.seats[SOUTH].away and len(server.streams) == 1)
            await host.start(code)
            await host.leave(code)
            (result,) = await guest
        assert "-2-" in result.record


# Before there is a line.


def test_p03_the_same_objects_serve_one_event_loop_after_the_other() -> None:
    """Everything is made before any loop runs, and used in two."""
    agent = Drawing()
    results: list[Result] = []

    async def serving() -> None:
        async with running(ServerConfig(port=0, allow_seeds=True, tempo_ms=0)) as server:
            target = f"127.0.0.1:{server.port}"
            results.extend(await asyncio.to_thread(run, agent, target, rules="max_hands=1"))
            results.extend(await asyncio.to_thread(run, agent, target, rules="max_hands=1"))

    asyncio.run(serving())
    asyncio.run(serving())
    assert len({result.record for result in results}) == 4


def test_p03_a_connection_object_can_be_opened_again_in_another_loop() -> None:
    async def free_port() -> int:
        async with running(ServerConfig(port=0)) as server:
            return server.port

    port = asyncio.run(free_port())
    client = Server(f"127.0.0.1:{port}")

    async def ask() -> str:
        async with running(ServerConfig(port=port)), client:
            return (await client.info()).version

    with pytest.raises(RuntimeError, match="is closed: open it with 'async with' first"):
        _ = client.channel
    assert asyncio.run(ask()) == asyncio.run(ask())
    with pytest.raises(RuntimeError, match="is closed"):
        _ = client.channel


async def test_a_server_that_is_not_there_is_one_clear_sentence() -> None:
    with pytest.raises(ServerUnreachable, match=r"No server answers at 127\.0\.0\.1:1:"):
        await play("random", "127.0.0.1:1")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"rules": "whist"}, Reason.INVALID_OPTION),
        ({"table": "NOPE"}, Reason.TABLE_NOT_FOUND),
        ({"name": " "}, Reason.NAME_INVALID),
        ({"token": "nonsense"}, Reason.TOKEN_INVALID),
        ({"against": ("nobody",)}, Reason.UNKNOWN_BOT),
    ],
)
async def test_what_the_server_refuses_reaches_the_author_as_the_same_error(
    target: str, arguments: dict[str, str], reason: Reason
) -> None:
    with pytest.raises(SpadesError) as caught:
        await play("random", target, **arguments)  # type: ignore[arg-type]  # one of several
    assert caught.value.reason is reason


async def test_a_spec_that_names_no_agent_is_refused_before_anything_is_opened(
    target: str, server: SpadesServer
) -> None:
    with pytest.raises(SpecError):
        await play("nobody", target)
    assert len(server.lobby) == 0


async def test_house_bots_can_be_named_and_play_over_the_wire(target: str) -> None:
    for name in HOUSE_BOTS:
        (result,) = await play(name, target, rules="max_hands=1", report=lambda _: None)
        assert result.outcome
