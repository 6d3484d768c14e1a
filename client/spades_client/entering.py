"""`spades compete enter`: house bots, or one's own player, alone or with a partner."""

from __future__ import annotations

import sys
from dataclasses import dataclass

from spades import Reason, TableError
from spades_agents.competitions import Competitions
from spades_client.callers import as_player, typed
from spades_client.entrants import accepting, halves, stands_when
from spades_client.places import Place
from spades_client.programs import run, say


@dataclass(frozen=True, slots=True)
class EntryWish:
    """What somebody typed who enters."""

    competition: str
    bots: tuple[str, ...]
    entry: str
    partner: str
    at_once: int
    show_token: bool


def enter(place: Place, name: str, wish: EntryWish) -> int:
    """Enters house bots, or one's own player."""

    async def program() -> None:
        _check(wish)
        async with as_player(place, name) as server:
            competitions = Competitions(server)
            status = await competitions.get(wish.competition)
            if status.over:
                raise TableError(
                    f"{status.id} cannot be entered any more: {status.stage.value}.",
                    Reason.COMPETITION_STATE,
                )
            me, _ = await server.me()
            there = {one.name for one in status.entries if one.awaits.casefold() != me.casefold()}
            entry = ""
            for bot in wish.bots or [""]:
                entry = await competitions.enter(
                    wish.competition,
                    wish.entry,
                    bot=bot,
                    at_once=wish.at_once,
                    partner=wish.partner,
                )
                again = " already" if entry in there else ""
                there.add(entry)
                # Said at once: if the next is refused, this one stays.
                if not wish.show_token:
                    say(f"{entry} is entered in {status.id}{again}.")
            token = server.token
            status = await competitions.get(status.id)
            where = typed(server, place)
        if wish.show_token:
            sys.stdout.write(token + "\n")
            return
        for half in halves(status):
            if half.name == entry:
                say(f"It {stands_when(half)}: {accepting(status, half, where, half.awaits)}")
        say(f"The seed of its deals has the SHA-256 {status.seed_commitment}.")

    return run(program())


def _check(wish: EntryWish) -> None:
    """Refuses what contradicts itself, whatever the server says.

    :raises TableError: naming the option.
    """
    if len(wish.bots) > 1 and wish.entry:
        raise TableError("--as names one entry: enter the bots one by one.", Reason.INVALID_FIELD)
    if wish.bots and wish.show_token:
        raise TableError(
            "--show-token is for a bot that connects itself: a house bot has no token.",
            Reason.INVALID_FIELD,
        )
