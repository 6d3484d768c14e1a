"""How fast the house bots decide, in CPU time, beside the random one in the same run."""

from __future__ import annotations

import time
from collections.abc import Awaitable

from report import Row

from spades import Match, SeatView, SeededDeals, parse_rules, parse_seed
from spades_agents import HOUSE_BOTS, Agent
from spades_agents.agent import decide

HANDS = 60
ROUNDS = 3


def views(hands: int) -> list[SeatView]:
    """The decisions of some hands among sharp players."""
    found: list[SeatView] = []
    sharp = HOUSE_BOTS["sharp"]()
    rules = parse_rules(f"larch,max_hands={hands},target=10000")
    match = Match(rules, SeededDeals(parse_seed("bench")), people=frozenset())
    while match.outcome is None:
        seat = match.turn
        if seat is None:
            match.deal_next()
            continue
        seen = SeatView(match.state, seat, b"bench")
        found.append(seen)
        action = decide(sharp, seen)
        assert not isinstance(action, Awaitable)
        match.act(seat, action)
    return found


def decisions_per_second(bot: Agent, asked: list[SeatView]) -> float:
    """Decisions of a bot per second of CPU time."""
    start = time.process_time()
    for seen in asked:
        decide(bot, seen)
    return len(asked) / (time.process_time() - start)


def rows() -> list[Row]:
    """Measures all levels by turns and takes the best of each."""
    asked = views(HANDS)
    best = dict.fromkeys(HOUSE_BOTS, 0.0)
    for _ in range(ROUNDS):
        for name, make in HOUSE_BOTS.items():
            best[name] = max(best[name], decisions_per_second(make(), asked))
    return [
        Row(name, f"{speed:,.0f} decisions/s", f"{speed / best['random']:.3f} x random", "")
        for name, speed in best.items()
    ]
