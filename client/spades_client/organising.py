"""What the commands of `spades compete` do on a server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from itertools import chain

from spades import Reason, SpadesError, TableError
from spades_agents.competitions import Competitions
from spades_agents.reconnection import RECONNECT_TRIES, back_off
from spades_arena.counts import are, counted
from spades_client.callers import as_known_player, as_player, looking, seen, typed
from spades_client.entrants import players_sentences, taking_out_sentences
from spades_client.places import Place
from spades_client.programs import run, say
from spades_client.standings import (
    leaders_sentence,
    progress_sentence,
    standing_sentences,
    status_sentences,
    terms_sentences,
    units_words,
)
from spades_proto.competition import CompetitionFormat, CompetitionStatus
from spades_proto.timing import parse_time_control


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody typed who opens a competition."""

    title: str
    format: str
    games: int
    boards: int
    rules: str
    clock: str
    strikes: int
    strict: bool
    separate: bool
    controls: int
    challengers: int


def create(place: Place, name: str, wish: Wish) -> int:
    """Opens a competition."""

    async def program() -> None:
        formats = {one.value: one for one in CompetitionFormat}
        if wish.format not in formats:
            raise TableError(
                f"--format {wish.format!r} is not possible: {', '.join(formats)} are.",
                Reason.INVALID_FIELD,
            )
        if not wish.boards and wish.games % 2:
            raise TableError(
                f"{wish.games} games make no units: each takes two, so give an even number.",
                Reason.INVALID_FIELD,
            )
        async with as_player(place, name) as server:
            made = await Competitions(server).create(
                wish.title,
                formats[wish.format],
                boards=bool(wish.boards),
                rules=wish.rules,
                units=wish.boards or wish.games // 2,
                controls=wish.controls,
                challengers=wish.challengers,
                time_control=parse_time_control(wish.clock),
                strikes=wish.strikes,
                strict=wish.strict,
                separate=wish.separate,
            )
            where = typed(server, place)
        say(f"{made.id} is open for entries: {made.title}.")
        for sentence in terms_sentences(made.terms):
            say(sentence)
        say(f"The seed of its deals has the SHA-256 {made.seed_commitment}.")
        pair = " --name NAME --partner OTHER" if wish.separate else ""
        say(f"A bot enters with: spades agent run mybot.py {where} --entry {made.id}{pair}")

    return run(program())


def list_all(place: Place, name: str) -> int:
    """Lists the competitions of a server."""

    async def program() -> None:
        async with seen(place, name) as (competitions, asking):
            found = await competitions.all()
        for one in found:
            entries = counted(len(one.entries), "entry", "entries")
            say(
                f"{one.id} of {one.organiser}: {one.title}, a {one.terms.format.value} with {entries};"
                f" {one.stage.value}."
            )
            for sentence in asking(one):
                say(sentence)
        if not found:
            say("There is no competition.")

    return run(program())


def start(place: Place, name: str, competition: str) -> int:
    """Begins to play."""

    async def program() -> None:
        async with as_known_player(place, name) as (competitions, where):
            try:
                status = await competitions.start(competition)
            except SpadesError as refusal:
                if refusal.reason is not Reason.COMPETITION_STATE:
                    raise
                there = await competitions.get(competition)
                advice = taking_out_sentences(there, where, name)
                raise TableError(" ".join((refusal.sentence, *advice)), refusal.reason) from None
        units = units_words(status.planned, status.terms)
        say(f"{status.id} has begun: {units} {are(status.planned)} to be played.")
        absent = [one.name for one in status.entries if not one.connected]
        if absent:
            say(f"Not connected: {', '.join(absent)}. A game that nobody comes to is forfeited.")

    return run(program())


def status(place: Place, name: str, competition: str) -> int:
    """Tells all that is known of a competition."""

    async def program() -> None:
        async with seen(place, name) as (competitions, asking):
            found = await competitions.get(competition)
        players = (*players_sentences(found), *asking(found))
        told = (status_sentences(found), players, standing_sentences(found))
        for sentence in chain.from_iterable(told):
            say(sentence)

    return run(program())


def standings(place: Place, name: str, competition: str) -> int:
    """Tells how the entries of a competition stand."""

    async def program() -> None:
        async with seen(place, name) as (competitions, asking):
            found = await competitions.get(competition)
        for sentence in (*standing_sentences(found), *asking(found)):
            say(sentence)
        if not found.entries:
            say("Nobody has entered.")

    return run(program())


def watch(place: Place, name: str, competition: str) -> int:
    """Follows a competition to its end."""

    async def program() -> None:
        last: CompetitionStatus | None = None
        async with looking(place, name) as competitions:
            async for found in _changes(competitions, competition):
                if last is None or _moved(last, found):
                    leaders = "" if found.over else leaders_sentence(found)
                    say(f"{progress_sentence(found)} {leaders}".strip())
                last = found
        if last is not None:
            for sentence in standing_sentences(last):
                say(sentence)

    return run(program())


async def _changes(
    competitions: Competitions, competition: str
) -> AsyncGenerator[CompetitionStatus]:
    """A competition whenever it has changed, also when the line breaks in between."""
    lost = 0
    while True:
        try:
            async for found in competitions.watch(competition):
                lost = 0
                yield found
                if found.over:
                    return
        except SpadesError as error:
            lost += 1
            if error.reason is not Reason.DRAINING or lost > RECONNECT_TRIES:
                raise
            if lost == 1:
                sys.stderr.write("The line to the server is lost; reconnecting.\n")
        await asyncio.sleep(back_off(max(1, lost)))


def _moved(last: CompetitionStatus, found: CompetitionStatus) -> bool:
    """Whether a competition has gone on, or somebody has entered it."""
    return (last.stage, last.done, last.dropped, len(last.entries)) != (
        found.stage,
        found.done,
        found.dropped,
        len(found.entries),
    )


def withdraw(place: Place, name: str, competition: str, entry: str) -> int:
    """Takes an entry out."""

    async def program() -> None:
        async with as_known_player(place, name) as (competitions, _):
            found = await competitions.withdraw(competition, entry)
        say(f"{entry or 'Your entry'} is out of {found.id}.")

    return run(program())


def call_off(place: Place, name: str, competition: str) -> int:
    """Calls a competition off."""

    async def program() -> None:
        async with as_known_player(place, name) as (competitions, _):
            found = await competitions.call_off(competition)
        say(f"{found.id} is called off.")

    return run(program())
