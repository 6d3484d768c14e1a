"""What an event is: a frozen value whose SHA-256 is the event's name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from typing import Any, Final

from spades import PRESETS, FirstDealer, Rules, format_rules, parse_rules
from spades_arena.canonical import canonical, digest
from spades_arena.errors import ArenaError
from spades_arena.faults import Discipline
from spades_arena.limits import TimeLimits
from spades_proto.timing import parse_time_control

SCHEMA: Final = 1
"""The version of the form in which an event is written."""

MAX_HANDS: Final = 50
"""After how many hands a game of a competition ends, unless the rules name another number (rules.md 5.7)."""

FARTHEST: Final = {"boards": 10_000.0, "games": 200.0}
"""The largest difference that a test can ask for: in points per deal, or in normalized Elo."""

MOST_UNITS: Final = 100_000
MOST_ENTRIES: Final = 100


class Format(Enum):
    """Who meets whom."""

    MATCH = "match"
    TEST = "test"
    ROUND_ROBIN = "round-robin"
    GAUNTLET = "gauntlet"


class Mode(Enum):
    """What is played on a stream of deals."""

    GAMES = "games"
    """A whole game at each of two tables."""
    BOARDS = "boards"
    """One deal at each of two tables, from no score."""


CONNECTED: Final = "connected"
"""The first word of what stands in place of a spec for an agent that connected itself."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A pair of agents, two copies of one, that plays as a side."""

    name: str
    spec: str
    """How the agent is named: a house bot, ``path.py:Class``, and so on."""
    owner: str = ""
    digest: str = ""
    """The SHA-256 of the agent's file, or the version of a house bot; empty where neither is known."""

    def __post_init__(self) -> None:
        """Refuses names that a table could not show."""
        if not re.fullmatch(r"[\w.+@&' -]{1,40}", self.name) or self.name != self.name.strip():
            raise ArenaError(
                f"An entry cannot be called {self.name!r}: 1 to 40 letters, digits, spaces and . + @ & ' _ -"
                " are possible."
            )

    @property
    def is_connected(self) -> bool:
        """Whether its agent was connected to a server, where nobody here can start it again."""
        return self.spec.partition(" ")[0] == CONNECTED

    def to_json(self) -> dict[str, object]:
        """As it stands in the event's file."""
        return {name: getattr(self, name) for name in ("name", "spec", "owner", "digest")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What a sequential test decides between, and how often it may be wrong."""

    low: float
    """The difference under the first hypothesis: points per deal, or for games normalized Elo."""
    high: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Refuses bounds between which nothing can be decided."""
        if not self.low < self.high:
            raise ArenaError(
                f"The bounds {self.low:g} and {self.high:g} decide nothing: the first must be the lower."
            )
        for name in ("alpha", "beta"):
            if not 0.0001 <= getattr(self, name) < 0.5:
                raise ArenaError(
                    f"{name}={getattr(self, name):g} is out of range: 0.0001 to 0.5 are allowed."
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSpec:
    """An event before its first card; nothing in it ever changes.

    How many tables play at once is no part of it: the results do not depend on that.
    """

    format: Format
    entries: tuple[Entry, ...]
    rules: Rules = field(default_factory=lambda: competition_rules(PRESETS["classic"]))
    mode: Mode = Mode.GAMES
    units: int = 64
    """The units of each match; for a test the most that it may take."""
    limits: TimeLimits = field(default_factory=TimeLimits)
    discipline: Discipline = field(default_factory=Discipline)
    forfeits: int = 3
    """With so many forfeited units an entry is withdrawn."""
    controls: int = 1
    """How many units each entry plays against itself; they must end level, and count for nothing else."""
    challengers: int = 1
    """In a gauntlet, how many of the first entries meet all the others."""
    bounds: Bounds | None = None
    """Of a test."""
    bag_equity: float = -10.0
    """What a bag is worth at the end of a board, beside its point."""
    equal_within: float = 0.0
    """A difference that counts as none, per deal on boards and per unit in games; 0: none is."""
    seed_commitment: str = ""
    """The SHA-256 of the seed that is shown when the event is over."""
    seed_chosen: bool = False
    """Whether somebody chose the seed, and so could know the cards."""

    def __post_init__(self) -> None:
        """Refuses what cannot be played.

        :raises ArenaError: naming the field.
        """
        check(self)

    def to_json(self) -> dict[str, Any]:
        """The whole event as JSON values."""
        terms = self.terms()
        return {**terms, "entries": [entry.to_json() for entry in self.entries]}

    def terms(self) -> dict[str, Any]:
        """Everything but the entries: what is fixed when an event opens for them."""
        return {
            "schema": SCHEMA,
            "format": self.format.value,
            "mode": self.mode.value,
            "rules": format_rules(self.rules),
            "units": self.units,
            "controls": self.controls,
            "challengers": self.challengers,
            "bounds": None if self.bounds is None else _values(self.bounds),
            "bag_equity": self.bag_equity,
            "equal_within": self.equal_within,
            "limits": {**_values(self.limits), "control": str(self.limits.control)},
            "discipline": _values(self.discipline),
            "forfeits": self.forfeits,
            "seed_commitment": self.seed_commitment,
            "seed_chosen": self.seed_chosen,
        }

    @property
    def name(self) -> str:
        """The SHA-256 of the event's canonical JSON."""
        return digest(self.to_json())

    def line(self) -> str:
        """The canonical JSON that the name is made of."""
        return canonical(self.to_json())

    def with_entries(self, *entries: Entry) -> EventSpec:
        """The same event with other entries."""
        return replace(self, entries=entries)


def _values(value: object) -> dict[str, Any]:
    return {one.name: getattr(value, one.name) for one in fields(value)}  # type: ignore[arg-type]


def competition_rules(rules: Rules, mode: Mode = Mode.GAMES) -> Rules:
    """Makes rules that end: with a last hand in games, of one hand with a drawn dealer on boards."""
    if mode is Mode.BOARDS:
        return replace(rules, max_hands=1, first_dealer=FirstDealer.RANDOM)
    return replace(rules, max_hands=rules.max_hands or MAX_HANDS)


def check(spec: EventSpec) -> None:
    """Refuses an event that cannot be played.

    :raises ArenaError: naming the field, what it is and what is allowed.
    """
    names = [entry.name for entry in spec.entries]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ArenaError(f"Two entries are called {twice!r}: each needs a name of its own.")
    pairwise = spec.format in (Format.MATCH, Format.TEST)
    if pairwise and len(names) != 2:
        raise ArenaError(f"A {spec.format.value} has two entries, not {len(names)}.")
    if not 2 <= len(names) <= MOST_ENTRIES:
        raise ArenaError(f"An event has 2 to {MOST_ENTRIES} entries, not {len(names)}.")
    if spec.bounds is not None:
        low, high, farthest = spec.bounds.low, spec.bounds.high, FARTHEST[spec.mode.value]
        if not max(abs(low), abs(high)) <= farthest:
            raise ArenaError(
                f"The bounds {low:g} and {high:g} of a test on {spec.mode.value} are out of range:"
                f" −{farthest:g} to {farthest:g} are allowed."
            )
    for name, least, most in (
        ("units", 1, MOST_UNITS),
        ("forfeits", 1, MOST_UNITS),
        ("controls", 0, MOST_UNITS),
        ("challengers", 1, len(names) - 1),
    ):
        value = getattr(spec, name)
        if not least <= value <= most:
            raise ArenaError(f"{name}={value} is out of range: {least} to {most} are allowed.")
    if spec.discipline.strikes < 1:
        raise ArenaError(f"strikes={spec.discipline.strikes} is out of range: 1 or more are.")
    if spec.rules.max_hands < 1:
        raise ArenaError("max_hands=0 is not possible: a game of a competition must end.")
    if (spec.format is Format.TEST) != (spec.bounds is not None):
        raise ArenaError("A test has bounds, and nothing else has.")
    if not 0 <= spec.equal_within < 10_000 or not -1_000 <= spec.bag_equity <= 1_000:
        raise ArenaError("equal_within is 0 or more, and bag_equity -1000 to 1000.")


def parse_spec(data: dict[str, Any]) -> EventSpec:
    """Reads what :meth:`EventSpec.to_json` made.

    :raises SpadesError: if it is no event.
    """
    try:
        if data["schema"] != SCHEMA:
            raise ArenaError(
                f"The event is written in form {data['schema']}; form {SCHEMA} is known."
            )
        limits = dict(data["limits"])
        limits["control"] = parse_time_control(str(limits["control"]))
        spec = EventSpec(
            format=Format(data["format"]),
            mode=Mode(data["mode"]),
            rules=parse_rules(data["rules"]),
            entries=tuple(Entry(**one) for one in data["entries"]),
            bounds=None if data["bounds"] is None else Bounds(**data["bounds"]),
            limits=TimeLimits(**limits),
            discipline=Discipline(**data["discipline"]),
            **{name: data[name] for name in _PLAIN},
        )
        spare = set(data) - set(spec.to_json())
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ArenaError):
            raise
        raise ArenaError(f"This is no event: {type(error).__name__}: {error}.") from None
    if spare:
        raise ArenaError(f"An event has no field {min(spare)!r}.")
    return spec


_PLAIN: Final = (
    "units",
    "controls",
    "challengers",
    "bag_equity",
    "equal_within",
    "forfeits",
    "seed_commitment",
    "seed_chosen",
)
