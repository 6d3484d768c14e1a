"""One thing that is demanded of a bot, and the trial of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from spades_agents.conformance.findings import Finding, Noted, NotKept, Verdict


@dataclass(frozen=True, slots=True)
class Clause:
    """Something that is demanded of a bot."""

    name: str
    demand: str
    test: Callable[[], Awaitable[str]]
    """Returns a remark, or raises what it found."""


async def tried(clause: Clause) -> Finding:
    """Tests a clause and says what became of it."""
    try:
        remark = await clause.test()
    except Noted as noted:
        return Finding(clause.name, clause.demand, Verdict.NOTED, str(noted))
    except NotKept as broken:
        return Finding(clause.name, clause.demand, Verdict.FAILED, str(broken))
    return Finding(clause.name, clause.demand, Verdict.PASSED, remark)
