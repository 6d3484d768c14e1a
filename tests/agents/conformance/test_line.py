"""Lines that misbehave: agents of the SDK play on, and whoever is led astray is found."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from spades import Card, NotationError, Reason, SeatView, SpadesError
from spades_agents import Server, load_agent, play
from spades_agents import reconnection as sdk
from spades_agents.bots import Beginner
from spades_agents.conformance import Finding, Verdict, check, check_networked
from spades_agents.conformance.crooked import Trick, crooked_line
from spades_agents.conformance.networked import GAMES
from spades_agents.feed import Applied, Feed
from spades_proto.v1 import frame_pb2
from spades_proto.verification import verify
from spades_server.app import running
from spades_server.config import ServerConfig

pytestmark = pytest.mark.once

LIMIT_S = 5.0
ROOT = Path(__file__).parents[3]
JAVASCRIPT = ROOT / "examples" / "bots" / "grpc"
LINES = {f"line-{trick.name.lower()}" for trick in Trick}


@pytest.fixture
async def target() -> AsyncIterator[str]:
    async with running(ServerConfig(port=0, tempo_ms=0)) as server:
        yield f"127.0.0.1:{server.port}"


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lost line is tried again at once."""
    monkeypatch.setattr(sdk, "RECONNECT_FIRST", 0.01)


class Async(Beginner):
    """Decides a moment later, so that its answers meet whatever has come meanwhile."""

    async def play(self, view: SeatView) -> Card:  # type: ignore[override]  # both are answers
        for _ in range(20):
            await asyncio.sleep(0)
        return super().play(view)


@pytest.mark.parametrize("trick", Trick)
@pytest.mark.parametrize("kind", [Beginner, Async])
async def test_an_agent_of_the_sdk_plays_on_whatever_the_line_does(
    target: str, trick: Trick, kind: type[Beginner]
) -> None:
    said: list[str] = []
    async with crooked_line(target, trick) as (address, line):
        (result,) = await play(kind, address, rules="max_hands=1", report=said.append)
        assert bool(line.played) is (trick is not Trick.NONE)
        assert line.refusals == []
    assert all("lost; reconnecting" in one for one in said)
    assert bool(said) is (trick is Trick.DROPPED)
    async with Server(target) as reader:
        await reader.register("reader")
        assert verify(await reader.record(result.record)).match.outcome == result.outcome


async def test_a_refusal_of_the_server_behind_is_the_lines_own(target: str) -> None:
    async with crooked_line(target, Trick.NONE) as (address, _), Server(address) as server:
        await server.register("ann")
        with pytest.raises(SpadesError) as caught:
            await server.get_table("NOPE")
        async with Server(target) as straight:
            straight.token = server.token
            with pytest.raises(SpadesError) as behind:
                await straight.get_table("NOPE")
        assert (caught.value.sentence, caught.value.reason) == (
            behind.value.sentence,
            behind.value.reason,
        )


async def findings_of(spec: str, target: str) -> dict[str, Finding]:
    found = check(load_agent(spec), LIMIT_S, target)
    return {finding.clause: finding async for finding in found}


async def test_a_house_bot_passes_on_every_line(target: str) -> None:
    findings = await findings_of("beginner", target)
    assert findings.keys() > LINES
    assert all(finding.verdict is Verdict.PASSED for finding in findings.values())
    assert all(" times" in findings[name].remark for name in LINES - {"line-none"})


async def test_an_sdk_that_went_back_in_time_would_be_found(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was wrong once: an old message that came again was taken for the present."""
    take = Feed.take

    def gullible(self: Feed, message: frame_pb2.Frame) -> Applied:
        if message.HasField("event") and message.seq <= self.seq:
            raise NotationError("I have seen that before.", Reason.INVALID_NOTATION)
        return take(self, message)

    monkeypatch.setattr(Feed, "take", gullible)
    findings = await findings_of("beginner", target)
    failed = {name for name, finding in findings.items() if finding.verdict is Verdict.FAILED}
    assert {"line-repeated", "line-late"} <= failed
    assert "line-none" not in failed


async def test_a_bot_that_answers_wrongly_on_the_line_is_found(target: str) -> None:
    findings = await findings_of("misbehaving:illegal", target)
    assert all(findings[name].verdict is Verdict.FAILED for name in LINES)
    assert "is not in South's hand" in findings["line-none"].remark


# Programs that speak the protocol themselves.

PROGRAM = """
import asyncio, sys
from spades_agents import play
from spades_agents.bots import {bot}
from spades_agents.misbehaving import Illegal, Silent
from spades_proto.link import parse_link

link = parse_link(sys.argv[1])
asyncio.run(play({bot}, link.target, table=link.code))
"""


def program(folder: Path, text: str) -> str:
    path = folder / "bot.py"
    path.write_text(text, encoding="utf-8")
    return f"'{sys.executable}' '{path}' {{link}}"


async def networked(command: str, target: str, limit_s: float = LIMIT_S) -> dict[str, Finding]:
    found = check_networked(command, target, limit_s)
    return {finding.clause: finding async for finding in found}


@pytest.mark.once
async def test_a_program_with_the_sdk_passes_every_clause(target: str, tmp_path: Path) -> None:
    findings = await networked(program(tmp_path, PROGRAM.format(bot="Gentle")), target)
    assert findings.keys() == {name for name, _, _ in GAMES} | LINES - {"line-none"}
    assert all(finding.verdict is Verdict.PASSED for finding in findings.values())


@pytest.mark.once
async def test_the_grpc_bot_of_the_examples_passes_every_clause(target: str) -> None:
    if shutil.which("node") is None or not (JAVASCRIPT / "node_modules").is_dir():
        pytest.skip("node and the packages of the gRPC bot are not installed: make examples")
    findings = await networked(f"node '{JAVASCRIPT}/bot.mjs' {{link}}", target)
    assert all(finding.verdict is Verdict.PASSED for finding in findings.values())
    assert len(findings) == len(GAMES) + len(Trick) - 1


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("import sys; sys.exit('no model')", "did not sit down at the table: it ended with exit"),
        (PROGRAM.format(bot="Illegal").replace("bots import Illegal", "bots import Gentle"),
         "What it sent was refused: "),
        (PROGRAM.format(bot="Silent").replace("bots import Silent", "bots import Gentle"),
         "It did not play on to the end within 3 s."),
    ],
)  # fmt: skip
async def test_a_program_that_does_not_play_a_plain_hand_is_tried_with_nothing_else(
    target: str, tmp_path: Path, text: str, remark: str
) -> None:
    findings = await networked(program(tmp_path, text), target, 0.1)
    assert findings.keys() == {"classic"}
    assert findings["classic"].verdict is Verdict.FAILED
    assert remark in findings["classic"].remark


async def test_a_program_that_does_not_exist_is_found(target: str) -> None:
    findings = await networked("./nothing {link}", target)
    assert findings["classic"].remark == (
        f"./nothing {findings['classic'].remark.split()[1]} cannot be started:"
        " No such file or directory."
    )


@pytest.mark.parametrize("command", ["node bot.mjs", "'", ""])
async def test_a_command_without_a_place_for_the_link_is_refused(target: str, command: str) -> None:
    with pytest.raises(ValueError, match=r"where the link goes|No closing quotation"):
        await networked(command, target)
