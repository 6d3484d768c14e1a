"""Events for tests: small, quick, and all alike but for what a test is about."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from spades import parse_rules, parse_seed
from spades_arena.events import EventFolder
from spades_arena.executor import Executor, InProcess
from spades_arena.results import UnitResult
from spades_arena.runner import Ending, Progress, Run
from spades_arena.spec import Entry, EventSpec, Format, Mode, competition_rules
from spades_arena.state import EventState
from spades_arena.stream import seed_commitment

ROGUES = Path(__file__).with_name("rogues.py")
SEED = parse_seed("arena")


def rogue(name: str) -> Entry:
    """An agent of `rogues.py` as an entry."""
    return Entry(name, f"{ROGUES}:{name}")


def house(*names: str) -> tuple[Entry, ...]:
    """House bots as entries."""
    return tuple(Entry(name, name) for name in names)


def an_event(
    *entries: Entry,
    kind: Format = Format.MATCH,
    units: int = 2,
    rules: str = "quick,target=100,floor=-100,max_hands=3",
    mode: Mode = Mode.GAMES,
    controls: int = 0,
) -> EventSpec:
    """An event of short games."""
    return EventSpec(
        format=kind,
        entries=entries or house("gentle", "beginner"),
        rules=competition_rules(parse_rules(rules), mode),
        mode=mode,
        units=units,
        controls=controls,
        seed_commitment=seed_commitment(SEED),
    )


@dataclass(frozen=True)
class Played:
    """An event that has been run."""

    folder: EventFolder
    ending: Ending
    state: EventState
    steps: tuple[Progress, ...]

    @property
    def results(self) -> dict[str, UnitResult]:
        """What counts, by the ids of units."""
        return {one.unit.id: one for one in self.state.counted}


def run(path: Path, spec: EventSpec, executor: Executor | None = None) -> Played:
    """Plays an event from its beginning."""
    return go_on(EventFolder.create(path, spec, SEED), executor)


def go_on(folder: EventFolder, executor: Executor | None = None) -> Played:
    """Plays what is missing of an event."""
    steps: list[Progress] = []
    ending = Run(folder, executor or InProcess(), steps.append).play()
    return Played(folder, ending, folder.state(), tuple(steps))


def with_clock(spec: EventSpec, **limits: object) -> EventSpec:
    """The same event with other limits of time."""
    return replace(spec, limits=replace(spec.limits, **limits))  # type: ignore[arg-type]
