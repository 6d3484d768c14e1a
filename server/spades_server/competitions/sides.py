"""Who plays a side of a competition's table."""

from __future__ import annotations

from dataclasses import dataclass

from spades import Seat
from spades_server.commands import Player


@dataclass(frozen=True, slots=True)
class SideEntry:
    """Who plays a side: the player of a connected agent, one for each seat, or a house bot."""

    name: str
    player: Player | None
    bot: str = ""
    partner: Player | None = None
    """The player of the side's second seat, North or East; ``None`` where one has both."""

    def player_of(self, seat: Seat) -> Player | None:
        """Who has a seat of the side; ``None`` for a house bot."""
        first = seat is seat.side.seats[0]
        return self.player if first or self.partner is None else self.partner
