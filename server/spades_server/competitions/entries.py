"""Who has entered a competition: a house bot, one player for both seats of a side, or a player for each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from spades_arena import spec
from spades_arena.spec import Entry
from spades_proto.software import SOFTWARE
from spades_server.commands import Player
from spades_server.players import folded

CONNECTED: Final = f"{spec.CONNECTED} (one player in both seats)"
"""What stands in place of a spec for an agent that connects."""

CONNECTED_PAIR: Final = f"{spec.CONNECTED} (two players)"
"""The same for two agents, of which neither sees the other's cards."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players who play an entry together; it stands when each has named the other."""

    first: str
    """The name of the player who has entered."""
    second: str
    """The name of the player whom the first has named."""
    player: str = ""
    """The id of the second player, once it has entered too."""


@dataclass(frozen=True, slots=True)
class Entered:
    """An entry and who plays it."""

    name: str
    bot: str
    """The house bot that plays; empty for an agent that connects."""
    player: str
    """The id of the player whose agent plays; empty for a house bot, or once a player is deleted."""
    at_once: int
    pairing: Pairing | None = None
    """The player of the other seat; ``None`` where one plays both."""

    @property
    def entry(self) -> Entry:
        """As it stands in the event: nothing in it tells which player it is, and whether there are two."""
        if self.bot:
            return Entry(self.name, self.bot, "", SOFTWARE)
        return Entry(self.name, CONNECTED if self.pairing is None else CONNECTED_PAIR)

    @property
    def players(self) -> tuple[str, ...]:
        """The ids of the players behind it that are known: none, one or two."""
        both = (self.player, "" if self.pairing is None else self.pairing.player)
        return tuple(one for one in both if one)

    @property
    def awaits(self) -> str:
        """The name of the player who has yet to enter as its partner; empty where it stands."""
        return "" if self.pairing is None or self.pairing.player else self.pairing.second

    @property
    def awaited_by(self) -> str:
        """The name of the player who has named the one whom it awaits; empty where it stands."""
        return self.pairing.first if self.pairing is not None and self.awaits else ""

    def seated(self) -> tuple[Player | None, Player | None]:
        """Who has the first and the second seat of its side, under the name of the entry."""
        if self.bot:
            return None, None
        first = Player(self.player, self.name)
        if self.pairing is None:
            return first, first
        return first, Player(self.pairing.player, self.name)

    def is_pair_of(self, player: Player, partner: str) -> bool:
        """Whether a player has entered it, with a partner of that name."""
        if self.pairing is None or player.id not in self.players:
            return False
        names = (self.pairing.first, self.pairing.second)
        return folded(names[player.id == self.player]) == folded(partner)

    def awaits_partner(self, player: Player, partner: str) -> bool:
        """Whether it stands as soon as this player enters with that partner."""
        pairing = self.pairing
        return (
            pairing is not None
            and not pairing.player
            and folded(pairing.second) == folded(player.name)
            and folded(pairing.first) == folded(partner)
        )

    def joined_by(self, player: Player, at_once: int) -> Entered:
        """The entry with its second player; it plays as many units at once as both can."""
        assert self.pairing is not None, "only a pair is joined"
        pairing = replace(self.pairing, player=player.id)
        return replace(self, at_once=min(self.at_once, at_once), pairing=pairing)

    def concerns(self, player: Player) -> bool:
        """Whether it cannot be played without this player, who has entered or is waited for."""
        waited_for = bool(self.awaits) and folded(self.awaits) == folded(player.name)
        return player.id in self.players or waited_for

    def struck(self, player: Player) -> Entered:
        """The entry without what tells which player it was."""
        if not self.concerns(player):
            return self
        id_ = "" if self.player == player.id else self.player
        pairing = self.pairing
        if pairing is not None:
            pairing = Pairing("", "", "" if pairing.player == player.id else pairing.player)
        return replace(self, player=id_, pairing=pairing)


def parse_entered(data: dict[str, Any]) -> Entered:
    """Reads an entry as it was stored; those of before there were pairs say nothing of one."""
    plain = dict(data)
    pairing = plain.pop("pairing", None)
    return Entered(**plain, pairing=None if pairing is None else Pairing(**pairing))
