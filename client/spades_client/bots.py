"""`spades agent run`: a bot on somebody's server."""

from __future__ import annotations

from dataclasses import dataclass

from spades import Reason, TableError
from spades_agents import Result, compete, load_agent
from spades_agents import run as run_agent
from spades_agents.collector import settle
from spades_client.arguments import optional_seat, three_levels
from spades_client.ending import exit_status
from spades_client.identity import log_in
from spades_client.known import KnownServersFile
from spades_client.phrases import outcome_words
from spades_client.places import Place, connected
from spades_client.programs import run as run_program
from spades_client.programs import say
from spades_client.standings import standing_sentences
from spades_proto.competition import CompetitionStage


@dataclass(frozen=True, slots=True)
class BotRun:
    """What the command line asked for."""

    spec: str
    place: Place
    table: str
    seat: str
    tables: int
    matches: int
    rules: str
    against: str
    name: str
    seed: str


@dataclass(frozen=True, slots=True)
class EntryRun:
    """What the command line asked for, for a competition."""

    spec: str
    place: Place
    competition: str
    entry: str
    name: str
    partner: str
    at_once: int


def run_entry(request: EntryRun) -> int:
    """Enters a competition, plays it to its end and says how it stands then; returns the exit status."""
    settle()
    return run_program(_entry(request))


async def _entry(request: EntryRun) -> None:
    factory = load_agent(request.spec)
    async with connected(request.place, []) as server:
        held = await log_in(server, request.name)
    try:
        ended = await compete(
            factory,
            server.address,
            request.competition,
            token=held.token,
            entry=request.entry,
            partner=request.partner,
            at_once=request.at_once,
            trust=request.place.trust(KnownServersFile()),
            heard=lambda result: say(_told(result, competition=True)),
        )
    finally:
        held.release()
    if ended.stage is CompetitionStage.CALLED_OFF:
        raise TableError(
            f"{ended.id} was called off: nothing was played.", Reason.COMPETITION_STATE
        )
    for sentence in standing_sentences(ended):
        say(sentence)


def run_bot(request: BotRun) -> int:
    """Plays and says how each match ended; returns the exit status."""
    seat = optional_seat(request.seat)
    levels = three_levels(request.against, "--against")
    settle()

    def program() -> None:
        results = run_agent(
            load_agent(request.spec),
            request.place.address,
            trust=request.place.trust(KnownServersFile()),
            name=request.name,
            table=request.table,
            seat=seat,
            tables=request.tables,
            matches=request.matches,
            rules=request.rules,
            against=levels,
            seed=request.seed,
        )
        for result in results:
            say(f"{_told(result, competition=False)} Record {result.record}.")

    return exit_status(program)


def _told(result: Result, *, competition: bool) -> str:
    seats = " and ".join(map(str, result.seats))
    ending = outcome_words(result.outcome, competition=competition)
    return f"Table {result.table}, at {seats}: {ending}"
