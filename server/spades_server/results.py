"""What a finished match was for its players: a fold over its events, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Final, NamedTuple

from spades import EndReason, HandScored, Match, Part, Seat, Side, SideScore
from spades_proto.profile import (
    Achievement,
    AchievementKind,
    MatchResult,
    NotCounted,
    PlayedMatch,
    Results,
)
from spades_proto.records import Circumstances, record_line
from spades_proto.table import Occupant

TRICKS: Final = 13
EACH_SEAT_DEALS: Final = 4
"""After so many hands each seat has dealt: fewer make no match without a set."""

NONE: Final = Results()


class FinishedMatch(NamedTuple):
    """A match that has ended, with what its record says beside the game."""

    match: Match
    circumstances: Circumstances
    former_first_dealer: Seat | None = None
    """The first dealer of the match before."""
    owners: tuple[str | None, ...] = (None, None, None, None)
    """The ids of the players who held the seats when it ended, by seat."""

    @property
    def line(self) -> str:
        """The record."""
        return record_line(self.match, self.circumstances, self.former_first_dealer)


@dataclass(frozen=True, slots=True)
class PlayerMatch:
    """One finished match for one player: what is stored, and what sums are made of."""

    match: str
    ended_us: int
    seats: tuple[Seat, ...]
    points: int
    points_against: int
    reason: EndReason
    results: Results
    """Of this match alone."""
    not_counted: NotCounted | None = None

    def shown(self, players: tuple[tuple[Seat, Occupant], ...]) -> PlayedMatch:
        """What the player is shown of it."""
        return PlayedMatch(
            self.match,
            self.ended_us,
            self.seats,
            players,
            _result_of(self.results),
            self.points,
            self.points_against,
            self.reason,
            self.not_counted,
        )


def results_by_player(finished: FinishedMatch) -> Mapping[str, PlayerMatch]:
    """What a finished match was for each registered player who held a seat when it ended."""
    held: dict[str, list[Seat]] = {}
    for seat, owner in zip(Seat, finished.owners, strict=True):
        if owner is not None:
            held.setdefault(owner, []).append(seat)
    return {
        player: player_match(finished.match, finished.circumstances, tuple(seats))
        for player, seats in held.items()
    }


def player_match(
    match: Match, circumstances: Circumstances, seats: tuple[Seat, ...]
) -> PlayerMatch:
    """What a finished match was for a player who held some of its seats."""
    outcome = match.outcome
    assert outcome is not None, "only a finished match has results"
    side = seats[0].side
    hands = reduce(add, (_hand(scored, side, seats) for scored in match.sheet), NONE)
    clean = hands.hands >= EACH_SEAT_DEALS and not hands.sets
    ending = Results(
        matches=1,
        won=int(outcome.winner is side),
        drawn=int(outcome.winner is None),
        lost=int(outcome.winner is side.other),
        without_a_set=int(clean and outcome.reason is not EndReason.SURRENDER),
    )
    not_counted = None
    if circumstances.seed_chosen:
        not_counted = NotCounted.SEED_CHOSEN
    elif any(seat.side is not side for seat in seats):
        not_counted = NotCounted.BOTH_SIDES
    return PlayerMatch(
        circumstances.match,
        circumstances.ended_us,
        seats,
        outcome.totals[side],
        outcome.totals[side.other],
        outcome.reason,
        hands + ending,
        not_counted,
    )


def _hand(scored: HandScored, side: Side, seats: Iterable[Seat]) -> Results:
    """What one hand adds: of the side what is the side's, of the seats what is theirs."""
    score = scored.scores[side]
    own = [(scored.bids[seat], scored.taken[seat]) for seat in seats if seat.side is side]
    nils = [(bid, taken) for bid, taken in own if bid.is_nil]
    blind = [(bid, taken) for bid, taken in nils if bid.blind]
    return Results(
        hands=1,
        nils_bid=len(nils),
        nils_made=sum(not taken for _, taken in nils),
        blind_nils_bid=len(blind),
        blind_nils_made=sum(not taken for _, taken in blind),
        double_nils=int(score.double_nil),
        bags=score.bags,
        sets=int(_is_set(score)),
        all_tricks=int(score.taken == TRICKS),
    )


def _is_set(score: SideScore) -> bool:
    return any(part.part is Part.CONTRACT and part.points < 0 for part in score.parts)


def _result_of(results: Results) -> MatchResult:
    if results.won:
        return MatchResult.WON
    return MatchResult.DRAWN if results.drawn else MatchResult.LOST


@dataclass(frozen=True, slots=True)
class Career:
    """All the matches of one player that count, added up."""

    results: Results = NONE
    played_out: Results = NONE
    """The part of them that brings achievements nearer."""

    def plus(self, one: PlayerMatch) -> Career:
        """The sums with one more match."""
        if one.not_counted is not None:
            return self
        return self.with_sums(one.reason, one.results)

    def with_sums(self, reason: EndReason, sums: Results) -> Career:
        """The sums with those of more matches that count and ended in one way."""
        # Only what ended by the rules of the game brings achievements nearer.
        played_out = self.played_out if reason is EndReason.SURRENDER else self.played_out + sums
        return Career(self.results + sums, played_out)

    @property
    def achievements(self) -> tuple[Achievement, ...]:
        """All achievements there are, and how far the player is with each."""
        return tuple(
            Achievement(kind, min(done(self.played_out), goal), goal)
            for kind, (done, goal) in _GOALS.items()
        )


_GOALS: Final[dict[AchievementKind, tuple[Callable[[Results], int], int]]] = {
    AchievementKind.FIRST_WIN: (lambda sums: sums.won, 1),
    AchievementKind.TEN_WINS: (lambda sums: sums.won, 10),
    AchievementKind.NIL: (lambda sums: sums.nils_made, 1),
    AchievementKind.BLIND_NIL: (lambda sums: sums.blind_nils_made, 1),
    AchievementKind.DOUBLE_NIL: (lambda sums: sums.double_nils, 1),
    AchievementKind.ALL_TRICKS: (lambda sums: sums.all_tricks, 1),
    AchievementKind.WITHOUT_A_SET: (lambda sums: sums.without_a_set, 1),
}
"""What each achievement counts, and how many it takes."""
