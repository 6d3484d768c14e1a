"""Deals, the seed they come from, and the commitment to it.

Deal *k* of a match is a pure function of a 256-bit seed and *k*: HMAC-SHA256 in counter mode gives the
numbers, Fisher and Yates' shuffle uses them, and numbers that would favour a card are rejected.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
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
        assert sum(self.masks) == (1 << 52) - 1, "the hands are not one deck"
        assert all(mask.bit_count() == 13 for mask in self.masks), "a hand has not 13 cards"

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
            mask = 0
            for place in pack[i::4]:
                mask |= 1 << place
            masks[(left + i) % 4] = mask
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


def rng_key(secret: bytes, commitment: str, seat: Seat, hand_number: int) -> bytes:
    """What the numbers of one agent in one hand of one match are made from, for its own eyes only.

    The match goes in by its commitment, so that an agent with one secret at many tables does not draw the
    same numbers at all of them.
    """
    label = f"spades/rng/1/{commitment}/{seat.letter}/{hand_number}"
    return hmac.digest(secret, label.encode(), "sha256")


def shuffled(deck: Deck, seed: bytes, number: int) -> list[int]:
    """The pack for one hand, as places in ``deck.cards`` in the order of dealing."""
    pack = list(range(len(deck.cards)))
    words = _words(seed, f"spades/deal/1/{number}".encode())
    for last in range(len(pack) - 1, 0, -1):
        other = _below(last + 1, words)
        pack[last], pack[other] = pack[other], pack[last]
    return pack


def _first_dealer(seed: bytes, rules: Rules) -> Seat:
    if rules.first_dealer is FirstDealer.EAST:
        return Seat.EAST
    return Seat(_below(4, _words(seed, b"spades/first-dealer/1")))


def _words(seed: bytes, label: bytes) -> Iterator[int]:
    """An endless stream of 16-bit numbers: HMAC-SHA256 of the label and a counter."""
    counter = 0
    while True:
        block = hmac.digest(seed, label + b"/" + counter.to_bytes(4, "big"), "sha256")
        for i in range(0, len(block), 2):
            yield block[i] << 8 | block[i + 1]
        counter += 1


def _below(limit: int, words: Iterator[int]) -> int:
    """A number from 0 to ``limit - 1``, all equally likely."""
    fair = 0x10000 - 0x10000 % limit
    for word in words:
        if word < fair:
            return word % limit
    raise AssertionError("the stream of words has no end")
