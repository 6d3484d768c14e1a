"""Who plays the entries of a competition, in words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from spades_proto.competition import CompetitionEntry, CompetitionStage, CompetitionStatus


def players_sentences(status: CompetitionStatus) -> list[str]:
    """Says of each entry whether one player has both seats of its side, and who is still to come."""
    told = [
        f"Played by {how}: {', '.join(names)}."
        for how, names in (
            ("one player in both seats", _names(status, two_players=False)),
            ("two players, one in each seat", _names(status, two_players=True)),
        )
        if names
    ]
    told += [f"{one.name} {stands_when(one)}." for one in halves(status)]
    return told


def halves(status: CompetitionStatus) -> list[CompetitionEntry]:
    """The entries that wait for a second player, while they can still come to stand."""
    if status.stage is not CompetitionStage.OPEN:
        return []
    return [one for one in status.entries if one.awaits]


def stands_when(half: CompetitionEntry) -> str:
    """What an entry waits for, that one of two players has entered."""
    return f"stands when {half.awaits} has entered too, with {half.awaited_by} as partner"


def asking_sentences(status: CompetitionStatus, me: Sequence[str], server: str) -> Iterator[str]:
    """Tells a player, by any of these names, which entries wait for them, and how to accept.

    ``server`` is how the commands that are shown name the server.
    """
    for half in halves(status):
        name = next((one for one in me if one.casefold() == half.awaits.casefold()), None)
        if name is not None:
            yield (
                f"{half.awaited_by} has entered {half.name} in {status.id} with you, {name}, as partner."
                f" Accept with: {accepting(status, half, server, name)}"
            )


def accepting(status: CompetitionStatus, half: CompetitionEntry, server: str, name: str) -> str:
    """The command with which the partner of this name enters too."""
    words = ["--name", name, "--partner", half.awaited_by, "--as", half.name]
    return f"spades agent run mybot.py {server} --entry {status.id} {shlex.join(words)}"


def taking_out_sentences(status: CompetitionStatus, server: str, name: str) -> Iterator[str]:
    """How the organiser, who has typed this name, takes out entries whose second player does not come."""
    for half in halves(status):
        words = ["--as", half.name, *(["--name", name] if name else [])]
        command = f"spades compete withdraw {status.id} {server} {shlex.join(words)}"
        yield f"To take out {half.name}: {command}"


def _names(status: CompetitionStatus, *, two_players: bool) -> list[str]:
    return [one.name for one in status.entries if not one.bot and one.two_players is two_players]
