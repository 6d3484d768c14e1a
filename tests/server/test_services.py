"""The services of a running server, call by call: what they do, and how they refuse."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status

from spades import Bid, MakeBid, NextHand, Phase, Play, Reason, Seat, SpadesError, view
from spades_agents import HOUSE_BOTS, Server, play
from spades_agents.trust import ServerUnreachable
from spades_client.session import TableSession
from spades_proto import wire
from spades_proto.frames import Command
from spades_proto.records import RecordError
from spades_proto.table import Courtesy, OccupantKind, TableStage
from spades_proto.tempo import SLOWEST_MS
from spades_proto.v1 import (
    action_pb2,
    card_pb2,
    lobby_pb2,
    lobby_pb2_grpc,
    players_pb2,
    players_pb2_grpc,
    records_pb2,
    records_pb2_grpc,
    tables_pb2,
)
from spades_proto.verification import verify
from spades_proto.version import METADATA_KEY, PROTOCOL
from spades_server.app import CannotListen, SpadesServer, running
from spades_server.config import ServerConfig
from spades_server.table import Table

details_pb2: Any = import_module("google.rpc.error_details_pb2")  # It comes without types.

Join = Callable[[str], Awaitable[Server]]

BAD = "\n\t\x1b\x00\u202e\u200b\u2028"
"""Characters that would spoil a screen."""

SOUTH, WEST, NORTH, EAST = Seat


@dataclass(frozen=True)
class Refused:
    """How a call ended."""

    code: grpc.StatusCode
    sentence: str
    reason: str = ""
    fields: tuple[str, ...] = ()


async def refusal(call: Awaitable[object]) -> Refused:
    """Waits for a call that must fail, and reads its status; a refusal is never a stack trace."""
    with pytest.raises(aio.AioRpcError) as caught:
        await call
    error = caught.value
    sentence = error.details() or ""
    assert "Traceback" not in sentence
    assert 'File "' not in sentence
    status = cast("Any", rpc_status).from_call(error)
    if status is None:
        return Refused(error.code(), sentence)
    info = details_pb2.ErrorInfo()
    bad = details_pb2.BadRequest()
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(bad)
    assert info.domain == "spades"
    assert info.reason in Reason.__members__
    fields = tuple(one.field for one in bad.field_violations)
    return Refused(error.code(), sentence, info.reason, fields)


def lobby(client: Server) -> lobby_pb2_grpc.LobbyStub:
    return lobby_pb2_grpc.LobbyStub(client.channel)


def players(client: Server) -> players_pb2_grpc.PlayersStub:
    return players_pb2_grpc.PlayersStub(client.channel)


def records(client: Server) -> records_pb2_grpc.RecordsStub:
    return records_pb2_grpc.RecordsStub(client.channel)


def seat_number(number: int) -> card_pb2.Seat.ValueType:
    """Any number in place of a seat: a stock client can send what it likes."""
    return cast("card_pb2.Seat.ValueType", number)


def card_number(number: int) -> card_pb2.Card.ValueType:
    return cast("card_pb2.Card.ValueType", number)


def at(server: SpadesServer, code: str) -> Table:
    return server.lobby.find(code).table


async def act(client: Server, code: str, table: Table, action: MakeBid | Play) -> int:
    assert table.match is not None
    number = table.decision_id
    return await client.act(Command(code, action, table.match.turn, f"r{number}", number))


# Names and tokens.


async def test_a_player_registers_and_is_known_by_the_token(join: Join) -> None:
    ann = await join("Ann")
    assert await ann.me() == ("Ann", ())
    table = await ann.create_table(seats=(WEST,))
    assert await ann.me() == ("Ann", ((table.code, WEST),))


@pytest.mark.parametrize("name", ["Ann", "ann", "ＡＮＮ", "aNN"])
async def test_a_name_that_differs_only_in_its_letters_form_is_taken(join: Join, name: str) -> None:
    ann = await join("Ann")
    refused = await refusal(players(ann).Register(players_pb2.RegisterRequest(name=name)))
    assert refused.code is grpc.StatusCode.ALREADY_EXISTS
    assert (refused.reason, refused.fields) == ("NAME_TAKEN", ("name",))
    assert "choose another" in refused.sentence


@pytest.mark.parametrize(
    "name",
    ["", " ", "     ", " Ann", "Ann ", *map("A{}B".format, BAD), "x" * 25, "x" * 60_000],
    ids=lambda name: ascii(name)[:20],
)
async def test_s18_a_name_that_could_not_be_shown_literally_is_refused(
    join: Join, name: str
) -> None:
    ann = await join("Ann")
    refused = await refusal(players(ann).Register(players_pb2.RegisterRequest(name=name)))
    assert refused.code is grpc.StatusCode.INVALID_ARGUMENT
    assert (refused.reason, refused.fields) == ("NAME_INVALID", ("name",))
    assert len(refused.sentence) < 200
    assert await ann.register("Bob") == "Bob"


@pytest.mark.parametrize("name", ["x" * 24, "Žofie Nováková", "李小龍", "O'Hara & Söhne", "a b"])
async def test_a_name_in_any_script_is_kept_as_it_was_written(join: Join, name: str) -> None:
    client = await join(name)
    assert (await client.me())[0] == name


@pytest.mark.parametrize("token", ["", "nonsense", "Bearer", "\u00e9".encode().hex()])
async def test_a_wrong_token_is_unauthenticated_everywhere(join: Join, token: str) -> None:
    ann = await join("Ann")
    code = (await ann.create_table()).code
    metadata = (("authorization", f"Bearer {token}"),)
    calls: list[Awaitable[object]] = [
        players(ann).GetMe(players_pb2.GetMeRequest(), metadata=metadata),
        lobby(ann).CreateTable(lobby_pb2.CreateTableRequest(), metadata=metadata),
        lobby(ann).ListTables(lobby_pb2.ListTablesRequest(), metadata=metadata),
        lobby(ann).GetTable(lobby_pb2.GetTableRequest(table=code), metadata=metadata),
        lobby(ann).Sit(lobby_pb2.SitRequest(table=code), metadata=metadata),
        lobby(ann).Leave(lobby_pb2.LeaveRequest(table=code), metadata=metadata),
        lobby(ann).AddBot(lobby_pb2.AddBotRequest(table=code), metadata=metadata),
        lobby(ann).RemoveBot(lobby_pb2.RemoveBotRequest(table=code), metadata=metadata),
        lobby(ann).Start(lobby_pb2.StartRequest(table=code), metadata=metadata),
        ann.tables().Act(tables_pb2.ActRequest(), metadata=metadata),
        records(ann).GetRecord(records_pb2.GetRecordRequest(), metadata=metadata),
        records(ann).ListRecords(records_pb2.ListRecordsRequest(), metadata=metadata),
        first_read(ann.tables().Watch(tables_pb2.WatchRequest(table=code), metadata=metadata)),
        first_read(ann.agents().Connect(metadata=metadata)),
    ]
    for call in calls:
        refused = await refusal(call)
        assert refused.code is grpc.StatusCode.UNAUTHENTICATED
        assert refused.reason == "TOKEN_INVALID"


async def first_read(call: Any) -> object:
    """What comes first on a stream: its refusal, if it is refused."""
    got = await call.read()
    assert got is aio.EOF, f"something was delivered first: {got}"
    raise aio.AioRpcError(
        await call.code(),
        await call.initial_metadata(),
        await call.trailing_metadata(),
        await call.details(),
    )


async def test_a_call_without_any_token_is_unauthenticated(join: Join) -> None:
    ann = await join("Ann")
    refused = await refusal(players(ann).GetMe(players_pb2.GetMeRequest()))
    assert refused.code is grpc.StatusCode.UNAUTHENTICATED
    assert "register" in refused.sentence


# Versions.


async def test_the_server_says_what_it_is_to_anybody(server: SpadesServer) -> None:
    async with Server(f"127.0.0.1:{server.port}") as stranger:
        info = await stranger.info()
    assert info.presets == ("classic", "quick", "larch", "karty", "jokers", "nyc")
    assert info.bots == tuple(HOUSE_BOTS)
    assert info.allows_seeds


@pytest.mark.parametrize(("theirs", "older"), [(PROTOCOL + 1, "server"), (0, "client")])
async def test_another_version_of_the_protocol_is_refused_in_one_clear_sentence(
    server: SpadesServer, theirs: int, older: str
) -> None:
    async with Server(f"127.0.0.1:{server.port}") as client:
        request = players_pb2.RegisterRequest(name="Ann")
        metadata = ((METADATA_KEY, str(theirs)),)
        refused = await refusal(players(client).Register(request, metadata=metadata))
    assert refused.reason == "VERSION_MISMATCH"
    assert refused.sentence == (
        f"The client speaks version {theirs} of the protocol and this side version {PROTOCOL}:"
        f" the {older} is the older one and must be updated."
    )


async def test_a_port_in_use_is_one_clear_sentence(server: SpadesServer) -> None:
    with pytest.raises(CannotListen, match=f"Cannot listen on 127.0.0.1:{server.port}: another"):
        await SpadesServer(ServerConfig(port=server.port)).start()


async def test_a_port_at_which_nothing_listens_is_one_clear_sentence() -> None:
    async with running(ServerConfig(port=0)) as server:
        port = server.port
    async with Server(f"127.0.0.1:{port}") as client:
        with pytest.raises(ServerUnreachable, match=f"No server answers at 127.0.0.1:{port}"):
            await client.info()


# The lobby.


async def test_a_table_is_created_as_it_was_asked_for(join: Join) -> None:
    ann = await join("Ann")
    table = await ann.create_table(
        "quick,target=300", seats=(NORTH,), bots=((WEST, "random"), (EAST, "beginner"))
    )
    assert (table.host, table.rules.target, table.stage) == ("Ann", 300, TableStage.OPEN)
    occupants = [status.occupant for status in table.seats]
    assert [one and (one.kind, one.name) for one in occupants] == [
        None,
        (OccupantKind.HOUSE_BOT, "random"),
        (OccupantKind.PERSON, "Ann"),
        (OccupantKind.HOUSE_BOT, "beginner"),
    ]
    assert await ann.get_table(table.code.lower()) == table
    assert await ann.list_tables() == (table,)


async def test_a_table_shows_its_tempo_which_is_the_servers_unless_another_is_asked_for(
    join: Join,
) -> None:
    ann = await join("Ann")
    assert (await ann.create_table("quick")).tempo_ms == 0
    made = await ann.create_table("quick", tempo_ms=900)
    assert made.tempo_ms == (await ann.get_table(made.code)).tempo_ms == 900
    assert (await ann.create_table("quick", tempo_ms=60_000)).tempo_ms == SLOWEST_MS
    session = TableSession(ann, made.code, None)
    async with aclosing(session.updates()) as updates:
        await anext(updates)
    assert session.state.table is not None and session.state.table.opened.tempo_ms == 900


async def test_a_table_without_hints_is_shown_as_one_to_all_who_look(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await ann.create_table("quick", seats=(Seat.SOUTH,), hints=False)
    assert not made.hints
    assert not (await bob.get_table(made.code)).hints
    assert [one.hints for one in await bob.list_tables() if one.code == made.code] == [False]
    session = TableSession(bob, made.code, None)
    async with aclosing(session.updates()) as updates:
        await anext(updates)
    assert session.state.table is not None and not session.state.table.opened.hints
    assert (await ann.create_table("quick")).hints


async def test_where_the_server_has_hints_off_no_table_has_them() -> None:
    async with (
        running(ServerConfig(port=0, hints=False)) as server,
        Server(f"127.0.0.1:{server.port}") as ann,
    ):
        await ann.register("Ann")
        assert not (await ann.create_table("quick", hints=True)).hints


async def test_a_private_table_is_not_listed_and_found_by_its_code(join: Join) -> None:
    ann = await join("Ann")
    bob = await join("Bob")
    table = await ann.create_table(private=True, seats=(SOUTH,))
    assert await bob.list_tables() == ()
    assert await bob.sit(table.code) is WEST


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (lobby_pb2.CreateTableRequest(rules="whist"), "INVALID_OPTION"),
        (lobby_pb2.CreateTableRequest(rules="target=0"), "INVALID_OPTION"),
        (lobby_pb2.CreateTableRequest(start=True), "TABLE_NOT_READY"),
        (
            lobby_pb2.CreateTableRequest(bots=[lobby_pb2.BotSeat(seat=seat_number(1), bot="deep")]),
            "UNKNOWN_BOT",
        ),
        (lobby_pb2.CreateTableRequest(bots=[lobby_pb2.BotSeat(bot="gentle")]), "INVALID_FIELD"),
        (lobby_pb2.CreateTableRequest(seats=[seat_number(9)]), "INVALID_FIELD"),
        (
            lobby_pb2.CreateTableRequest(
                seats=[seat_number(1)], bots=[lobby_pb2.BotSeat(seat=seat_number(1), bot="gentle")]
            ),
            "SEAT_TAKEN",
        ),
    ],
    ids=str,
)
async def test_a_table_that_cannot_be_had_as_it_was_asked_for_is_not_opened_at_all(
    join: Join, server: SpadesServer, request_: lobby_pb2.CreateTableRequest, reason: str
) -> None:
    ann = await join("Ann")
    refused = await refusal(lobby(ann).CreateTable(request_, metadata=ann.metadata))
    assert refused.reason == reason
    assert len(server.lobby) == 0


async def test_a_seed_is_taken_only_where_the_server_allows_it() -> None:
    async with running(ServerConfig(port=0)) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        request = lobby_pb2.CreateTableRequest(seed="7")
        refused = await refusal(lobby(ann).CreateTable(request, metadata=ann.metadata))
        assert refused.code is grpc.StatusCode.PERMISSION_DENIED
        assert refused.reason == "SEED_NOT_ALLOWED"
        assert not (await ann.info()).allows_seeds


async def test_a_seed_that_no_database_keeps_is_refused(join: Join) -> None:
    ann = await join("Ann")
    request = lobby_pb2.CreateTableRequest(seed="a\0b")
    refused = await refusal(lobby(ann).CreateTable(request, metadata=ann.metadata))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD")


async def test_a_server_opens_no_more_tables_than_it_may() -> None:
    config = ServerConfig(port=0, max_tables=2)
    async with running(config) as server, Server(f"127.0.0.1:{server.port}") as ann:
        await ann.register("Ann")
        for _ in range(2):
            await ann.create_table()
        request = lobby_pb2.CreateTableRequest()
        refused = await refusal(lobby(ann).CreateTable(request, metadata=ann.metadata))
        assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY")


async def test_sitting_leaving_and_bots_are_refused_with_reason_and_field(join: Join) -> None:
    ann = await join("Ann")
    bob = await join("Bob")
    code = (await ann.create_table(seats=(SOUTH,))).code
    south = wire.SEAT.to_wire(SOUTH)
    west = wire.SEAT.to_wire(WEST)
    refusals: list[tuple[Awaitable[object], grpc.StatusCode, str, str]] = [
        (
            lobby(bob).Sit(lobby_pb2.SitRequest(table=code, seat=south), metadata=bob.metadata),
            grpc.StatusCode.FAILED_PRECONDITION,
            "SEAT_TAKEN",
            "seat",
        ),
        (
            lobby(bob).Leave(lobby_pb2.LeaveRequest(table=code), metadata=bob.metadata),
            grpc.StatusCode.PERMISSION_DENIED,
            "NOT_SEATED",
            "table",
        ),
        (
            lobby(bob).AddBot(
                lobby_pb2.AddBotRequest(table=code, bot="gentle"), metadata=bob.metadata
            ),
            grpc.StatusCode.PERMISSION_DENIED,
            "NOT_THE_HOST",
            "bot",
        ),
        (
            lobby(ann).AddBot(lobby_pb2.AddBotRequest(table=code, bot="x"), metadata=ann.metadata),
            grpc.StatusCode.INVALID_ARGUMENT,
            "UNKNOWN_BOT",
            "bot",
        ),
        (
            lobby(ann).RemoveBot(
                lobby_pb2.RemoveBotRequest(table=code, seat=west), metadata=ann.metadata
            ),
            grpc.StatusCode.FAILED_PRECONDITION,
            "SEAT_EMPTY",
            "seat",
        ),
        (
            lobby(ann).Start(lobby_pb2.StartRequest(table=code), metadata=ann.metadata),
            grpc.StatusCode.FAILED_PRECONDITION,
            "TABLE_NOT_READY",
            "table",
        ),
    ]
    for call, status, reason, field in refusals:
        refused = await refusal(call)
        # Who calls is not the fault of a field.
        blamed = () if status is grpc.StatusCode.PERMISSION_DENIED else (field,)
        assert (refused.code, refused.reason, refused.fields) == (status, reason, blamed)


async def test_bots_come_and_go_and_the_match_starts(join: Join, server: SpadesServer) -> None:
    ann = await join("Ann")
    code = (await ann.create_table(seats=(SOUTH,))).code
    await ann.add_bot(code, "gentle", WEST)
    table = await ann.remove_bot(code, WEST)
    assert table.seats[WEST].occupant is None
    table = await ann.add_bot(code, "random")
    assert all(status.occupant for status in table.seats)
    assert (await ann.start(code)).stage is TableStage.PLAYING
    with pytest.raises(SpadesError) as caught:
        await ann.start(code)
    assert caught.value.reason is Reason.TABLE_STATE
    await ann.leave(code)
    assert at(server, code).owners[SOUTH] is not None


async def test_the_last_player_to_leave_closes_the_table(join: Join, server: SpadesServer) -> None:
    ann = await join("Ann")
    code = (await ann.create_table(seats=(SOUTH,))).code
    await ann.leave(code)
    assert len(server.lobby) == 0
    with pytest.raises(SpadesError) as caught:
        await ann.get_table(code)
    assert caught.value.reason is Reason.TABLE_NOT_FOUND


async def test_lists_come_in_pages_and_name_every_table_once(join: Join) -> None:
    ann = await join("Ann")
    codes = sorted([(await ann.create_table()).code for _ in range(7)])
    pages: list[list[str]] = []
    token = ""
    while True:
        request = lobby_pb2.ListTablesRequest(page_size=3, page_token=token)
        page = await lobby(ann).ListTables(request, metadata=ann.metadata)
        pages.append([one.code for one in page.tables])
        token = page.next_page_token
        if not token:
            break
    assert pages == [codes[:3], codes[3:6], codes[6:]]
    assert [table.code for table in await ann.list_tables()] == codes


@pytest.mark.parametrize("size", [-1, 101, 2**31 - 1])
async def test_a_page_of_no_possible_size_is_refused(join: Join, size: int) -> None:
    ann = await join("Ann")
    calls: Iterable[Awaitable[object]] = (
        lobby(ann).ListTables(lobby_pb2.ListTablesRequest(page_size=size), metadata=ann.metadata),
        records(ann).ListRecords(
            records_pb2.ListRecordsRequest(page_size=size), metadata=ann.metadata
        ),
    )
    for call in calls:
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "INVALID_FIELD",
        )
        assert refused.fields == ("page_size",)


# Malformed requests.


def odd_commands(code: str) -> list[action_pb2.Command]:
    """Commands that nobody's client would send."""
    any_play = action_pb2.Action(play=card_number(1))
    odd_pass = action_pb2.Action(pass_cards=action_pb2.PassCards(cards=[card_number(55)]))
    odd: list[action_pb2.Command] = [
        action_pb2.Command(table=code),
        action_pb2.Command(table=code, request_id="1"),
        action_pb2.Command(table=code, request_id="2", action=action_pb2.Action()),
        action_pb2.Command(
            table=code, request_id="3", action=action_pb2.Action(play=card_number(0))
        ),
        action_pb2.Command(
            table=code, request_id="4", action=action_pb2.Action(play=card_number(77))
        ),
        action_pb2.Command(table=code, request_id="5", seat=seat_number(9), action=any_play),
        action_pb2.Command(table=code, request_id="6", seat=seat_number(-1), action=any_play),
        action_pb2.Command(table=code, request_id="x" * 65, action=any_play),
        action_pb2.Command(
            table=code, request_id="7", courtesy=cast("action_pb2.Courtesy.ValueType", 9)
        ),
        action_pb2.Command(table=code, request_id="8", action=odd_pass),
    ]
    return odd


