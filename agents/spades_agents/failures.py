"""What can go wrong with an agent that runs elsewhere, told apart so that a fault has one cause."""

from __future__ import annotations

import traceback


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


class Ended(Crashed):
    """The agent's program ended, and took with it whatever it was asked."""


class GivenUp(Ended):
    """The agent's program has ended so often in a row that it is not started again."""


class Malformed(AgentFailure):
    """The agent answered, with something that is no answer at all."""


def in_words(error: Exception) -> str:
    """What an author should read of a failure: sentence and evidence, or a traceback of its code."""
    if not isinstance(error, AgentFailure):
        return "".join(traceback.format_exception(error))
    return f"{error}\n{error.evidence}".rstrip()
