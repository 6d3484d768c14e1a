"""The clock of a table, over real connections: what is told of it, and what becomes of those who are late."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest
from google.protobuf import json_format

from spades import Card, Seat, SeatView
from spades_agents import Agent, Server
from spades_agents.connection import Connection, Delivery
from spades_agents.runner import play
from spades_client.desk import Desk, DeskOptions
from spades_client.session import Changed, TableSession
from spades_proto import wire
from spades_proto.table import StandInChanged, TakeSeatBack
from spades_proto.timing import SeatClock, TimeControl
from spades_proto.v1 import records_pb2
from spades_server.app import SpadesServer
from spades_server.commands import Measured, TableCommand
from spades_server.host import Done

Join = Callable[[str], Awaitable[Server]]
PATIENCE = 20.0
SHORT = TimeControl(60, 0)
LONG = TimeControl(60_000, 5_000)


async def table_of_two(join: Join, control: TimeControl) -> tuple[Server, Server, str]:
    """Ann and Bob with two bots, the match started."""
    ann, bob = await join("Ann"), await join("Bob")
    opened = await ann.create_table(
        "quick", seats=(Seat.SOUTH,), bots=((Seat.NORTH, "gentle"), (Seat.EAST, "gentle")),
        time_control=control,
    )  # fmt: skip
    assert opened.time_control == control
    await bob.sit(opened.code, Seat.WEST)
    await ann.start(opened.code)
    return ann, bob, opened.code


async def test_people_see_the_clock_of_whoever_is_to_act(join: Join) -> None:
    ann, bob, code = await table_of_two(join, LONG)
    sessions = (TableSession(ann, code, Seat.SOUTH), TableSession(bob, code, Seat.WEST))
    async with asyncio.timeout(PATIENCE):
        readings: list[SeatClock] = []
        for session in sessions:
            async with aclosing(session.updates()) as updates:
                async for update in updates:
                    state = session.state
                    match = state.table.match if state.table else None
                    if isinstance(update, Changed) and match is not None and state.clock:
                        assert state.clock.seat is match.turn
                        assert state.clock.bank_ms == 5_000
                        readings.append(state.clock)
                        break
    assert readings[0].deadline_us == readings[1].deadline_us is not None


async def test_whoever_does_nothing_is_played_for_and_comes_back(join: Join) -> None:
    ann, bob, code = await table_of_two(join, SHORT)
    ann_session, bob_session = (
        TableSession(ann, code, Seat.SOUTH),
        TableSession(bob, code, Seat.WEST),
    )
    desk = Desk(ann_session, DeskOptions(), lambda: None)
    seen: list[tuple[Seat, bool]] = []

    async def idle() -> None:
        async for _ in bob_session.updates():
            pass

    idling = asyncio.create_task(idle())
    async with asyncio.timeout(PATIENCE), aclosing(ann_session.updates()) as updates:
        async for update in updates:
            await desk.take(update)
            assert isinstance(update, Changed)
            payload = update.frame.payload
            if isinstance(payload, StandInChanged) and payload.seat is Seat.SOUTH:
                seen.append((payload.seat, payload.active))
                if len(seen) == 3:
                    # The second time in a row: the bot keeps the seat until she is back.
                    assert await desk.typed("KS") != []
                    desk.send(TakeSeatBack())
                if len(seen) == 4:
                    break
    idling.cancel()
    await desk.close()
    assert seen == [(Seat.SOUTH, True), (Seat.SOUTH, False)] * 2


class Sleeper(Agent):
    """Never answers its first card, and all others at once."""

    def __init__(self) -> None:
        self._sleeps = True

    def bid(self, view: SeatView) -> int:
        return 3

    async def play(self, view: SeatView) -> Card:
        if self._sleeps:
            self._sleeps = False
            await asyncio.Event().wait()
        return view.legal_plays[0]


async def test_an_agent_that_hangs_is_played_for_and_goes_on_with_its_next_decision(
    server: SpadesServer, join: Join
) -> None:
    ann = await join("Ann")
    opened = await ann.create_table(
        "quick,max_hands=1",
        bots=((Seat.NORTH, "gentle"), (Seat.EAST, "gentle")),
        time_control=TimeControl(500, 0),
    )
    target = f"127.0.0.1:{server.port}"
    async with asyncio.timeout(PATIENCE * 2):
        players = asyncio.gather(
            play("beginner", target, table=opened.code, seat=Seat.WEST),
            play(Sleeper(), target, table=opened.code, seat=Seat.SOUTH),
        )
        watcher = TableSession(ann, opened.code, None)
        async with aclosing(watcher.updates()) as updates:
            async for _ in updates:
                table = watcher.state.table
                if table is not None and all(one.occupant for one in table.seats):
                    break
        await ann.start(opened.code)
        (result, *_), _ = await players
    record = json_format.Parse(await ann.record(result.record), records_pb2.MatchRecord())
    late = [
        note.kind
        for note in record.circumstances.notes
        if note.seat == wire.SEAT.to_wire(Seat.SOUTH)
    ]
    assert late.count(records_pb2.NOTE_KIND_TIMED_OUT) == 1
    assert late.count(records_pb2.NOTE_KIND_STAND_IN_ENDED) == 1


async def test_the_round_trip_of_a_person_is_measured_by_an_echo(
    server: SpadesServer, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spades_server.streams.HEARTBEAT_S", 0.01)
    server.look_after_streams()
    ann, _, code = await table_of_two(join, LONG)
    session = TableSession(ann, code, Seat.SOUTH)
    trips = server.lobby.find(code).table.clock.round_trips_us
    async with asyncio.timeout(PATIENCE), aclosing(session.updates()) as updates:
        async for _ in updates:
            if trips[Seat.SOUTH] is not None:
                break
    south, west, *_ = trips
    assert south is not None and south > 0
    assert west is None


async def test_the_round_trip_of_an_agent_is_measured_by_an_echo(
    server: SpadesServer, join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spades_server.streams.HEARTBEAT_S", 0.01)
    server.look_after_streams()
    ann, _, code = await table_of_two(join, LONG)
    host = server.lobby.find(code)
    connection = Connection(ann, Sleeper(), b"", Delivery.IMMEDIATE, [code], lambda _: None)
    measured = asyncio.Event()
    submit = host.submit

    def noticed(command: TableCommand, done: Done | None = None) -> None:
        submit(command, done)
        if isinstance(command, Measured):
            measured.set()

    monkeypatch.setattr(host, "submit", noticed)
    async with asyncio.timeout(PATIENCE), connection.listening():
        await measured.wait()
    assert host.table.clock.round_trips_us[Seat.SOUTH] is not None
