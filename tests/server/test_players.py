"""Profiles, histories, new tokens and the end of a player, at a running server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import cast

import grpc
import pytest
from grpc import aio

from spades import Bid, Card, Reason, Seat, SeatView, SpadesError, Surrender
from spades_agents import Agent, Server, play
from spades_proto import wire
from spades_proto.frames import Command, GoodbyeReason
from spades_proto.profile import AchievementKind, MatchResult, NotCounted, PlayedMatch
from spades_proto.table import Occupant, OccupantKind
from spades_proto.v1 import agents_pb2, frame_pb2, players_pb2, players_pb2_grpc, tables_pb2
from spades_proto.verification import verify
from spades_proto.version import PROTOCOL
from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.services import agents
from spades_server.services.calls import Context

Join = Callable[[str], Awaitable[Server]]

PATIENCE = 60.0
SOUTH, WEST, NORTH, EAST = Seat
RANDOM = ("random", "random", "random")


@pytest.fixture(params=["memory", "database"])
async def server(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SpadesServer]:
    """A server of either kind: what is told of a player must not depend on it."""
    data = tmp_path / "data" if request.param == "database" else None
    now = iter(range(1_000, 2**60, 1_000))
    it = SpadesServer(
        ServerConfig(port=0, allow_seeds=True, tempo_ms=0, data=data), clock=lambda: next(now)
    )
    await it.start()
    yield it
    await it.stop()


async def play_match(
    player: Server, rules: str = "max_hands=1", *, seed: str = "", matches: int = 1
) -> list[str]:
    """Has a random bot play matches for a player, and gives the names of their records."""
    results = await play(
        "random", player.target, token=player.token, rules=rules, against=RANDOM, seed=seed,
        matches=matches, report=lambda _: None,
    )  # fmt: skip
    return [one.record for one in results]


async def table_of_both(ann: Server, bob: Server, rules: str = "", seat: Seat = WEST) -> str:
    """A table with two agents and two random bots, to be started by the first of them; gives its code."""
    table = await ann.create_table(rules, seats=(SOUTH,), kind=OccupantKind.AGENT)
    await bob.sit(table.code, seat, OccupantKind.AGENT)
    await ann.add_bot(table.code, "random")
    return table.code


async def give_up(player: Server, code: str) -> None:
    """Surrenders the match that is running at a table; a house bot partner agrees."""
    me = await player.me()
    seat = dict(me[1])[code]
    await player.act(Command(code, Surrender(), seat, "give up", hand_number=1))


async def refused(call: Awaitable[object]) -> SpadesError:
    with pytest.raises(SpadesError) as caught:
        await call
    return caught.value


# Profiles


async def test_a_new_player_has_an_empty_profile_that_everybody_may_see(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    profile = await ann.profile()
    assert (profile.name, profile.results.matches) == ("Ann", 0)
    assert profile.since_us > 0
    assert [one.kind for one in profile.achievements] == list(AchievementKind)
    assert not any(one.reached for one in profile.achievements)
    assert await bob.profile("ann") == profile
    assert (await ann.profile("BOB")).since_us > profile.since_us


async def test_a_profile_of_nobody_is_refused_by_name(join: Join) -> None:
    error = await refused((await join("Ann")).profile("Nobody"))
    assert error.reason is Reason.PLAYER_NOT_FOUND
    assert error.sentence == "There is no player 'Nobody' here."


async def test_a_match_counts_when_it_has_ended(server: SpadesServer, join: Join) -> None:
    ann = await join("Ann")
    (name,) = await play_match(ann, "target=10000,floor=none,max_hands=2")
    verified = verify(await ann.record(name))
    match = verified.match
    results = (await ann.profile()).results
    assert (results.matches, results.hands) == (1, 2)
    assert results.won + results.drawn + results.lost == 1
    scores = [scored.scores[SOUTH.side] for scored in match.sheet]
    assert results.bags == sum(score.bags for score in scores)
    assert results.nils_bid == sum(scored.bids[SOUTH].is_nil for scored in match.sheet)
    await play_match(ann, matches=2)
    assert (await ann.profile()).results.matches == 3


async def test_a_chosen_seed_counts_for_nothing_and_is_in_the_history(join: Join) -> None:
    ann = await join("Ann")
    await play_match(ann, seed="7")
    assert (await ann.profile()).results.matches == 0
    (one,) = await ann.matches()
    assert one.not_counted is NotCounted.SEED_CHOSEN


async def test_a_surrender_is_a_loss(join: Join) -> None:
    ann = await join("Ann")
    bots = [(seat, "random") for seat in (WEST, NORTH, EAST)]
    table = await ann.create_table("", seats=(SOUTH,), bots=bots, start=True)
    await give_up(ann, table.code)
    profile = await ann.profile()
    assert (profile.results.matches, profile.results.lost) == (1, 1)
    (one,) = await ann.matches()
    assert (one.result, one.seats) == (MatchResult.LOST, (SOUTH,))


async def test_the_other_side_of_a_surrender_wins_and_comes_no_nearer_to_an_achievement(
    join: Join,
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    code = await table_of_both(ann, bob, seat=EAST)
    await ann.start(code)
    await give_up(ann, code)
    profile = await bob.profile()
    assert (profile.results.matches, profile.results.won) == (1, 1)
    assert all(one.progress == 0 for one in profile.achievements)
    (one,) = await bob.matches()
    assert one.players == (
        (SOUTH, Occupant(OccupantKind.AGENT, "Ann")),
        (WEST, Occupant(OccupantKind.HOUSE_BOT, "random")),
        (NORTH, Occupant(OccupantKind.HOUSE_BOT, "random")),
        (EAST, Occupant(OccupantKind.AGENT, "Bob")),
    )
    assert one.result is MatchResult.WON


async def test_a_match_that_a_stand_in_finished_is_the_owners(
    server: SpadesServer, join: Join
) -> None:
    """Bob leaves and a house bot plays on for him; the match is in his results all the same."""
    ann, bob = await join("Ann"), await join("Bob")
    code = await table_of_both(ann, bob, "max_hands=1")
    await ann.start(code)
    await bob.leave(code)
    assert server.lobby.find(code).table.state.seats[WEST].stand_in
    await play("random", ann.target, token=ann.token, table=code, report=lambda _: None)
    assert (await bob.profile()).results.matches == 1
    assert [one.seats for one in await bob.matches()] == [(WEST,)]


# Histories


async def test_a_history_is_the_players_own_newest_first_in_pages(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    names = await play_match(ann, matches=5)
    assert [one.match for one in await ann.matches()] == names[::-1]
    assert [one.match for one in await ann.matches(2)] == names[:2:-1]
    assert await bob.matches() == ()


async def test_pages_follow_each_other_without_a_gap(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spades_agents.server.MATCHES_AT_ONCE", 2)
    ann = await join("Ann")
    names = await play_match(ann, matches=5)
    assert [one.match for one in await ann.matches()] == names[::-1]
    assert [one.match for one in await ann.matches(4)] == names[:0:-1]


async def test_a_page_of_a_senseless_size_is_refused(join: Join) -> None:
    ann = await join("Ann")
    stub = players_pb2_grpc.PlayersStub(ann.channel)
    request = players_pb2.ListMatchesRequest(page_size=101)
    with pytest.raises(aio.AioRpcError) as caught:
        await stub.ListMatches(request, metadata=ann.metadata)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "A page has 1 to 100 entries" in (caught.value.details() or "")


async def test_private_matches_are_in_the_players_own_history_and_in_no_list(
    server: SpadesServer, join: Join
) -> None:
    ann = await join("Ann")
    bots = [(seat, "random") for seat in (WEST, NORTH, EAST)]
    table = await ann.create_table("", seats=(SOUTH,), bots=bots, start=True, private=True)
    await give_up(ann, table.code)
    (one,) = await ann.matches()
    assert verify(await ann.record(one.match)).circumstances.table == table.code
    assert server._journal.records() == []  # pyright: ignore[reportPrivateUsage]


async def test_what_a_history_shows_is_what_the_record_says(join: Join) -> None:
    ann = await join("Ann")
    (name,) = await play_match(ann)
    (one,) = await ann.matches()
    verified = verify(await ann.record(name))
    outcome = verified.match.outcome
    assert outcome is not None
    assert one == PlayedMatch(
        name,
        verified.circumstances.ended_us,
        (SOUTH,),
        verified.circumstances.players,
        one.result,
        outcome.totals[SOUTH.side],
        outcome.totals[SOUTH.side.other],
        outcome.reason,
        None,
    )
    assert (one.result is MatchResult.WON) == (outcome.winner is SOUTH.side)


# Tokens


class Watching:
    """A stream of `Tables.Watch`."""

    def __init__(self, client: Server, code: str, seat: Seat | None) -> None:
        request = tables_pb2.WatchRequest(table=code, seat=wire.optional_seat_to_wire(seat))
        self._call = client.tables().Watch(request, metadata=client.metadata)

    async def begin(self) -> None:
        """Waits for the first frame."""
        async with asyncio.timeout(PATIENCE):
            assert await self._call.read() is not aio.EOF

    async def end(self) -> tuple[grpc.StatusCode, frame_pb2.Goodbye | None]:
        """Waits for the end: its status, and the goodbye where gRPC has not dropped it."""
        goodbye = None
        async with asyncio.timeout(PATIENCE):
            try:
                while (response := await self._call.read()) is not aio.EOF:
                    for frame in cast("tables_pb2.WatchResponse", response).frames:
                        goodbye = frame.goodbye if frame.HasField("goodbye") else goodbye
            except aio.AioRpcError as error:
                return error.code(), goodbye
            return await self._call.code(), goodbye


async def end_of_lane(client: Server, opened: asyncio.Event) -> grpc.StatusCode:
    """Opens an agent's stream and waits for its end."""
    call = client.agents().Connect(metadata=client.metadata)
    await call.write(agents_pb2.ConnectRequest(hello=agents_pb2.Hello(protocol=PROTOCOL)))
    async with asyncio.timeout(PATIENCE):
        try:
            while (response := await call.read()) is not aio.EOF:
                if cast("agents_pb2.ConnectResponse", response).HasField("welcome"):
                    opened.set()
        except aio.AioRpcError as error:
            return error.code()
        return await call.code()


