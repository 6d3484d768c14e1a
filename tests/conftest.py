"""What all tests share: Ctrl-C that is heard, and hands that end as wanted, staged deals and their play."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from spades import Bid, Card, Deal, Deck, ExplicitDeals, Match, Phase, Rules, Seat, parse_seat

Line = tuple[dict[Seat, Card], ...]
"""Thirteen tricks: the card of each seat."""

RANKS = "3456789TJQKA"


def pytest_configure() -> None:
    """Has Ctrl-C do what it does in a terminal, wherever the tests were started.

    A shell that starts something in the background (``nohup make test &``) has it ignore SIGINT. Whatever the
    tests start would inherit that, and Python leaves a signal alone that is ignored when it starts.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def stage_winners(winners: str, ruffer: str) -> tuple[Deal, Line]:
    """Makes a standard deal and its play so that the seats named win the tricks, in this order.

    Tricks 1 to 9 are diamonds, clubs and hearts that everybody follows; in the tenth the ruffer
    ruffs with the 2S what the leader has left; the last three are spades. If the ruffer wins the
    ninth trick too, the play serves for nine tricks only.
    """
    assert len(winners) == 13
    assert winners[9] == ruffer
    seats = [parse_seat(letter) for letter in winners]
    ruffing = parse_seat(ruffer)
    others = [seat for seat in Seat if seat is not ruffing]
    line: list[dict[Seat, Card]] = []
    for suit, first in (("D", 0), ("C", 3), ("H", 6), ("S", 10)):
        if suit == "S":
            line.append({ruffing: Card("2S")})
            line[9] |= {seat: Card(f"2{left}") for seat, left in zip(others, "DCH", strict=True)}
        for trick in range(3):
            low_to_high = [Card(rank + suit) for rank in RANKS[4 * trick : 4 * trick + 4]]
            winner = seats[first + trick]
            losers = [seat for seat in Seat if seat is not winner]
            line.append(dict(zip([*losers, winner], low_to_high, strict=True)))
    return deal_of_line(line), tuple(line)


def stage_sweep(winner: Seat) -> tuple[Deal, Line]:
    """Makes a deal in which one seat holds all the spades and so wins every trick."""
    others = [seat for seat in Seat if seat is not winner]
    line: list[dict[Seat, Card]] = []
    for rank in "2" + RANKS:
        line.append({winner: Card(rank + "S")})
        line[-1] |= {seat: Card(rank + suit) for seat, suit in zip(others, "DCH", strict=True)}
    return deal_of_line(line), tuple(line)


def deal_of_line(line: Sequence[dict[Seat, Card]]) -> Deal:
    deck = Deck.STANDARD
    south, west, north, east = (deck.mask(trick[seat] for trick in line) for seat in Seat)
    return Deal(deck, (south, west, north, east))


def by_seat(text: str) -> dict[Seat, int]:
    """Reads numbers as the cases write them: ``N1 E4 S0 W3``."""
    found = re.findall(r"([NESW])(\d+)", text)
    assert len(found) == 4, text
    return {parse_seat(letter): int(number) for letter, number in found}


def stage_tricks(tricks: str) -> tuple[Deal, Line]:
    """Makes a deal and its play in which the seats win ``N4 E3 S3 W3`` tricks."""
    taken = by_seat(tricks)
    assert sum(taken.values()) == 13
    if 13 in taken.values():
        return stage_sweep(next(seat for seat in Seat if taken[seat] == 13))
    ruffer, ninth = (seat for seat in sorted(Seat, key=lambda seat: -taken[seat])[:2])
    taken[ruffer] -= 1
    taken[ninth] -= 1
    rest = "".join(seat.letter * taken[seat] for seat in Seat)
    winners = rest[:8] + ninth.letter + ruffer.letter + rest[8:]
    return stage_winners(winners, ruffer.letter)


def play_line(match: Match, line: Line) -> None:
    """Plays the rest of a hand as it was staged."""
    number = match.hand_number
    while match.phase is Phase.PLAYING and match.hand_number == number:
        seat = match.turn
        assert seat is not None
        match.play(seat, line[len(match.state.tricks)][seat])


def play_whole_hands(rules: Rules, hands: Sequence[tuple[str, str]], spare: int = 1) -> Match:
    """Plays hands that are given as bids and tricks, ``("N1 E4 S0 W3", "N13 E0 S0 W0")``.

    ``spare`` deals more than were asked for are there, so that the match may go on.
    """
    staged = [stage_tricks(tricks) for _, tricks in hands]
    deals = [deal for deal, _ in staged] + [staged[-1][0]] * spare
    rules = replace(rules, max_hands=rules.max_hands or len(deals))
    match = Match(rules, ExplicitDeals(tuple(deals), b"salt"))
    for i, ((bids, _), (_, line)) in enumerate(zip(hands, staged, strict=True)):
        if i:
            match.deal_next()
        wanted = by_seat(bids)
        for seat in match.state.dealer.left.clockwise():
            match.bid(seat, Bid(wanted[seat]))
        play_line(match, line)
    return match


@pytest.fixture(scope="session")
def stage() -> Callable[[str, str], tuple[Deal, Line]]:
    return stage_winners


@pytest.fixture(scope="session")
def play_out() -> Callable[[Match, Line], None]:
    return play_line


@pytest.fixture(scope="session")
def play_hands() -> Callable[[Rules, Sequence[tuple[str, str]]], Match]:
    return play_whole_hands
