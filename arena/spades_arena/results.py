"""What came of a table and of a unit: frozen, and one line of the journal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from spades import Outcome, Seat, Side, parse_seat
from spades_arena.errors import ArenaError
from spades_arena.faults import Cause, Fault
from spades_arena.schedule import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class TableResult:
    """What came of one table; pairs are indexed by :class:`~spades.Side`."""

    place: int
    """0 for the first table of the unit, 1 for the second, where the sides are changed."""
    winner: Side | None
    """``None`` for a draw, and where nothing was decided."""
    totals: tuple[int, int]
    bags: tuple[int, int]
    hands: int
    faults: tuple[Fault, ...] = ()
    forfeited: tuple[Side, ...] = ()
    """The sides that lost by their faults and not by their cards."""
    record: str = ""
    """The SHA-256 of the record's line; empty where there is none."""

    def to_json(self) -> dict[str, Any]:
        """As it stands in the journal."""
        return {
            "table": self.place + 1,
            "winner": None if self.winner is None else self.winner.name,
            "totals": list(self.totals),
            "bags": list(self.bags),
            "hands": self.hands,
            "faults": [fault.to_json() for fault in self.faults],
            "forfeited": [side.name for side in self.forfeited],
            "record": self.record,
        }


def decided(outcome: Outcome | None) -> Side | None:
    """The side that won, if one did."""
    return None if outcome is None else outcome.winner


class Status(Enum):
    """How a unit ended."""

    PLAYED = "played"
    FORFEIT = "forfeit"
    VOID = "void"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitResult:
    """What came of a unit, as entry A sees it."""

    unit: Unit
    status: Status
    score: float | None
    """The points of A, 0 to 2: a win at a table is one, a draw a half; ``None`` if void."""
    margin: float | None
    """By how many points of the game A was ahead at both tables together; only where both were played."""
    tables: tuple[TableResult, ...]
    attempts: int = 1
    """How often it was played, with what broke down on the organiser's side."""
    reason: str = ""
    """Why it is void."""

    def score_of(self, entry: int) -> float:
        """The points of an entry in a unit that has some."""
        assert self.score is not None, "a void unit has no points"
        return self.score if entry == self.unit.a else 2 - self.score

    def entry_at(self, table: TableResult, side: Side) -> int:
        """Who sat where: the sides are changed at the second table."""
        return (self.unit.a, self.unit.b)[side ^ table.place]

    def faults(self) -> list[tuple[int, TableResult, Fault]]:
        """The faults with their entries and tables."""
        return [
            (self.entry_at(table, fault.seat.side), table, fault)
            for table in self.tables
            for fault in table.faults
        ]

    @property
    def losers(self) -> tuple[int, ...]:
        """The entries that forfeited."""
        return tuple(
            self.entry_at(table, side) for table in self.tables for side in table.forfeited
        )

    def to_json(self) -> dict[str, Any]:
        """As it stands in the journal."""
        return {
            "unit": self.unit.id,
            "status": self.status.value,
            "score": self.score,
            "margin": self.margin,
            "tables": [table.to_json() for table in self.tables],
            "attempts": self.attempts,
            "reason": self.reason,
        }


def parse_result(data: dict[str, Any], units: dict[str, Unit]) -> UnitResult:
    """Reads a line of the journal.

    :raises ArenaError: if it is no result, or one of no unit of the event.
    """
    try:
        unit = units[data["unit"]]
        return UnitResult(
            unit=unit,
            status=Status(data["status"]),
            score=data["score"],
            margin=data["margin"],
            tables=tuple(map(_table, data["tables"])),
            attempts=data["attempts"],
            reason=data["reason"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ArenaError(f"This is no result of a unit: {type(error).__name__}: {error}.") from None


def _table(data: dict[str, Any]) -> TableResult:
    south, west = data["totals"]
    return TableResult(
        place=data["table"] - 1,
        winner=None if data["winner"] is None else Side[data["winner"]],
        totals=(south, west),
        bags=(data["bags"][0], data["bags"][1]),
        hands=data["hands"],
        faults=tuple(map(_fault, data["faults"])),
        forfeited=tuple(Side[name] for name in data["forfeited"]),
        record=data["record"],
    )


def _fault(data: dict[str, Any]) -> Fault:
    seat: Seat = parse_seat(data["seat"])
    return Fault(Cause[data["cause"]], seat, data["hand"], data["decision"], data["detail"])
