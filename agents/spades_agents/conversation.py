"""What is said between the SDK and a program that plays: questions, answers, and what is neither."""

from __future__ import annotations

import asyncio
import itertools
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from spades import (
    BLIND_NIL,
    DecisionKind,
    Look,
    MakeBid,
    PassCards,
    Play,
    Reason,
    SeatView,
    SpadesError,
    TableError,
)
from spades.actions import Action
from spades_agents.failures import AgentFailure, Crashed, DidNotStart, Ended, Malformed
from spades_agents.program import Program
from spades_proto import wire
from spades_proto.software import SOFTWARE
from spades_proto.v1 import action_pb2, pipe_pb2
from spades_proto.version import PROTOCOL
from spades_proto.wire.lines import MAX_LINE, from_line, to_line

MOST_UNASKED: Final = 1_000
"""How many lines a program may write that answer nothing, between two questions."""

MAX_NAME: Final = 64
"""The longest name of a program, and the longest version, in characters."""

_WANTED: Final = {
    DecisionKind.BID: "a bid",
    DecisionKind.PASS_CARDS: "cards to pass",
    DecisionKind.PLAY: "a card to play",
}


@dataclass(frozen=True, slots=True)
class _Question:
    """What a program was asked and has not answered."""

    kind: DecisionKind
    face_down: bool
    answer: asyncio.Future[Action]


