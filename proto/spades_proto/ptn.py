"""Finished matches in PTN, the notation that Spades programs exchange: PBN 2.1 with tags of its own.

It is derived from a record and tells what a reader of hands wants to know; the record stays the truth.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Final

from spades import (
    Bid,
    Card,
    HandDealt,
    Match,
    MatchStarted,
    MatchState,
    Rank,
    Rules,
    Seat,
    Side,
    Standing,
    Suit,
    format_rules,
    option_names,
)
from spades_proto.records import Circumstances
from spades_proto.table import OccupantKind
from spades_proto.verification import Verified

HEADER: Final = "% PTN\n"
"""The first line of a file; a line that begins so is no part of a game."""

UNKNOWN: Final = "?"
"""What stands for a name or a place that nobody knows."""

_NO_MOMENT: Final = "????.??.??"
_NOT_DONE: Final = "-"
"""What stands for a bid that was not made and a card that was not played."""

_COMPASS: Final = (Seat.WEST, Seat.NORTH, Seat.EAST, Seat.SOUTH)
"""The seats in the order in which PBN names them."""

_FIELDS: Final = (Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS)
_JOKERS: Final = {Rank.BIG_JOKER: "H", Rank.LITTLE_JOKER: "L"}
_SIDES: Final = {Side.SOUTH_NORTH: "NS", Side.WEST_EAST: "EW"}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_US: Final = 253_402_300_800_000_000
"""The end of the year 9999, in microseconds since 1970."""

Tag = tuple[str, str]
Standings = tuple[Standing, Standing]


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a match was a part of, which its record does not know; what is empty is left out."""

    event: str = ""
    digest: str = ""
    """The SHA-256 that names the event."""
    stage: str = ""
    round: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class _Row:
    """The cards of one trick, which may be unfinished."""

    leader: Seat
    cards: tuple[Card, ...]

    def of(self, seat: Seat) -> Card | None:
        """The card of a seat, if it has played one."""
        place = (seat - self.leader) % 4
        return self.cards[place] if place < len(self.cards) else None


@dataclass(frozen=True, slots=True)
class _Hand:
    """One hand as it stood when it ended, or when the match ended in the middle of it."""

    dealt: HandDealt
    before: Standings
    after: Standings
    bids: tuple[Bid | None, ...]
    passes: tuple[tuple[Seat, tuple[Card, ...]], ...]
    rows: tuple[_Row, ...]
    taken: tuple[int, ...]


def ptn_blocks(verified: Verified, occasion: Occasion | None = None) -> Iterator[str]:
    """Writes each hand of a match as a block of lines; a file has an empty line before each."""
    match, circumstances = verified.match, verified.circumstances
    opening = occasion or Occasion()
    hands = tuple(_hands(match))
    for hand in hands:
        tags = [
            *_identity(hand, match, circumstances, opening),
            *_whereabouts(circumstances, opening),
            *_game(hand, match),
            *(_ending(match) if hand is hands[-1] else ()),
        ]
        yield "".join([*map(_tag_line, tags), *_auction(hand), *_play(hand)])


def rules_json(rules: Rules) -> str:
    """Writes every option of rules by its own name, in the words that :func:`spades.parse_rules` knows.

    >>> rules_json(Rules(target=300))[:43]
    '{"target":300,"floor":-200,"deck":"standard'
    """
    values = {name: getattr(rules, name) for name in option_names()}
    words = {
        name: value.value if isinstance(value, Enum) else value for name, value in values.items()
    }
    return json.dumps(words, separators=(",", ":"))


def _hands(match: Match) -> Iterator[_Hand]:
    started = match.log[0]
    assert isinstance(started, MatchStarted), "a match begins with its start"
    state = MatchState(started)
    dealt: HandDealt | None = None
    before = state.standings
    for event in match.log:
        if isinstance(event, HandDealt):
            if dealt is not None:
                yield _hand(dealt, before, state)
            dealt, before = event, state.standings
        state.apply(event)
    assert dealt is not None, "a match has at least one hand"
    yield _hand(dealt, before, state)


def _hand(dealt: HandDealt, before: Standings, state: MatchState) -> _Hand:
    rows = [_Row(trick.leader, trick.cards) for trick in state.tricks]
    if state.trick:
        rows.append(_Row(state.leader, state.trick))
    passes = tuple((one.giver, one.cards or ()) for one in state.passes)
    return _Hand(dealt, before, state.standings, state.bids, passes, tuple(rows), state.taken)


def _identity(
    hand: _Hand, match: Match, circumstances: Circumstances, occasion: Occasion
) -> Iterator[Tag]:
    """The tags that every game of PBN begins with, in their order."""
    names = {seat: who.name for seat, who in circumstances.players}
    moment = _moment(circumstances.started_us)
    yield "Event", occasion.event or f"Spades: {format_rules(match.rules)}"
    yield "Site", UNKNOWN
    yield "Date", f"{moment:%Y.%m.%d}" if moment else _NO_MOMENT
    yield "Board", str(hand.dealt.number)
    for seat in _COMPASS:
        yield str(seat), names.get(seat) or UNKNOWN
    yield "Dealer", hand.dealt.dealer.letter
    yield "Deal", _deal(hand.dealt)


