"""One thing that is demanded of a bot, and the trial of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

from spades import SpadesError
from spades_agents.conformance.findings import Finding, Noted, NotKept, Verdict
from spades_agents.failures import in_words


@dataclass(frozen=True, slots=True)
class Clause:
    """Something that is demanded of a bot."""

    name: str
    demand: str
    test: Callable[[], Awaitable[str]]
    """Returns a remark, or raises what it found."""


@contextmanager
def authors_code() -> Generator[None]:
    """Where an author's code runs: whatever it raises is what was found.

    :raises NotKept: in place of it.
    """
    try:
        yield
    except (NotKept, Noted):
        raise
    except SpadesError as refusal:
        raise NotKept(refusal.sentence) from refusal
    except Exception as error:  # the boundary to somebody else's code, which reports it
        raise NotKept(in_words(error).strip()) from error


async def tried(clause: Clause) -> Finding:
    """Tests a clause and says what became of it."""
    try:
        remark = await clause.test()
    except Noted as noted:
        return Finding(clause.name, clause.demand, Verdict.NOTED, str(noted))
    except NotKept as broken:
        return Finding(clause.name, clause.demand, Verdict.FAILED, str(broken))
    return Finding(clause.name, clause.demand, Verdict.PASSED, remark)
