"""Who calls a server about its competitions, and how a command names that server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager

from spades import Reason, SpadesError
from spades_agents import Server
from spades_agents.competitions import Competitions
from spades_client.account import come_back, look_on
from spades_client.entrants import asking_sentences
from spades_client.identity import default_name, log_in
from spades_client.places import Place, connected
from spades_proto.competition import CompetitionStatus

Asking = Callable[[CompetitionStatus], Iterator[str]]
"""Tells of the entries of a competition that wait for whoever looks at it."""


@asynccontextmanager
async def as_player(place: Place, name: str) -> AsyncGenerator[Server]:
    """A connection as whoever has played from here, also while another client does, or as somebody new."""
    async with connected(place, []) as server:
        try:
            await come_back(server, name)
        except SpadesError as error:
            if error.reason not in (Reason.PLAYER_NOT_FOUND, Reason.TOKEN_INVALID):
                raise
            server.token = ""
            held = await log_in(server, name)
            held.release()
        yield server


@asynccontextmanager
async def as_known_player(place: Place, name: str) -> AsyncGenerator[tuple[Competitions, str]]:
    """The competitions of a server, and how a command names it, for whoever has played from here.

    Nobody new has anything to change.
    """
    async with connected(place, []) as server:
        await come_back(server, name)
        yield Competitions(server), typed(server, place)


@asynccontextmanager
async def looking(place: Place, name: str) -> AsyncGenerator[Competitions]:
    """The competitions of a server, for somebody who changes none."""
    async with seen(place, name) as (competitions, _):
        yield competitions


@asynccontextmanager
async def seen(place: Place, name: str) -> AsyncGenerator[tuple[Competitions, Asking]]:
    """The same, for somebody who wants to know which entries wait for them."""
    async with connected(place, []) as server:
        known = await look_on(server, name)
        # Whoever was named as a partner may never have been here.
        me = (known, name or default_name())
        where = typed(server, place)
        yield Competitions(server), lambda status: asking_sentences(status, me, where)


def typed(server: Server, place: Place) -> str:
    """How a command names a server, also where it is copied to."""
    # What is not encrypted for one is not for others either.
    how = " --insecure" if place.insecure and not server.fingerprint else ""
    return f"--server {server.whole_link}{how}"
