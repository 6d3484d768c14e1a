"""What `spades compete` does."""

from __future__ import annotations

import importlib.util
import secrets
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from spades import SpadesError, parse_rules, parse_seed
from spades_arena.entrants import check_agents, check_programs, entry_of, two_entries
from spades_arena.errors import ArenaError
from spades_arena.events import EventFolder, read_event
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.runner import Ending, Interrupts, Run
from spades_arena.spec import (
    Bounds,
    Entry,
    EventSpec,
    Format,
    Mode,
    competition_rules,
)
from spades_arena.spec_file import read_spec
from spades_arena.state import EventState
from spades_arena.stream import seed_commitment
from spades_arena.workers import Workers
from spades_client.bar import Bar
from spades_client.phrases import printable
from spades_proto.timing import parse_time_control

NEEDED: Final = ("numpy", "scipy", "matplotlib", "jinja2")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody typed."""

    agents: tuple[str, ...]
    games: int
    boards: int
    rules: str
    seed: str
    clock: str
    strict: bool
    equal_within: float = 0.0

    @property
    def mode(self) -> Mode:
        """Boards where some are asked for, else games."""
        return Mode.BOARDS if self.boards else Mode.GAMES


def match(wish: Wish, jobs: int, out: Path | None) -> int:
    """Plays one agent against another."""
    return _explained(lambda: _begin(_spec(wish, Format.MATCH), wish.seed, jobs, out))


def sequential_test(
    wish: Wish, bounds: tuple[float, float, float, float], jobs: int, out: Path | None
) -> int:
    """Plays a sequential test."""
    low, high, alpha, beta = bounds

    def program() -> int:
        tested = Bounds(low=low, high=high, alpha=alpha, beta=beta)
        return _begin(_spec(wish, Format.TEST, bounds=tested), wish.seed, jobs, out)

    return _explained(program)


def round_robin(wish: Wish, jobs: int, out: Path | None) -> int:
    """Plays everybody against everybody."""
    return _explained(lambda: _begin(_spec(wish, Format.ROUND_ROBIN), wish.seed, jobs, out))


def gauntlet(wish: Wish, challengers: int, jobs: int, out: Path | None) -> int:
    """Plays the first few against the others."""

    def program() -> int:
        spec = _spec(wish, Format.GAUNTLET, challengers=challengers)
        return _begin(spec, wish.seed, jobs, out)

    return _explained(program)


def run(file: Path, seed: str, jobs: int, out: Path | None) -> int:
    """Plays the event of a file; one that has a commitment already needs the seed that was shown."""

    def program() -> int:
        if file.suffix != ".json":
            spec, chosen = read_spec(file)
            return _begin(spec, seed or chosen, jobs, out)
        spec = read_event(file)
        server_seed = parse_seed(seed) if seed else b""
        if seed_commitment(server_seed) != spec.seed_commitment:
            raise ArenaError(
                "The event has committed itself to a seed: give it with --seed, as its report shows it."
            )
        check_programs(spec.entries)
        folder = EventFolder.create(out or _default_folder(spec), spec, server_seed)
        return _play(folder, jobs)

    return _explained(program)


def resume(path: Path, jobs: int) -> int:
    """Plays what is missing of an event."""

    def program() -> int:
        folder = EventFolder.open(path)
        check_programs(folder.spec.entries)
        return _play(folder, jobs)

    return _explained(program)


def status(path: Path) -> int:
    """Tells how far an event is."""

    def program() -> int:
        from spades_arena.tables import make_tables

        folder = EventFolder.open(path)
        state = folder.state()
        _say_state(state)
        tables = make_tables(folder, state)
        for one in tables.standings:
            share = "no points yet" if one.share != one.share else f"{100 * one.share:.1f} %"
            said = f"{one.rank}. {one.entry}: {one.points:g} of {2 * one.units}, {share}"
            _say(f"{said}, {one.withdrawn}" if one.withdrawn else said)
        for sentence in tables.verdicts:
            _say(sentence)
        if not state.finished:
            _say(f"Go on with: {resume_command(path)}")
        return 0

    return _explained(program)


def report(path: Path) -> int:
    """Writes the reports of an event as it stands."""

    def program() -> int:
        folder = EventFolder.open(path)
        _publish(folder, folder.state())
        return 0

    return _explained(program)


def verify(path: Path, name: str = "") -> int:
    """Verifies an event and says what was found; ``name`` is how it is called, if not by its folder."""

    def program() -> int:
        from spades_arena.verification import verify_event

        shown = name or path
        found = verify_event(path)
        for sentence in found.findings:
            _say(sentence)
        if not found.holds:
            _say(f"{shown} does not hold.")
            return 1
        how = " so far; it is not over" if found.unfinished else ""
        _say(f"{shown} holds{how}: {found.units} units, {found.records} records.")
        return 0

    return _explained(program)


def power(
    effect: float, spread: float, like: Path | None, power: float, alpha: float, *, games: bool
) -> int:
    """Tells how many units a question needs."""

    def program() -> int:
        from spades_arena.power import USUAL_SD, units_for

        mode = Mode.GAMES if games else Mode.BOARDS
        sd, origin = spread or USUAL_SD[mode.value], "given" if spread else "usual"
        if like is not None:
            mode, sd = _spread_of(like)
            origin = f"that of {like}"
        units = units_for(effect, sd, power, alpha)
        kind = "games" if mode is Mode.GAMES else "deals"
        _say(
            f"{units:,} units, each of two tables ({2 * units:,} {kind} in all): so many find a true"
            f" difference of {effect:g} with {100 * power:g} %, and one that is not there with"
            f" {100 * alpha:g} %. The spread of a unit is {sd:.3g} ({origin})."
        )
        return 0

    return _explained(program)


def _spread_of(path: Path) -> tuple[Mode, float]:
    """The mode of an event and the spread of its units, from all its matches."""
    from spades_arena.tables import make_tables

    folder = EventFolder.open(path)
    duels = make_tables(folder, folder.state()).duels
    mode = folder.spec.mode
    found = [duel.scores if mode is Mode.GAMES else duel.leads for duel in duels]
    freedom = sum(one.n - 1 for one in found if one.n >= 2)
    if not freedom:
        raise ArenaError(f"{path} has not been played far enough to tell the spread of its units.")
    squares = sum((one.n - 1) * one.sd**2 for one in found if one.n >= 2)
    return mode, (squares / freedom) ** 0.5


def resume_command(path: Path) -> str:
    """What to type to go on with an event."""
    return f"spades compete resume {path}"


def _explained(program: Callable[[], int]) -> int:
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        sys.stderr.write(
            f"Competitions need {', '.join(lacking)}: install them with pip install 'spades[arena]'.\n"
        )
        return 1
    try:
        return program()
    except SpadesError as error:
        sys.stderr.write(printable(error.sentence) + "\n")
        return 1


def _say(sentence: str) -> None:
    sys.stdout.write(printable(sentence) + "\n")
    sys.stdout.flush()


def _spec(
    wish: Wish, kind: Format, *, bounds: Bounds | None = None, challengers: int = 1
) -> EventSpec:
    """Makes an event of what was typed.

    :raises SpadesError: if it cannot be played.
    """
    if not wish.boards and wish.games % 2:
        raise ArenaError(
            f"{wish.games} games make no units: each takes two, so give an even number."
        )
    entries: tuple[Entry, ...]
    if kind in (Format.MATCH, Format.TEST):
        entries = two_entries(*wish.agents)
    else:
        entries = tuple(map(entry_of, wish.agents))
    return EventSpec(
        format=kind,
        entries=entries,
        rules=competition_rules(parse_rules(wish.rules), wish.mode),
        mode=wish.mode,
        units=wish.boards or wish.games // 2,
        limits=TimeLimits(control=parse_time_control(wish.clock)),
        discipline=Discipline(strict=wish.strict),
        challengers=challengers,
        bounds=bounds,
        equal_within=wish.equal_within,
    )


def _begin(spec: EventSpec, seed: str, jobs: int, out: Path | None) -> int:
    """Draws the seed or takes the one that was chosen, and plays."""
    check_agents(spec.entries)
    server_seed = parse_seed(seed) if seed else secrets.token_bytes(32)
    spec = replace(spec, seed_commitment=seed_commitment(server_seed), seed_chosen=bool(seed))
    folder = EventFolder.create(out or _default_folder(spec), spec, server_seed)
    return _play(folder, jobs)


def _default_folder(spec: EventSpec) -> Path:
    names = [entry.name.replace(" ", "") for entry in spec.entries]
    words = "-".join(names) if len(names) == 2 else f"{spec.format.value}-{len(names)}"
    return Path("competitions") / f"{words}-{spec.name[:8]}"


def _play(folder: EventFolder, jobs: int) -> int:
    """Plays what is missing, with a bar, and says what came of it."""
    names = [entry.name for entry in folder.spec.entries]
    words = " – ".join(names) if len(names) == 2 else f"{len(names)} entries"
    with Bar(words) as bar:
        interrupts = Interrupts(bar.tell_interrupted)
        ending = Run(folder, Workers(jobs), bar.show, interrupts).play()
    state = folder.state()
    if ending is Ending.INTERRUPTED:
        _say_state(state)
        _say(f"Go on with: {resume_command(folder.path)}")
        return 130
    _publish(folder, state)
    return 0


def _say_state(state: EventState) -> None:
    played = f"{state.done} of {len(state.units)} units are done"
    _say(f"{played}, {len(state.missing)} are to be played.")


def _publish(folder: EventFolder, state: EventState) -> None:
    from spades_arena.markdown import summary
    from spades_arena.reports import publish

    tables = publish(folder, state)
    for line in summary(tables):
        _say(line)
    _say(f"Report: {folder.path / 'report.html'}")
