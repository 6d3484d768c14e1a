"""How fast the referee judges, and how fast agents play in process."""

from __future__ import annotations

import time
from random import Random

from bare_engine import play_hand
from report import Row

import spades
from spades_agents import play_local

RULES = "classic,floor=none,target=10000,max_hands=40"


def bare_hands_per_second(hands: int) -> float:
    """Hands of the bare engine per second of CPU time."""
    rng = Random(1)
    start = time.process_time()
    for _ in range(hands):
        play_hand(rng)
    return hands / (time.process_time() - start)


def referee_plays_per_second(matches: int) -> float:
    """Validated plays per second of CPU time, the players' choices not counted."""
    rules = spades.parse_rules(RULES)
    plays = 0
    spent = 0.0
    for number in range(matches):
        match = spades.Match(rules, spades.SeededDeals(spades.parse_seed(str(number))))
        rng = Random(number)
        recorded: list[tuple[spades.Seat, spades.Card]] = []
        while match.outcome is None:
            if match.turn is None:
                match.deal_next()
            elif match.phase is spades.Phase.BIDDING:
                match.bid(match.turn, spades.Bid(3))
            else:
                legal = spades.view(match, match.turn).legal_plays
                card = rng.choice(legal)
                recorded.append((match.turn, card))
                match.play(match.turn, card)
        again = spades.Match(rules, spades.SeededDeals(spades.parse_seed(str(number))))
        moves = iter(recorded)
        while again.outcome is None:
            while again.turn is not None and again.phase is spades.Phase.BIDDING:
                again.bid(again.turn, spades.Bid(3))
            hand = [next(moves) for _ in range(52)]
            play = again.play
            start = time.process_time()
            for seat, card in hand:
                play(seat, card)
            spent += time.process_time() - start
            plays += 52
            if again.outcome is None:
                again.deal_next()
    return plays / spent


def local_hands_per_second(matches: int) -> float:
    """Hands of four random agents in process, per second of CPU time."""
    hands = 0
    start = time.process_time()
    for number in range(matches):
        hands += play_local(["random"] * 4, RULES, seed=str(number)).match.hand_number
    return hands / (time.process_time() - start)


def rows() -> list[Row]:
    """Measures and compares."""
    # By turns, and the best of each: what else the machine does slows all of them.
    bare = plays = local = 0.0
    for _ in range(5):
        bare = max(bare, bare_hands_per_second(1_000))
        plays = max(plays, referee_plays_per_second(4))
        local = max(local, local_hands_per_second(8))
    return [
        Row("bare engine", f"{bare:,.0f} hands/s", "", ""),
        Row(
            "Match alone",
            f"{plays:,.0f} plays/s",
            f"{plays / 52 / bare:.2f} x bare",
            ">= 200,000/s",
        ),
        Row("play_local", f"{local:,.0f} hands/s", f"{local / bare:.2f} x bare", ">= 0.30"),
    ]