async def test_s18_no_malformed_request_disturbs_another_table(
    join: Join, server: SpadesServer
) -> None:
    ann, mal = await join("Ann"), await join("Mal")
    live = await ann.create_table(
        seats=(SOUTH,), bots=[(seat, "beginner") for seat in (WEST, NORTH, EAST)], start=True
    )
    feed = ann.tables().Watch(
        tables_pb2.WatchRequest(table=live.code, seat=seat_number(1)), metadata=ann.metadata
    )
    await feed.read()
    code = (await mal.create_table(seats=(SOUTH,))).code
    meta = mal.metadata
    big = "x" * 50_000
    missing = grpc.StatusCode.NOT_FOUND
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    watch = mal.tables().Watch
    odd: list[tuple[Awaitable[object], grpc.StatusCode]] = [
        (mal.tables().Act(tables_pb2.ActRequest(command=command), metadata=meta), invalid)
        for command in odd_commands(code)
    ]
    odd += [
        (mal.tables().Act(tables_pb2.ActRequest(), metadata=meta), invalid),
        (lobby(mal).GetTable(lobby_pb2.GetTableRequest(), metadata=meta), missing),
        (lobby(mal).GetTable(lobby_pb2.GetTableRequest(table="NOPE"), metadata=meta), missing),
        (lobby(mal).GetTable(lobby_pb2.GetTableRequest(table=big), metadata=meta), missing),
        (
            lobby(mal).Sit(lobby_pb2.SitRequest(table=code, seat=seat_number(9)), metadata=meta),
            invalid,
        ),
        (
            first_read(
                watch(tables_pb2.WatchRequest(table=code, seat=seat_number(9)), metadata=meta)
            ),
            invalid,
        ),
        (first_read(watch(tables_pb2.WatchRequest(table=big), metadata=meta)), missing),
        (
            lobby(mal).RemoveBot(lobby_pb2.RemoveBotRequest(table=code), metadata=meta),
            invalid,
        ),
        (
            records(mal).GetRecord(records_pb2.GetRecordRequest(match="nothing"), metadata=meta),
            missing,
        ),
    ]
    table = at(server, live.code)
    for number, (call, code_) in enumerate(odd):
        refused = await refusal(call)
        assert refused.code is code_, (number, refused)
        assert len(refused.sentence) < 400
        if number < 4:
            # The other table's next event arrives as ever.
            bid = (MakeBid(Bid(3)), None)[number > 0]
            if bid is not None:
                await act(ann, live.code, table, bid)
                assert await asyncio.wait_for(feed.read(), 10) is not aio.EOF
    feed.cancel()


