"""A lobby under anything that clients may ask, in any order, while time jumps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from random import Random
from typing import Any, ParamSpec, TypeVar
from unittest import mock

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from spades import MakeBid, Reason, Seat, SpadesError, Surrender, parse_rules
from spades_proto.frames import Command, Goodbye, GoodbyeReason
from spades_proto.table import OccupantKind, TableStage
from spades_server.commands import Deed, Leave, Player, RemoveBot
from spades_server.config import ServerConfig
from spades_server.host import TableHost
from spades_server.journal import Batch, Done, MemoryJournal
from spades_server.lobby import Lobby
from spades_server.table import Table
from spades_server.table_log import SECOND

P = ParamSpec("P")
R = TypeVar("R")

PLAYERS = tuple(Player(name.lower(), name) for name in ("Ann", "Bob", "Cid", "Dee", "Eve"))
MOST_TABLES = 4
GRACE_S, ABANDONED_S = 60, 600

players = st.sampled_from(PLAYERS)
seats = st.sampled_from(Seat)


class Inline(Executor):
    """Does at once what it is given."""

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        future: Future[R] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Ledger(MemoryJournal):
    """A journal that notes which tables it was told to forget."""

    def __init__(self) -> None:
        super().__init__()
        self.known: set[str] = set()

    def commit(self, batch: Batch, done: Done) -> None:
        if batch.opening is not None and batch.command is None:
            assert batch.table not in self.known, "a code is one table"
            self.known.add(batch.table)
        super().commit(batch, done)

    def forget(self, table: str) -> None:
        super().forget(table)
        self.known.discard(table)


class Ear:
    """A feed that only listens."""

    def __init__(self) -> None:
        self.goodbye: Goodbye | None = None

    def push(self, chunk: bytes, frames: int, *, flush: bool) -> None:
        assert self.goodbye is None, "nothing comes after a goodbye"

    def end(self, goodbye: Goodbye, chunk: bytes) -> None:
        self.goodbye = goodbye


class Chance:
    """In place of what nobody can foresee."""

    def __init__(self) -> None:
        dice = Random(7)
        self.choice = dice.choice
        self.token_bytes = dice.randbytes


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is the machine's."""

    now_us = 0

    def time(self) -> float:
        return self.now_us / SECOND


