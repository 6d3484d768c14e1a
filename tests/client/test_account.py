"""What a player does about themselves: results and history in words, a new token, the end."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from spades import EndReason, Seat
from spades_agents import Server, play
from spades_client.account import match_sentence, profile_sentences
from spades_client.identity import Identity, log_in
from spades_client.session import Changed, Ended, LineLost, TableSession
from spades_proto.profile import (
    Achievement,
    AchievementKind,
    MatchResult,
    NotCounted,
    PlayedMatch,
    Profile,
    Results,
)
from spades_proto.table import Occupant, OccupantKind
from spades_server.app import SpadesServer, running
from spades_server.config import ServerConfig
from tests.client.command import Run

SOUTH, WEST, NORTH, EAST = Seat
NOON_US = 1_764_504_000_000_000
"""Noon of a day in 2025, in Greenwich."""


@pytest.fixture(autouse=True)
def greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The clock on the wall is Greenwich's."""
    with monkeypatch.context() as there:
        there.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


RunToEnd = Callable[..., Run]


class Spades(Protocol):
    """Runs the command beside the server of the test."""

    async def __call__(self, *arguments: str, text: str = "") -> Run: ...


@pytest.fixture
async def server() -> AsyncIterator[SpadesServer]:
    async with running(ServerConfig(port=0, tempo_ms=0, allow_seeds=True)) as it:
        yield it


@pytest.fixture
def target(server: SpadesServer) -> str:
    return f"127.0.0.1:{server.port}"


@pytest.fixture
def spades(run: RunToEnd, target: str) -> Spades:
    async def done(*arguments: str, text: str = "") -> Run:
        return await asyncio.to_thread(run, *arguments, "--server", target, text=text)

    return done


async def known(target: str, name: str, *, matches: int = 0, seed: str = "") -> Identity:
    """A player who has played from this machine, and has left again."""
    async with Server(target) as server:
        held = await log_in(server, name)
        held.release()
    if matches:
        await play(
            "random", target, token=held.token, rules="max_hands=1", seed=seed, matches=matches,
            against=("random",) * 3, report=lambda _: None,
        )  # fmt: skip
    return held


# In words


def test_a_new_profile_says_that_there_is_nothing_yet() -> None:
    ahead = tuple(
        Achievement(kind, 0, 10 if kind is AchievementKind.TEN_WINS else 1)
        for kind in AchievementKind
    )
    *told, last = profile_sentences(Profile("Ann", 0, Results(), ahead))
    assert told == ["Ann.", "No match counts yet.", "Achievements: none yet."]
    assert last == (
        "Still ahead: First win, Ten wins (0 of 10), Nil made, Blind nil made, Double nil made,"
        " All thirteen tricks, A match without a set."
    )


def test_results_are_told_one_kind_to_a_line() -> None:
    results = Results(9, 5, 1, 3, 1, nils_bid=4, nils_made=3, blind_nils_bid=1, bags=1, sets=2)
    achievements = (
        Achievement(AchievementKind.FIRST_WIN, 1, 1),
        Achievement(AchievementKind.TEN_WINS, 5, 10),
        Achievement(AchievementKind.NIL, 1, 1),
    )
    assert profile_sentences(Profile("Ann", NOON_US, results, achievements)) == [
        "Ann. Member since 2025-11-30.",
        "Matches: 5 won, 1 drawn, 3 lost.",
        "1 hand: 1 bag, set 2 times.",
        "Nils: 3 made of 4 bid.",
        "Blind nils: 0 made of 1 bid.",
        "Achievements: First win, Nil made.",
        "Still ahead: Ten wins (5 of 10).",
    ]


PLAYED = PlayedMatch(
    "TABLE-1-abc",
    NOON_US,
    (WEST,),
    (
        (SOUTH, Occupant(OccupantKind.PERSON, "Bob")),
        (WEST, Occupant(OccupantKind.PERSON, "Ann")),
        (NORTH, Occupant(OccupantKind.HOUSE_BOT, "gentle")),
        (EAST, Occupant(OccupantKind.AGENT, "Cid")),
    ),
    MatchResult.WON,
    512,
    340,
    EndReason.TARGET,
)


def changed(**fields: Any) -> str:
    """What is told of the match, without the time."""
    return match_sentence(replace(PLAYED, **fields)).split(": ", 1)[1]


def test_a_match_is_one_line_with_everybodys_name() -> None:
    assert match_sentence(PLAYED).startswith("2025-11-30 12:00: ")
    assert (
        changed() == "won, 512 to 340, with Cid against Bob and gentle (bot). Record TABLE-1-abc."
    )


def test_a_line_says_of_a_match_what_was_special() -> None:
    lost = changed(result=MatchResult.LOST, reason=EndReason.SURRENDER)
    assert lost.startswith("lost by surrender, 512 to 340, ")
    chosen = changed(not_counted=NotCounted.SEED_CHOSEN)
    assert " It does not count: somebody chose its seed. Record" in chosen
    alone = changed(seats=(WEST, EAST))
    assert ", alone against Bob and gentle (bot). " in alone


def test_a_name_moves_no_cursor() -> None:
    wild = Occupant(OccupantKind.PERSON, "\x1b[2J")
    assert changed(players=((EAST, wild),)).isprintable()


# On the command line


async def test_the_own_profile_and_history_are_told_also_while_one_plays(
    spades: Spades, target: str
) -> None:
    ann = await known(target, "Ann", matches=2)
    async with Server(target) as playing:
        held = await log_in(playing, "Ann")
        told = await spades("profile", "--name", "Ann")
        held.release()
    assert (told.status, told.errors) == (0, "")
    assert told.lines[0].startswith("Ann. Member since ")
    assert told.lines[2].startswith("2 hands: ")
    listed = await spades("history", "--name", "Ann", "--most", "1")
    async with Server(target, ann.token) as server:
        newest, _ = await server.matches()
    assert listed.lines == [match_sentence(newest)]


