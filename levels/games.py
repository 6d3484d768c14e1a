"""Games between two pairs on the same deals, with the sides swapped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields

from spades import HandScored, Rules, Seat, Side, parse_rules
from spades_agents import load_agent, play_local

RULES = "larch,first_dealer=random"
"""The third source's rules, with the first dealer moving round the table."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two partnerships, by the names of their bots."""

    first: tuple[str, str]
    second: tuple[str, str]
    low: float
    high: float
    """Where the first one's share of the games is looked for, in per cent."""

    def __str__(self) -> str:
        return f"{_pair(self.first)} against {_pair(self.second)}"


def _pair(names: tuple[str, str]) -> str:
    return names[0] if names[0] == names[1] else " + ".join(names)


@dataclass(frozen=True, slots=True)
class Counts:
    """What one partnership did, summed over hands."""

    hands: int = 0
    bid: int = 0
    contracts: int = 0
    made: int = 0
    nils: int = 0
    nils_made: int = 0
    bags: int = 0
    penalties: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class Unit:
    """Two games on the same deals: the first partnership sits once on each side."""

    won: float
    """The games that the first partnership won, of two; a draw is half of one."""
    first: Counts
    second: Counts


def play_unit(pairing: Pairing, number: int, seed: str) -> Unit:
    """Plays both games of a unit; the seats move round the table from unit to unit."""
    rules = parse_rules(RULES)
    deals = hashlib.sha256(f"{seed} {number}".encode()).digest()
    won = 0.0
    counts = [Counts(), Counts()]
    for turned in (number, number + 1):
        names = {Seat((turned + place) % 4): pairing.first[place // 2] for place in (0, 2)}
        names |= {Seat((turned + place) % 4): pairing.second[place // 2] for place in (1, 3)}
        side = Seat(turned % 4).side
        played = play_local([load_agent(names[seat]) for seat in Seat], rules, deals)
        winner = played.outcome.winner
        won += 0.5 if winner is None else float(winner is side)
        counts[0] += _counts(played.match.state.sheet, side, rules)
        counts[1] += _counts(played.match.state.sheet, side.other, rules)
    return Unit(won, counts[0], counts[1])


def _counts(sheet: Iterable[HandScored], side: Side, rules: Rules) -> Counts:
    total = Counts()
    for hand in sheet:
        score = hand.scores[side]
        nils = [seat for seat in side.seats if hand.bids[seat].is_nil]
        won = sum(hand.taken[seat] for seat in side.seats if seat not in nils)
        total += Counts(
            hands=1,
            bid=score.contract,
            contracts=bool(score.contract),
            made=bool(score.contract) and won >= score.contract,
            nils=len(nils),
            nils_made=sum(not hand.taken[seat] for seat in nils),
            bags=score.bags,
            penalties=(score.before.bags + score.bags - score.after.bags) // rules.bag_limit,
        )
    return total
