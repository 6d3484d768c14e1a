"""The yardstick: as little as validates a hand of Spades in pure Python, and nothing that anybody could use.

No events, no views, no records, no reasons: integers in, integers out.
"""

from __future__ import annotations

from random import Random

SUIT = 0x1FFF
SPADES = SUIT << 39
MASKS = (SUIT, SUIT << 13, SUIT << 26, SPADES)


def play_hand(rng: Random) -> tuple[int, int]:
    """Deals, bids at random and plays a hand of random legal cards; returns both sides' points."""
    pack = list(range(52))
    rng.shuffle(pack)
    hands = [sum(1 << card for card in pack[seat::4]) for seat in range(4)]
    bids = [rng.randrange(14) for _ in range(4)]
    taken = [0, 0, 0, 0]
    leader = 0
    broken = False
    choice = rng.choice
    for _ in range(13):
        led = 0
        best = -1
        winner = leader
        for turn in range(4):
            seat = (leader + turn) & 3
            hand = hands[seat]
            if led:
                legal = hand & led or hand
            elif broken:
                legal = hand
            else:
                legal = hand & ~SPADES or hand
            options: list[int] = []
            rest = legal
            while rest:
                low = rest & -rest
                options.append(low.bit_length() - 1)
                rest ^= low
            card = choice(options)
            bit = 1 << card
            if not bit & legal:
                raise ValueError(card)
            hands[seat] = hand ^ bit
            if not led:
                led = MASKS[card // 13]
            if bit & SPADES:
                broken = True
            if card > best and bit & (led | SPADES):
                best = card
                winner = seat
        taken[winner] += 1
        leader = winner
    return _score(bids, taken, 0), _score(bids, taken, 1)


def _score(bids: list[int], taken: list[int], side: int) -> int:
    goal = bids[side] + bids[side + 2]
    tricks = sum(taken[seat] for seat in (side, side + 2) if bids[seat])
    points = 10 * goal + tricks - goal if tricks >= goal else -10 * goal
    for seat in (side, side + 2):
        if not bids[seat]:
            points += -100 + taken[seat] if taken[seat] else 100
    return points
