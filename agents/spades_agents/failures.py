"""What can go wrong with an agent that runs elsewhere, told apart so that a fault has one cause."""

from __future__ import annotations

import traceback
from typing import Final

from spades_proto.frames import Failure, FailureKind

MOST_DETAIL: Final = 400
"""How many letters of somebody else's message are kept."""


class AgentFailure(Exception):
    """An agent did not answer as an agent should; the sentence says how."""

    def __init__(self, sentence: str, evidence: str = "") -> None:
        super().__init__(sentence)
        self.evidence = evidence
        """What the agent last said or wrote to its error stream, cut short; may be empty."""


class DidNotStart(AgentFailure):
    """The agent's program could not be started, or ended before it was ready."""


class Crashed(AgentFailure):
    """The agent's program ended, or its code raised, in the middle of a match."""


class Exited(Crashed):
    """The agent's code called ``sys.exit``, which must not end the program that plays it."""

    def __init__(self, error: SystemExit) -> None:
        super().__init__(raised(error))
        self.error = error


class Ended(Crashed):
    """The agent's program ended, and took with it whatever it was asked."""


class GivenUp(Ended):
    """The agent's program has ended so often in a row that it is not started again."""


class Malformed(AgentFailure):
    """The agent answered, with something that is no answer at all."""


def in_words(error: Exception) -> str:
    """What an author should read of a failure: sentence and evidence, or a traceback of its code."""
    if isinstance(error, Exited):
        return "".join(traceback.format_exception(error.error))
    if not isinstance(error, AgentFailure):
        return "".join(traceback.format_exception(error))
    return f"{error}\n{error.evidence}".rstrip()


def failure_of(error: Exception) -> Failure:
    """What a server is told of a failure: the sentence, and nothing that the agent wrote beside it."""
    match error:
        case Malformed():
            return Failure(FailureKind.MALFORMED, shortened(str(error)))
        case Ended() | DidNotStart():
            return Failure(FailureKind.ENDED, shortened(str(error)))
        case Crashed():
            return Failure(FailureKind.CRASHED, shortened(str(error)))
        case _:
            return Failure(FailureKind.CRASHED, raised(error))


def raised(error: BaseException) -> str:
    """Says what an agent's code raised, in one line."""
    words = " ".join(str(error).split())
    return shortened(f"It raised {type(error).__name__}{': ' if words else ''}{words}.")


def shortened(text: str) -> str:
    """Cuts somebody else's message to a length that a table can show, on one line that can be printed."""
    line = "".join(filter(str.isprintable, " ".join(text.split())))
    return line if len(line) <= MOST_DETAIL else line[: MOST_DETAIL - 1] + "…"
