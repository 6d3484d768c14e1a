"""Who will win the trick if a card is played to it."""

from __future__ import annotations

from typing import Final

from spades import Seat, SeatView
from spades.seats import LEFT, SEATS
from spades_agents.bots.knowledge import Knowledge, bits_of

NEGLIGIBLE: Final = 0.01
"""Turns less likely than this are not followed."""

RUFFS: Final = 0.9
"""How often a player who could ruff an opponent's trick does so."""


class Outlook:
    """The trick on the table, and how it may go on.

    The others are taken to play for their side: whoever can, overtakes an opponent; nobody overtakes the
    partner or an opponent's live nil; a nil bidder wins only if it must, and its partner saves it.
    """

    __slots__ = ("_best", "_knowledge", "_led", "_me", "_nils", "_owner", "_to_come")

    def __init__(self, view: SeatView, knowledge: Knowledge, nils: frozenset[Seat]) -> None:
        self._knowledge = knowledge
        self._nils = nils
        self._me = view.seat
        bits, deck = knowledge.deck.bits, knowledge.deck
        self._led = 0
        self._best = 0
        self._owner: Seat = view.seat
        if view.trick:
            self._led = deck.followers[view.trick[0]]
            counts = self._led | knowledge.spades
            for place, card in enumerate(view.trick):
                bit = bits[card]
                if bit & counts and bit > self._best:
                    self._best = bit
                    self._owner = SEATS[(view.leader + place) & 3]
        come: list[Seat] = []
        seat = LEFT[view.seat]
        for _ in range(3 - len(view.trick)):
            come.append(seat)
            seat = LEFT[seat]
        self._to_come = tuple(come)

    @property
    def winner(self) -> Seat | None:
        """The seat whose card wins as the trick lies."""
        return self._owner if self._led else None

    @property
    def best(self) -> int:
        """The bit of the card that wins as the trick lies; 0 when the seat leads."""
        return self._best

    @property
    def led(self) -> int:
        """The mask of the suit that was led; 0 when the seat leads."""
        return self._led

    @property
    def to_come(self) -> tuple[Seat, ...]:
        """The seats that play after this one."""
        return self._to_come

    def wins_now(self, bit: int) -> bool:
        """Whether a card would win the trick as it lies."""
        led = self._led
        return not led or (bit > self._best and bool(bit & (led | self._knowledge.spades)))

    def after(self, bit: int) -> tuple[float, float, float, float]:
        """The chance of each seat to win the trick after a card of this seat's."""
        chances = [0.0, 0.0, 0.0, 0.0]
        led = self._led or self._knowledge.suit_of(bit)
        if self.wins_now(bit):
            self._follow(0, led, bit, self._me, 1.0, chances)
        else:
            self._follow(0, led, self._best, self._owner, 1.0, chances)
        south, west, north, east = chances
        return south, west, north, east

    def _follow(
        self, turn: int, led: int, best: int, owner: Seat, chance: float, into: list[float]
    ) -> None:
        if turn == len(self._to_come) or chance < NEGLIGIBLE:
            into[owner] += chance
            return
        seat = self._to_come[turn]
        rest = 1.0
        for card, likely in self._takeovers(seat, turn, led, best, owner):
            self._follow(turn + 1, led, card, seat, chance * likely, into)
            rest -= likely
        self._follow(turn + 1, led, best, owner, chance * rest, into)

    def _takeovers(
        self, seat: Seat, turn: int, led: int, best: int, owner: Seat
    ) -> list[tuple[int, float]]:
        """Cards with which a seat may take the lead, and how likely each is."""
        k = self._knowledge
        if seat in self._nils:
            return self._forced(seat, led, best)
        foe = (seat ^ owner) & 1
        if (owner in self._nils) if foe else (owner not in self._nils):
            return []
        found: list[tuple[int, float]] = []
        spades = k.spades
        last = turn == len(self._to_come) - 1
        if led == spades or not best & spades:
            higher = k.higher(best, led)
            chance = k.chance_holds(seat, higher, led)
            if chance > NEGLIGIBLE:
                found.append((_typical(higher, last), chance))
        if led != spades:
            higher = k.out & spades & -(best << 1) if best & spades else k.out & spades
            if higher:
                chance = k.chance_void(seat, led)
                if chance > NEGLIGIBLE:
                    chance *= k.chance_holds(seat, higher, spades) * RUFFS
                    if chance > NEGLIGIBLE:
                        found.append((_typical(higher, last=True), chance))
        return found

    def _forced(self, seat: Seat, led: int, best: int) -> list[tuple[int, float]]:
        """A nil bidder wins if it has cards of the suit led and none below the best."""
        k = self._knowledge
        if best & k.spades and led != k.spades:
            return []
        higher = k.higher(best, led)
        if not higher:
            return []
        lower = k.lower(best, led)
        share = k.share(seat, led)
        none_lower = (1.0 - share) ** lower.bit_count()
        chance = none_lower * (1.0 - (1.0 - share) ** higher.bit_count())
        return [(_typical(higher, last=True), chance)] if chance > NEGLIGIBLE else []


def _typical(cards: int, last: bool) -> int:
    """A card that stands for some: the lowest for the last to play, else the one in the middle."""
    if last:
        return cards & -cards
    bits = bits_of(cards)
    return bits[len(bits) // 2]
