"""What a player does about themselves: results, history, a new token, the end."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime

from spades import EndReason, Reason, SpadesError, TableError
from spades_agents import Server
from spades_client.identity import hold_known, log_in, recall
from spades_client.phrases import bag_words, printable
from spades_client.places import Place, connected
from spades_client.programs import say
from spades_proto.profile import PlayedMatch, Profile
from spades_proto.table import Occupant, OccupantKind


async def profile(place: Place, name: str, whose: str) -> None:
    """Tells the results of a player, one's own unless another is named."""
    async with connected(place, []) as server:
        if whose:
            await look_on(server, name)
        else:
            await come_back(server, name)
        found = await server.profile(whose)
    for sentence in profile_sentences(found):
        say(sentence)


async def history(place: Place, name: str, most: int) -> None:
    """Tells one's matches, the newest first."""
    async with connected(place, []) as server:
        await come_back(server, name)
        played = await server.matches(most)
    for one in played:
        say(match_sentence(one))
    if not played:
        say("No match has ended yet.")


async def new_token(place: Place, name: str) -> None:
    """Gets a new token and keeps it in place of the old one."""
    async with connected(place, []) as server:
        held = hold_known(server.recognised_by, name)
        try:
            server.token = held.token
            held.token = await server.replace_token()
            held.keep()
        finally:
            held.release()
    say(
        f"{held.name} has a new token at {server.target}, which is kept on this machine."
        " Whoever had the old one is logged out."
    )


def confirmation(place: Place, name: str) -> str:
    """Says what a deletion does, and asks for the name.

    :raises SpadesError: if there is nobody to delete.
    """

    async def whom() -> tuple[str, str]:
        async with connected(place, []) as server:
            held = hold_known(server.recognised_by, name)
            held.release()
            return held.name, server.target

    player, where = asyncio.run(whom())
    say(
        f"This deletes {player} at {where}, for good: the token, the results and the history."
        " The name is struck from all records there and is free for others."
    )
    sys.stdout.write("Type the name to delete it: ")
    sys.stdout.flush()
    return sys.stdin.readline().rstrip("\r\n")


async def delete(place: Place, name: str, confirmed: str) -> None:
    """Deletes the player there and the token here; ``confirmed`` is the player's name once more."""
    async with connected(place, []) as server:
        held = hold_known(server.recognised_by, name)
        try:
            server.token = held.token
            await server.delete_me(confirmed)
            held.forget()
        finally:
            held.release()
    say(f"{held.name} is deleted at {server.target}.")


async def come_back(server: Server, name: str) -> str:
    """Calls as the player who has played from here, also while another client of this machine plays.

    Returns the player's name.

    :raises SpadesError: if there is none, or the server does not know it any more.
    """
    server.token = recall(server.recognised_by, name)
    try:
        return (await server.me())[0]
    except SpadesError as error:
        if error.reason is not Reason.TOKEN_INVALID:
            raise
        raise TableError(
            f"The server at {server.target} does not know you any more: it was started anew, or you"
            " have a newer token elsewhere.",
            Reason.TOKEN_INVALID,
        ) from None


async def look_on(server: Server, name: str) -> str:
    """Calls as whoever has played from here, else as somebody who looks on; returns the name."""
    try:
        return await come_back(server, name)
    except SpadesError as error:
        if error.reason not in (Reason.PLAYER_NOT_FOUND, Reason.TOKEN_INVALID):
            raise
        server.token = ""
        held = await log_in(server, name, "-watch")
        held.release()
        return held.name


def profile_sentences(profile: Profile) -> list[str]:
    """The results of a player, one kind to a line."""
    results = profile.results
    since = f" Member since {_day(profile.since_us)}." if profile.since_us else ""
    told = [f"{profile.name}.{since}"]
    if not results.matches:
        told.append("No match counts yet.")
    else:
        hands = _count(results.hands, "hand", "hands")
        sets = _count(results.sets, "time", "times")
        told += (
            f"Matches: {results.won} won, {results.drawn} drawn, {results.lost} lost.",
            f"{hands}: {bag_words(results.bags)}, set {sets}.",
            f"Nils: {results.nils_made} made of {results.nils_bid} bid.",
            f"Blind nils: {results.blind_nils_made} made of {results.blind_nils_bid} bid.",
        )
    reached = [one.kind.value for one in profile.achievements if one.reached]
    ahead = [
        one.kind.value + (f" ({one.progress} of {one.goal})" if one.goal > 1 else "")
        for one in profile.achievements
        if not one.reached
    ]
    told.append(f"Achievements: {', '.join(reached) or 'none yet'}.")
    if ahead:
        told.append(f"Still ahead: {', '.join(ahead)}.")
    return told


def match_sentence(played: PlayedMatch) -> str:
    """A match of a history in one line."""
    own = played.seats[0]
    names = {seat: _name(who) for seat, who in played.players}
    partner = own.partner
    partly = "alone" if partner in played.seats else f"with {names.get(partner, str(partner))}"
    others = [names.get(seat, str(seat)) for seat in own.side.other.seats]
    surrendered = " by surrender" if played.reason is EndReason.SURRENDER else ""
    left_out = f" It does not count: {played.not_counted.value}." if played.not_counted else ""
    return (
        f"{_time(played.ended_us)}: {played.result.value}{surrendered}, {played.points} to"
        f" {played.points_against}, {partly} against {' and '.join(others)}."
        f"{left_out} Record {played.match}."
    )


def _name(who: Occupant) -> str:
    return f"{who.name} (bot)" if who.kind is OccupantKind.HOUSE_BOT else printable(who.name)


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _day(time_us: int) -> str:
    return f"{_moment(time_us):%Y-%m-%d}"


def _time(time_us: int) -> str:
    return f"{_moment(time_us):%Y-%m-%d %H:%M}"


def _moment(time_us: int) -> datetime:
    """A time of the server as the clock on this wall shows it."""
    return datetime.fromtimestamp(time_us / 1_000_000).astimezone()
