"""`sys.exit` in a bot's code is a fault of the bot, and ends nothing that plays it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from spades import Bid, Card, EndReason, Match, Seat, SeatView, SeededDeals, parse_rules, view
from spades_agents import Agent, SpecError, load_agent, play, play_local
from spades_agents import hooks as agent_hooks
from spades_agents.agent import decide
from spades_agents.bots import Beginner
from spades_agents.failures import Exited, failure_of, in_words
from spades_agents.specs import agent_of
from spades_agents.stdio import serve_lines
from spades_proto import wire
from spades_proto.frames import FailureKind
from spades_proto.v1 import pipe_pb2
from spades_proto.wire.lines import to_line
from spades_server.app import SpadesServer

RULES = parse_rules("max_hands=1,floor=none")


class AtOnce(Beginner):
    """Ends its program as a script would."""

    def bid(self, view: SeatView) -> Bid:
        sys.exit(3)


class Later(Beginner):
    """Does so after a while."""

    async def _bid(self) -> Bid:
        await asyncio.sleep(0)
        sys.exit(3)

    def bid(self, view: SeatView) -> Awaitable[Bid]:  # type: ignore[override]  # may be either
        return self._bid()


class InThread(AtOnce):
    """Does so in a thread."""

    blocking = True


class InThreadLater(Later):
    """Does so once something that it gives back in a thread is awaited."""

    blocking = True


class AtACard(Beginner):
    """Ends its program at its first card."""

    def play(self, view: SeatView) -> Card:
        sys.exit("no cards, please")


def asked() -> SeatView:
    match = Match(RULES, SeededDeals(b"x" * 32))
    assert match.turn is not None
    seen = view(match, match.turn)
    assert isinstance(seen, SeatView)
    return seen


@pytest.mark.parametrize("kind", [AtOnce, Later, InThread, InThreadLater])
async def test_a_decision_that_exits_is_a_crash_with_its_traceback(kind: type[Agent]) -> None:
    async def decision() -> object:
        action = decide(kind(), asked())
        return await action if isinstance(action, Awaitable) else action

    with pytest.raises(Exited) as found:
        await decision()

    failure = failure_of(found.value)
    assert (failure.kind, failure.sentence) == (FailureKind.CRASHED, "It raised SystemExit: 3.")
    told = in_words(found.value)
    assert told.startswith("Traceback") and told.endswith("\nSystemExit: 3\n")
    assert "sys.exit(3)" in told


async def test_ctrl_c_in_a_bots_code_is_no_fault_of_the_bot() -> None:
    class Pressed(Beginner):
        def bid(self, view: SeatView) -> Bid:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        decide(Pressed(), asked())


async def hear_ready(agent: Agent) -> None:
    await agent_hooks.get_ready(agent)


async def hear_start(agent: Agent) -> None:
    await agent_hooks.start_match(agent, Seat.SOUTH, RULES)


async def hear_end(agent: Agent) -> None:
    await agent_hooks.end_match(agent, Seat.SOUTH, None)


async def hear_close(agent: Agent) -> None:
    await agent_hooks.close(agent)


@pytest.mark.parametrize("blocking", [False, True])
@pytest.mark.parametrize(
    ("method", "tell"),
    [
        ("get_ready", hear_ready),
        ("start_match", hear_start),
        ("end_match", hear_end),
        ("close", hear_close),
    ],
)
async def test_what_an_agent_hears_does_not_end_its_program(
    method: str, tell: Callable[[Agent], Awaitable[None]], blocking: bool
) -> None:
    def leave(*_: object) -> None:
        sys.exit(4)

    agent = type("Leaving", (Beginner,), {method: leave, "blocking": blocking})()
    with pytest.raises(Exited, match="SystemExit: 4"):
        await tell(agent)


def test_a_file_that_exits_and_a_class_that_does_name_no_agent(tmp_path: Path) -> None:
    file, bot = tmp_path / "script.py", tmp_path / "bot.py"
    file.write_text("import sys\nsys.exit('no model')\n")
    bot.write_text(
        "import sys\nfrom spades_agents.bots import Beginner\n\n\nclass Bot(Beginner):\n"
        "    def __init__(self):\n        sys.exit('no model')\n"
    )
    with pytest.raises(SpecError, match=r"script.py cannot be loaded: SystemExit: no model"):
        load_agent(str(file))
    with pytest.raises(Exited, match="It raised SystemExit: no model"):
        agent_of(str(bot))


@pytest.mark.parametrize(("kind", "said"), [(AtOnce, "3"), (Later, "3"), (AtACard, "no cards")])
def test_a_local_match_raises_what_it_raises_for_any_crash(kind: type[Agent], said: str) -> None:
    with pytest.raises(Exited, match=f"It raised SystemExit: {said}"):
        play_local([kind, "beginner", "beginner", "beginner"], RULES, seed="7")


@pytest.mark.parametrize("kind", [AtOnce, Later, InThread, AtACard])
async def test_on_a_server_the_match_goes_on_and_whoever_runs_the_bot_is_told(
    server: SpadesServer, kind: type[Agent]
) -> None:
    said: list[str] = []
    target = f"127.0.0.1:{server.port}"
    (result,) = await play(kind, target, rules="max_hands=1,floor=none", report=said.append)

    assert result.outcome.reason is not EndReason.SURRENDER
    assert said and all("did not answer well: Traceback" in one for one in said)


async def test_a_program_that_is_made_of_a_class_says_that_it_failed_and_goes_on() -> None:
    written: list[pipe_pb2.PipeResponse] = []

    async def lines() -> AsyncIterator[bytes]:
        for number in (1, 2):
            yield to_line(pipe_pb2.PipeRequest(ask=wire.ask_to_wire(asked(), number)))

    await serve_lines(AtOnce(), lines(), written.append)

    assert [(one.failed.decision, one.failed.sentence) for one in written] == [
        (1, "SystemExit: 3"),
        (2, "SystemExit: 3"),
    ]
