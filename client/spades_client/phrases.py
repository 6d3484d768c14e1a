"""Cards, seats and scores in words: what the sentences of the line client are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable

from spades import (
    Action,
    Bid,
    Card,
    Deck,
    EndReason,
    HandScored,
    Look,
    MakeBid,
    Outcome,
    Part,
    PassCards,
    Play,
    ScorePart,
    Seat,
    Side,
    SideScore,
    Standing,
    Suit,
    format_cards,
)
from spades_proto.channel import DEFAULT_PORT
from spades_proto.link import SCHEME, parse_link
from spades_proto.table import OccupantKind, TableState


def people(table: TableState, seat: Seat, viewer: Seat | None) -> str:
    """Who plays a seat: ``You``, a person's name, or the seat's own name for a bot."""
    if seat is viewer:
        return "You"
    occupant = table.seats[seat].occupant
    if occupant is None or occupant.kind is OccupantKind.HOUSE_BOT:
        return str(seat)
    name = occupant.name
    others = [
        status.occupant.name.casefold()
        for other, status in zip(Seat, table.seats, strict=True)
        if other is not seat and status.occupant is not None
    ]
    clash = {"you", *(str(one).casefold() for one in Seat), *others}
    return f"{name} ({seat})" if name.casefold() in clash else name


def does(table: TableState, seat: Seat, viewer: Seat | None, verb: str) -> str:
    """A subject with its verb: ``You play``, ``West plays``."""
    who = people(table, seat, viewer)
    if seat is viewer:
        return f"{who} {verb}"
    if verb == "have":
        return f"{who} has"
    return f"{who} {verb}es" if verb.endswith(("s", "sh", "ch")) else f"{who} {verb}s"


def partners(side: Side, viewer: Seat | None) -> tuple[Seat, Seat]:
    """The two seats of a side, the viewer's own first."""
    first, second = side.seats
    return (second, first) if viewer is second else (first, second)


def side_name(table: TableState, side: Side, viewer: Seat | None) -> str:
    """The two partners: ``You and North``."""
    first, second = partners(side, viewer)
    return f"{people(table, first, viewer)} and {people(table, second, viewer)}"


def sides(viewer: Seat | None) -> tuple[Side, Side]:
    """Both sides, the viewer's own first."""
    own = viewer.side if viewer is not None else Side.SOUTH_NORTH
    return (own, own.other)


def hand_words(cards: Iterable[Card], deck: Deck) -> str:
    """A hand by suits, each low to high (rules.md 1.5).

    >>> from spades import parse_cards
    >>> hand_words(parse_cards("2D AD 6C QS AS"), Deck.STANDARD)
    'diamonds 2 A, clubs 6, spades Q A'
    """
    suits: dict[Suit, list[str]] = {suit: [] for suit in Suit}
    for card in cards:
        # A card that belongs to another suit than the one printed on it is written out.
        suit = deck.suit_of(card)
        plain = suit is card.suit and str(card)[1] != "J"
        suits[suit].append(str(card)[0] if plain else str(card))
    return ", ".join(f"{suit} {' '.join(letters)}" for suit, letters in suits.items() if letters)


def bid_words(bid: Bid | None) -> str:
    """A bid as one says it."""
    return "no bid yet" if bid is None else str(bid)


def action_words(action: Action) -> str:
    """What answers a decision, as it is typed in the line client.

    >>> action_words(Play(Card("QS")))
    'play QS'
    """
    match action:
        case MakeBid(bid):
            return f"bid {bid}"
        case Look():
            return "look"
        case PassCards(cards):
            return f"pass {format_cards(cards)}"
        case Play(card):
            return f"play {card}"
        case _:
            raise AssertionError("all others answer no decision")


def part_words(part: ScorePart, table: TableState, viewer: Seat | None) -> str:
    """A line of the score card."""
    name = part.part.value
    if part.seat is not None and part.part is not Part.NIL_TRICKS:
        who = people(table, part.seat, viewer)
        name = f"your {name}" if who == "You" else f"{who}'s {name}"
    return f"{name} {part.points:+d}"


def score_words(
    scored: HandScored, side: Side, score: SideScore, table: TableState, viewer: Seat | None
) -> str:
    """A side's score in one hand, part by part."""
    seats = partners(side, viewer)
    bids = " and ".join(bid_words(scored.bids[seat]) for seat in seats)
    taken = " and ".join(str(scored.taken[seat]) for seat in seats)
    parts = ", ".join(part_words(part, table, viewer) for part in score.parts) or "nothing"
    return (
        f"{side_name(table, side, viewer)} bid {bids} and took {taken}: {parts};"
        f" {score.change:+d} in all. {standing_words(score.after)}"
    )


def standing_words(standing: Standing) -> str:
    """A side's total and bags, in a sentence of their own."""
    return f"Total {standing.total}, {bag_words(standing.bags)}."


def minutes(seconds: float) -> str:
    """A time as a clock shows it.

    >>> minutes(81.9)
    '1:21'
    """
    whole = max(int(seconds), 0)
    return f"{whole // 60}:{whole % 60:02d}"


def bag_words(bags: int) -> str:
    """A number of bags."""
    return "1 bag" if bags == 1 else f"{bags} bags"


def to_you(sentence: str, seat: Seat | None) -> str:
    """A refusal as the player hears it: the referee names seats, and the own one is you.

    >>> to_you("QS is not in South's hand.", Seat.SOUTH)
    'QS is not in your hand.'
    """
    if seat is None:
        return sentence
    for third, second in (("'s", "your"), (" holds", "you hold"), (" has", "you have"),
                          (" cannot", "you cannot")):  # fmt: skip
        sentence = re.sub(rf"\b{seat}{third}\b", second, sentence)
    sentence = sentence.replace("you have seen its cards", "you have seen your cards")
    return sentence[:1].upper() + sentence[1:]


_UNIT_TABLE = re.compile(r"[cm][0-9]+-u[0-9]+-t[12]")


def is_of_competition(table: str) -> bool:
    """Whether a table is one of a unit of a competition, by its name in the record.

    >>> is_of_competition("m0001-u00002-t1"), is_of_competition("7P7YS")
    (True, False)
    """
    return _UNIT_TABLE.fullmatch(table) is not None


def outcome_words(outcome: Outcome, *, competition: bool) -> str:
    """How a match ended; in a competition whoever gives a game up, or loses it by faults, forfeits it.

    >>> outcome_words(Outcome(Side.WEST_EAST, EndReason.SURRENDER, (0, 0)), competition=True)
    'West and East win: the other side forfeited the game.'
    """
    if competition and outcome.reason is EndReason.SURRENDER:
        return f"{outcome.winner} win: the other side forfeited the game."
    return str(outcome)


def join_command(code: str, server: str) -> str:
    """What others type to sit down at a table; ``server`` is an address or a link."""
    if server.startswith(SCHEME):
        return f"spades join {parse_link(server).to_table(code)}"
    where = "" if server in ("", f"127.0.0.1:{DEFAULT_PORT}") else f" --server {server}"
    return f"spades join {code}{where}"


def printable_lines(text: str) -> str:
    """Text of several lines, each of which is :func:`printable`."""
    return "\n".join(map(printable, text.splitlines()))


def printable(text: str) -> str:
    """Text without anything that could move a cursor or begin a line, whoever sent it."""
    return "".join(char if char.isprintable() else "?" for char in text)
