"""What players send, as short text: there is a line of it for every card that was ever played."""

from __future__ import annotations

from functools import lru_cache
from sys import intern
from typing import Final

from spades import CARDS, SEATS, Bid, Card, parse_card
from spades.actions import Action, Look, MakeBid, NextHand, PassCards, Play, Surrender, Undo
from spades_proto.frames import Command, Deed
from spades_proto.table import Courtesy, TakeSeatBack

_PLAIN: Final[dict[str, Deed]] = {
    "t": TakeSeatBack(),
    "l": Look(),
    "u": Undo(),
    "s": Surrender(),
    "n": NextHand(),
}
_LETTERS: Final = {action: letter for letter, action in _PLAIN.items()}
_CARDS: Final = {card: f"c{card}" for card in CARDS}
_NO_SEAT: Final = "-"
SEAT_DIGITS: Final = tuple(str(int(seat)) for seat in SEATS)

_KEPT: Final = 2_048
"""How many different texts are kept with what they say: there are few, and thousands of each are read."""


def format_deed(deed: Deed) -> str:
    """Writes a letter for the kind, and what follows from it; a wrong bid or pass is written too."""
    if isinstance(deed, Play):
        return _CARDS[deed.card]
    match deed:
        case MakeBid(bid):
            return f"{'B' if bid.blind else 'b'}{bid.tricks}"
        case PassCards(cards):
            return "p" + "".join(map(str, cards))
        case Courtesy():
            return f"w{deed.name}"
        case _:
            return _LETTERS[deed]


@lru_cache(_KEPT)
def parse_deed(text: str) -> Deed:
    """Reads what :func:`format_deed` wrote."""
    kind, rest = text[0], text[1:]
    match kind:
        case "c":
            return Play(parse_card(rest))
        case "b" | "B":
            return MakeBid(Bid(int(rest), blind=kind == "B"))
        case "p":
            return PassCards(tuple(Card(rest[i : i + 2]) for i in range(0, len(rest), 2)))
        case "w":
            return Courtesy[rest]
        case _:
            return _PLAIN[kind]


def parse_action(text: str) -> Action:
    """Reads an action, which a courtesy is not."""
    action = parse_deed(text)
    assert not isinstance(action, Courtesy | TakeSeatBack), "the referee knows no courtesies"
    return action


def format_command(command: Command) -> str:
    """Writes a command; table and request id may hold anything, so they come last."""
    table, deed, seat, request_id, decision, epoch, hand_number = command
    where = _NO_SEAT if seat is None else SEAT_DIGITS[seat]
    return (
        f"{format_deed(deed)} {where} {decision} {epoch} {hand_number} {len(table)}"
        f" {table}{request_id}"
    )


def parse_command(text: str) -> Command:
    """Reads what :func:`format_command` wrote."""
    deed, where, decision, epoch, hand_number, length, rest = text.split(" ", 6)
    cut = int(length)
    return Command(
        # A table remembers hundreds of commands, and all of them name it.
        intern(rest[:cut]),
        parse_deed(deed),
        None if where == _NO_SEAT else SEATS[int(where)],
        rest[cut:],
        int(decision),
        int(epoch),
        int(hand_number),
    )
