"""The feeds of running tables: who may listen, what they hear, and how they come back to it."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any, cast

import grpc
import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from grpc import aio

import spades
from spades import (
    Bid,
    Card,
    HandDealt,
    Look,
    MakeBid,
    Phase,
    Play,
    Reason,
    Seat,
    SpadesError,
    parse_deal,
)
from spades.actions import Action
from spades_agents import Server
from spades_agents.feed import Applied, Feed
from spades_proto import wire
from spades_proto.frames import Command, Goodbye, GoodbyeReason
from spades_proto.status import error_of
from spades_proto.table import OccupantKind
from spades_proto.v1 import action_pb2, agents_pb2, card_pb2, error_pb2, frame_pb2, tables_pb2
from spades_proto.version import PROTOCOL
from spades_server.app import SpadesServer, running
from spades_server.commands import AddBot, BotDeed, Deed, Leave, Player, Presence, Sit, Start
from spades_server.config import ServerConfig
from spades_server.feeds import RESUMABLE, TableFeeds
from spades_server.goodbyes import DRAINING, REPLACED, SEAT_LEFT, SLOW_CONSUMER
from spades_server.host import TableHost
from spades_server.lane import Lane
from spades_server.mailbox import MAILBOX, WatchSink
from spades_server.round_trips import RoundTrip
from spades_server.streams import Stream, Streams
from spades_server.table import Table

Join = Callable[[str], Awaitable[Server]]
OpenTable = Callable[..., Table]

SOUTH, WEST, NORTH, EAST = Seat
PATIENCE = 20.0
"""How many seconds a test waits for what must come."""


class Viewer:
    """One stream of `Tables.Watch`, with everything that came on it."""

    def __init__(
        self, client: Server, table: str, seat: Seat | None, *, epoch: int = 0, after: int = 0
    ) -> None:
        self.client = client
        self.table = table
        self.seat = seat
        self.feed = Feed(seat)
        self.frames: list[frame_pb2.Frame] = []
        self.refusal: SpadesError | None = None
        """What the status of the ended stream says."""
        self._due: deque[frame_pb2.Frame] = deque()
        request = tables_pb2.WatchRequest(table=table, epoch=epoch, after=after)
        if seat is not None:
            request.seat = wire.SEAT.to_wire(seat)
        self.call = client.tables().Watch(request, metadata=client.metadata)

    async def next(self) -> frame_pb2.Frame:
        """Waits for the next frame; at the end of the stream an EOFError says how it ended."""
        async with asyncio.timeout(PATIENCE):
            while not self._due:
                try:
                    response = await self.call.read()
                except aio.AioRpcError as error:
                    self.refusal = error_of(error)
                    raise EOFError(error.code(), error.details()) from error
                if response is aio.EOF:
                    raise EOFError(await self.call.code(), await self.call.details())
                self._due += cast("tables_pb2.WatchResponse", response).frames
        frame = self._due.popleft()
        self.frames.append(frame)
        return frame

    async def take(self) -> frame_pb2.Frame:
        """Takes the next frame in, which must follow on what there was."""
        frame = await self.next()
        if not frame.HasField("goodbye"):
            assert self.feed.take(frame) is Applied.NEW
        return frame

    async def reach(self, seq: int) -> None:
        while self.feed.seq < seq:
            await self.take()

    async def rest(self) -> list[frame_pb2.Frame]:
        """Everything up to the end of the stream."""
        frames: list[frame_pb2.Frame] = []
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    frames.append(await self.next())
        except EOFError:
            return frames

    async def dismissed(self, goodbye: Goodbye) -> list[frame_pb2.Frame]:
        """Waits for the end that a goodbye announces; returns what came before.

        The status says the same as the goodbye: gRPC drops what was not read before a status that is no
        success, and with it the goodbye of a reader who was busy.
        """
        frames = await self.rest()
        if frames and frames[-1].HasField("goodbye"):
            last = frames.pop()
            assert wire.goodbye_from_wire(last.goodbye) == goodbye
        assert not any(frame.HasField("goodbye") for frame in frames)
        assert self.refusal is not None
        assert self.refusal.sentence == goodbye.sentence
        assert self.refusal.reason.name == goodbye.reason.name
        return frames

    async def act(
        self,
        action: Action,
        *,
        seat: Seat | None = None,
        decision: int | None = None,
        request_id: str = "",
    ) -> int:
        """Sends what the seat would send now, but for what is given."""
        return await self.client.act(self.command(action, seat, decision, request_id))

    def command(
        self,
        action: Action,
        seat: Seat | None = None,
        decision: int | None = None,
        request_id: str = "",
    ) -> Command:
        return Command(
            self.table,
            action,
            self.seat if seat is None else seat,
            request_id or f"{self.feed.seq}-{action}"[:64],
            self.feed.decision_id if decision is None else decision,
        )


class People:
    """Four players at a table of their own, each with a stream."""

    def __init__(self, server: SpadesServer, viewers: list[Viewer]) -> None:
        self.viewers = viewers
        self.code = viewers[0].table
        self.table = server.lobby.find(self.code).table

    @property
    def match(self) -> spades.Match:
        assert self.table.match is not None
        return self.table.match

    async def settle(self) -> None:
        """Waits until everybody has heard everything."""
        for viewer in self.viewers:
            await viewer.reach(self.table.seq)

    async def step(self, rng: Random | None = None) -> None:
        """Has the seat to act do something legal, by what its own stream says."""
        await self.settle()
        turn = self.match.turn
        assert turn is not None
        viewer = self.viewers[turn]
        assert viewer.feed.decision_id == self.table.decision_id
        seen = viewer.feed.view()
        if seen.legal_plays:
            card = rng.choice(seen.legal_plays) if rng else seen.legal_plays[0]
            await viewer.act(Play(card))
        else:
            await viewer.act(MakeBid(rng.choice(seen.legal_bids[:6]) if rng else Bid(3)))

    async def until(self, *phases: Phase, turn: Seat | None = None) -> None:
        while self.match.phase not in phases or (turn is not None and self.match.turn is not turn):
            await self.step()
        await self.settle()


Seated = Callable[..., Awaitable[People]]


@pytest.fixture
async def seat_four(server: SpadesServer, join: Join) -> AsyncIterator[Seated]:
    """Seats Ann, Bob, Cid and Dee at a table and starts."""
    opened: list[Viewer] = []

    async def seated(rules: str = "target=10000,floor=none", *, seed: str = "") -> People:
        clients = [await join(name) for name in ("Ann", "Bob", "Cid", "Dee")]
        code = (await clients[0].create_table(rules, seed=seed)).code
        for client, seat in zip(clients, Seat, strict=True):
            await client.sit(code, seat)
            opened.append(Viewer(client, code, seat))
        people = People(server, opened[-4:])
        await people.settle()
        await clients[0].start(code)
        await people.settle()
        return people

    yield seated
    for viewer in opened:
        viewer.call.cancel()


async def eventually(condition: Callable[[], bool]) -> None:
    """Waits for a condition, however long the machine takes."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  # nothing tells of what is counted here
            await asyncio.sleep(0.005)


