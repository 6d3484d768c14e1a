"""The house bots of a running table: they think elsewhere, and no answer of theirs stops the table."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import ParamSpec, TypeVar

import pytest

from spades import Bid, Card, MakeBid, Phase, Play, Seat, SeatView, parse_seed
from spades_agents import HOUSE_BOTS, Agent
from spades_proto.frames import Command
from spades_proto.table import OccupantKind
from spades_server.commands import AddBot, Deed, Leave, Player, Presence, Sit, Start
from spades_server.counters import Counters
from spades_server.host import TableHost
from spades_server.journal import MemoryJournal
from spades_server.table import Table

OpenTable = Callable[..., Table]
P = ParamSpec("P")
T = TypeVar("T")

SOUTH, WEST, NORTH, EAST = Seat
ANN, BOB = Player("ann", "Ann"), Player("bob", "Bob")


class Patient(Executor):
    """Computes nothing until it is told to."""

    def __init__(self) -> None:
        self.asked: list[Callable[[], None]] = []

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()

        def compute() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(fn(*args, **kwargs))
                except Exception as error:  # noqa: BLE001  # as an executor does
                    future.set_exception(error)

        self.asked.append(compute)
        return future

    async def compute(self) -> None:
        """Answers what was asked first, and lets the table hear of it."""
        self.asked.pop(0)()
        await settled()


async def settled() -> None:
    """Lets everything run that is ready to."""
    for _ in range(5):
        await asyncio.sleep(0)


class Now:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.us = 0

    def __call__(self) -> int:
        return self.us


def host_of(table: Table, executor: Executor, now: Now) -> TableHost:
    def closed(host: TableHost) -> None:
        host.close()

    return TableHost(table, MemoryJournal(), now, executor, closed, Counters())


def with_two_agents(host: TableHost) -> None:
    """Ann at South and Bob at North, two random bots between them, and the match begun."""
    for player, seat in ((ANN, SOUTH), (BOB, NORTH)):
        host.submit(Sit(player, OccupantKind.AGENT, seat))
        host.submit(Presence(seat, listening=True))
    host.submit(AddBot(ANN, "random"))
    host.submit(Start(ANN, parse_seed("host")))


async def test_a_stand_in_that_came_too_late_is_asked_again_when_it_is_needed_again(
    open_table: OpenTable,
) -> None:
    table = open_table()
    executor = Patient()
    host = host_of(table, executor, Now())
    with_two_agents(host)
    decision = table.decision_id
    host.submit(Leave(ANN))
    assert len(executor.asked) == 1
    # Ann is back before the bot has answered, and leaves again with the same decision open.
    host.submit(Presence(SOUTH, listening=True))
    await executor.compute()
    assert table.decision_id == decision
    host.submit(Leave(ANN))
    await executor.compute()
    assert table.decision_id > decision
    host.close()


async def test_a_stand_in_whose_seat_is_given_back_and_left_again_answers_once(
    open_table: OpenTable,
) -> None:
    table = open_table()
    executor = Patient()
    host = host_of(table, executor, Now())
    with_two_agents(host)
    host.submit(Leave(ANN))
    host.submit(Presence(SOUTH, listening=True))
    host.submit(Leave(ANN))
    while executor.asked and table.match is not None and table.match.turn is SOUTH:
        await executor.compute()
    assert table.match is not None
    assert table.match.turn is WEST
    assert len(table.match.log) == 3
    host.close()


class Broken(Agent):
    """A house bot that has gone wrong."""

    name = "broken"

    def bid(self, view: SeatView) -> Bid:
        raise RuntimeError("no idea")

    def play(self, view: SeatView) -> Card:
        raise RuntimeError("no idea")


class Cheat(Agent):
    """A house bot that answers what is not legal."""

    name = "cheat"

    def bid(self, view: SeatView) -> Bid:
        return Bid(99)

    def play(self, view: SeatView) -> Card:
        return next(card for card in view.rules.deck if card not in view.hand)


@pytest.mark.parametrize("bot", [Broken, Cheat])
async def test_b24_a_house_bot_that_fails_never_freezes_the_table(
    open_table: OpenTable, monkeypatch: pytest.MonkeyPatch, bot: type[Agent]
) -> None:
    monkeypatch.setitem(HOUSE_BOTS, "random", bot)
    table = open_table("max_hands=1")
    executor = Patient()
    host = host_of(table, executor, Now())
    with_two_agents(host)
    host.submit(Leave(ANN))
    host.submit(Leave(BOB))
    # Bob is the last: nobody stands in for him, so he comes back to play himself.
    host.submit(Presence(NORTH, listening=True))
    match = table.match
    assert match is not None
    for number in range(60):
        await settled()
        while executor.asked:
            await executor.compute()
        if match.phase is Phase.MATCH_OVER:
            break
        assert match.turn is NORTH, f"the table is frozen at {match.turn}"
        view = table.bot_view(NORTH)
        action = Play(view.legal_plays[0]) if view.legal_plays else MakeBid(Bid(3))
        command = Command("TABLE", action, NORTH, str(number), table.decision_id)
        await host.perform(Deed(BOB, command))
    assert match.phase is Phase.MATCH_OVER
    host.close()


async def test_house_bots_think_in_the_executor_and_the_table_goes_on_meanwhile(
    open_table: OpenTable,
) -> None:
    table = open_table()
    executor = Patient()
    host = host_of(table, executor, Now())
    with_two_agents(host)
    bid = Command("TABLE", MakeBid(Bid(3)), SOUTH, "x", table.decision_id)
    await host.perform(Deed(ANN, bid))
    assert len(executor.asked) == 1
    seq = table.seq
    host.submit(Presence(NORTH, listening=False))
    assert table.seq == seq + 1
    await executor.compute()
    assert table.match is not None
    assert table.match.state.bids[WEST] is not None
    host.close()
