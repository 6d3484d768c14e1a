"""What the tests of the wire share: how Hypothesis makes the rules' values, and finished matches.

Strategies are registered by type, so that ``st.from_type(Rules)`` gives rules in every file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

import pytest
from hypothesis import strategies as st

from spades import (
    BLIND_NIL,
    CARDS,
    NIL,
    Action,
    Bid,
    BlindNil,
    Card,
    Deal,
    Deck,
    DoubleNil,
    ExplicitDeals,
    FirstDealer,
    Look,
    MakeBid,
    Match,
    NextHand,
    Outcome,
    Part,
    Phase,
    Rules,
    ScorePart,
    Seat,
    SeededDeals,
    SideScore,
    SpadeLead,
    Standing,
    Surrender,
    Undo,
    UndoRule,
    parse_seed,
)
from spades_proto.table import TableOpened
from spades_proto.timing import LONGEST_MS, TimeControl

INT32 = st.integers(-(2**31), 2**31 - 1)


# Values


def make_rules(blind: tuple[BlindNil, int], **options: object) -> Rules:
    how, count = blind
    return Rules(blind_nil=how, blind_exchange=count, **options)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def deal_pack(deck: Deck, order: list[int]) -> Deal:
    masks = [sum(1 << place for place in order[13 * i : 13 * i + 13]) for i in range(4)]
    return Deal(deck, (masks[0], masks[1], masks[2], masks[3]))


def register_strategies() -> None:
    points = st.integers(0, 10_000)
    st.register_type_strategy(
        Rules,
        st.builds(
            make_rules,
            blind=st.sampled_from([(BlindNil.OFF, 0), (BlindNil.BEHIND, 0), (BlindNil.BEHIND, 2)]),
            target=st.integers(10, 10_000),
            floor=st.none() | st.integers(-10_000, -1),
            deck=st.sampled_from(Deck),
            first_dealer=st.sampled_from(FirstDealer),
            spade_lead=st.sampled_from(SpadeLead),
            blind_nil_deficit=points,
            min_team_bid=st.sampled_from([0, 4]),
            bag_limit=st.integers(1, 1_000),
            bag_penalty=points,
            nil_value=points,
            blind_nil_value=points,
            double_nil=st.sampled_from(DoubleNil),
            double_nil_value=points,
            max_hands=points,
            undo=st.sampled_from(UndoRule),
            next_hand_wait=st.integers(0, 3_600),
        ),
    )
    st.register_type_strategy(
        TimeControl,
        st.builds(TimeControl, st.integers(0, LONGEST_MS), st.integers(0, LONGEST_MS)),
    )
    st.register_type_strategy(
        TableOpened,
        st.builds(
            TableOpened,
            time_control=st.from_type(TimeControl),
            hints=st.booleans(),
            tempo_ms=INT32,
        ),
    )
    st.register_type_strategy(Card, st.sampled_from(CARDS))
    st.register_type_strategy(Bid, st.builds(Bid, INT32, st.booleans()))
    st.register_type_strategy(Standing, st.builds(Standing, INT32, INT32))
    seat = st.none() | st.sampled_from(Seat)
    st.register_type_strategy(ScorePart, st.builds(ScorePart, st.sampled_from(Part), INT32, seat))
    st.register_type_strategy(
        SideScore,
        st.builds(
            SideScore,
            contract=INT32,
            taken=INT32,
            parts=st.lists(st.from_type(ScorePart), max_size=4).map(tuple),
            change=INT32,
            bags=INT32,
        ),
    )
    st.register_type_strategy(Outcome, st.builds(Outcome, totals=st.tuples(INT32, INT32)))
    st.register_type_strategy(
        Deal, st.builds(deal_pack, st.sampled_from(Deck), st.permutations(list(range(52))))
    )
    st.register_type_strategy(
        SeededDeals, st.builds(SeededDeals, st.binary(min_size=32, max_size=32))
    )


register_strategies()


# Matches


@dataclass(frozen=True)
class Game:
    """A finished match and, for a rematch, the first dealer of the match before."""

    match: Match
    former: Seat | None = None


Choose = Callable[[Match, Random], tuple[Seat, Action] | None]
Wander = Callable[[Match, Random], Iterator[int]]

HANDS = Rules(max_hands=3, floor=None, undo=UndoRule.ON)
BLIND = replace(HANDS, blind_nil=BlindNil.BEHIND, blind_nil_deficit=0, blind_exchange=2)


def choose_action(match: Match, rng: Random) -> tuple[Seat, Action] | None:
    """Chooses something that the rules allow; ``None`` stands for the next deal."""
    state = match.state
    roll = rng.random()
    willing = [seat for seat in Seat if seat not in state.proposed]
    if willing and roll < (0.001 if match.phase is Phase.PLAYING else 0.02):
        return rng.choice(willing), Surrender()
    if match.phase is Phase.HAND_OVER:
        waiting = [seat for seat in Seat if seat not in state.asked]
        return (rng.choice(waiting), NextHand()) if waiting and roll < 0.8 else None
    if state.face_down and roll < 0.15:
        return rng.choice(sorted(state.face_down)), Look()
    if state.last_played is not None and match.rules.undo is UndoRule.ON and roll > 0.93:
        return state.last_played, Undo()
    seat = match.turn
    assert seat is not None
    actions = match.legal(seat)
    nils = [action for action in actions if action in (MakeBid(NIL), MakeBid(BLIND_NIL))]
    if nils and rng.random() < 0.4:
        return seat, nils[0]
    if match.phase is Phase.BIDDING:
        actions = actions[:6]
    return seat, rng.choice(actions)


def wander_on(match: Match, rng: Random) -> Iterator[int]:
    """Plays a match at random to its end; yields, after each step, how long the log was before."""
    while match.phase is not Phase.MATCH_OVER:
        before = len(match.log)
        chosen = choose_action(match, rng)
        if chosen is None:
            match.deal_next()
        else:
            match.act(*chosen)
        yield before


def play_out(match: Match, rng: Random) -> Match:
    """Plays a match to its end without undos or surrenders."""
    while match.phase is not Phase.MATCH_OVER:
        if match.turn is None:
            match.deal_next()
            continue
        actions = [action for action in match.legal(match.turn) if not isinstance(action, Look)]
        match.act(match.turn, rng.choice(actions[:6]))
    return match


def started(rules: Rules, word: str) -> Match:
    return Match(rules, SeededDeals(parse_seed(word)))


def explicit(rules: Rules, word: str) -> Match:
    source = SeededDeals(parse_seed(word))
    deals = tuple(source.deal(n, rules.deck, Seat.EAST) for n in range(1, rules.max_hands + 1))
    return Match(rules, ExplicitDeals(deals, b"a grain of salt"))


def surrendered() -> Match:
    """Surrenders right after the second deal, which the record has to tell from before it."""
    match = started(HANDS, "surrender")
    while match.turn is not None:
        match.act(match.turn, match.legal(match.turn)[-1])
    match.deal_next()
    match.surrender(Seat.WEST)
    match.surrender(Seat.EAST)
    return match


def given_up() -> Match:
    match = started(HANDS, "brief")
    match.surrender(Seat.NORTH)
    match.bid(Seat.SOUTH, Bid(3))
    match.surrender(Seat.SOUTH)
    return match


def taken_back() -> Match:
    rng = Random(5)
    match = started(HANDS, "undo")
    while match.phase is not Phase.MATCH_OVER:
        last = match.state.last_played
        seat = match.turn
        if seat is None:
            match.deal_next()
        elif last is not None and rng.random() < 0.3:
            match.undo(last)
        else:
            match.act(seat, rng.choice(match.legal(seat)[:5]))
    return match


def exchanged() -> Match:
    match = started(BLIND, "exchange")
    while match.phase is not Phase.MATCH_OVER:
        if match.turn is None:
            match.deal_next()
            continue
        seat = match.turn
        actions = match.legal(seat)
        if seat is Seat.SOUTH or not match.state.face_down & {seat}:
            actions = tuple(action for action in actions if not isinstance(action, Look))
        match.act(seat, actions[0] if isinstance(actions[0], Look) else actions[-1])
    return match


def drawn() -> Match:
    match = started(replace(HANDS, max_hands=1), "draw")
    for _ in Seat:
        assert match.turn is not None
        match.bid(match.turn, Bid(13))
    return play_out(match, Random(0))


def make_games() -> dict[str, Game]:
    def rules(deck: Deck) -> Rules:
        return replace(HANDS, deck=deck, spade_lead=SpadeLead.ANY, first_dealer=FirstDealer.RANDOM)

    first = play_out(started(HANDS, "first"), Random(1))
    former = first.state.first_dealer
    rematch = Match(HANDS, SeededDeals(parse_seed("rematch")), former_first_dealer=former)
    return {
        "seeded": Game(first),
        "explicit": Game(play_out(explicit(HANDS, "explicit"), Random(2))),
        "surrender": Game(surrendered()),
        "undo": Game(taken_back()),
        "exchange": Game(exchanged()),
        "jokers": Game(play_out(started(rules(Deck.JOKERS), "jokers"), Random(3))),
        "nyc": Game(play_out(started(rules(Deck.JOKERS_NYC), "nyc"), Random(4))),
        "draw": Game(drawn()),
        "rematch": Game(play_out(rematch, Random(6)), former),
        "short": Game(play_out(started(replace(HANDS, max_hands=1), "short"), Random(7))),
        "brief": Game(given_up()),
    }


@pytest.fixture(scope="session")
def games() -> Mapping[str, Game]:
    made = make_games()
    passes = [event for hand in made["exchange"].match.sheet for event in hand.passes]
    assert passes
    assert any(bid.blind for hand in made["exchange"].match.sheet for bid in hand.bids)
    outcome = made["draw"].match.outcome
    assert outcome is not None
    assert outcome.winner is None
    return made


@pytest.fixture(scope="session")
def choose() -> Choose:
    return choose_action


@pytest.fixture(scope="session")
def wander() -> Wander:
    return wander_on