class Conversation:
    """One run of a program, from its start to its end. It lives in one event loop."""

    def __init__(
        self, command: Sequence[str], on_errors: Callable[[bytes], None] | None = None
    ) -> None:
        self._command = command
        self._shown = shlex.join(command)
        self._program = Program(self._take, self._end, on_errors)
        self._ready: asyncio.Future[pipe_pb2.PipeReady] | None = None
        self._questions: dict[int, _Question] = {}
        self._numbers = itertools.count(1)
        self._asked = 0
        """The number of the last question."""
        self._unasked = 0
        """How many lines in a row have answered nothing."""
        self._verdict: AgentFailure | None = None
        """Why the program was ended, if it did not end by itself."""
        self.has_answered = False
        """Whether it has answered a question as one answers."""

    async def start(self, limit_s: float) -> pipe_pb2.PipeReady:
        """Starts the program and waits until it is ready.

        :raises DidNotStart: if there is no such program, or it ends, says something else, or says nothing.
        """
        self._ready = asyncio.get_running_loop().create_future()
        try:
            await self._program.start(self._command)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise DidNotStart(f"{self._shown} cannot be started: {why}.") from error
        hello = pipe_pb2.PipeHello(protocol=PROTOCOL, software=SOFTWARE)
        self.write(pipe_pb2.PipeRequest(hello=hello))
        try:
            async with asyncio.timeout(limit_s):
                return await self._ready
        except TimeoutError:
            await self._program.kill()
            raise DidNotStart(
                f"{self._shown} did not say that it is ready within {limit_s:g} seconds.",
                self.errors,
            ) from None
        except (DidNotStart, asyncio.CancelledError):
            await self._program.kill()
            raise

    async def stop(self) -> None:
        """Ends the program, gently if it will."""
        await self._program.stop()

    @property
    def goes_on(self) -> bool:
        """Whether the program still runs."""
        return self._verdict is None and not self._program.ended

    @property
    def errors(self) -> str:
        """The end of what the program has written to its error stream."""
        return self._program.errors

    @property
    def failure(self) -> AgentFailure:
        """What is wrong with a program that does not go on."""
        if self._verdict is not None:
            return self._verdict
        return Ended(f"{self._shown} {self._program.how_it_ended}.", self.errors)

    def write(self, request: pipe_pb2.PipeRequest) -> None:
        """Tells the program something."""
        self._program.write(to_line(request))

    async def ask(self, view: SeatView) -> Action:
        """Has the program decide.

        :raises Malformed: if it answers with something that is no answer.
        :raises Crashed: if it says that it has failed.
        :raises Ended: if it ends.
        """
        if not self.goes_on:
            raise self.failure
        decision = view.decision
        assert decision is not None, "only the seat to act is asked"
        number = self._asked = next(self._numbers)
        self._unasked = 0
        answer: asyncio.Future[Action] = asyncio.get_running_loop().create_future()
        self._questions[number] = _Question(decision.kind, view.may_look, answer)
        self.write(pipe_pb2.PipeRequest(ask=wire.ask_to_wire(view, number)))
        try:
            return await answer
        finally:
            # Whoever asked has its answer, or waits no longer.
            self._questions.pop(number, None)

    # What the program says.

    def _take(self, line: bytes) -> None:
        if self._verdict is not None:
            return
        try:
            response = from_line(line, pipe_pb2.PipeResponse)
        except SpadesError as error:
            self._refuse(0, error)
            return
        match response.WhichOneof("kind"):
            case "ready" if self._ready is not None and not self._ready.done():
                self._take_ready(self._ready, response.ready)
            case "command":
                command = response.command
                self._answer(command.decision, lambda kind: _answer_to(kind, command))
            case "failed":
                failed = Crashed(f"{self._shown} failed: {response.failed.sentence}", self.errors)
                self._answer(response.failed.decision, lambda _: failed)
            case "ready" | None:
                said = TableError("The line holds no command.", Reason.INVALID_FIELD)
                self._refuse(0, said)

    def _take_ready(
        self, waiting: asyncio.Future[pipe_pb2.PipeReady], ready: pipe_pb2.PipeReady
    ) -> None:
        for text in (ready.name, ready.version):
            if len(text) > MAX_NAME or not text.isprintable():
                said = f"A name and a version are printable and have at most {MAX_NAME} characters"
                shown = f"{said}; {text[:MAX_NAME]!r} is not so."
                self._refuse(0, TableError(shown, Reason.INVALID_FIELD))
                return
        waiting.set_result(ready)

    def _answer(self, number: int, read: Callable[[_Question], Action | AgentFailure]) -> None:
        """Takes an answer to a decision; what comes too late is thrown away."""
        if not 0 < number <= self._asked:
            said = (
                f"{number} is the id of no decision that was asked for."
                if number
                else "The line does not say which decision it answers."
            )
            self._refuse(0, TableError(said, Reason.INVALID_FIELD))
            return
        question = self._questions.get(number)
        if question is None or question.answer.done():
            self._count_unasked()
            return
        try:
            answer = read(question)
        except SpadesError as error:
            self._refuse(number, error)
            return
        if isinstance(answer, AgentFailure):
            question.answer.set_exception(answer)
        else:
            self.has_answered = True
            question.answer.set_result(answer)

    def _refuse(self, number: int, error: SpadesError) -> None:
        """Takes a line for a wrong answer: to the decision that it names, else to the oldest that is open."""
        if self._ready is not None and not self._ready.done():
            self._ready.set_exception(
                DidNotStart(
                    f"{self._shown} did not begin by saying that it is ready: {error.sentence}",
                    self.errors,
                )
            )
            return
        number = number or next(iter(self._questions), 0)
        question = self._questions.pop(number, None)
        refused = pipe_pb2.PipeRefused(decision=number, refusal=wire.refusal_to_wire(error))
        self.write(pipe_pb2.PipeRequest(refused=refused))
        if question is None:
            self._count_unasked()
        elif not question.answer.done():
            question.answer.set_exception(
                Malformed(f"{self._shown} gave no answer: {error.sentence}", self.errors)
            )

    def _count_unasked(self) -> None:
        self._unasked += 1
        if self._unasked > MOST_UNASKED:
            self._give_up(f"wrote more than {MOST_UNASKED:,} lines that answer nothing")

    def _give_up(self, why: str) -> None:
        self._verdict = Malformed(f"{self._shown} {why}, and was ended.", self.errors)
        self._program.end_now()

    def _end(self) -> None:
        """The program is gone: nothing will be answered any more."""
        if self._program.talks_too_long and self._verdict is None:
            self._give_up(f"wrote a line of more than {MAX_LINE:,} bytes")
        failure = self.failure
        if self._ready is not None and not self._ready.done():
            how = f"{self._shown} {self._program.how_it_ended} before it was ready."
            self._ready.set_exception(DidNotStart(how, self.errors))
        for question in self._questions.values():
            if not question.answer.done():
                question.answer.set_exception(failure)


def _answer_to(question: _Question, command: action_pb2.Command) -> Action:
    """Reads an answer and sees that it is one of the right kind; whether it is legal the referee says."""
    action = wire.action_from_wire(command.action)
    match question.kind, action:
        case DecisionKind.BID, Look() | MakeBid() if question.face_down:
            if isinstance(action, Look) or action.bid == BLIND_NIL:
                return action
        case DecisionKind.BID, MakeBid():
            return action
        case DecisionKind.PASS_CARDS, PassCards():
            return action
        case DecisionKind.PLAY, Play():
            return action
        case _:
            pass
    wanted = "a look or blind nil" if question.face_down else _WANTED[question.kind]
    raise TableError(
        f"{_named(action)} is no answer: {wanted} was asked for.", Reason.INVALID_FIELD
    )


def _named(action: Action) -> str:
    if isinstance(action, MakeBid):
        return f"The bid {action.bid}"
    return f"The action {action.kind.value!r}"
