"""Runs an agent as a program: questions come in lines on standard input, answers go to standard output."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import BinaryIO

from spades import SpadesError
from spades.actions import Action
from spades_agents import hooks
from spades_agents.agent import Agent, decide
from spades_agents.failures import Exited, in_words
from spades_agents.specs import AgentFactory, agent_of
from spades_proto import wire
from spades_proto.frames import Command
from spades_proto.v1 import pipe_pb2
from spades_proto.version import check_protocol
from spades_proto.wire.lines import from_line, to_line

Write = Callable[[pipe_pb2.PipeResponse], None]


def serve_stdio(agent: Agent | AgentFactory | str) -> None:
    """Answers for an agent until the input ends: the whole of a program that ``cmd:`` can name.

    What the agent prints goes to standard error meanwhile, since standard output is for answers.

    :raises SpecError: if a spec names no agent.
    """
    out = sys.stdout.buffer

    def write(response: pipe_pb2.PipeResponse) -> None:
        out.write(to_line(response))
        out.flush()

    with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve_lines(agent_of(agent), lines_of(sys.stdin.buffer), write))


async def serve_lines(agent: Agent, lines: AsyncIterator[bytes], write: Write) -> None:
    """Answers for an agent until the lines end, and closes it."""
    thinking: set[asyncio.Task[None]] = set()
    async with hooks.closing([agent]):
        async for line in lines:
            try:
                request = from_line(line, pipe_pb2.PipeRequest, newer=True)
                answering = await _take(agent, request, write)
            except SpadesError as error:
                _complain(error.sentence)
                continue
            if answering is not None:
                task = asyncio.create_task(_answer(request.ask, answering, write))
                thinking.add(task)
                task.add_done_callback(thinking.discard)
        for task in thinking:
            task.cancel()
        await asyncio.gather(*thinking, return_exceptions=True)


async def _take(
    agent: Agent, request: pipe_pb2.PipeRequest, write: Write
) -> Awaitable[Action] | None:
    """Does what a line asks for; returns what must still be waited for."""
    match request.WhichOneof("kind"):
        case "hello":
            check_protocol(request.hello.protocol, who="server")
            await hooks.get_ready(agent)
            write(pipe_pb2.PipeResponse(ready=pipe_pb2.PipeReady(name=agent.name)))
        case "start":
            start = request.start
            rules = wire.rules_from_wire(start.rules)
            await hooks.start_match(agent, wire.SEAT.from_wire(start.seat), rules)
        case "ask":
            return _ask(agent, request.ask, write)
        case "end":
            end = request.end
            outcome = wire.outcome_from_wire(end.outcome) if end.HasField("outcome") else None
            await hooks.end_match(agent, wire.SEAT.from_wire(end.seat), outcome)
        case "refused":
            _complain(request.refused.refusal.sentence)
        case None:
            # Something that a newer host says and nobody need answer.
            pass
    return None


def _ask(agent: Agent, ask: pipe_pb2.PipeAsk, write: Write) -> Awaitable[Action] | None:
    """Asks the agent; an answer that is there at once is written at once."""
    try:
        action = decide(agent, wire.ask_from_wire(ask))
    except Exception as error:  # noqa: BLE001  # the author's code: its fault is told to whoever asked
        _fail(ask, error, write)
        return None
    if isinstance(action, Awaitable):
        return action
    _write_action(ask, action, write)
    return None


async def _answer(ask: pipe_pb2.PipeAsk, action: Awaitable[Action], write: Write) -> None:
    try:
        done = await action
    except Exception as error:  # noqa: BLE001  # the author's code: its fault is told to whoever asked
        _fail(ask, error, write)
    else:
        _write_action(ask, done, write)


def _write_action(ask: pipe_pb2.PipeAsk, action: Action, write: Write) -> None:
    command = wire.command_to_wire(Command("", action, decision=ask.decision.id))
    write(pipe_pb2.PipeResponse(command=command))


def _fail(ask: pipe_pb2.PipeAsk, error: Exception, write: Write) -> None:
    _complain(in_words(error))
    cause = error.error if isinstance(error, Exited) else error
    sentence = f"{type(cause).__name__}: {cause}"
    failed = pipe_pb2.PipeFailed(decision=ask.decision.id, sentence=sentence)
    write(pipe_pb2.PipeResponse(failed=failed))


def _complain(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


async def lines_of(stream: BinaryIO) -> AsyncIterator[bytes]:
    """The lines of a stream, read in a thread that nobody waits for: the input may end late."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    def read() -> None:
        with contextlib.suppress(RuntimeError, ValueError):
            # The loop, or the stream, may be closed by now: then nobody wants the line.
            for line in stream:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, b"")

    threading.Thread(target=read, name="input", daemon=True).start()
    while line := await lines.get():
        yield line
