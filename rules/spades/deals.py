"""Deals, the seed they come from, and the commitment to it.

Deal *k* of a match is a pure function of a 256-bit seed and *k*: HMAC-SHA256 in counter mode gives numbers
of one byte, Fisher and Yates' shuffle uses them, and numbers that would favour a card are rejected.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from spades.cards import Card, Deck
from spades.errors import IllegalAction, NotationError, OptionError, Reason
from spades.rules import FirstDealer, Rules
from spades.seats import Seat

ALGORITHM: Final = "hmac-sha256-fisher-yates-1"
"""The name of the way from seed to deals; a record holds it."""

SEED_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class Deal:
    """The four hands as they were dealt, as masks of a deck, indexed by seat."""

    deck: Deck
    masks: tuple[int, int, int, int]

    def __post_init__(self) -> None:
        south, west, north, east = self.masks
        assert south | west | north | east == (1 << 52) - 1, "the hands are not one deck"
        counts = (south.bit_count(), west.bit_count(), north.bit_count(), east.bit_count())
        assert counts == (13, 13, 13, 13), "a hand has not 13 cards"

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """The 13 cards of a seat, sorted as a hand shows them."""
        return self.deck.unmask(self.masks[seat])


@dataclass(frozen=True, slots=True)
class SeededDeals:
    """Deals that all follow from one seed of 32 bytes."""

    seed: bytes

    def __post_init__(self) -> None:
        assert len(self.seed) == SEED_BYTES, "a seed has 32 bytes"

    def commitment(self) -> str:
        """The SHA-256 of the seed."""
        return hashlib.sha256(self.seed).hexdigest()

    def first_dealer(self, rules: Rules) -> Seat:
        """East, or a seat that follows from the same secret under a label of its own."""
        return _first_dealer(self.seed, rules)

    def deal(self, number: int, deck: Deck, dealer: Seat) -> Deal:
        """Shuffles the pack and deals it one card at a time, on the dealer's left first (1.2)."""
        pack = shuffled(deck, self.seed, number)
        left = dealer.left
        masks = [0, 0, 0, 0]
        for i in range(4):
            masks[(left + i) % 4] = sum(map(_BITS.__getitem__, pack[i::4]))
        return Deal(deck, (masks[0], masks[1], masks[2], masks[3]))


@dataclass(frozen=True, slots=True)
class ExplicitDeals:
    """Deals that somebody wrote down; a random salt keeps the commitment from being guessed."""

    deals: tuple[Deal, ...]
    salt: bytes

    def commitment(self) -> str:
        """The SHA-256 of the salt and the deals."""
        digest = hashlib.sha256(self.salt)
        for deal in self.deals:
            digest.update(deal.deck.value.encode())
            digest.update(b"".join(mask.to_bytes(7, "big") for mask in deal.masks))
        return digest.hexdigest()

    def first_dealer(self, rules: Rules) -> Seat:
        """East, or a seat that follows from the same secret under a label of its own."""
        return _first_dealer(self.salt, rules)

    def deal(self, number: int, deck: Deck, dealer: Seat) -> Deal:
        """The deal that was written down for the hand."""
        if number > len(self.deals):
            raise IllegalAction(
                f"There is no deal for hand {number}: only {len(self.deals)} were given.",
                Reason.DEALS_EXHAUSTED,
            )
        return self.deals[number - 1]

    def check(self, rules: Rules) -> None:
        """Refuses deals that the rules cannot use.

        :raises OptionError: if they are of another deck, or too few for a match without a limit.
        """
        for deal in self.deals:
            if deal.deck is not rules.deck:
                raise OptionError(
                    f"deck={rules.deck.value} contradicts a deal of the deck {deal.deck.value}.",
                    Reason.INVALID_OPTION,
                )
        if not 0 < rules.max_hands <= len(self.deals):
            raise OptionError(
                f"max_hands={rules.max_hands} is out of range: with {len(self.deals)} deals"
                f" given, 1 to {len(self.deals)} are allowed.",
                Reason.INVALID_OPTION,
            )


def parse_seed(text: str) -> bytes:
    """Reads a seed: 64 hexadecimal digits stand for themselves, any other text for its SHA-256.

    >>> parse_seed("7") == parse_seed(" 7 ")
    True

    :raises NotationError: if the text is empty.
    """
    word = text.strip()
    if not word:
        raise NotationError(
            "A seed is a word, a number or 64 hexadecimal digits; it was empty.",
            Reason.INVALID_NOTATION,
        )
    if len(word) == 2 * SEED_BYTES and not any(map(str.isspace, word)):
        try:
            return bytes.fromhex(word)
        except ValueError:
            pass  # Sixty-four characters that are not a number are a word like any other.
    return hashlib.sha256(b"spades/seed/1/" + word.encode()).digest()


def agent_secret(seed: bytes, seat: Seat) -> bytes:
    """The secret of a house bot, so that a match's seed makes its bots repeatable too.

    It leads back to the seed for nobody, since HMAC cannot be inverted.
    """
    return hmac.digest(seed, b"spades/agent/1/" + seat.letter.encode(), "sha256")


def rng_key(secret: bytes, commitment: str, seat: Seat) -> bytes:
    """What the numbers of one agent in one match are made from, for its own eyes only.

    The match goes in by its commitment, so that an agent with one secret at many tables does not draw the
    same numbers at all of them; the seat does, so that partners with one secret do not either.
    """
    label = f"spades/rng/1/{commitment}/{seat.letter}"
    return hmac.digest(secret, label.encode(), "sha256")


def shuffled(deck: Deck, seed: bytes, number: int) -> list[int]:
    """The pack for one hand, as places in ``deck.cards`` in the order of dealing."""
    pack = list(range(len(deck.cards)))
    numbers = _numbers(seed, f"spades/deal/1/{number}".encode())
    for last in range(len(pack) - 1, 0, -1):
        limit = last + 1
        fair = _FAIR[limit]
        drawn = next(numbers)
        while drawn >= fair:
            drawn = next(numbers)
        other = drawn % limit
        pack[last], pack[other] = pack[other], pack[last]
    return pack


def _first_dealer(seed: bytes, rules: Rules) -> Seat:
    if rules.first_dealer is FirstDealer.EAST:
        return Seat.EAST
    # Four divides 256, so the first number is fair.
    return Seat(next(_numbers(seed, b"spades/first-dealer/1")) % 4)


def _numbers(seed: bytes, label: bytes) -> Iterator[int]:
    """An endless stream of numbers from 0 to 255: HMAC-SHA256 of the label and a counter, byte by byte."""
    return chain.from_iterable(
        hmac.digest(seed, label + b"/" + counter.to_bytes(4, "big"), "sha256")
        for counter in count()
    )


_FAIR: Final = tuple(256 - 256 % limit if limit else 0 for limit in range(53))
"""For each limit, where the numbers end that stand for everything below it equally often."""

_BITS: Final = tuple(1 << place for place in range(52))
