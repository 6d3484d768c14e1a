"""Clauses about a bot at a server: it plays on, whatever the line does."""

from __future__ import annotations

import asyncio
from typing import Final

from spades_agents.conformance.clause import Clause, authors_code
from spades_agents.conformance.crooked import Trick, crooked_line
from spades_agents.conformance.findings import Noted, NotKept
from spades_agents.conformance.questions import Questioner
from spades_agents.runner import play
from spades_agents.specs import AgentFactory

RULES: Final = "classic,max_hands=1"
DECISIONS: Final = 14


def line_clauses(factory: AgentFactory, target: str, asking: Questioner) -> list[Clause]:
    """The clauses for an agent that the SDK connects to a server."""

    def clause(trick: Trick) -> Clause:
        async def test() -> str:
            if asking.late:
                raise Noted("not tried, since the bot has been late before")
            async with crooked_line(target, trick) as (address, line):
                said: list[str] = []
                try:
                    async with asyncio.timeout(2 * asking.limit_s * DECISIONS):
                        with authors_code():
                            await play(factory, address, rules=RULES, report=said.append)
                except TimeoutError:
                    raise NotKept("It did not come to the end of a hand.") from None
            wrong = [one for one in said if "did not answer well" in one] + line.refusals
            if wrong:
                raise NotKept(wrong[0].strip())
            return "" if trick is Trick.NONE else f"{line.played} times"

        return Clause(f"line-{trick.name.lower()}", trick.value, test)

    return [clause(trick) for trick in Trick]
