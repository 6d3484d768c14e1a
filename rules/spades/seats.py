"""The four seats and the two sides (rules.md 1.1)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from spades.errors import NotationError, Reason


class Side(IntEnum):
    """A partnership."""

    SOUTH_NORTH = 0
    WEST_EAST = 1

    @property
    def other(self) -> Side:
        """The side that plays against this one."""
        return Side(1 - self)

    @property
    def seats(self) -> tuple[Seat, Seat]:
        """The two partners, in the order of :class:`Seat`."""
        return (Seat(self), Seat(self + 2))

    def __str__(self) -> str:
        return "South and North" if self is Side.SOUTH_NORTH else "West and East"

    def __repr__(self) -> str:
        return f"Side.{self.name}"


_SIDES: Final = tuple(Side)


class Seat(IntEnum):
    """A seat; the values run clockwise, so the next to act is always ``seat.left``.

    >>> Seat.SOUTH.left, Seat.SOUTH.partner, Seat.SOUTH.right
    (Seat.WEST, Seat.NORTH, Seat.EAST)
    """

    SOUTH = 0
    WEST = 1
    NORTH = 2
    EAST = 3

    @property
    def left(self) -> Seat:
        """The next seat clockwise."""
        return LEFT[self]

    @property
    def partner(self) -> Seat:
        """The seat across the table."""
        return LEFT[LEFT[self]]

    @property
    def right(self) -> Seat:
        """The seat that acts before this one."""
        return LEFT[LEFT[LEFT[self]]]

    @property
    def side(self) -> Side:
        """The partnership that the seat belongs to."""
        return _SIDES[self & 1]

    @property
    def letter(self) -> str:
        """The initial, as deals in PBN order write it."""
        return self.name[0]

    def clockwise(self) -> tuple[Seat, Seat, Seat, Seat]:
        """All four seats from this one on.

        >>> [seat.letter for seat in Seat.NORTH.clockwise()]
        ['N', 'E', 'S', 'W']
        """
        second = LEFT[self]
        third = LEFT[second]
        return (self, second, third, LEFT[third])

    def __str__(self) -> str:
        return self.name.capitalize()

    def __repr__(self) -> str:
        return f"Seat.{self.name}"


SEATS: tuple[Seat, Seat, Seat, Seat] = (Seat.SOUTH, Seat.WEST, Seat.NORTH, Seat.EAST)
"""All seats clockwise: a tuple is walked many times faster than an enum."""

LEFT: tuple[Seat, Seat, Seat, Seat] = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
"""The seat to the left of each seat, indexed by seat: the table behind :attr:`Seat.left`."""


def parse_seat(text: str) -> Seat:
    """Reads a seat from its name or initial, in either case.

    >>> parse_seat("w")
    Seat.WEST

    :raises NotationError: if the text names no seat.
    """
    word = text.strip().upper()
    for seat in Seat:
        if word and word in (seat.name, seat.letter):
            return seat
    raise NotationError(
        f"{text!r} is not a seat: South, West, North and East are, or S, W, N and E.",
        Reason.INVALID_NOTATION,
    )
