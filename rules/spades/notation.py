"""Deals and actions as text: what one function of a pair writes, the other reads back."""

from __future__ import annotations

from typing import Final

from spades.actions import Action, Look, MakeBid, NextHand, PassCards, Play, Surrender, Undo
from spades.bids import parse_bid
from spades.cards import CARDS, Deck, Rank, Suit, format_cards, parse_card, parse_cards
from spades.deals import Deal
from spades.errors import NotationError, Reason
from spades.seats import parse_seat

_FIELDS: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
"""The order of the suits in a hand of a deal in PBN order."""

_LETTERS: Final = {card: card.rank.letter for card in CARDS}


def format_hand(deck: Deck, mask: int) -> str:
    """Writes a hand as spades, hearts, diamonds and clubs, high to low, jokers at the head.

    >>> format_hand(Deck.JOKERS, Deck.JOKERS.mask(parse_cards("BJ 2S AS KD 3C")))
    'B2A..K.3'
    """
    fields: dict[Suit, str] = dict.fromkeys(_FIELDS, "")
    for card in reversed(deck.unmask(mask)):
        # The 2♦ of `jokers_nyc` stays in the diamond field, wherever it ranks in play.
        fields[card.suit] += _LETTERS[card]
    return ".".join(fields.values())


def format_deal(deal: Deal) -> str:
    """Writes a deal in PBN order, South first and then clockwise.

    >>> from spades.deals import SeededDeals, parse_seed
    >>> from spades.seats import Seat
    >>> deal = SeededDeals(parse_seed("7")).deal(1, Deck.STANDARD, Seat.EAST)
    >>> parse_deal(format_deal(deal), Deck.STANDARD) == deal
    True
    """
    return "S:" + " ".join(format_hand(deal.deck, mask) for mask in deal.masks)


def parse_deal(text: str, deck: Deck = Deck.STANDARD) -> Deal:
    """Reads a deal in PBN order: a first seat, a colon and four hands clockwise from there.

    :raises NotationError: saying what is missing or there twice.
    """
    first, colon, rest = text.strip().partition(":")
    hands = rest.split()
    if not colon or len(hands) != 4:
        raise NotationError(
            f"{text!r} is not a deal: a seat, a colon and four hands are, as in S:AQ.K.A.6 …",
            Reason.INVALID_NOTATION,
        )
    masks = [0, 0, 0, 0]
    seen = 0
    for seat, hand in zip(parse_seat(first).clockwise(), hands, strict=True):
        mask = _parse_hand(hand, deck)
        if mask.bit_count() != 13:
            raise NotationError(
                f"{hand!r} is not a hand: {seat} has {mask.bit_count()} cards and 13 are dealt.",
                Reason.INVALID_NOTATION,
            )
        if seen & mask:
            raise NotationError(
                f"{format_cards(deck.unmask(seen & mask))} was dealt twice.",
                Reason.INVALID_NOTATION,
            )
        seen |= mask
        masks[seat] = mask
    return Deal(deck, (masks[0], masks[1], masks[2], masks[3]))


def _parse_hand(text: str, deck: Deck) -> int:
    suits = text.split(".")
    if len(suits) != 4:
        raise NotationError(
            f"{text!r} is not a hand: spades, hearts, diamonds and clubs are parted by three dots.",
            Reason.INVALID_NOTATION,
        )
    mask = 0
    for suit, letters in zip(_FIELDS, suits, strict=True):
        for letter in letters.upper():
            joker = letter in (Rank.LITTLE_JOKER.letter, Rank.BIG_JOKER.letter)
            card = parse_card(letter + ("J" if joker else suit.letter))
            bit = deck.bits.get(card, 0)
            if not bit or (joker and suit is not Suit.SPADES):
                raise NotationError(
                    f"{card} does not belong to the {suit} of the deck {deck.value}.",
                    Reason.INVALID_NOTATION,
                )
            if mask & bit:
                raise NotationError(f"{card} was dealt twice.", Reason.INVALID_NOTATION)
            mask |= bit
    return mask


_WORDS: Final[dict[str, Action]] = {
    "look": Look(),
    "undo": Undo(),
    "surrender": Surrender(),
    "next": NextHand(),
}


def format_action(action: Action) -> str:
    """Writes an action in a word or two.

    >>> from spades.cards import Card
    >>> format_action(Play(Card("QS"))), format_action(PassCards(parse_cards("2C 3D")))
    ('play QS', 'pass 2C 3D')
    """
    match action:
        case MakeBid(bid):
            return f"bid {bid}"
        case Play(card):
            return f"play {card}"
        case PassCards(cards):
            return f"pass {format_cards(cards)}"
        case _:
            return next(word for word, other in _WORDS.items() if other == action)


def parse_action(text: str) -> Action:
    """Reads an action as :func:`format_action` writes it.

    >>> parse_action("bid nil")
    MakeBid(bid=Bid(tricks=0, blind=False))

    :raises NotationError: if the text is not an action.
    """
    verb, _, rest = text.strip().partition(" ")
    word = verb.lower()
    if word == "bid":
        return MakeBid(parse_bid(rest))
    if word == "play":
        return Play(parse_card(rest))
    if word == "pass":
        return PassCards(parse_cards(rest))
    if word in _WORDS and not rest.strip():
        return _WORDS[word]
    raise NotationError(
        f"{text!r} is not an action: bid, play, pass, {', '.join(_WORDS)} are.",
        Reason.INVALID_NOTATION,
    )
