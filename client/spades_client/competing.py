"""What `spades compete` does."""

from __future__ import annotations

import re
import secrets
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from spades import SpadesError, parse_rules, parse_seed
from spades_arena.entrants import check_agents, check_programs, entries_of
from spades_arena.errors import ArenaError
from spades_arena.events import EventFolder, read_event
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_arena.runner import Ending, Interrupts, Run
from spades_arena.spec import (
    Bounds,
    EventSpec,
    Format,
    Mode,
    competition_rules,
)
from spades_arena.spec_file import read_spec
from spades_arena.state import EventState
from spades_arena.stream import seed_commitment
from spades_arena.trial_length import check_length, length_warning
from spades_arena.workers import Workers
from spades_client.bar import Bar
from spades_client.phrases import printable
from spades_proto.timing import parse_time_control


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
    return explained(lambda: _begin(_spec(wish, Format.MATCH), wish.seed, jobs, out))


def sequential_test(
    wish: Wish, bounds: tuple[float, float, float, float], jobs: int, out: Path | None
) -> int:
    """Plays a sequential test."""
    low, high, alpha, beta = bounds

    def program() -> int:
        tested = Bounds(low=low, high=high, alpha=alpha, beta=beta)
        return _begin(_spec(wish, Format.TEST, bounds=tested), wish.seed, jobs, out)

    return explained(program)


def round_robin(wish: Wish, jobs: int, out: Path | None) -> int:
    """Plays everybody against everybody."""
    return explained(lambda: _begin(_spec(wish, Format.ROUND_ROBIN), wish.seed, jobs, out))


def gauntlet(wish: Wish, challengers: int, jobs: int, out: Path | None) -> int:
    """Plays the first few against the others."""

    def program() -> int:
        spec = _spec(wish, Format.GAUNTLET, challengers=challengers)
        return _begin(spec, wish.seed, jobs, out)

    return explained(program)


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
        check_agents(spec.entries)
        check_programs(spec.entries)
        folder = EventFolder.create(out or _default_folder(spec), spec, server_seed)
        return _play(folder, jobs)

    return explained(program)


def resume(path: Path, jobs: int) -> int:
    """Plays what is missing of an event."""

    def program() -> int:
        require_folder(path, TO_DOWNLOAD)
        folder = EventFolder.open(path)
        check_programs(folder.spec.entries)
        return _play(folder, jobs)

    return explained(program)


def report(path: Path) -> int:
    """Writes the reports of an event as it stands."""

    def program() -> int:
        require_folder(path, TO_DOWNLOAD)
        folder = EventFolder.open(path)
        _publish(folder, folder.state())
        return 0

    return explained(program)


def resume_command(path: Path) -> str:
    """What to type to go on with an event."""
    return f"spades compete resume {shlex.quote(str(path))}"


TO_NAME_ITS_SERVER: Final = "name the server with --server"
TO_DOWNLOAD: Final = "`spades compete verify --server --out` downloads it when it is over"

_ID: Final = re.compile(r"[A-Za-z0-9]{6}")


def require_folder(path: Path, advice: str) -> None:
    """Gives advice where the id of a competition of a server stands in place of a folder.

    :raises ArenaError: if there is no such folder.
    """
    if _ID.fullmatch(str(path)) and not path.exists():
        raise ArenaError(
            f"There is no folder {path}. If this is a competition of a server, {advice}."
        )


def explained(program: Callable[[], int]) -> int:
    """Runs a program and says in a sentence what went wrong, if something did."""
    try:
        return program()
    except SpadesError as error:
        sys.stderr.write(printable(error.sentence) + "\n")
        return 1


def say(sentence: str) -> None:
    """Writes one line to standard output at once."""
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
    return EventSpec(
        format=kind,
        entries=entries_of(wish.agents),
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
    check_length(spec)
    if warning := length_warning(spec):
        say(warning)
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
        workers = Workers(jobs, stderr=folder.stderr)
        ending = Run(folder, workers, bar.show, interrupts).play()
    state = folder.state()
    if ending is Ending.INTERRUPTED:
        say_state(state)
        say(f"Go on with: {resume_command(folder.path)}")
        return 130
    _publish(folder, state)
    return 0


def say_state(state: EventState) -> None:
    """Says how far an event is."""
    say(f"{state.tally.words(decided=state.decided)}.")


def _publish(folder: EventFolder, state: EventState) -> None:
    from spades_arena.markdown import summary
    from spades_arena.reports import publish

    tables = publish(folder, state)
    for line in summary(tables):
        say(line)
    say(f"Report: {folder.path / 'report.html'}")
