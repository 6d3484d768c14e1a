"""What `spades compete` tells of events that are there, and of those that are only thought of."""

from __future__ import annotations

from pathlib import Path

from spades_arena.counts import counted
from spades_arena.errors import ArenaError
from spades_arena.events import EventFolder
from spades_arena.markdown import fault_sentences, standing_sentence
from spades_arena.power import units_for
from spades_arena.spec import Mode
from spades_arena.tables import make_tables
from spades_arena.trial_length import USUAL_SD
from spades_arena.verification import verify_event
from spades_client.bar import duration
from spades_client.competing import (
    TO_NAME_ITS_SERVER,
    explained,
    require_folder,
    resume_command,
    say,
    say_state,
)


def status(path: Path) -> int:
    """Tells how far an event is."""

    def program() -> int:
        require_folder(path, TO_NAME_ITS_SERVER)
        folder = EventFolder.open(path)
        state = folder.state()
        say_state(state)
        tables = make_tables(folder, state)
        for one in tables.standings:
            say(standing_sentence(one))
        for sentence in (*tables.verdicts, *fault_sentences(tables)):
            say(sentence)
        if not state.finished:
            longest = duration(folder.spec.limits.unit_ms() / 1000)
            say(f"Whatever the bots do, a unit takes at most {longest} of one process.")
            going = folder.is_running
            say("A program plays it now." if going else f"Go on with: {resume_command(path)}")
        return 0

    return explained(program)


def verify(path: Path, name: str = "") -> int:
    """Verifies an event and says what was found; ``name`` is how it is called, if not by its folder."""

    def program() -> int:
        require_folder(path, TO_NAME_ITS_SERVER)
        shown = name or path
        found = verify_event(path)
        for sentence in found.findings:
            say(sentence)
        if not found.holds:
            say(f"{shown} does not hold.")
            return 1
        how = " so far; it is not over" if found.unfinished else ""
        records = counted(found.records, "record")
        say(f"{shown} holds{how}: {records}; {found.progress}.")
        return 0

    return explained(program)


def power(
    effect: float, spread: float, like: Path | None, power: float, alpha: float, *, games: bool
) -> int:
    """Tells how many units a question needs."""

    def program() -> int:
        mode = Mode.GAMES if games else Mode.BOARDS
        sd, origin = spread or USUAL_SD[mode.value], "given" if spread else "usual"
        if like is not None:
            mode, sd = _spread_of(like)
            origin = f"that of {like}"
        units = units_for(effect, sd, power, alpha)
        typed = f"two games, --games {2 * units}"
        if mode is Mode.BOARDS:
            typed = f"a deal at two tables, --boards {units}"
        say(
            f"{counted(units, 'unit')} (each {typed}): so many find a true"
            f" difference of {effect:g} with {100 * power:g} %, and one that is not there with"
            f" {100 * alpha:g} %. The spread of a unit is {sd:.3g} ({origin})."
        )
        return 0

    return explained(program)


def _spread_of(path: Path) -> tuple[Mode, float]:
    """The mode of an event and the spread of its units, from all its matches."""
    folder = EventFolder.open(path)
    duels = make_tables(folder, folder.state()).duels
    mode = folder.spec.mode
    found = [duel.scores if mode is Mode.GAMES else duel.leads for duel in duels]
    freedom = sum(one.n - 1 for one in found if one.n >= 2)
    if not freedom:
        raise ArenaError(f"{path} has not been played far enough to tell the spread of its units.")
    squares = sum((one.n - 1) * one.sd**2 for one in found if one.n >= 2)
    if not squares:
        raise ArenaError(f"All units of {path} ended alike, so it does not tell how they spread.")
    return mode, (squares / freedom) ** 0.5
