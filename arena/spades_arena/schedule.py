"""Who plays whom, when: a pure function of the event."""

from __future__ import annotations

from dataclasses import dataclass

from spades_arena.spec import EventSpec, Format

Pairing = tuple[int, int]
"""Two entries by their places in the event."""


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing that is scored: two tables on the same deals, with the sides changed."""

    id: str
    round: int
    match: int
    """The number of the match within the event, from 1."""
    number: int
    """The number within the match, from 1; it is also the stream of deals."""
    a: int
    """The place of the entry that has South and North at the first table."""
    b: int

    @property
    def stream(self) -> int:
        """The stream of deals: unit *n* of every match plays the same one."""
        return self.number

    @property
    def is_control(self) -> bool:
        """Whether an entry meets itself, which must end level."""
        return self.a == self.b

    def has(self, entry: int) -> bool:
        """Whether an entry plays in it."""
        return entry in (self.a, self.b)


def rounds(spec: EventSpec) -> list[list[Pairing]]:
    """The pairings of each round; nobody plays twice in one, unless a challenger meets everybody."""
    count = len(spec.entries)
    if spec.format is Format.ROUND_ROBIN:
        return circle(count)
    if spec.format is Format.GAUNTLET:
        return [
            [(challenger, other) for other in range(spec.challengers, count)]
            for challenger in range(spec.challengers)
        ]
    return [[(0, 1)]]


def circle(count: int) -> list[list[Pairing]]:
    """Everybody against everybody once, by the circle method: the first stays, the others move round.

    >>> circle(3)
    [[(1, 2)], [(0, 2)], [(0, 1)]]
    """
    places: list[int | None] = [*range(count)]
    if count % 2:
        places.append(None)
    half = len(places) // 2
    made: list[list[Pairing]] = []
    for _ in range(len(places) - 1):
        pairs = zip(places[:half], reversed(places[half:]), strict=True)
        made.append([(min(a, b), max(a, b)) for a, b in pairs if a is not None and b is not None])
        places = [places[0], places[-1], *places[1:-1]]
    return made


def schedule(spec: EventSpec) -> tuple[Unit, ...]:
    """Every unit of the event, in the order in which they count.

    It begins with the controls, in which each entry meets itself. Within a round the matches go on side by
    side, so that a stream of deals is done with early.
    """
    units = [
        Unit(f"c{entry + 1:04d}-u{number:05d}", 0, 0, number, entry, entry)
        for number in range(1, min(spec.controls, spec.units) + 1)
        for entry in range(len(spec.entries))
    ]
    first = 1
    for place, pairings in enumerate(rounds(spec), 1):
        for number in range(1, spec.units + 1):
            units += [
                Unit(unit_id(match, number), place, match, number, a, b)
                for match, (a, b) in enumerate(pairings, first)
            ]
        first += len(pairings)
    return tuple(units)


def unit_id(match: int, number: int) -> str:
    """The name of a unit: the same whenever the schedule is made."""
    return f"m{match:04d}-u{number:05d}"
