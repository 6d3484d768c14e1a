"""A second verifier of an event: the standard library alone, and not a line of the platform.

It comes to the seed, the deals, the commitments, the chain of the journal, the tricks, the scores and the
results of units by itself: for the standard deck without blind nil. `python second_verifier.py DIR`.
"""

import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

SEATS, RANKS = ("SOUTH", "WEST", "NORTH", "EAST"), "23456789TJQKA"
CARDS = [rank + suit for suit in "DCHS" for rank in RANKS]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def js(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def numbers(seed: bytes, label: str) -> bytes:
    text = f"{label}/".encode()
    return b"".join(hmac.digest(seed, text + i.to_bytes(4, "big"), "sha256") for i in range(40))


def deal(seed: bytes, number: int, dealer: int) -> list[set[str]]:
    pack, drawn = list(range(52)), iter(numbers(seed, f"spades/deal/1/{number}"))
    for last in range(51, 0, -1):
        n = next(n for n in drawn if n < 256 - 256 % (last + 1)) % (last + 1)
        pack[last], pack[n] = pack[n], pack[last]
    hands = {(dealer + 1 + i) % 4: {CARDS[place] for place in pack[i::4]} for i in range(4)}
    return [hands[seat] for seat in range(4)]


def trick_winner(leader: int, cards: list[str]) -> int:
    strength = [(c[1] == "S", c[1] == cards[0][1] or c[1] == "S", RANKS.index(c[0])) for c in cards]
    return (leader + strength.index(max(strength))) % 4


def score(bids: list[int], taken: list[int], bags: int) -> tuple[int, int]:
    goal, counted = sum(bids), sum(t for b, t in zip(bids, taken, strict=True) if b)
    more = counted - goal if goal and counted > goal else 0
    points = 0 if not goal else 10 * goal + more if counted >= goal else -10 * goal
    for bid, tricks in zip(bids, taken, strict=True):
        if bid == 0:
            points, more = points + (-100 + tricks if tricks else 100), more + tricks
    return points - 100 * ((bags + more) // 10), (bags + more) % 10


def play(game: Any, seed: bytes) -> tuple[list[int], list[int]]:
    told = [game["opening"]["seed"], game["commitment"]]
    assert told == [seed.hex(), hashlib.sha256(seed).hexdigest()], "another stream"
    totals, bags, drawn = [0, 0], [0, 0], numbers(seed, "spades/first-dealer/1")[0] % 4
    first = 3 if game["rules"]["first_dealer"] == "FIRST_DEALER_EAST" else drawn
    for number, hand in enumerate(game["hands"], 1):
        dealer = (first + number - 1) % 4
        hands, bids, taken, trick = deal(seed, number, dealer), [0] * 4, [0] * 4, list[str]()
        leader = turn = (dealer + 1) % 4
        for act in (act for act in hand["actions"] if "surrender" not in act["action"]):
            assert act["seat"] == f"SEAT_{SEATS[turn]}", "out of turn"
            if "bid" in act["action"]:
                bids[turn], turn = act["action"]["bid"].get("tricks", 0), (turn + 1) % 4
                continue
            card = act["action"]["play"].removeprefix("CARD_")
            hands[turn].remove(card)
            led = trick[0][1] if trick else card[1]
            assert card[1] == led or all(c[1] != led for c in hands[turn]), "a renege"
            trick, turn = [*trick, card], (turn + 1) % 4
            if len(trick) == 4:
                leader = turn = trick_winner(leader, trick)
                taken[turn], trick = taken[turn] + 1, []
        if sum(taken) == 13:
            for side in (0, 1):
                points, bags[side] = score(bids[side::2], taken[side::2], bags[side])
                totals[side] += points
    return totals, bags


def verify(folder: Path) -> int:
    spec, secret = (json.loads((folder / name).read_text()) for name in ("event.json", "seed.json"))
    server = bytes.fromhex(secret["server_seed"])
    assert hashlib.sha256(server).hexdigest() == spec["seed_commitment"], "another seed"
    terms = {name: value for name, value in spec.items() if name != "entries"}
    parts = [sha(js(terms)), *sorted(sha(js(entry)) for entry in spec["entries"])]
    text = "spades/event/1/" + "/".join(parts + sorted(secret["client_seeds"]))
    event = hmac.digest(server, text.encode(), "sha256")
    labels = [f"spades/stream/1/main/{k + 1}".encode() for k in range(spec["units"])]
    streams = [hmac.digest(event, label, "sha256") for label in labels]
    nodes: list[bytes] = [
        hashlib.sha256(b"\0" + hashlib.sha256(seed).digest()).digest() for seed in streams
    ]
    while len(nodes) > 1:
        pairs: list[list[bytes]] = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
        nodes: list[bytes] = [
            hashlib.sha256(b"\1" + b"".join(p)).digest() if p[1:] else p[0] for p in pairs
        ]
    assert json.loads((folder / "commitments.json").read_text())["root"] == nodes[0].hex(), "root"
    head, units = sha("spades/journal/1"), 0
    for raw in (folder / "journal.jsonl").read_text().splitlines():
        line = json.loads(raw)
        given, head = line.pop("chain"), sha(head + js(line))
        assert given == head, f"the chain breaks at {raw[:80]}"
        units += check_unit(folder, spec, line["result"], streams) if line["kind"] == "unit" else 0
    return units


def check_unit(folder: Path, spec: Any, result: Any, streams: list[bytes]) -> int:
    if result["status"] != "played":
        return 0
    path, points, margin = folder / "records" / f"{result['unit']}.jsonl", 0.0, 0.0
    both = zip(path.read_text().splitlines(), result["tables"], strict=True)
    for place, (text, table) in enumerate(both):
        assert sha(text) == table["record"], f"{path.name} was changed"
        totals, bags = play(json.loads(text)["game"], streams[int(result["unit"][-5:]) - 1])
        assert [totals, bags] == [table["totals"], table["bags"]], f"{path.name}: another total"
        equity = spec["bag_equity"] if spec["mode"] == "boards" else 0
        margin += totals[place] - totals[1 - place] + equity * (bags[place] - bags[1 - place])
        points += (totals[place] > totals[1 - place]) + 0.5 * (totals[0] == totals[1])
    points = points if spec["mode"] == "games" else 1 + (margin > 0) - (margin < 0)
    assert [points, margin] == [result["score"], result["margin"]], f"{path.name}: another score"
    return 1


if __name__ == "__main__":
    print(verify(Path(sys.argv[1])), "units hold")