class LobbyMachine(RuleBasedStateMachine):
    """Five players in a lobby of at most four tables."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = VirtualLoop()
        self.ledger = Ledger()
        self.ears: dict[tuple[str, Seat], Ear] = {}
        self.gone: list[TableHost] = []
        self.sent = 0
        # What is drawn must follow from Hypothesis alone: codes and seeds are the same in every run.
        self._chance = mock.patch("spades_server.lobby.secrets", Chance())
        self._chance.start()

    @initialize()
    def open(self) -> None:
        config = ServerConfig(
            tempo_ms=0, max_tables=MOST_TABLES, grace_s=GRACE_S, abandoned_s=ABANDONED_S
        )
        self.lobby = Lobby(config, self.ledger, lambda: self.loop.now_us, Inline())

    def teardown(self) -> None:
        for host in self.lobby:
            host.close()
        self.turn_over()
        self.loop.close()
        self._chance.stop()

    # How things are done: on the loop, with everything that follows from them.

    def do(self, doing: Callable[[], R]) -> R | SpadesError:
        """Asks for something; a refusal must have changed nothing."""

        async def asked() -> R | SpadesError:
            before = self.everything()
            try:
                return doing()
            except SpadesError as refusal:
                assert self.everything() == before
                return refusal

        hosts = list(self.lobby)
        # What is due by now is done first, so that it is not taken for the doing's.
        self.turn_over()
        result = self.loop.run_until_complete(asked())
        self.turn_over()
        self.gone += [host for host in hosts if host not in list(self.lobby)]
        return result

    def turn_over(self) -> None:
        """Lets the loop do what is due now: bots that think, timers that end."""

        async def turns() -> None:
            for _ in range(8):
                await asyncio.sleep(0)

        self.loop.run_until_complete(turns())

    def everything(self) -> tuple[object, ...]:
        return (
            tuple(sorted(host.table.config.code for host in self.lobby)),
            *(
                (host.table.seq, host.table.state.stage, tuple(host.table.owners), host.table.host)
                for host in self.lobby
            ),
        )

    def some_host(self, data: st.DataObject) -> TableHost:
        codes = sorted(host.table.config.code for host in self.lobby)
        number = data.draw(st.integers(0, len(codes) - 1))
        # A code may be typed in either case.
        return self.lobby.find(codes[number].lower() if number % 2 else codes[number])

    def command(self, host: TableHost, action: Any, seat: Seat) -> Command:
        self.sent += 1
        table = host.table
        hand = table.match.hand_number if table.match else 0
        decides = isinstance(action, MakeBid)
        decision = table.decision_id if decides else 0
        name = f"request {self.sent}"
        return Command(
            table.config.code, action, seat, name, decision, table.epoch, 0 if decides else hand
        )

    # What is asked for.

    @rule(player=players, many=st.booleans(), rules=st.sampled_from(["", "quick,max_hands=1"]))
    def create(self, player: Player, rules: str, *, many: bool) -> None:
        full = len(self.lobby) >= MOST_TABLES
        made = self.do(lambda: self.lobby.create(player, parse_rules(rules), many_seats=many))
        assert isinstance(made, TableHost) is not full
        if isinstance(made, TableHost):
            assert self.lobby.find(made.table.config.code) is made
        else:
            assert made.reason is Reason.TOO_MANY

    @rule(player=players)
    def create_with_a_seed(self, player: Player) -> None:
        refused = self.do(lambda: self.lobby.create(player, parse_rules(""), seed="1"))
        assert isinstance(refused, SpadesError)

    @rule(code=st.sampled_from(["", "NOPE", "ABCDE" * 100]))
    def find_what_is_not_there(self, code: str) -> None:
        refused = self.do(lambda: self.lobby.find(code))
        assert isinstance(refused, SpadesError)
        assert refused.reason is Reason.TABLE_NOT_FOUND
        assert len(refused.sentence) < 100

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(data=st.data(), player=players, seat=st.none() | seats, listens=st.booleans())
    def sit(self, data: st.DataObject, player: Player, seat: Seat | None, *, listens: bool) -> None:
        """Sits down, or changes the seat, and perhaps listens."""
        host = self.some_host(data)
        table = host.table
        owner = None if seat is None else table.owners[seat]
        running = table.state.stage is TableStage.PLAYING
        taken = self.do(lambda: self.lobby.sit(host, player, seat, OccupantKind.PERSON))
        if isinstance(taken, SpadesError):
            return
        assert table.owners[taken] == player.id
        if seat is not None:
            assert taken is seat
            assert owner in (None, player.id)
        if running:
            assert owner == player.id or seat is None
        if listens and table.state.stage is not TableStage.CLOSED:
            self.listen(host, taken)

    def listen(self, host: TableHost, seat: Seat) -> None:
        ear = self.ears[host.table.config.code, seat] = Ear()
        owner = host.table.owners[seat]
        assert owner is not None
        self.do(lambda: host.attach(owner, seat, ear, 0, 0))
        assert not host.table.state.seats[seat].away
        assert not host.table.state.seats[seat].stand_in

    @precondition(lambda self: self.ears)
    @rule(data=st.data())
    def hang_up(self, data: st.DataObject) -> None:
        code, seat = data.draw(st.sampled_from(sorted(self.ears)))
        ear = self.ears.pop((code, seat))
        for host in self.lobby:
            if host.table.config.code == code:
                mine = host.feeds.seats[seat] is ear
                self.do(lambda one=host: one.detach(seat, ear))  # type: ignore[misc]
                assert not mine or host.feeds.seats[seat] is None

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(data=st.data(), player=players)
    def leave(self, data: st.DataObject, player: Player) -> None:
        host = self.some_host(data)
        held = player.id in host.table.owners
        answer = self.do(lambda: host.submit(Leave(player)))
        assert isinstance(answer, SpadesError) is not held

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(
        data=st.data(),
        player=players,
        seat=st.none() | seats,
        bot=st.sampled_from(["random", "no such bot"]),
    )
    def add_bot(self, data: st.DataObject, player: Player, bot: str, seat: Seat | None) -> None:
        host = self.some_host(data)
        answer = self.do(lambda: self.lobby.add_bot(host, player, bot, seat))
        if bot != "random":
            assert isinstance(answer, SpadesError)
            assert answer.reason is Reason.UNKNOWN_BOT
        elif player != host.table.host:
            assert isinstance(answer, SpadesError)

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(data=st.data(), player=players, seat=seats)
    def remove_bot(self, data: st.DataObject, player: Player, seat: Seat) -> None:
        host = self.some_host(data)
        self.do(lambda: host.submit(RemoveBot(player, seat)))

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(data=st.data(), player=players, fill=st.booleans())
    def start(self, data: st.DataObject, player: Player, *, fill: bool) -> None:
        """Starts; a match has four seats or there is none."""
        host = self.some_host(data)
        table = host.table
        if fill:
            player = table.host
            self.do(lambda: self.lobby.add_bot(host, player, "random", None))
        may: list[bool] = []

        def starts() -> None:
            # Bots that play among themselves may end a match in any turn of the loop.
            idle = table.state.stage in (TableStage.OPEN, TableStage.FINISHED)
            full = all(status.occupant for status in table.state.seats)
            may.append(idle and full and player == table.host)
            number = table.match_number
            self.lobby.start(host, player)
            assert table.match_number == number + 1

        answer = self.do(starts)
        assert may == [answer is None]

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        """The person who is to act does; the bots follow by themselves."""
        host = self.some_host(data)
        table = host.table
        match = table.match
        if match is None or (seat := match.turn) is None or table.bot_task() is not None:
            return
        if table.state.stage is not TableStage.PLAYING:
            return
        player = next(one for one in PLAYERS if one.id == table.owners[seat])
        legal = match.legal(seat)
        action = data.draw(st.sampled_from(legal[:5]))
        self.sent += 1
        name = f"request {self.sent}"
        command = Command(table.config.code, action, seat, name, table.decision_id, table.epoch)
        decision = table.decision_id
        self.do(lambda: host.submit(Deed(player, command)))
        assert table.decision_id != decision

    @precondition(lambda self: len(self.lobby) > 0)
    @rule(data=st.data(), seat=seats)
    def surrender(self, data: st.DataObject, seat: Seat) -> None:
        host = self.some_host(data)
        owner = next((one for one in PLAYERS if one.id == host.table.owners[seat]), PLAYERS[0])
        command = self.command(host, Surrender(), seat)
        self.do(lambda: host.submit(Deed(owner, command)))

    @rule(seconds=st.sampled_from([0, 1, 31, GRACE_S + 1, ABANDONED_S + 1]))
    def wait(self, seconds: int) -> None:
        """Time passes, and every timer that has ended by then rings."""
        hosts = list(self.lobby)
        self.loop.now_us += seconds * SECOND
        self.turn_over()
        self.gone += [host for host in hosts if host not in list(self.lobby)]

    # What holds.

    @invariant()
    def a_seat_has_one_owner_and_is_shown_as_theirs(self) -> None:
        for host in self.lobby:
            table = host.table
            for seat in Seat:
                occupant, owner = table.state.seats[seat].occupant, table.owners[seat]
                if owner is None:
                    assert occupant is None or occupant.kind is OccupantKind.HOUSE_BOT
                else:
                    assert occupant is not None
                    assert occupant.name.lower() == owner
            held = [owner for owner in table.owners if owner is not None]
            assert table.config.many_seats or len(held) == len(set(held))

    @invariant()
    def what_the_lobby_says_that_a_player_holds_is_what_the_tables_say(self) -> None:
        for player in PLAYERS:
            said = {(host.table.config.code, seat) for host, seat in self.lobby.seats_held(player)}
            assert said == {
                (host.table.config.code, seat)
                for host in self.lobby
                for seat in Seat
                if host.table.owners[seat] == player.id
            }

    @invariant()
    def a_match_that_runs_has_four_seats(self) -> None:
        for host in self.lobby:
            if host.table.state.stage is TableStage.PLAYING:
                assert all(status.occupant for status in host.table.state.seats)

    @invariant()
    def a_code_is_one_table_in_the_lobby_and_in_the_journal(self) -> None:
        codes = [host.table.config.code for host in self.lobby]
        assert len(codes) == len(set(codes)) <= MOST_TABLES
        assert set(codes) == self.ledger.known

    @invariant()
    def a_table_that_is_closed_is_gone_and_one_that_is_gone_is_closed(self) -> None:
        for host in self.lobby:
            assert host.table.state.stage is not TableStage.CLOSED
        for host in self.gone:
            assert host.table.state.stage is TableStage.CLOSED
            assert host.table.next_deadline() is None
            ears = [one for one in self.ears.items() if one[0][0] == host.table.config.code]
            for _, ear in ears:
                assert ear.goodbye is not None
                assert ear.goodbye.reason in (
                    GoodbyeReason.TABLE_CLOSED,
                    GoodbyeReason.REPLACED,
                )

    @invariant()
    def nobody_waits_for_what_is_overdue(self) -> None:
        for host in self.lobby:
            due = host.table.next_deadline()
            assert due is None or due + SECOND >= self.loop.now_us, self._state(host.table)

    @staticmethod
    def _state(table: Table) -> str:
        return f"{table.now_state}, {table.owners}, {table.state.seats}"


def test_a_lobby_keeps_its_laws_under_any_requests_at_any_time() -> None:
    run_state_machine_as_test(
        LobbyMachine, settings=settings(max_examples=60, stateful_step_count=40, deadline=None)
    )
