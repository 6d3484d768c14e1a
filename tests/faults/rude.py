"""A round among clients that mean no good, while four people play and must notice nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Final

import grpc
from grpc import aio

from spades import CARDS, MakeBid, Play, Reason, Seat, SpadesError
from spades_agents import Server
from spades_proto import wire
from spades_proto.frames import Command
from spades_proto.v1 import (
    agents_pb2,
    lobby_pb2,
    players_pb2,
    records_pb2,
    tables_pb2,
)
from spades_proto.version import PROTOCOL
from tests.faults.party import Party, hands, seated, start
from tests.faults.scene import Figures, Scene, reaches, scene

METHODS: Final = tuple(
    f"/{service.full_name}/{method.name}"
    for module in (agents_pb2, lobby_pb2, players_pb2, records_pb2, tables_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
    # The empty message is a good one there, and would take its own token from a stranger who goes on.
    if method.name != "ReplaceToken"
)
PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
CROWD: Final = 6
"""How many want the same seat at once."""


async def rude_clients(folder: Path, seed: str, *, times: int) -> Figures:
    """Each of the rudenesses so many times, one after the other, while the match goes on."""
    dice = Random(f"{seed} rude")
    figures = Figures("rude clients")
    async with (
        scene(figures, folder) as it,
        seated(it.serving.target, it.history, seed, rules=hands(2 * times)) as party,
        _rude(it, party, dice) as rude,
    ):
        await start(party)
        for _ in range(times):
            for doing in (
                rude.send_bytes,
                rude.send_messages,
                rude.read_nothing,
                rude.use_a_foreign_seat,
                rude.say_everything_again,
                rude.race_for_a_decision,
                rude.race_for_a_seat,
            ):
                await reaches(party, party.seq + dice.randint(0, 2))
                figures.faults += 1
                await doing()
        await party.played_out()
    return figures


@asynccontextmanager
async def _rude(it: Scene, party: Party, dice: Random) -> AsyncGenerator[Rude]:
    async with AsyncExitStack() as stack:
        strangers: list[Server] = []
        for number in range(CROWD):
            stranger = await stack.enter_async_context(Server(it.serving.target))
            await stranger.register(f"stranger {number}")
            strangers.append(stranger)
        yield Rude(it, party, dice, strangers)


class Rude:
    """Strangers with tokens of their own, at a server at which a party plays."""

    def __init__(self, it: Scene, party: Party, dice: Random, strangers: list[Server]) -> None:
        self._it = it
        self._party = party
        self._dice = dice
        self._strangers = strangers
        self._unread: list[object] = []

    async def send_bytes(self) -> None:
        """Opens a connection and sends what is no HTTP/2, or no more of it than the greeting."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._it.serving.port)
        writer.write(self._dice.choice((b"", PREFACE)) + self._dice.randbytes(2_000))
        try:
            await writer.drain()
            await reader.read(100)
        except OSError:
            pass
        writer.transport.abort()

    async def send_messages(self) -> None:
        """Calls every method with bytes that are no message of it, or one that makes no sense."""
        for method in METHODS:
            data = self._dice.randbytes(self._dice.choice((0, 3, 40, 900)))
            stranger = self._stranger
            call: aio.UnaryUnaryMultiCallable[bytes, bytes] = stranger.channel.unary_unary(method)
            sent = call(data, metadata=stranger.metadata, timeout=10)
            await self._must_fail(method, sent, may_succeed=True)

    async def read_nothing(self) -> None:
        """Opens feeds that nobody reads."""
        stranger = self._stranger
        watching = stranger.tables().Watch(
            tables_pb2.WatchRequest(table=self._party.code), metadata=stranger.metadata
        )
        lane = stranger.agents().Connect(metadata=stranger.metadata)
        await lane.write(agents_pb2.ConnectRequest(hello=agents_pb2.Hello(protocol=PROTOCOL)))
        self._unread += (watching, lane)

    async def use_a_foreign_seat(self) -> None:
        """Watches and acts as somebody else: the token decides, whatever the field says."""
        seat = self._dice.choice(tuple(Seat))
        neighbour = self._party.persons[(seat + 1) % 4]
        seen = self._party.persons[seat].session.state
        view = seen.view
        assert view is not None, "the match has begun"
        card = self._dice.choice(view.hand or CARDS)
        decision = seen.decision.id if seen.decision else self._party.seq
        for player in (self._stranger, neighbour.server):
            request = tables_pb2.WatchRequest(
                table=self._party.code, seat=wire.SEAT.to_wire(seat), epoch=1, after=1
            )
            feed = Server.tables(player).Watch(request, metadata=player.metadata)
            await self._must_fail(f"a feed of {seat}", feed.read())
            name = f"foreign {self._dice.random()}"
            deed = Command(self._party.code, Play(card), seat, name, decision)
            await self._must_be_refused(player, deed, Reason.NOT_YOUR_SEAT)

    async def say_everything_again(self) -> None:
        """Sends again what was answered before: the same answer comes, and nothing else."""
        for person in self._party.persons[:4]:
            said = [
                deed
                for deed in self._it.history.deeds.values()
                if deed.player == person.server.name and deed.answers
            ]
            for deed in self._dice.sample(said, min(len(said), 5)):
                request = tables_pb2.ActRequest(command=deed.command)
                await person.server.tables().Act(
                    request, metadata=person.server.metadata, timeout=10
                )

    async def race_for_a_decision(self) -> None:
        """The seat that is to act sends many answers at once: one is done."""
        party = self._party
        party.hold()
        await party.together()
        asked = [one for one in party.persons[:4] if one.session.state.decision is not None]
        for person in asked:
            state = person.session.state
            view, decision = state.view, state.decision
            assert view is not None and decision is not None, "the seat is asked"
            deeds: list[Play | MakeBid] = [Play(card) for card in view.legal_plays]
            deeds += [MakeBid(bid) for bid in view.legal_bids[1:6]]
            commands = [
                Command(
                    party.code, deed, state.seat, f"{decision.id} {n}", decision.id, state.epoch
                )
                for n, deed in enumerate(deeds * 2)
            ]
            answers = await asyncio.gather(
                *(person.server.act(command) for command in commands), return_exceptions=True
            )
            done = [answer for answer in answers if isinstance(answer, int)]
            if len(done) != 1:
                self._complain(f"of {len(commands)} answers to one decision {len(done)} were done")
        party.go_on()

    async def race_for_a_seat(self) -> None:
        """S21: many want one seat at the same moment, and one gets it."""
        seat = self._dice.choice(tuple(Seat))
        code = (await self._stranger.create_table(private=True)).code
        answers = await asyncio.gather(
            *(stranger.sit(code, seat) for stranger in self._strangers), return_exceptions=True
        )
        seated_now = [answer for answer in answers if answer is seat]
        if len(seated_now) != 1:
            self._complain(f"{len(seated_now)} of {CROWD} got the seat {seat}")

    @property
    def _stranger(self) -> Server:
        return self._dice.choice(self._strangers)

    def _complain(self, sentence: str) -> None:
        self._it.figures.complaints.append(sentence)

    async def _must_fail(
        self, what: str, call: Awaitable[object], *, may_succeed: bool = False
    ) -> None:
        try:
            got = await call
        except aio.AioRpcError as error:
            # gRPC itself says UNKNOWN of bytes that are no message, and names the error.
            said = error.details() or ""
            inside = error.code() is grpc.StatusCode.UNKNOWN and "DecodeError" not in said
            if inside or "Traceback" in said:
                self._complain(f"{what} failed inside: {said}")
        else:
            if not may_succeed:
                self._complain(f"{what} was answered: {got}")

    async def _must_be_refused(self, player: Server, command: Command, reason: Reason) -> None:
        try:
            await player.act(command)
        except SpadesError as refusal:
            if refusal.reason is not reason:
                self._complain(f"{command} was refused as {refusal.reason.name}")
        else:
            self._complain(f"{command} was done")
