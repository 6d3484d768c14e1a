"""The examples for bot authors: each plays whole matches, the one over gRPC on a server with TLS."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest

from spades import Seat
from spades_agents import Server, Trust, play_local
from spades_proto.link import Link
from spades_proto.table import OccupantKind, TableStage
from spades_proto.verification import verify
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig
from tests.examples.grpc_bot import BLIND, BOTS, ENDING, Bot, line_of, node, said_by
from tests.faults.proxy import Proxy


@pytest.mark.parametrize("rules", [BLIND, "nyc,max_hands=2,min_team_bid=4"])
@pytest.mark.parametrize("name", ["careful.py", "lines.py", "lines.mjs"])
def test_a_bot_of_the_examples_plays_legal_matches(name: str, rules: str) -> None:
    path = BOTS / name
    spec = {
        "careful.py": str(path),
        "lines.py": f"cmd:'{sys.executable}' -I '{path}'",
        "lines.mjs": f"cmd:'{node() if name.endswith('mjs') else ''}' '{path}'",
    }[name]
    played = play_local([spec, "gentle", spec, "gentle"], rules, seed=name)
    assert played.agents[0].name in (path.stem, path.name)
    assert verify(played.record()).match.outcome == played.outcome


def test_the_two_bots_of_lines_play_the_same_game() -> None:
    python = f"cmd:'{sys.executable}' -I '{BOTS / 'lines.py'}'"
    script = f"cmd:'{node()}' '{BOTS / 'lines.mjs'}'"
    games = [play_local([spec, "gentle"] * 2, BLIND, seed="1").match for spec in (python, script)]
    assert games[0].log == games[1].log


def test_the_bots_of_lines_need_nothing_that_must_be_installed() -> None:
    assert "import spades" not in (BOTS / "lines.py").read_text(encoding="utf-8")
    for name in ("lines.mjs", "player.mjs"):
        imports = [
            line for line in (BOTS / name).read_text(encoding="utf-8").splitlines()
            if line.startswith("import ")
        ]  # fmt: skip
        assert all('"node:' in line or '"./' in line for line in imports)


# Over gRPC.


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    async with running(ServerConfig(port=0, secure=True, tempo_ms=0)) as it:
        yield it


async def test_the_grpc_bot_opens_a_table_and_plays_a_match(server: SpadesServer, bot: Bot) -> None:
    status, said, complained = await said_by(await bot(server.links[0], "jay"))
    assert (status, complained) == (0, "")
    sits, ends = said.splitlines(keepends=True)
    assert sits.startswith("jay sits at table ")
    assert ENDING.fullmatch(ends)


async def test_the_grpc_bot_sits_down_at_a_table_and_plays_against_an_agent(
    server: SpadesServer, bot: Bot
) -> None:
    async with Server(str(server.links[0]), trust=Trust()) as host:
        await host.register("host")
        table = await host.create_table(
            BLIND, bots=[(Seat.WEST, "gentle"), (Seat.NORTH, "gentle"), (Seat.EAST, "random")]
        )
        process = await bot(server.links[0].to_table(table.code), "jay")
        assert await line_of(process) == f"jay sits at table {table.code}.\n"
        (occupant,) = [
            one.occupant
            for one in (await host.get_table(table.code)).seats
            if one.occupant is not None and one.occupant.name == "jay"
        ]
        assert occupant.kind is OccupantKind.AGENT
        await host.start(table.code)
        status, said, complained = await said_by(process)
        assert (status, complained) == (0, "")
        assert ENDING.fullmatch(said)
        assert (await host.get_table(table.code)).stage is TableStage.FINISHED


@pytest.fixture
async def proxy(server: SpadesServer) -> AsyncIterator[Proxy]:
    """Ended whatever the test comes to, one that is skipped too."""
    it = Proxy(server.port)
    await it.start()
    yield it
    await it.stop()


async def test_the_grpc_bot_survives_a_line_that_breaks(
    server: SpadesServer, proxy: Proxy, bot: Bot
) -> None:
    link = Link(proxy.target, fingerprint=server.fingerprint)
    process = await bot(link, "jay")
    assert (await line_of(process)).startswith("jay sits")
    assert proxy.opened == 2, "to see the certificate, and to play"
    proxy.cut()
    status, said, complained = await said_by(process)
    assert (status, complained) == (0, "")
    assert proxy.opened > 2
    assert ENDING.fullmatch(said)


async def test_the_grpc_bot_stays_and_plays_where_its_player_is_seated(
    server: SpadesServer, bot: Bot
) -> None:
    async with Server(str(server.links[0]), trust=Trust()) as player:
        await player.register("jay")
        process = await bot(server.links[0], "jay", "--stay", token=player.token)
        assert await line_of(process) == "jay waits for seats.\n"
        bots = [(seat, "gentle") for seat in Seat.WEST.clockwise()[:3]]
        for _ in range(2):
            await player.create_table(
                BLIND, seats=[Seat.SOUTH], bots=bots, start=True, kind=OccupantKind.AGENT
            )
        for _ in range(2):
            assert ENDING.fullmatch(await line_of(process))
        assert process.returncode is None
        process.terminate()
        assert (await said_by(process))[1:] == ("", "")


async def test_the_grpc_bot_trusts_no_other_certificate(server: SpadesServer, bot: Bot) -> None:
    wrong = Link(server.links[0].target, fingerprint="x" * 43)
    status, said, complained = await said_by(await bot(wrong))
    assert status == 1
    assert said == ""
    assert "is not the one that the link is for. Nothing was sent." in complained


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("192.0.2.1:7450", "is no link"),
        ("spades://192.0.2.1:7450", "reached by the whole link"),
    ],
)
async def test_the_grpc_bot_says_what_is_wrong_with_a_link(
    words: str, sentence: str, bot: Bot
) -> None:
    status, _, complained = await said_by(await bot(words))
    assert status == 1
    assert sentence in complained


def test_the_lock_of_the_grpc_bot_names_no_host_of_a_registry() -> None:
    assert "resolved" not in (BOTS / "grpc" / "package-lock.json").read_text(encoding="utf-8")
