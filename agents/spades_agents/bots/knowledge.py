"""What a player knows of the cards that it does not see: which are out, and who can hold them."""

from __future__ import annotations

from spades import Seat, SeatView, Suit
from spades.seats import SEATS


class Knowledge:
    """The unseen cards of a hand, as masks of the deck, and the chances that a seat holds some of them.

    A player who ``remembers`` has counted every card and seen every void; one who doesn't knows its own hand
    and the trick on the table, and takes all other cards for unseen.

    Chances are those of cards that fall where there is room: a seat's share of a card is its number of
    hidden cards over that of all seats that may hold it. Exact where only one seat can, near elsewhere.
    """

    __slots__ = ("_shares", "deck", "hand", "known", "out", "room", "seen", "spades", "voids")

    def __init__(self, view: SeatView, *, remembers: bool = True) -> None:
        deck = self.deck = view.rules.deck
        bits, followers = deck.bits, deck.followers
        self.spades = deck.suit_masks[Suit.SPADES]
        self.hand = deck.mask(view.hand)
        self.voids = [0, 0, 0, 0]
        """For each seat the suits that it has shown out of, as one mask."""
        self.seen = 0
        tricks = view.tricks
        played = [len(tricks)] * 4
        rows = [(trick.leader, trick.cards) for trick in tricks] if remembers else []
        rows.append((view.leader, view.trick))
        for leader, cards in rows:
            if not cards:
                continue
            follow = followers[cards[0]]
            for place, card in enumerate(cards):
                bit = bits[card]
                self.seen |= bit
                if not bit & follow:
                    self.voids[(leader + place) & 3] |= follow
        for place in range(len(view.trick)):
            played[(view.leader + place) & 3] += 1
        me = view.seat
        self.out = ((1 << len(deck.cards)) - 1) & ~self.hand & ~self.seen
        """The cards that the other three hold, as far as this player knows."""
        self.known = [0, 0, 0, 0]
        """Cards that a seat is known to hold, since they were passed to it (rules.md 2.6)."""
        for passed in view.passes if remembers else ():
            if passed.giver is me and passed.mask is not None:
                self.known[me.partner] |= passed.mask & self.out
        self.room = [0 if seat is me else 13 - played[seat] for seat in SEATS]
        """How many cards each other seat still holds."""
        self._shares: dict[tuple[int, int], float] = {}

    def suit_of(self, bit: int) -> int:
        """The mask of the suit that a card, given as its bit, belongs to."""
        for mask in self.deck.suit_masks:
            if bit & mask:
                return mask
        raise ValueError(f"{bit:#x} is no card of this deck")

    def higher(self, bit: int, suit: int) -> int:
        """The unseen cards of a suit that beat a card of it."""
        return self.out & suit & -(bit << 1)

    def lower(self, bit: int, suit: int) -> int:
        """The unseen cards of a suit that a card of it beats."""
        return self.out & suit & (bit - 1)

    def share(self, seat: Seat, suit: int) -> float:
        """The chance that one unseen card of a suit lies with a seat."""
        key = (seat, suit)
        found = self._shares.get(key)
        if found is None:
            mine = 0 if self.voids[seat] & suit else self.room[seat]
            everybody = sum(
                room for room, void in zip(self.room, self.voids, strict=True) if not void & suit
            )
            found = self._shares[key] = mine / everybody if mine else 0.0
        return found

    def chance_holds(self, seat: Seat, cards: int, suit: int) -> float:
        """The chance that a seat holds at least one of some unseen cards of one suit."""
        if cards & self.known[seat]:
            return 1.0
        for known in self.known:
            cards &= ~known
        if not cards:
            return 0.0
        missing: float = (1.0 - self.share(seat, suit)) ** cards.bit_count()
        return 1.0 - missing

    def chance_void(self, seat: Seat, suit: int) -> float:
        """The chance that a seat holds no card of a suit."""
        return 1.0 - self.chance_holds(seat, self.out & suit, suit)

    def chance_outlasts(self, seat: Seat, suit: int, rounds: int) -> float:
        """The chance that a seat follows suit in ``rounds`` rounds and in one more."""
        return _more_than(rounds, (self.out & suit).bit_count(), self.share(seat, suit))

    def is_master(self, bit: int) -> bool:
        """Whether no unseen card of its suit beats a card."""
        return not self.higher(bit, self.suit_of(bit))


def _more_than(least: int, cards: int, share: float) -> float:
    """The chance that more than ``least`` of some cards lie with a seat: a binomial tail."""
    if share <= 0.0 or cards <= least:
        return 0.0
    if share >= 1.0:
        return 1.0
    missing = 1.0 - share
    term = missing**cards
    below = term
    for held in range(1, least + 1):
        term *= (cards - held + 1) / held * share / missing
        below += term
    return 1.0 - below


def bits_of(mask: int) -> list[int]:
    """Splits a mask into the bits of its cards, low to high."""
    found: list[int] = []
    while mask:
        low = mask & -mask
        found.append(low)
        mask ^= low
    return found
