"""An agent as a program: what it says to each line, and that nothing stops it but the end of them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from spades import (
    Bid,
    Card,
    EndReason,
    Match,
    Outcome,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    parse_rules,
    view,
)
from spades_agents import Agent
from spades_agents.stdio import serve_lines
from spades_proto import wire
from spades_proto.v1 import action_pb2, pipe_pb2
from spades_proto.version import PROTOCOL
from spades_proto.wire.lines import to_line

SOUTH, WEST, NORTH, EAST = Seat
RULES = parse_rules("classic")


class Telling(Agent):
    """Writes down what it hears."""

    name = "telling"

    def __init__(self) -> None:
        self.heard: list[object] = []

    def bid(self, view: SeatView) -> int:
        return len(self.heard)

    async def play(self, view: SeatView) -> Card:
        await asyncio.sleep(0)
        return view.legal_plays[-1]

    def get_ready(self) -> None:
        self.heard.append("ready")

    def start_match(self, seat: Seat, rules: Rules) -> None:
        self.heard.append((seat, rules))

    def end_match(self, seat: Seat, outcome: Outcome | None) -> None:
        self.heard.append((seat, outcome))

    def close(self) -> None:
        self.heard.append("closed")


def asked(number: int, bids: Sequence[int] = ()) -> tuple[SeatView, bytes]:
    match = Match(RULES, SeededDeals(bytes(32)))
    for tricks in bids:
        assert match.turn is not None
        match.bid(match.turn, Bid(tricks))
    seen = view(match, SOUTH)
    return seen, to_line(pipe_pb2.PipeRequest(ask=wire.ask_to_wire(seen, number)))


async def served(agent: Agent, lines: Sequence[bytes]) -> list[dict[str, object]]:
    """What an agent answers to some lines."""
    said: list[dict[str, object]] = []

    async def given() -> AsyncIterator[bytes]:
        for line in lines:
            yield line
            # Whatever thinks goes on before the next line comes.
            for _ in range(5):
                await asyncio.sleep(0)

    await serve_lines(agent, given(), lambda response: said.append(json.loads(to_line(response))))
    return said


HELLO = to_line(pipe_pb2.PipeRequest(hello=pipe_pb2.PipeHello(protocol=PROTOCOL)))


async def test_it_says_that_it_is_ready_once_it_is() -> None:
    agent = Telling()
    assert await served(agent, [HELLO]) == [{"ready": {"name": "telling", "version": ""}}]
    assert agent.heard == ["ready", "closed"]


async def test_it_answers_plain_and_async_methods_with_the_id_of_the_decision() -> None:
    seen, card = asked(8, (3, 3, 3, 3))
    bid, play = await served(Telling(), [asked(7)[1], card])
    assert (bid["command"], play["command"]) == (
        command("7", bid={"tricks": 0, "blind": False}),
        command("8", play=f"CARD_{seen.legal_plays[-1]}"),
    )


def command(decision: str, **action: object) -> dict[str, object]:
    empty: dict[str, object] = json.loads(to_line(action_pb2.Command(decision=int(decision))))
    return empty | {"action": action}


async def test_it_tells_the_agent_of_its_matches() -> None:
    agent = Telling()
    seat = wire.SEAT.to_wire(NORTH)
    outcome = Outcome(None, EndReason.MAX_HANDS, (1, 2))
    await served(
        agent,
        [
            to_line(
                pipe_pb2.PipeRequest(
                    start=pipe_pb2.PipeStart(seat=seat, rules=wire.rules_to_wire(RULES))
                )
            ),
            to_line(
                pipe_pb2.PipeRequest(
                    end=pipe_pb2.PipeEnd(seat=seat, outcome=wire.outcome_to_wire(outcome))
                )
            ),
            to_line(pipe_pb2.PipeRequest(end=pipe_pb2.PipeEnd(seat=seat))),
        ],
    )
    assert agent.heard == [(NORTH, RULES), (NORTH, outcome), (NORTH, None), "closed"]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"nonsense\n", "'nonsense' is not JSON"),
        (b"[]\n", "'[]' is no JSON object."),
        (b'{"ask": {"decision": {"id": "3"}}}\n', "The seat is missing."),
        (b'{"start": {}}\n', "The deck is missing."),
        (b'{"hello": {"protocol": 99}}\n', "version 99 of the protocol"),
        (b'{"refused": {"refusal": {"sentence": "That was no card."}}}\n', "That was no card."),
    ],
)
async def test_a_line_that_makes_no_sense_is_complained_of_and_the_next_one_answered(
    line: bytes, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = await served(Telling(), [line, asked(1)[1]])
    assert [one for one in said if "command" in one] == said[-1:]
    assert sentence in capsys.readouterr().err


async def test_what_a_newer_host_says_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [b'{"advice": {"bid": 4}}\n', HELLO.replace(b"{", b'{"more": 1, ', 1)]
    assert len(await served(Telling(), lines)) == 1
    assert not capsys.readouterr().err


class Failing(Telling):
    def bid(self, view: SeatView) -> int:
        raise RuntimeError("no bid today")

    async def play(self, view: SeatView) -> Card:
        raise RuntimeError("no card today")


async def test_an_agent_that_raises_says_so_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    said = await served(Failing(), [asked(1)[1], asked(2, (3, 3, 3, 3))[1]])
    assert said == [
        {"failed": {"decision": "1", "sentence": "RuntimeError: no bid today"}},
        {"failed": {"decision": "2", "sentence": "RuntimeError: no card today"}},
    ]
    assert capsys.readouterr().err.count("Traceback") == 2


async def test_what_still_thinks_when_the_lines_end_is_stopped() -> None:
    stopped = asyncio.Event()

    class Thinking(Telling):
        async def play(self, view: SeatView) -> Card:
            try:
                await asyncio.Event().wait()
            finally:
                stopped.set()
            raise AssertionError("never")

    agent = Thinking()
    assert await served(agent, [asked(1, (3, 3, 3, 3))[1]]) == []
    assert stopped.is_set()
    assert agent.heard == ["closed"]


PROGRAM = """
from spades_agents import Agent, serve_stdio

class Chatty(Agent):
    def bid(self, view):
        print("hm, what shall I bid?")
        return 2

    def play(self, view):
        return view.legal_plays[0]

    def close(self):
        print("bye")

serve_stdio(Chatty)
"""


def test_standard_output_is_for_answers_alone(tmp_path: Path) -> None:
    path = tmp_path / "chatty.py"
    path.write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, path], input=HELLO + asked(5)[1], capture_output=True, check=True
    )
    ready, bid = map(json.loads, done.stdout.splitlines())
    assert ready["ready"]["name"] == "Chatty"
    assert bid["command"]["action"] == {"bid": {"tricks": 2, "blind": False}}
    assert done.stderr.decode() == "hm, what shall I bid?\nbye\n"


def test_a_program_may_read_its_lines_from_a_file(tmp_path: Path) -> None:
    path, lines = tmp_path / "chatty.py", tmp_path / "lines.jsonl"
    path.write_text(PROGRAM, encoding="utf-8")
    lines.write_bytes(HELLO + asked(5)[1])
    with lines.open("rb") as file:
        done = subprocess.run([sys.executable, path], stdin=file, capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == 2
