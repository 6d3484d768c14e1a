"""`spades agent check`: what a bot does well and what not, clause by clause."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import Final

from spades import SpadesError
from spades_agents import load_agent
from spades_agents.conformance import Finding, Verdict, check, check_networked
from spades_client.ending import to_the_end
from spades_client.phrases import printable, printable_lines
from spades_server.app import running
from spades_server.config import ServerConfig
from spades_server.logs import quieten

NETWORKED: Final = "net:"
"""How the spec of a program begins that speaks the protocol itself."""

_TRACEBACK: Final = "Traceback (most recent call last):"

SCHEMA: Final = 1
"""The version of what ``--json`` writes."""


def check_bot(spec: str, limit_s: float, *, as_json: bool) -> int:
    """Checks a bot and says what is found; returns the exit status: 0 if every clause is kept."""
    quieten()
    found: list[Finding] = []
    try:
        asyncio.run(to_the_end(_check(spec, limit_s, found, told=not as_json)))
    except SpadesError as error:
        sys.stderr.write(printable(error.sentence) + "\n")
        return 1
    except ValueError as error:
        sys.stderr.write(printable(f"{error}.") + "\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted.\n")
        return 130
    kept = all(finding.verdict is not Verdict.FAILED for finding in found)
    if as_json:
        print(json.dumps(_report(spec, found, kept=kept), indent=2))
    else:
        print(_summary(found))
    return 0 if kept else 1


async def _check(spec: str, limit_s: float, found: list[Finding], *, told: bool) -> None:
    # The bot is named before a server is opened, so that a wrong name is refused at once.
    factory = None if spec.startswith(NETWORKED) else load_agent(spec)
    errors: set[str] = set()
    async with running(ServerConfig(port=0, tempo_ms=0)) as server:
        target = f"127.0.0.1:{server.port}"
        findings: AsyncGenerator[Finding]
        if factory is None:
            findings = check_networked(spec.removeprefix(NETWORKED), target, limit_s)
        else:
            findings = check(factory, limit_s, target)
        async for finding in findings:
            found.append(finding)
            if told:
                _tell(_shortened(finding, errors))


def _tell(finding: Finding) -> None:
    """One line for a clause, and what was seen where that matters."""
    remark = finding.remark
    short = f" ({printable(remark)})" if finding.verdict is Verdict.PASSED and remark else ""
    print(f"{finding.verdict.value:7} {finding.clause:16} {finding.demand}{short}", flush=True)
    if finding.verdict is not Verdict.PASSED:
        for line in printable_lines(remark).splitlines():
            print(f"        {line}", flush=True)


def _shortened(finding: Finding, told: set[str]) -> Finding:
    """Without the lines of a traceback, if one with the same end was told already."""
    before, traceback, after = finding.remark.partition(_TRACEBACK)
    ends = [line for line in after.splitlines() if line and not line.startswith(" ")]
    if not traceback or not ends:
        return finding
    if ends[0] in told:
        return replace(finding, remark=before + "\n".join(ends))
    told.add(ends[0])
    return finding


def _summary(found: list[Finding]) -> str:
    counts = Counter(finding.verdict for finding in found)
    told = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict]]
    return f"{', '.join(told)}."


def _report(spec: str, found: list[Finding], *, kept: bool) -> dict[str, object]:
    return {
        "schema": SCHEMA,
        "bot": spec,
        "passed": kept,
        "findings": [
            {
                "clause": finding.clause,
                "demand": finding.demand,
                "verdict": finding.verdict.value,
                "remark": finding.remark,
            }
            for finding in found
        ],
    }