async def test_anybodys_profile_is_told_to_a_newcomer(spades: Spades, target: str) -> None:
    await known(target, "Ann")
    told = await spades("profile", "ann", "--name", "Eve")
    assert told.lines[:2] == [told.lines[0], "No match counts yet."]
    assert told.lines[0].startswith("Ann. ")
    nobody = await spades("profile", "Nobody")
    assert (nobody.status, nobody.output) == (1, "")
    assert nobody.errors == "There is no player 'Nobody' here.\n"


async def test_a_history_without_a_match_says_so(spades: Spades, target: str) -> None:
    await known(target, "Ann")
    assert (await spades("history", "--name", "Ann")).lines == ["No match has ended yet."]


@pytest.mark.parametrize(
    "command", [("profile",), ("history",), ("account", "new-token"), ("account", "delete")]
)
async def test_who_has_not_played_from_here_is_told_so_and_not_registered(
    spades: Spades, target: str, server: SpadesServer, command: tuple[str, ...]
) -> None:
    done = await spades(*command, "--name", "Ann")
    assert (done.status, done.output) == (1, "")
    assert done.errors == (
        "Ann has not played on that server from this machine: name a player with --name, or join a"
        " table first.\n"
    )
    with pytest.raises(ValueError, match="no player"):
        server.players.named("Ann")


async def test_a_token_that_the_server_has_forgotten_is_explained(
    spades: Spades, target: str, server: SpadesServer
) -> None:
    ann = await known(target, "Ann")
    server.players.replace_token(server.players.find(ann.token))
    done = await spades("profile", "--name", "Ann")
    assert (done.status, done.output) == (1, "")
    assert "does not know you any more" in done.errors
    # Somebody else's profile is told all the same.
    assert (await spades("profile", "Ann", "--name", "Eve")).status == 0


async def test_a_new_token_is_kept_and_the_old_one_refused(spades: Spades, target: str) -> None:
    ann = await known(target, "Ann")
    done = await spades("account", "new-token", "--name", "Ann")
    assert done.output == (
        f"Ann has a new token at {target}, which is kept on this machine. Whoever had the old one is"
        " logged out.\n"
    )
    kept = json.loads(ann.path.read_text())["token"]
    assert kept != ann.token
    async with Server(target, kept) as server:
        assert (await server.me())[0] == "Ann"
    async with Server(target, ann.token) as server:
        with pytest.raises(ValueError, match="unknown"):
            await server.me()


@pytest.mark.parametrize("command", [("new-token",), ("delete",), ("delete", "--yes", "Ann")])
async def test_nothing_changes_while_another_client_plays_as_the_player(
    spades: Spades, target: str, command: tuple[str, ...]
) -> None:
    await known(target, "Ann")
    async with Server(target) as playing:
        held = await log_in(playing, "Ann")
        done = await spades("account", *command, "--name", "Ann", text="Ann\n")
        assert (await playing.me())[0] == "Ann"
        held.release()
    assert done.status == 1
    assert done.errors == "Ann is playing from this machine: leave the table first.\n"


def files_of(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.rglob("*") if path.is_file()]


async def test_a_deletion_asks_for_the_name(
    spades: Spades, target: str, server: SpadesServer, state_folder: Path
) -> None:
    ann = await known(target, "Ann")
    done = await spades("account", "delete", "--name", "Ann", text="Ann\n")
    assert done.status == 0
    assert "for good" in done.lines[0]
    assert done.output.endswith(f"Type the name to delete it: Ann is deleted at {target}.\n")
    assert not ann.path.exists()
    assert not any(b"Ann" in kept for kept in files_of(state_folder))
    with pytest.raises(ValueError, match="no player"):
        server.players.named("Ann")


@pytest.mark.parametrize("typed", ["", "\n", "ann\n", "yes\n"])
async def test_a_deletion_that_is_not_confirmed_deletes_nothing(
    spades: Spades, target: str, typed: str
) -> None:
    ann = await known(target, "Ann")
    done = await spades("account", "delete", "--name", "Ann", text=typed)
    assert done.status == 1
    assert done.errors == "Nothing was deleted: to delete 'Ann', repeat that name exactly.\n"
    assert ann.path.exists()
    async with Server(target, ann.token) as server:
        assert (await server.me())[0] == "Ann"


async def test_a_deletion_may_be_confirmed_beforehand(spades: Spades, target: str) -> None:
    ann = await known(target, "Ann")
    refused = await spades("account", "delete", "--name", "Ann", "--yes", "Bob")
    assert (refused.status, refused.output) == (1, "")
    assert ann.path.exists()
    done = await spades("account", "delete", "--name", "Ann", "--yes", "Ann")
    assert (done.status, done.lines) == (0, [f"Ann is deleted at {target}."])
    assert not ann.path.exists()


async def test_a_table_that_is_open_ends_with_the_token_and_says_why(target: str) -> None:
    """The screen and the line client show the sentence, and do not try to come back."""
    async with Server(target) as server, Server(target) as elsewhere:
        await server.register("Ann")
        table = await server.create_table("", seats=(SOUTH,))
        elsewhere.token = server.token
        session = TableSession(server, table.code, SOUTH)
        updates = session.updates()
        assert isinstance(await anext(updates), Changed)
        await elsewhere.replace_token()
        async with asyncio.timeout(60):
            rest = [update async for update in updates]
    ended = rest[-1]
    assert isinstance(ended, Ended)
    assert ended.sentence == "The token was replaced; whoever has the new one goes on."
    assert not any(isinstance(update, LineLost) for update in rest)
