"""Programs whose fault is how they talk: ``python -m spades_agents.misbehaving KIND``."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Final

from spades_agents.agent import Agent
from spades_agents.bots import Beginner
from spades_agents.misbehaving.agents import Dying
from spades_agents.stdio import Write, lines_of, serve_lines
from spades_proto.v1 import pipe_pb2
from spades_proto.wire.lines import to_line

Say = Callable[[bytes], None]

REPEATS: Final = 20
"""How often the chatty one says everything."""


def _honest(say: Say) -> Write:
    return lambda response: say(to_line(response))


def _is_card(response: pipe_pb2.PipeResponse) -> bool:
    return response.command.action.HasField("play")


def _malformed(say: Say) -> Write:
    """Names its cards in words."""

    def write(response: pipe_pb2.PipeResponse) -> None:
        say(b"I play a card, and you know which.\n" if _is_card(response) else to_line(response))

    return write


def _chatty(say: Say) -> Write:
    """Says every card many times over, and much beside it."""

    def write(response: pipe_pb2.PipeResponse) -> None:
        times = REPEATS if _is_card(response) else 1
        say(to_line(response) * times)
        print("What a hand this is! " * times, file=sys.stderr, flush=True)

    return write


def _stale(say: Say) -> Write:
    """Says each card only when it is asked for the next."""
    held: list[bytes] = []

    def write(response: pipe_pb2.PipeResponse) -> None:
        if not _is_card(response):
            say(to_line(response))
            return
        say(b"".join(held))
        held[:] = [to_line(response)]

    return write


PROGRAMS: Final[dict[str, tuple[Callable[[], Agent], Callable[[Say], Write]]]] = {
    "dying": (Dying, _honest),
    "malformed": (Beginner, _malformed),
    "chatty": (Beginner, _chatty),
    "stale": (Beginner, _stale),
}
"""For each kind who decides, and how it is said."""


def main(kind: str) -> None:
    """Plays as a program of a kind, until the input ends."""
    agent, manner = PROGRAMS[kind]
    out = sys.stdout.buffer

    def say(line: bytes) -> None:
        out.write(line)
        out.flush()

    asyncio.run(serve_lines(_named(agent(), kind), lines_of(sys.stdin.buffer), manner(say)))


def _named(agent: Agent, kind: str) -> Agent:
    agent.name = kind
    return agent