def _whereabouts(circumstances: Circumstances, occasion: Occasion) -> Iterator[Tag]:
    """Where, when and by whom it was played, as far as that is known."""
    moment = _moment(circumstances.started_us)
    if moment:
        yield "UTCDate", f"{moment:%Y.%m.%d}"
        yield "UTCTime", f"{moment:%H:%M:%S}"
    known = (
        ("EventDigest", occasion.digest),
        ("Stage", occasion.stage),
        ("Round", occasion.round),
        ("Unit", occasion.unit),
        ("Match", circumstances.match),
        ("Table", circumstances.table),
        ("Application", circumstances.software),
    )
    yield from (tag for tag in known if tag[1])
    kinds = {seat: who.kind for seat, who in circumstances.players}
    for seat in _COMPASS:
        if seat in kinds:
            human = kinds[seat] is OccupantKind.PERSON
            yield f"{seat}Type", "human" if human else "program"


def _game(hand: _Hand, match: Match) -> Iterator[Tag]:
    """What Spades has and bridge has not."""
    yield "GameCode", "Spades"
    yield "GameOptionsJson", rules_json(match.rules)
    yield "Commitment", match.state.commitment
    yield "GameScoresBefore", _by_seat(_of_sides([one.total for one in hand.before]))
    yield "GameBagsBefore", _by_seat(_of_sides([one.bags for one in hand.before]))
    if hand.passes:
        passed = (f"{giver.letter}:{''.join(map(_card, cards))}" for giver, cards in hand.passes)
        yield "CardsPassed", " ".join(passed)
    yield "Tricks", _by_seat(hand.taken)
    yield "GameScores", _by_seat(_of_sides([one.total for one in hand.after]))
    yield "GameBags", _by_seat(_of_sides([one.bags for one in hand.after]))


def _ending(match: Match) -> Iterator[Tag]:
    outcome = match.outcome
    assert outcome is not None, "a record is of a match that is over"
    yield "Winner", "none" if outcome.winner is None else _SIDES[outcome.winner]
    yield "Termination", outcome.reason.value


def _auction(hand: _Hand) -> Iterator[str]:
    first = hand.dealt.dealer.left
    yield _tag_line(("Auction", first.letter))
    yield " ".join(_bid(hand.bids[seat]) for seat in first.clockwise()) + "\n"


def _play(hand: _Hand) -> Iterator[str]:
    """One line for each trick, in which each seat has its own column."""
    first = hand.dealt.dealer.left
    yield _tag_line(("Play", first.letter))
    for row in hand.rows:
        cards = (row.of(seat) for seat in first.clockwise())
        yield " ".join(_NOT_DONE if card is None else _card(card) for card in cards) + "\n"


def _deal(dealt: HandDealt) -> str:
    """The hands as they were dealt, the dealer's first."""
    hands = (_hand_field(dealt.hand(seat) or ()) for seat in dealt.dealer.clockwise())
    return f"{dealt.dealer.letter}:{' '.join(hands)}"


def _hand_field(hand: Iterable[Card]) -> str:
    """Spades, hearts, diamonds and clubs by what is printed on them; jokers are a field behind them."""
    cards = sorted(hand, key=lambda card: card.rank, reverse=True)
    fields = [
        "".join(card.rank.letter for card in cards if card.suit is suit and not _is_joker(card))
        for suit in _FIELDS
    ]
    jokers = "".join(_JOKERS[card.rank] for card in cards if _is_joker(card))
    return ".".join([*fields, jokers] if jokers else fields)


def _is_joker(card: Card) -> bool:
    return card.rank in _JOKERS


def _card(card: Card) -> str:
    """A card, suit first."""
    joker = _JOKERS.get(card.rank)
    return f"{card.suit.letter}{card.rank.letter}" if joker is None else f"J{joker}"


def _bid(bid: Bid | None) -> str:
    if bid is None:
        return _NOT_DONE
    if bid.blind:
        return "BlindNil"
    return "Nil" if bid.is_nil else str(bid.tricks)


def _of_sides(values: list[int]) -> list[int]:
    return [values[seat.side] for seat in Seat]


def _by_seat(values: Iterable[int]) -> str:
    """A number for each seat, South's first and then clockwise."""
    return "S:" + " ".join(map(str, values))


def _moment(us: int) -> datetime | None:
    return _EPOCH + timedelta(microseconds=us) if 0 < us < _LATEST_US else None


def _tag_line(tag: Tag) -> str:
    """A tag and its value, which stays on its line whatever a name holds."""
    name, value = tag
    text = "".join(char if char.isprintable() else UNKNOWN for char in value)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]\n'