async def test_s18_a_request_that_is_longer_than_any_may_be_ends_only_itself(join: Join) -> None:
    mal = await join("Mal")
    huge = "x" * 1_000_000
    for call in (
        lobby(mal).GetTable(lobby_pb2.GetTableRequest(table=huge), metadata=mal.metadata),
        players(mal).Register(players_pb2.RegisterRequest(name=huge[:100_000])),
    ):
        refused = await refusal(call)
        assert refused.code in (
            grpc.StatusCode.NOT_FOUND,
            grpc.StatusCode.INVALID_ARGUMENT,
            grpc.StatusCode.RESOURCE_EXHAUSTED,
        )
    assert (await mal.me())[0] == "Mal"


async def test_s18_bytes_that_are_no_message_end_only_their_own_call(join: Join) -> None:
    mal = await join("Mal")
    raw: aio.UnaryUnaryMultiCallable[bytes, bytes] = mal.channel.unary_unary(
        "/spades.v1.Tables/Act"
    )
    with pytest.raises(aio.AioRpcError) as caught:
        await raw(b"\xff\xff\xff\xff", metadata=mal.metadata)
    assert "Traceback" not in (caught.value.details() or "")
    assert (await mal.me())[0] == "Mal"


# Races.


async def test_s21_of_two_who_sit_down_at_the_same_moment_one_gets_the_seat(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    code = (await ann.create_table(seats=(SOUTH,))).code
    cid = await join("Cid")
    for _ in range(200):
        got = await asyncio.gather(bob.sit(code, EAST), cid.sit(code, EAST), return_exceptions=True)
        assert sorted(isinstance(one, SpadesError) for one in got) == [False, True]
        lost = next(one for one in got if isinstance(one, SpadesError))
        assert lost.reason is Reason.SEAT_TAKEN
        seats = (await ann.get_table(code)).seats
        winner = bob if got[0] is EAST else cid
        occupant = seats[EAST].occupant
        assert occupant is not None
        assert occupant.name == ("Bob" if winner is bob else "Cid")
        await winner.leave(code)


async def test_s21_a_change_of_seat_against_the_start_never_loses_the_start(
    join: Join, server: SpadesServer
) -> None:
    ann, bob = await join("Ann"), await join("Bob")

    async def fill_and_start(code: str) -> None:
        with contextlib.suppress(SpadesError):
            await ann.add_bot(code, "random")
        await ann.start(code)

    for number in range(20):
        code = (await ann.create_table(seats=(SOUTH,), bots=((WEST, "random"),))).code
        await bob.sit(code, NORTH)
        # East is free until a bot sits down there, and the match starts in the same moment.
        race = [bob.sit(code, EAST), fill_and_start(code)]
        results = await asyncio.gather(*race[:: -1 if number % 2 else 1], return_exceptions=True)
        refusals = [one for one in results if isinstance(one, Exception)]
        table = at(server, code)
        assert table.state.stage is TableStage.PLAYING
        seat = EAST if not refusals else NORTH
        assert [one for one in Seat if table.state.name_of(one) == "Bob"] == [seat]
        assert table.match is not None
        assert all(status.occupant for status in table.state.seats)
        for one in refusals:
            assert isinstance(one, SpadesError)
            assert one.reason in (Reason.SEAT_TAKEN, Reason.ALREADY_SEATED)


async def test_s21_two_calls_for_the_next_hand_deal_one(join: Join, server: SpadesServer) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    made = await ann.create_table(
        "target=10000,floor=none,next_hand_wait=3600",
        seats=(SOUTH, WEST),
        many_seats=True,
    )
    code = made.code
    await bob.sit(code, NORTH)
    await bob.sit(code, EAST)
    feeds = [
        client.tables().Watch(
            tables_pb2.WatchRequest(table=code, seat=wire.SEAT.to_wire(seat)),
            metadata=client.metadata,
        )
        for client, seat in zip((ann, ann, bob, bob), Seat, strict=True)
    ]
    for feed in feeds:
        await feed.read()
    await ann.start(code)
    table = at(server, code)
    match = table.match
    assert match is not None
    while match.phase is not Phase.HAND_OVER:
        assert match.turn is not None
        client = ann if match.turn in (SOUTH, WEST) else bob
        seen = view(match, match.turn)
        await act(
            client, code, table, Play(seen.legal_plays[0]) if seen.legal_plays else MakeBid(Bid(3))
        )

    def asking(client: Server, seat: Seat, times: int) -> list[Awaitable[int]]:
        return [
            client.act(Command(code, NextHand(), seat, f"n{seat}{number}", hand_number=1))
            for number in range(times)
        ]

    calls = [
        call
        for client, seat in zip((ann, ann, bob, bob), Seat, strict=True)
        for call in asking(client, seat, 3)
    ]
    results = await asyncio.gather(*calls, return_exceptions=True)
    refusals = [one.reason for one in results if isinstance(one, SpadesError)]
    assert len(refusals) == 8
    assert set(refusals) <= {Reason.ALREADY_ASKED, Reason.WRONG_PHASE, Reason.WRONG_HAND}
    assert match.hand_number == 2
    for feed in feeds:
        feed.cancel()


# Acting.


async def test_a_repeated_act_is_answered_as_the_first_and_marked(
    join: Join, server: SpadesServer
) -> None:
    ann = await join("Ann")
    code = (
        await ann.create_table(
            seats=(SOUTH,), bots=[(seat, "random") for seat in (WEST, NORTH, EAST)], start=True
        )
    ).code
    decision = at(server, code).decision_id
    command = wire.command_to_wire(Command(code, MakeBid(Bid(4)), None, "once", decision))
    request = tables_pb2.ActRequest(command=command)
    first, *others = [await ann.tables().Act(request, metadata=ann.metadata) for _ in range(3)]
    assert first.seq > decision
    assert not first.replayed
    assert all((one.seq, one.replayed) == (first.seq, True) for one in others)
    request.command.action.bid.tricks = 5
    refused = await refusal(ann.tables().Act(request, metadata=ann.metadata))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT,
        "REQUEST_ID_REUSED",
    )


