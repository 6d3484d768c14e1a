"""A reader of PTN that shares nothing with its writer: it knows the notation, and the rules by `spades`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from spades import Bid, Card, Deal, ExplicitDeals, Match, Rules, Seat, parse_rules

LETTERS = "SWNE"


@dataclass
class Block:
    """One hand: its tags, and the lines behind each tag that has some."""

    tags: dict[str, str] = field(default_factory=dict[str, str])
    sections: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def numbers(self, tag: str) -> list[int]:
        """Four numbers, from South on."""
        first, _, rest = self.tags[tag].partition(":")
        assert first == "S"
        return [int(word) for word in rest.split()]

    def hands(self) -> dict[str, list[str]]:
        """The cards of each seat, suit first."""
        first, _, rest = self.tags["Deal"].partition(":")
        assert first == self.tags["Dealer"]
        return {
            letter: [
                suit + rank
                for suit, ranks in zip("SHDCJ", hand.split("."), strict=False)
                for rank in ranks
            ]
            for letter, hand in zip(around(first), rest.split(" "), strict=True)
        }

    def bids(self) -> list[str]:
        """The bids in order, without those that were not made."""
        words = " ".join(self.sections["Auction"]).split(" ")
        assert len(words) == 4
        made = [word for word in words if word != "-"]
        assert words == made + ["-"] * (4 - len(made))
        return made

    def passes(self) -> list[tuple[str, list[str]]]:
        """Who passed which cards, in order."""
        passed = self.tags.get("CardsPassed", "").split()
        return [(word[0], re.findall("..", word[2:])) for word in passed]

    def tricks(self) -> list[dict[str, str]]:
        """The cards of each trick by seat."""
        columns = around(self.tags["Play"])
        rows = [line.split(" ") for line in self.sections["Play"]]
        return [
            {seat: card for seat, card in zip(columns, row, strict=True) if card != "-"}
            for row in rows
        ]


def around(first: str) -> str:
    """The seats clockwise from one."""
    place = LETTERS.index(first)
    return LETTERS[place:] + LETTERS[:place]


def read(text: str) -> list[Block]:
    """Reads a file, and is strict about what a line may be."""
    assert text.startswith("% PTN\n")
    assert text.endswith("\n")
    blocks: list[Block] = []
    lines: list[str] = []
    for line in text.split("\n")[:-1]:
        if line.startswith("%"):
            continue
        if not line:
            blocks.append(Block())
            continue
        if not line.startswith("["):
            lines.append(line)
            continue
        found = re.fullmatch(r'\[([A-Za-z]+) "((?:[^"\\]|\\["\\])*)"\]', line)
        assert found, line
        name, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        assert name not in blocks[-1].tags, f"{name} is there twice"
        blocks[-1].tags[name] = value
        lines = blocks[-1].sections[name] = []
    return blocks


def rules_of(block: Block) -> Rules:
    """The rules in force, every option of them."""
    options: dict[str, object] = json.loads(block.tags["GameOptionsJson"])
    words = [
        f"{name}={'none' if value is None else value}" for name, value in sorted(options.items())
    ]
    return parse_rules(",".join(words))


def replayed(blocks: Sequence[Block]) -> Match:
    """Plays the hands of one match again, card for card."""
    rules = replace(rules_of(blocks[0]), max_hands=len(blocks))
    dealer = seat_of(blocks[0].tags["Dealer"])
    deals = tuple(_deal(block, rules) for block in blocks)
    match = Match(rules, ExplicitDeals(deals, b"salt"), former_first_dealer=dealer.right)
    for number, block in enumerate(blocks, 1):
        if number > 1:
            match.deal_next()
        assert block.tags["Board"] == str(number)
        assert match.state.dealer is seat_of(block.tags["Dealer"])
        _play(match, block)
        assert [one.total for one in match.standings] * 2 == block.numbers("GameScores")
        assert [one.bags for one in match.standings] * 2 == block.numbers("GameBags")
        assert list(match.state.taken) == block.numbers("Tricks")
    return match


def _play(match: Match, block: Block) -> None:
    for word in block.bids():
        seat = match.turn
        assert seat is not None
        blind = word == "BlindNil"
        if seat in match.state.face_down and not blind:
            match.look(seat)
        match.bid(seat, Bid(0 if word in ("Nil", "BlindNil") else int(word), blind))
    for giver, cards in block.passes():
        match.pass_cards(seat_of(giver), [card_of(card) for card in cards])
    for trick in block.tricks():
        for _ in trick:
            assert match.turn is not None
            match.play(match.turn, card_of(trick[match.turn.letter]))


def seat_of(letter: str) -> Seat:
    return Seat(LETTERS.index(letter))


def card_of(text: str) -> Card:
    suit, rank = text[0], text[1:]
    if suit == "J":
        return Card({"H": "BJ", "L": "LJ"}[rank])
    return Card(rank + suit)


def _deal(block: Block, rules: Rules) -> Deal:
    hands = block.hands()
    south, west, north, east = (rules.deck.mask(map(card_of, hands[letter])) for letter in LETTERS)
    return Deal(rules.deck, (south, west, north, east))