async def test_a_new_token_is_the_players_and_the_old_one_nobodys(
    server: SpadesServer, join: Join
) -> None:
    ann = await join("Ann")
    old = ann.token
    new = await ann.replace_token()
    assert new == ann.token != old
    assert (await ann.me())[0] == "Ann"
    async with Server(ann.target, old) as late:
        assert (await refused(late.me())).reason is Reason.TOKEN_INVALID
        assert (await refused(late.replace_token())).reason is Reason.TOKEN_INVALID


async def test_the_streams_of_an_old_token_end_and_others_go_on(
    server: SpadesServer, join: Join
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    table = await ann.create_table("", seats=(SOUTH,))
    own, spectating = Watching(ann, table.code, SOUTH), Watching(ann, table.code, None)
    other = Watching(bob, table.code, None)
    for stream in (own, spectating, other):
        await stream.begin()
    await ann.replace_token()
    for stream in (own, spectating):
        status, goodbye = await stream.end()
        assert status is grpc.StatusCode.ABORTED
        if goodbye is not None:
            assert goodbye.reason == wire.GOODBYE_REASON.to_wire(GoodbyeReason.REPLACED)
            assert not goodbye.HasField("retry_after_ms")
            assert "token was replaced" in goodbye.sentence
    assert len(server.streams) == 1
    again = Watching(ann, table.code, SOUTH)
    await again.begin()
    assert server.lobby.find(table.code).table.owners[SOUTH] is not None


async def test_a_stream_that_says_hello_after_its_token_was_replaced_is_refused(
    join: Join, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = asyncio.Event()
    first = agents._first  # pyright: ignore[reportPrivateUsage]

    async def noted(context: Context) -> agents_pb2.ConnectRequest:
        waiting.set()
        return await first(context)

    monkeypatch.setattr(agents, "_first", noted)
    ann = await join("Ann")
    call = ann.agents().Connect(metadata=ann.metadata)
    await asyncio.wait_for(waiting.wait(), PATIENCE)
    await ann.replace_token()
    await call.write(agents_pb2.ConnectRequest(hello=agents_pb2.Hello(protocol=PROTOCOL)))
    with pytest.raises(aio.AioRpcError) as caught:
        await asyncio.wait_for(call.read(), PATIENCE)
    assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED


class Undecided(Agent):
    """Never answers."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()

    async def bid(self, view: SeatView) -> Bid:
        self.asked.set()
        await asyncio.Event().wait()
        raise AssertionError("nobody wakes it")

    async def play(self, view: SeatView) -> Card:
        raise AssertionError(f"it has not bid: {view.bids}")


async def test_an_agent_does_not_come_back_with_an_old_token(
    server: SpadesServer, join: Join
) -> None:
    ann = await join("Ann")
    agent = Undecided()
    playing = asyncio.create_task(
        play(agent, ann.target, token=ann.token, against=RANDOM, report=lambda _: None)
    )
    await asyncio.wait_for(agent.asked.wait(), PATIENCE)
    await ann.replace_token()
    error = await refused(asyncio.wait_for(playing, PATIENCE))
    assert error.reason is Reason.REPLACED
    assert error.sentence == "The token was replaced; whoever has the new one goes on."


# The end of a player


@pytest.mark.parametrize("said", ["", "ann", "Bob", "Ann "])
async def test_a_wrong_confirmation_deletes_nobody(join: Join, said: str) -> None:
    ann = await join("Ann")
    await join("Bob")
    error = await refused(ann.delete_me(said))
    assert error.sentence == "Nothing was deleted: to delete 'Ann', repeat that name exactly."
    assert (await ann.me())[0] == "Ann"


async def test_a_deleted_player_is_gone_and_the_name_is_free(join: Join) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    await play_match(ann)
    token = ann.token
    await ann.delete_me("Ann")
    assert (await refused(bob.profile("Ann"))).reason is Reason.PLAYER_NOT_FOUND
    async with Server(ann.target, token) as late:
        assert (await refused(late.me())).reason is Reason.TOKEN_INVALID
    other = await join("ANN")
    assert (await other.profile()).results.matches == 0
    assert await other.matches() == ()


async def test_a_deleted_players_name_is_struck_from_records_and_the_game_verifies(
    server: SpadesServer, join: Join
) -> None:
    ann, bob = await join("Ann"), await join("Bob")
    code = await table_of_both(ann, bob, "max_hands=1")
    await asyncio.gather(
        play("random", bob.target, token=bob.token, table=code, report=lambda _: None),
        _start_and_play(ann, code),
    )
    (one,) = await bob.matches()
    before = await bob.record(one.match)
    await ann.delete_me("Ann")
    after = await bob.record(one.match)
    assert "Ann" in before
    assert "Ann" not in after
    was, now = verify(before), verify(after)
    assert now.match.log == was.match.log
    assert dict(now.circumstances.players)[SOUTH] == Occupant(OccupantKind.AGENT, "somebody")
    assert dict(now.circumstances.players)[WEST] == Occupant(OccupantKind.AGENT, "Bob")
    (one,) = await bob.matches()
    assert dict(one.players)[SOUTH].name == "somebody"
    (listed,) = server._journal.records()  # pyright: ignore[reportPrivateUsage]
    assert listed.players == now.circumstances.players


async def _start_and_play(player: Server, code: str) -> None:
    await player.start(code)
    await play("random", player.target, token=player.token, table=code, report=lambda _: None)


async def test_a_running_match_goes_on_without_a_deleted_player(
    server: SpadesServer, join: Join
) -> None:
    """The seat is a house bot's from then on; the record that is written later knows no name."""
    ann, bob = await join("Ann"), await join("Bob")
    code = await table_of_both(ann, bob, "max_hands=1")
    watching = Watching(ann, code, SOUTH)
    await watching.begin()
    await ann.start(code)
    await ann.delete_me("Ann")
    status, _ = await watching.end()
    assert status is grpc.StatusCode.ABORTED
    state = server.lobby.find(code).table.state
    assert state.seats[SOUTH].occupant == Occupant(OccupantKind.HOUSE_BOT, "gentle")
    assert state.opened.host == "Bob"
    await play("random", bob.target, token=bob.token, table=code, report=lambda _: None)
    (one,) = await bob.matches()
    line = await bob.record(one.match)
    assert "Ann" not in line
    assert verify(line).circumstances.players[0][1].kind is OccupantKind.HOUSE_BOT


async def test_the_name_that_stands_for_deleted_players_cannot_be_taken(join: Join) -> None:
    error = await refused(join("Somebody"))
    assert error.reason is Reason.NAME_INVALID
    assert "stands for players who were deleted" in error.sentence


async def delete(player: Server) -> None:
    await player.delete_me("Ann")


@pytest.mark.parametrize("end", [Server.replace_token, delete], ids=["new token", "deleted"])
async def test_the_stream_of_an_agent_ends_with_its_token(
    join: Join, end: Callable[[Server], Awaitable[object]]
) -> None:
    ann = await join("Ann")
    opened = asyncio.Event()
    async with Server(ann.target, ann.token) as agent:
        lane = asyncio.create_task(end_of_lane(agent, opened))
        await asyncio.wait_for(opened.wait(), PATIENCE)
        await end(ann)
        assert await lane is grpc.StatusCode.ABORTED