async def test_a_courtesy_during_a_hand_is_refused(join: Join) -> None:
    ann = await join("Ann")
    code = (
        await ann.create_table(
            seats=(SOUTH,), bots=[(seat, "random") for seat in (WEST, NORTH, EAST)], start=True
        )
    ).code
    with pytest.raises(SpadesError) as caught:
        await ann.act(Command(code, Courtesy.SORRY, SOUTH, "x"))
    assert caught.value.reason is Reason.TABLE_STATE


# Records.


async def test_records_are_listed_newest_first_and_every_one_verifies(
    join: Join, server: SpadesServer
) -> None:
    results = await play(
        "beginner", f"127.0.0.1:{server.port}", rules="max_hands=1", matches=3, report=print
    )
    ann = await join("Ann")
    names: list[str] = []
    token = ""
    while True:
        request = records_pb2.ListRecordsRequest(page_size=2, page_token=token)
        page = await records(ann).ListRecords(request, metadata=ann.metadata)
        for one in page.records:
            names.append(one.match)
            verified = verify(await ann.record(one.match))
            assert verified.circumstances.match == one.match
            assert verified.circumstances.table == one.table
            assert verified.match.outcome is not None
            assert one.outcome == wire.outcome_to_wire(verified.match.outcome)
            assert one.ended_us == verified.circumstances.ended_us > 0
        token = page.next_page_token
        if not token:
            break
    assert names == [result.record for result in reversed(results)]


