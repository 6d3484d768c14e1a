"""A bot that talks in lines of JSON, in plain Python without any library.

spades agent run 'cmd:python3 lines.py' --server localhost:7450
"""

import json
import sys

RANKS = "23456789TJQKALB"


def say(**message):
    print(json.dumps(message), flush=True)


def height(card):
    """How high a card is, as in CARD_QS; jokers are CARD_LJ and CARD_BJ."""
    return RANKS.index(card[5])


def choose(ask):
    """The action for a decision: everything that it needs stands in the question."""
    decision, view = ask["decision"], ask["view"]
    if decision["may_look"]:
        return {"look": {}}
    hand = sorted(view["hand"]["cards"], key=height)
    if decision["kind"] == "DECISION_KIND_BID":
        wanted = max(1, sum(height(card) >= RANKS.index("K") for card in hand))
        bids = [bid for bid in decision["legal_bids"] if bid["tricks"] > 0]
        return {"bid": min(bids, key=lambda bid: abs(bid["tricks"] - wanted))}
    if decision["kind"] == "DECISION_KIND_PASS_CARDS":
        return {"pass_cards": {"cards": hand[: decision["pass_count"]]}}
    return {"play": min(decision["legal_plays"], key=height)}


for line in sys.stdin:
    request = json.loads(line)
    if "hello" in request:
        say(ready={"name": "lines", "version": "1"})
    elif "ask" in request:
        ask = request["ask"]
        say(command={"decision": ask["decision"]["id"], "action": choose(ask)})
    elif "refused" in request:
        print(request["refused"]["refusal"]["sentence"], file=sys.stderr)