async def status_of(viewer: Viewer) -> tuple[grpc.StatusCode, str]:
    """How a stream ends on which nothing must be delivered."""
    with pytest.raises(EOFError) as caught:
        await viewer.next()
    code, details = caught.value.args
    return code, details


# Whose eyes.


async def test_s01_a_seat_is_shown_to_the_token_that_holds_it_and_to_no_other(
    seat_four: Seated, join: Join
) -> None:
    people = await seat_four()
    stranger = await join("Xen")
    east = people.viewers[EAST].client
    for client in (stranger, east):
        code, details = await status_of(Viewer(client, people.code, NORTH))
        assert code is grpc.StatusCode.PERMISSION_DENIED
        assert "does not hold the seat North" in details
    # The owner's own stream goes on, unmoved.
    await people.step()
    await people.settle()


async def test_s01_a_position_to_resume_from_opens_no_other_seat(
    seat_four: Seated, join: Join
) -> None:
    people = await seat_four()
    stranger = await join("Xen")
    viewer = Viewer(stranger, people.code, NORTH, epoch=1, after=5)
    assert (await status_of(viewer))[0] is grpc.StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize("how", ["move", "leave"])
async def test_s01_whoever_gives_a_seat_up_sees_no_more_of_it(
    server: SpadesServer, join: Join, how: str
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    code = (await bob.create_table(seats=(NORTH,))).code
    await ann.sit(code, SOUTH)
    old = Viewer(ann, code, SOUTH)
    await old.take()
    if how == "move":
        await ann.sit(code, WEST)
    else:
        await ann.leave(code)
    await bob.add_bot(code, "random")
    await bob.start(code)
    frames = await old.dismissed(SEAT_LEFT)
    assert not [frame for frame in frames if frame.event.HasField("hand_dealt")]
    assert await old.call.code() is grpc.StatusCode.ABORTED
    assert server.lobby.find(code).feeds.seats[SOUTH] is None


async def test_s01_an_agents_stream_follows_it_to_its_new_seat_and_leaves_the_old_one(
    join: Join,
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    code = (await bob.create_table(seats=(NORTH,))).code
    await ann.sit(code, SOUTH, OccupantKind.AGENT)
    lane = LaneViewer(ann)
    await lane.hello()
    await lane.until(lambda: SOUTH in lane.seats)
    await ann.sit(code, WEST, OccupantKind.AGENT)
    await lane.until(lambda: WEST in lane.seats)
    await bob.add_bot(code, "random")
    await bob.start(code)
    await lane.until(lane.seats[WEST].state_hand)
    assert lane.seats[SOUTH].goodbye is not None
    assert not lane.seats[SOUTH].state_hand()
    lane.call.cancel()


async def test_s02_three_moves_of_those_who_may_not_are_refused_for_three_reasons(
    seat_four: Seated,
) -> None:
    people = await seat_four()
    await people.until(Phase.PLAYING, turn=WEST)
    east, west = people.viewers[EAST], people.viewers[WEST]
    seq, decision = people.table.seq, people.table.decision_id
    west_hand = people.viewers[WEST].feed.view().hand
    north_hand = people.viewers[NORTH].feed.view().hand
    east_hand = people.viewers[EAST].feed.view().hand

    async def refused(viewer: Viewer, seat: Seat, card: Card) -> SpadesError:
        with pytest.raises(SpadesError) as caught:
            await viewer.act(Play(card), seat=seat, decision=decision, request_id=f"{seat}{card}")
        return caught.value

    held = await refused(east, WEST, west_hand[0])
    not_held = await refused(east, WEST, north_hand[0])
    # The answer is the same whether West holds the card or not.
    assert (held.reason, held.sentence) == (not_held.reason, not_held.sentence)
    out_of_turn = await refused(east, EAST, east_hand[0])
    foreign = await refused(west, WEST, north_hand[0])
    reasons = [held.reason, out_of_turn.reason, foreign.reason]
    assert reasons == [Reason.NOT_YOUR_SEAT, Reason.NOT_YOUR_TURN, Reason.CARD_NOT_HELD]
    assert (people.table.seq, people.table.decision_id) == (seq, decision)
    # The next thing that anybody hears is West's card.
    await people.step()
    for viewer in people.viewers:
        frame = await viewer.take()
        assert frame.seq == seq + 1
        assert frame.event.HasField("card_played")


async def test_r12_bids_outside_nil_to_thirteen_leave_no_trace(seat_four: Seated) -> None:
    people = await seat_four()
    south = people.viewers[SOUTH]
    seq = people.table.seq
    for tricks in (14, -1, 99, 2**31 - 1):
        command = wire.command_to_wire(south.command(MakeBid(Bid(tricks))))
        with pytest.raises(aio.AioRpcError) as caught:
            await south.client.tables().Act(
                tables_pb2.ActRequest(command=command), metadata=south.client.metadata
            )
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert people.table.seq == seq
    assert people.match.turn is SOUTH
    await south.act(MakeBid(Bid(3)))
    for viewer in people.viewers:
        frame = await viewer.take()
        assert (frame.seq, frame.event.bid_made.bid.tricks) == (seq + 1, 3)


# Which cards are in what anybody receives.


def cards_in(message: Message) -> Iterator[Card]:
    """Every card that a message names in any field, however deep."""
    for field, value in message.ListFields():
        values: list[Any] = [*value] if field.is_repeated else [value]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            for one in values:
                yield from cards_in(one)
        elif field.enum_type is not None and field.enum_type.name == "Card":
            yield from map(wire.CARD.from_wire, cast("list[card_pb2.Card.ValueType]", values))


def check_cards(viewer: Seat | None, frames: list[frame_pb2.Frame], match: spades.Match) -> int:
    """Checks card by card what a viewer received, in order; returns how many hands it saw end."""
    deals = {event.number: event for event in match.log if isinstance(event, HandDealt)}
    dealt = deals[1]
    own: set[Card] = set()
    played: set[Card] = set()
    ended = 0
    for frame in frames:
        event = frame.event
        if event.HasField("hand_dealt"):
            dealt = deals[event.hand_dealt.number]
            played.clear()
            hand = None if viewer is None else dealt.hand(viewer)
            own = set(hand or ())
            assert set(cards_in(event)) == own
        if event.HasField("card_played"):
            card = wire.CARD.from_wire(event.card_played.card)
            assert dealt.masks[wire.SEAT.from_wire(event.card_played.seat)] is not None
            played.add(card)
        if event.HasField("hand_scored"):
            ended += 1
            assert len(played) == 52
            assert parse_deal(event.hand_scored.deal).masks == dealt.masks
        if frame.HasField("decision"):
            assert viewer is not None
            assert set(cards_in(frame.decision)) <= own - played
        assert set(cards_in(frame)) <= own | played
    return ended


async def test_s03_nobody_receives_a_card_that_is_neither_theirs_nor_played(
    seat_four: Seated, join: Join
) -> None:
    people = await seat_four("target=10000,floor=none,next_hand_wait=0")
    spectator = Viewer(await join("Eve"), people.code, None)
    await spectator.take()
    rng = Random("S03")
    while len(people.match.sheet) < 2:
        if people.match.phase is Phase.HAND_OVER:
            await eventually(lambda: people.match.phase is Phase.BIDDING)
        await people.step(rng)
    await people.settle()
    await spectator.reach(people.table.seq)
    for viewer in people.viewers:
        assert check_cards(viewer.seat, viewer.frames, people.match) == 2
        assert any(frame.HasField("decision") for frame in viewer.frames)
    # The spectator came during the first hand and has its deal in the snapshot, without a hand.
    assert not set(cards_in(spectator.frames[0]))
    assert not any(frame.HasField("decision") for frame in spectator.frames)
    first = people.match.log.index(next(e for e in people.match.log if isinstance(e, HandDealt)))
    dealt = wire.event_to_wire(spades.redact(people.match.log[first], None))
    head = frame_pb2.Frame(event=dealt)
    assert check_cards(None, [head, *spectator.frames[1:]], people.match) == 2


class Recorder:
    """A sink that keeps what it is given, as a stream would send it."""

    def __init__(self) -> None:
        self.frames: list[frame_pb2.Frame] = []
        self.goodbye: Goodbye | None = None

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        del frames, flush
        self.frames += tables_pb2.WatchResponse.FromString(chunk).frames

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        self.push(chunk, 1, flush=True)
        self.goodbye = goodbye


def bots_table(open_table: OpenTable, rules: str) -> tuple[Table, TableFeeds, list[Recorder]]:
    """A table of agents' seats that a test acts for, and what each seat is sent."""
    table = open_table(rules, many_seats=True)
    feeds = TableFeeds(table, lambda: 0)
    recorders = [Recorder() for _ in Seat]
    ann = Player("ann", "Ann")
    for seat, recorder in zip(Seat, recorders, strict=True):
        table.handle(Sit(ann, OccupantKind.AGENT, seat), 0)
        table.handle(Presence(seat, listening=True), 0)
        feeds.attach(seat, recorder, 0, 0)
    return table, feeds, recorders


def play_at(table: Table, feeds: TableFeeds, until: Callable[[], bool]) -> None:
    """Plays at random, from the start if there was none."""
    ann = Player("ann", "Ann")
    rng = Random(table.seq)
    if table.match is None:
        feeds.publish(table.handle(Start(ann, bytes(32)), 0)[0])
    match = table.match
    assert match is not None
    while match.turn is not None and not until():
        action = rng.choice(match.legal(match.turn)[:6])
        command = Command("TABLE", action, match.turn, f"play {table.seq}", table.decision_id)
        entries, answer = table.handle(Deed(ann, command), 0)
        assert answer.refusal is None
        feeds.publish(entries)


def test_s03_fifty_random_hands_are_fed_to_four_seats_without_a_foreign_card(
    open_table: OpenTable,
) -> None:
    table, feeds, recorders = bots_table(open_table, "target=10000,floor=none,max_hands=50")
    play_at(table, feeds, until=lambda: False)
    match = table.match
    assert match is not None
    for seat, recorder in zip(Seat, recorders, strict=True):
        assert check_cards(seat, recorder.frames, match) == 50


async def test_a_spectator_sees_play_and_nothing_that_only_a_seat_may_see(
    seat_four: Seated, join: Join
) -> None:
    people = await seat_four()
    spectator = Viewer(await join("Eve"), people.code, None)
    await spectator.take()
    await people.until(Phase.PLAYING)
    await people.step()
    await people.settle()
    await spectator.reach(people.table.seq)
    assert spectator.feed.state is not None
    state = spectator.feed.state.match
    assert state is not None
    assert state.hands == [None, None, None, None]
    assert state.bids == people.match.state.bids
    assert state.trick == people.match.state.trick
    assert spectator.feed.decision_id == 0
    with pytest.raises(SpadesError) as caught:
        await spectator.client.act(Command(people.code, Look(), None, "x", hand_number=1))
    assert caught.value.reason is Reason.NOT_SEATED


# Coming back.


async def test_s07_who_resumes_gets_every_missed_event_once_and_can_play_on(
    seat_four: Seated,
) -> None:
    people = await seat_four()
    await people.until(Phase.PLAYING, turn=SOUTH)
    lost = people.viewers[EAST]
    seen = lost.feed.seq
    lost.call.cancel()
    await eventually(lambda: people.table.state.seats[EAST].away)
    for viewer in people.viewers[:EAST]:
        await viewer.reach(people.table.seq)
        await viewer.act(Play(viewer.feed.view().legal_plays[0]))
    back = people.viewers[EAST] = Viewer(lost.client, people.code, EAST, epoch=1, after=seen)
    back.feed = lost.feed
    await eventually(lambda: not people.table.state.seats[EAST].away)
    await people.settle()
    # It went away, three cards were played, and it is back.
    assert [frame.seq for frame in back.frames] == list(range(seen + 1, seen + 6))
    assert [frame.event.HasField("card_played") for frame in back.frames[1:4]] == [True] * 3
    assert back.feed.view() == spades.view(people.match, EAST)
    await people.step()
    await people.settle()
    assert people.match.state.taken.count(1) == 1


async def test_s07_after_seventeen_come_eighteen_nineteen_twenty_and_then_what_is_new(
    seat_four: Seated,
) -> None:
    people = await seat_four()
    while people.table.seq < 20:
        await people.step()
    await people.settle()
    head = people.table.seq
    east = people.viewers[EAST]
    before = Feed(EAST)
    resumed = Viewer(east.client, people.code, EAST, epoch=1, after=17)
    frames = [await resumed.next() for _ in range(head - 17)]
    assert [frame.seq for frame in frames] == list(range(18, head + 1))
    assert [frame.seq for frame in east.frames if frame.seq > 17] == list(range(18, head + 1))
    assert [frame.event for frame in frames] == [f.event for f in east.frames if f.seq > 17]
    assert before.seq == 0
    people.viewers[EAST] = resumed
    resumed.feed = east.feed
    await people.step()
    await people.settle()
    assert resumed.feed.seq == people.table.seq


async def test_s07_who_has_seen_everything_hears_at_once_that_the_line_is_there_and_then_what_comes(
    seat_four: Seated,
) -> None:
    people = await seat_four()
    old = people.viewers[NORTH]
    seen = old.feed.seq
    new = Viewer(old.client, people.code, NORTH, epoch=1, after=seen)
    new.feed = old.feed
    # The old stream ends because the new one is open.
    await old.dismissed(REPLACED)
    first = await new.next()
    assert first.HasField("heartbeat") and first.seq == seen
    people.viewers[NORTH] = new
    await people.step()
    await people.settle()
    assert new.frames[1].seq == seen + 1
    assert new.frames[1].event.HasField("bid_made")


@pytest.mark.parametrize(("epoch", "after"), [(1, 999), (2, 17), (1, 0), (0, 17), (1, 2**64 - 1)])
async def test_s07_an_unknown_position_gets_a_snapshot_and_then_what_comes(
    seat_four: Seated, epoch: int, after: int
) -> None:
    people = await seat_four()
    await people.until(Phase.PLAYING)
    north = people.viewers[NORTH].client
    new = people.viewers[NORTH] = Viewer(north, people.code, NORTH, epoch=epoch, after=after)
    first = await new.take()
    assert first.HasField("snapshot")
    assert first.seq == people.table.seq
    assert new.feed.view() == spades.view(people.match, NORTH)
    await people.step()
    await people.settle()
    assert new.frames[1].seq == first.seq + 1


def test_s07_a_position_older_than_the_buffer_gets_a_snapshot(open_table: OpenTable) -> None:
    table, feeds, recorders = bots_table(open_table, "target=10000,floor=none")
    play_at(table, feeds, until=lambda: table.seq >= RESUMABLE + 30)
    near, far = Recorder(), Recorder()
    feeds.attach(NORTH, near, 1, table.seq - RESUMABLE)
    feeds.attach(NORTH, far, 1, table.seq - RESUMABLE - 1)
    live = recorders[NORTH].frames[-RESUMABLE - 1 : -1]
    assert [frame.seq for frame in live] == [frame.seq for frame in near.frames[:-1]]
    assert [frame.event for frame in live] == [frame.event for frame in near.frames[:-1]]
    assert near.goodbye is REPLACED
    (snapshot,) = far.frames
    assert (snapshot.HasField("snapshot"), snapshot.seq) == (True, table.seq)
    head = table.seq
    play_at(table, feeds, until=lambda: table.seq > head)
    assert [frame.seq for frame in far.frames[1:]] == list(range(head + 1, table.seq + 1))


async def test_a_snapshot_brings_the_decision_that_is_open_for_its_viewer(
    seat_four: Seated,
) -> None:
    people = await seat_four()
    await people.until(Phase.PLAYING, turn=SOUTH)
    for seat in (SOUTH, WEST):
        fresh = people.viewers[seat] = Viewer(people.viewers[seat].client, people.code, seat)
        frame = await fresh.take()
        assert frame.HasField("decision") is (seat is SOUTH)
    await people.step()


def test_who_resumes_after_a_look_gets_the_decision_as_it_is_now(open_table: OpenTable) -> None:
    table, feeds, recorders = bots_table(open_table, "blind_nil=behind,blind_nil_deficit=0")
    ann = Player("ann", "Ann")
    feeds.publish(table.handle(Start(ann, bytes(32)), 0)[0])
    decision = table.decision_id
    look = Command("TABLE", Look(), SOUTH, "look", hand_number=1)
    feeds.publish(table.handle(Deed(ann, look), 0)[0])
    live = recorders[SOUTH].frames[-1]
    assert len(live.decision.legal_bids) == 14
    again = Recorder()
    feeds.attach(SOUTH, again, 1, decision)
    assert [frame.seq for frame in again.frames] == [decision + 1]
    assert again.frames[0].decision == live.decision
    other = Recorder()
    feeds.attach(WEST, other, 1, decision)
    assert not other.frames[0].HasField("decision")


# The end of a stream.


async def test_a_newer_connection_takes_the_seat_over_and_the_older_is_told(
    seat_four: Seated,
) -> None:
    people = await seat_four()
    old = people.viewers[SOUTH]
    new = people.viewers[SOUTH] = Viewer(old.client, people.code, SOUTH)
    assert await old.dismissed(REPLACED) == []
    assert await old.call.code() is grpc.StatusCode.ABORTED
    # The seat was not away for a moment.
    await new.take()
    assert not people.table.state.seats[SOUTH].away
    await people.step()
    await people.settle()


async def test_everybody_is_told_when_a_table_closes(join: Join) -> None:
    ann, eve = await join("Ann"), await join("Eve")
    code = (await ann.create_table(seats=(SOUTH,))).code
    viewers = [Viewer(ann, code, SOUTH), Viewer(eve, code, None)]
    for viewer in viewers:
        await viewer.take()
    await ann.leave(code)
    # Ann gave the seat up before the table closed.
    await viewers[0].dismissed(SEAT_LEFT)
    last = (await viewers[1].rest())[-1]
    assert wire.goodbye_from_wire(last.goodbye).reason is GoodbyeReason.TABLE_CLOSED
    assert viewers[1].frames[-2].event.HasField("table_closed")
    assert await viewers[1].call.code() is grpc.StatusCode.OK


def test_every_feed_that_the_server_ends_gets_a_goodbye_last(open_table: OpenTable) -> None:
    table, feeds, recorders = bots_table(open_table, "")
    newer = Recorder()
    feeds.attach(SOUTH, newer, 0, 0)
    feeds.publish(table.handle(Leave(Player("ann", "Ann")), 0)[0])
    last = Recorder()
    feeds.attach(WEST, last, 0, 0)
    feeds.end(DRAINING)
    for sink, goodbye in (
        (recorders[SOUTH], REPLACED),
        (newer, SEAT_LEFT),
        (recorders[NORTH], SEAT_LEFT),
        (last, DRAINING),
    ):
        assert sink.goodbye == goodbye
        assert wire.goodbye_from_wire(sink.frames[-1].goodbye) == goodbye
        assert sum(frame.HasField("goodbye") for frame in sink.frames) == 1
    assert last.frames[-1].seq == table.seq


async def test_a_slow_reader_is_ended_and_keeps_nothing_but_its_goodbye() -> None:
    sink = WatchSink()
    chunk = wire.field_bytes(1, b"")
    for _ in range(MAILBOX):
        sink.push(chunk, 1, flush=False)
    assert sink.goodbye is None
    sink.push(chunk, 1, flush=False)
    assert sink.goodbye is SLOW_CONSUMER
    for _ in range(MAILBOX):
        sink.push(chunk, 1, flush=False)
    assert await sink.drain() == b""


async def test_a_slow_reader_is_told_so_and_comes_back_for_a_snapshot(
    seat_four: Seated, server: SpadesServer
) -> None:
    people = await seat_four()
    sink = server.lobby.find(people.code).feeds.seats[SOUTH]
    assert sink is not None
    for _ in range(MAILBOX + 1):
        sink.push(wire.field_bytes(1, b""), 1, flush=True)
    slow = people.viewers[SOUTH]
    assert await slow.dismissed(SLOW_CONSUMER) == []
    assert await slow.call.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    back = people.viewers[SOUTH] = Viewer(slow.client, people.code, SOUTH)
    assert (await back.take()).HasField("snapshot")
    await people.step()


async def test_a_reader_who_keeps_up_is_never_ended() -> None:
    sink = WatchSink()
    chunk = wire.field_bytes(1, b"")
    for _ in range(5):
        for _ in range(MAILBOX):
            sink.push(chunk, 1, flush=False)
        assert len(tables_pb2.WatchResponse.FromString(await sink.drain()).frames) == MAILBOX
    assert sink.goodbye is None


async def test_an_agent_that_does_not_read_is_ended_with_a_goodbye() -> None:
    lane = Lane(on_decision=False)
    sink = lane.sink("TABLE", SOUTH, lambda: None)
    chunk = wire.field_bytes(1, b"")
    for _ in range(2 * MAILBOX):
        sink.push(chunk, 1, flush=False)
    response = agents_pb2.ConnectResponse.FromString(await lane.drain())
    assert wire.goodbye_from_wire(response.goodbye) == SLOW_CONSUMER
    assert sum(len(some.frames) for some in response.frames) < MAILBOX


async def test_an_agent_hears_nothing_of_a_seat_after_the_goodbye_of_its_feed() -> None:
    lane = Lane(on_decision=False)
    sink = lane.sink("TABLE", SOUTH, lambda: None)
    goodbye = frame_pb2.Frame(goodbye=wire.goodbye_to_wire(DRAINING))
    sink.end(DRAINING, wire.field_bytes(1, goodbye.SerializeToString()))
    sink.push(wire.field_bytes(1, frame_pb2.Frame(seq=7).SerializeToString()), 1, flush=True)
    (some,) = agents_pb2.ConnectResponse.FromString(await lane.drain()).frames
    assert list(some.frames) == [goodbye]


async def test_a_server_feeds_no_more_streams_than_it_may(server: SpadesServer) -> None:
    config = ServerConfig(port=0, max_streams=2)
    async with running(config) as small, Server(f"127.0.0.1:{small.port}") as ann:
        await ann.register("Ann")
        code = (await ann.create_table(seats=(SOUTH,))).code
        two = [Viewer(ann, code, None) for _ in range(2)]
        for viewer in two:
            await viewer.take()
        status, _ = await status_of(Viewer(ann, code, None))
        assert status is grpc.StatusCode.RESOURCE_EXHAUSTED
        two[0].call.cancel()
        await eventually(lambda: len(small.streams) == 1)
        await Viewer(ann, code, None).take()


# Heartbeats.


class Beaten:
    """A mailbox that counts its heartbeats."""

    def __init__(self) -> None:
        self.beats: asyncio.Queue[bytes] = asyncio.Queue()
        self.round_trip: RoundTrip | None = None
        self.goodbye: Goodbye | None = None
        self.on_end: Callable[[], object] = self.beats.empty

    def beat(self, chunk: bytes, *, always: bool = False) -> None:
        assert not always
        self.beats.put_nowait(chunk)


def stream(heartbeat: bytes) -> Stream:
    return Stream("ann", lambda _echo: heartbeat, lambda _: None)


async def test_every_open_stream_is_looked_after_and_a_closed_one_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spades_server.streams.HEARTBEAT_S", 0.001)
    streams = Streams(2)
    one, other = Beaten(), Beaten()
    keeping = asyncio.create_task(streams.keep_alive())
    with streams.open(one, stream(b"one")):
        with streams.open(other, stream(b"other")):
            assert await asyncio.wait_for(other.beats.get(), PATIENCE) == b"other"
            with pytest.raises(SpadesError) as caught:
                streams.require_room("bob")
            assert caught.value.reason is Reason.TOO_MANY
        for _ in range(3):
            assert await asyncio.wait_for(one.beats.get(), PATIENCE) == b"one"
    assert len(streams) == 0
    keeping.cancel()


async def test_only_a_stream_on_which_nothing_was_sent_gets_a_heartbeat() -> None:
    sink = WatchSink()
    sink.push(b"event", 1, flush=False)
    sink.beat(b"beat")
    assert await sink.drain() == b"event"
    sink.beat(b"beat")
    sink.beat(b"beat")
    assert await sink.drain() == b"beat"
    lane = Lane(on_decision=True)
    lane.add(b"event")
    lane.beat(b"beat")
    assert await lane.drain() == b"event"
    lane.beat(b"beat")
    lane.beat(b"beat")
    assert await lane.drain() == b"beat"


def test_a_heartbeat_names_the_last_event_that_was_published_and_when_the_next_comes(
    open_table: OpenTable,
) -> None:
    table = open_table()
    feeds = TableFeeds(table, lambda: 0)
    entries, _ = table.handle(Sit(Player("ann", "Ann"), OccupantKind.PERSON, Seat.SOUTH), 0)
    (frame,) = tables_pb2.WatchResponse.FromString(feeds.heartbeat()).frames
    assert (frame.epoch, frame.seq) == (1, 1)
    assert frame.heartbeat.next_within_ms > 0
    feeds.publish(entries)
    (frame,) = tables_pb2.WatchResponse.FromString(feeds.heartbeat()).frames
    assert frame.seq == table.seq == 2


async def test_a_spectators_heartbeat_comes_after_what_it_was_kept_waiting_for(
    open_table: OpenTable,
) -> None:
    table = open_table()
    feeds = TableFeeds(table, lambda: 0)
    sink = WatchSink()
    feeds.attach(None, sink, 0, 0)
    await sink.drain()
    entries, _ = table.handle(Sit(Player("ann", "Ann"), OccupantKind.PERSON, Seat.SOUTH), 0)
    feeds.publish(entries)
    sink.beat(feeds.heartbeat(), always=True)
    frames = tables_pb2.WatchResponse.FromString(await sink.drain()).frames
    assert [frame.seq for frame in frames] == [2, 2]
    assert [frame.WhichOneof("payload") for frame in frames] == ["event", "heartbeat"]


# The agents' lane, message by message.


class SeatOnLane:
    """What one seat received on a lane."""

    def __init__(self, seat: Seat) -> None:
        self.feed = Feed(seat)
        self.frames: list[frame_pb2.Frame] = []
        self.goodbye: Goodbye | None = None

    def state_hand(self) -> bool:
        state = self.feed.state
        return state is not None and state.match is not None and bool(self.feed.view().hand)


class LaneViewer:
    """A stream of `Agents.Connect`, spoken by hand."""

    def __init__(self, client: Server) -> None:
        self.client = client
        self.call = client.agents().Connect(metadata=client.metadata)
        self.seats: dict[Seat, SeatOnLane] = {}
        self.responses: list[agents_pb2.ConnectResponse] = []
        self.answered: list[agents_pb2.Answered] = []

    async def hello(
        self, protocol: int = PROTOCOL, delivery: int = agents_pb2.DELIVERY_IMMEDIATE
    ) -> None:
        hello = agents_pb2.Hello(
            protocol=protocol, delivery=cast("agents_pb2.Delivery.ValueType", delivery)
        )
        await self.call.write(agents_pb2.ConnectRequest(hello=hello))

    async def send(self, *commands: action_pb2.Command) -> None:
        await self.call.write(agents_pb2.ConnectRequest(commands=commands))

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not condition():
                await self.read()

    async def read(self) -> None:
        try:
            response = await self.call.read()
        except aio.AioRpcError as error:
            raise EOFError(error.code(), error.details()) from error
        if response is aio.EOF:
            raise EOFError(await self.call.code(), await self.call.details())
        response = cast("agents_pb2.ConnectResponse", response)
        self.responses.append(response)
        self.answered += response.answered
        for some in response.frames:
            seat = wire.SEAT.from_wire(some.seat)
            mine = self.seats.setdefault(seat, SeatOnLane(seat))
            for frame in some.frames:
                mine.frames.append(frame)
                if frame.HasField("goodbye"):
                    mine.goodbye = wire.goodbye_from_wire(frame.goodbye)
                else:
                    mine.feed.take(frame)


async def lane_at_a_table(join: Join, delivery: int) -> tuple[LaneViewer, str]:
    ann = await join("Ann")
    code = (
        await ann.create_table(
            "max_hands=1",
            seats=(SOUTH,),
            bots=[(seat, "beginner") for seat in (WEST, NORTH, EAST)],
            kind=OccupantKind.AGENT,
        )
    ).code
    lane = LaneViewer(ann)
    await lane.hello(delivery=delivery)
    await lane.until(lambda: SOUTH in lane.seats)
    await ann.start(code)
    return lane, code


async def test_an_agents_stream_needs_a_hello_of_the_right_version(join: Join) -> None:
    ann = await join("Ann")
    lane = LaneViewer(ann)
    await lane.call.write(agents_pb2.ConnectRequest())
    with pytest.raises(EOFError) as caught:
        await lane.read()
    assert caught.value.args[0] is grpc.StatusCode.INVALID_ARGUMENT
    lane = LaneViewer(ann)
    await lane.hello(protocol=PROTOCOL + 1)
    with pytest.raises(EOFError, match="must be updated") as caught:
        await lane.read()
    assert caught.value.args[0] is grpc.StatusCode.FAILED_PRECONDITION
    lane = LaneViewer(ann)
    await lane.call.done_writing()
    with pytest.raises(EOFError) as caught:
        await lane.read()
    assert caught.value.args[0] is grpc.StatusCode.INVALID_ARGUMENT


async def test_s18_an_odd_command_on_a_lane_is_answered_and_the_lane_goes_on(join: Join) -> None:
    lane, code = await lane_at_a_table(join, agents_pb2.DELIVERY_IMMEDIATE)
    await lane.until(lambda: lane.seats[SOUTH].feed.decision_id > 0)
    odd = [
        action_pb2.Command(request_id="a"),
        action_pb2.Command(request_id="b", table="NOPE", action=wire.action_to_wire(Look())),
        action_pb2.Command(request_id="c", table=code, action=action_pb2.Action()),
        action_pb2.Command(
            request_id="d",
            table=code,
            seat=cast("card_pb2.Seat.ValueType", 9),
            action=wire.action_to_wire(Look()),
        ),
        action_pb2.Command(
            request_id="e", table=code, seat=card_pb2.SEAT_WEST, action=wire.action_to_wire(Look())
        ),
    ]
    await lane.send(*odd)
    await lane.until(lambda: len(lane.answered) == len(odd))
    assert [(one.request_id, one.refusal.reason) for one in lane.answered] == [
        ("a", error_pb2.REASON_INVALID_FIELD),
        ("b", error_pb2.REASON_TABLE_NOT_FOUND),
        ("c", error_pb2.REASON_INVALID_FIELD),
        ("d", error_pb2.REASON_INVALID_FIELD),
        ("e", error_pb2.REASON_NOT_YOUR_SEAT),
    ]
    decision = lane.seats[SOUTH].feed.decision_id
    bid = Command(code, MakeBid(Bid(3)), SOUTH, "f", decision)
    await lane.send(wire.command_to_wire(bid))
    await lane.until(lambda: lane.seats[SOUTH].feed.decision_id > decision)
    lane.call.cancel()


async def test_an_accepted_command_is_answered_by_its_event_and_a_repeat_by_an_answer(
    join: Join,
) -> None:
    lane, code = await lane_at_a_table(join, agents_pb2.DELIVERY_IMMEDIATE)
    await lane.until(lambda: lane.seats[SOUTH].feed.decision_id > 0)
    decision = lane.seats[SOUTH].feed.decision_id
    bid = wire.command_to_wire(Command(code, MakeBid(Bid(3)), SOUTH, "once", decision))
    await lane.send(bid, bid)
    await lane.until(lambda: len(lane.answered) == 1)
    (answered,) = lane.answered
    assert (answered.request_id, answered.replayed) == ("once", True)
    assert not answered.HasField("refusal")
    events = [frame.event for frame in lane.seats[SOUTH].frames]
    souths = [one for one in events if one.bid_made.seat == card_pb2.SEAT_SOUTH]
    assert len(souths) == 1
    lane.call.cancel()


async def test_on_decision_the_events_come_together_when_the_seat_must_act(join: Join) -> None:
    lane, code = await lane_at_a_table(join, agents_pb2.DELIVERY_ON_DECISION)
    south = lane.seats[SOUTH]
    for number in range(14):
        await lane.until(lambda: south.feed.decision_id > 0 and south.feed.is_asked)
        view = south.feed.view()
        action = Play(view.legal_plays[0]) if view.legal_plays else MakeBid(Bid(3))
        decision = south.feed.decision_id
        before = len(lane.responses)
        command = Command(code, action, SOUTH, f"n{number}", decision)
        await lane.send(wire.command_to_wire(command))
        await lane.until(
            lambda seen=decision: (
                south.feed.decision_id > seen  # type: ignore[misc]
                or bool(south.feed.state and south.feed.state.record)
            )
        )
        if number < 13:
            assert len(lane.responses) == before + 1
    # The end of the hand and of the match come though nobody must act.
    assert south.feed.state is not None
    assert south.feed.state.record
    lane.call.cancel()


async def test_a_newer_lane_replaces_the_older_which_is_told_not_to_come_back(join: Join) -> None:
    lane, _ = await lane_at_a_table(join, agents_pb2.DELIVERY_IMMEDIATE)
    newer = LaneViewer(lane.client)
    await newer.hello()
    await newer.until(lambda: SOUTH in newer.seats)
    with pytest.raises(EOFError, match="A newer connection") as caught:
        await lane.until(lambda: False)
    assert caught.value.args[0] is grpc.StatusCode.ABORTED
    goodbyes = [one.goodbye for one in lane.responses if one.HasField("goodbye")]
    assert all(wire.goodbye_from_wire(one) == REPLACED for one in goodbyes)
    newer.call.cancel()


# Clients that vanish.

SCRIPT = Path(__file__).with_name("many_streams.py")


@asynccontextmanager
async def short_lived_tables() -> AsyncGenerator[SpadesServer]:
    """A server that does not wait for those who are gone."""
    config = ServerConfig(port=0, tempo_ms=0, abandoned_s=0.2, max_tables=100)
    async with running(config) as server:
        yield server


def everything_open(server: SpadesServer, hosts: list[TableHost]) -> tuple[int, int, int]:
    """The open streams, the seats that are fed and the spectators of tables, closed ones too."""
    fed = sum(sink is not None for host in hosts for sink in host.feeds.seats)
    return len(server.streams), fed, sum(len(host.feeds.spectators) for host in hosts)


def errors_in(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    """What was logged as an error, but for gRPC's poller: it may still call the loop of an earlier test."""
    return [
        record
        for record in caplog.records
        if record.levelno >= logging.ERROR and "PollerCompletionQueue" not in record.getMessage()
    ]


async def test_s14_the_streams_of_killed_clients_are_reclaimed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with short_lived_tables() as server:
        at_first = len(asyncio.all_tasks())
        clients = [
            await asyncio.create_subprocess_exec(
                sys.executable, str(SCRIPT), str(server.port), f"c{number}", "25",
                stdout=asyncio.subprocess.PIPE,
            )
            for number in range(2)
        ]  # fmt: skip
        for client in clients:
            assert client.stdout is not None
            line = await asyncio.wait_for(client.stdout.readline(), 60)
            assert line.strip() == b"open"
        # 50 tables with four seats, and a spectator at each.
        hosts = list(server.lobby)
        assert everything_open(server, hosts) == (250, 200, 50)
        for client in clients:
            client.kill()
            await client.communicate()
        await eventually(lambda: everything_open(server, hosts) == (0, 0, 0))
        await eventually(lambda: len(server.lobby) == 0)
        await eventually(lambda: len(asyncio.all_tasks()) <= at_first)
    assert not errors_in(caplog)


async def test_s14_the_streams_of_clients_that_cancel_are_reclaimed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with short_lived_tables() as server, AsyncExitStack() as stack:
        target = f"127.0.0.1:{server.port}"
        ann = await stack.enter_async_context(Server(target))
        await ann.register("Ann")
        await ann.me()
        at_first = len(asyncio.all_tasks())
        viewers: list[Viewer] = []
        for _ in range(10):
            code = (await ann.create_table(seats=tuple(Seat), many_seats=True)).code
            viewers += [Viewer(ann, code, seat) for seat in (*Seat, None)]
        for viewer in viewers:
            await viewer.take()
        lane = LaneViewer(ann)
        await lane.hello()
        await lane.read()
        hosts = list(server.lobby)
        # The lane takes the seats over from the single streams.
        await eventually(lambda: everything_open(server, hosts)[1:] == (40, 10))
        for viewer in viewers:
            viewer.call.cancel()
        lane.call.cancel()
        await eventually(lambda: everything_open(server, hosts) == (0, 0, 0))
        await eventually(lambda: len(server.lobby) == 0)
        viewers.clear()
        del lane
        await eventually(lambda: len(asyncio.all_tasks()) <= at_first)
    assert not errors_in(caplog)


def test_a_bot_that_answers_for_nobody_is_not_published(open_table: OpenTable) -> None:
    table, feeds, recorders = bots_table(open_table, "")
    before = [len(one.frames) for one in recorders]
    for command in (
        BotDeed(SOUTH, 0, MakeBid(Bid(3))),
        AddBot(Player("eve", "Eve"), "gentle", SOUTH),
    ):
        with pytest.raises(SpadesError):
            feeds.publish(table.handle(command, 0)[0])
    assert [len(one.frames) for one in recorders] == before