async def test_a_record_that_was_changed_does_not_verify(join: Join, server: SpadesServer) -> None:
    (result,) = await play(
        "beginner", f"127.0.0.1:{server.port}", rules="max_hands=1", report=print
    )
    ann = await join("Ann")
    line = await ann.record(result.record)
    assert verify(line).match.outcome == result.outcome
    at_card = line.index('"play":"CARD_') + len('"play":"CARD_')
    other = "3" if line[at_card] != "3" else "4"
    with pytest.raises(RecordError):
        verify(line[:at_card] + other + line[at_card + 1 :])


# What every gRPC server has.


async def test_health_says_that_everything_serves(server: SpadesServer, join: Join) -> None:
    ann = await join("Ann")
    stub: Any = health_pb2_grpc.HealthStub(ann.channel)
    names = ("Agents", "Lobby", "Players", "Records", "Tables")
    for service in ("", *(f"spades.v1.{name}" for name in names)):
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_stock_client_finds_the_services_by_reflection_and_calls_one(join: Join) -> None:
    ann = await join("Ann")
    stub: Any = reflection_pb2_grpc.ServerReflectionStub(cast("grpc.Channel", ann.channel))
    call = stub.ServerReflectionInfo()
    await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
    listed = await call.read()
    services = {one.name for one in listed.list_services_response.service}
    mine = {f"spades.v1.{name}" for name in ("Agents", "Lobby", "Players", "Records", "Tables")}
    assert mine | {"grpc.health.v1.Health"} <= services
    # The files come with all they import, so that a client that knows nothing can build the messages.
    pool = descriptor_pool.DescriptorPool()
    wanted = "spades.v1.Players"
    await call.write(reflection_pb2.ServerReflectionRequest(file_containing_symbol=wanted))
    answer = await call.read()
    files = {
        file.name: file
        for file in map(
            descriptor_pb2.FileDescriptorProto.FromString,
            answer.file_descriptor_response.file_descriptor_proto,
        )
    }

    def add(name: str) -> None:
        for needed in files[name].dependency:
            if needed in files:
                add(needed)
        if name in files:
            pool.Add(files.pop(name))

    while files:
        add(next(iter(files)))
    call.cancel()
    method = pool.FindMethodByName("spades.v1.Players.GetMe")
    request = message_factory.GetMessageClass(method.input_type)()
    response = message_factory.GetMessageClass(method.output_type)
    dynamic: Any = ann.channel.unary_unary(
        "/spades.v1.Players/GetMe",
        request_serializer=Message.SerializeToString,
        response_deserializer=response.FromString,
    )
    got = await dynamic(request, metadata=(("authorization", f"bearer {ann.token}"),))
    assert got.name == "Ann"
