"""Golden playthroughs: what every seat and a spectator see of three short matches, event by event.

``SPADES_UPDATE_GOLDEN=1 pytest tests/rules/test_playthroughs.py`` writes the files anew: the difference
is what is to be reviewed. They say "unchanged", never "right": the rule book has its own tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from spades import (
    PRESETS,
    BidMade,
    CardPlayed,
    CardsPassed,
    Event,
    ExplicitDeals,
    HandDealt,
    HandScored,
    HandShown,
    Look,
    Match,
    MatchEnded,
    MatchStarted,
    NextHandAsked,
    Phase,
    PlayTakenBack,
    Rules,
    Seat,
    SeededDeals,
    Side,
    SurrenderProposed,
    TrickWon,
    UndoRule,
    format_action,
    format_cards,
    format_deal,
    format_hand,
    format_rules,
    parse_action,
    parse_rules,
    parse_seed,
    redact,
    view,
)

FOLDER = Path(__file__).parent / "playthroughs"
VIEWERS: tuple[Seat | None, ...] = (*Seat, None)

MATCHES: dict[str, tuple[Rules, str, str]] = {
    "classic": (parse_rules("classic,max_hands=1,undo=on"), "golden", "3 nil 4 3"),
    "blind_nil": (
        parse_rules(
            "larch,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=1,spade_lead=any"
        ),
        "golden",
        "4 blind_nil 3 5",
    ),
    "jokers_nyc": (parse_rules("nyc,max_hands=1"), "golden", "3 4 3 2"),
}


def say(event: Event) -> str:  # one case per kind of event
    """One event in one short line, as far as its secrets are in it."""
    match event:
        case MatchStarted():
            return f"match {format_rules(event.rules)}, dealer {event.first_dealer}"
        case HandDealt(number, dealer, deck, masks, face_down):
            hands = [
                f"{seat.letter} {format_hand(deck, mask)}"
                for seat, mask in zip(Seat, masks, strict=True)
                if mask is not None
            ]
            down = "".join(seat.letter for seat in sorted(face_down)) or "none"
            return f"hand {number}, dealer {dealer}, face down {down}: {' '.join(hands) or '?'}"
        case HandShown(seat, deck, mask):
            return f"{seat} sees {'?' if mask is None else format_hand(deck, mask)}"
        case BidMade(seat, bid):
            return f"{seat} bids {bid}"
        case CardsPassed():
            cards = "?" if event.cards is None else format_cards(event.cards)
            return f"{event.giver} passes {event.count}: {cards}"
        case CardPlayed(seat, card):
            return f"{seat} plays {card}"
        case TrickWon(winner, number):
            return f"trick {number} to {winner}"
        case PlayTakenBack(seat, card):
            return f"{seat} takes {card} back"
        case HandScored():
            sides = [
                f"{side}: " + " ".join(f"{part.part.value} {part.points:+}" for part in score.parts)
                + f" = {score.change:+}, bags {score.after.bags}"
                for side, score in zip(Side, event.scores, strict=True)
            ]  # fmt: skip
            passes = ", ".join(map(say, event.passes)) or "none"
            assert event.deal is not None, "these matches are opened at each hand's end"
            return f"scored; {'; '.join(sides)}; deal {format_deal(event.deal)}; passes {passes}"
        case MatchEnded(outcome, opening):
            assert opening is not None, "these matches are opened at their end"
            seed = "deals" if isinstance(opening, ExplicitDeals) else opening.seed.hex()
            return f"end: {outcome} Seed {seed}"
        case SurrenderProposed(seat):
            return f"{seat} would surrender"
        case NextHandAsked(seat):
            return f"{seat} asks for the next hand"


def say_to_all(number: int, event: Event) -> Iterator[str]:
    """What each viewer sees of an event, those together who see the same; ``-`` is a spectator."""
    seen: dict[str, str] = {}
    for viewer in VIEWERS:
        text = say(redact(event, viewer))
        seen[text] = seen.get(text, "") + ("-" if viewer is None else viewer.letter)
    for text, viewers in seen.items():
        yield f"{number:3} {viewers:5} {text}"


def say_decision(match: Match) -> Iterator[str]:
    """What the seat to act is asked for, with its cards and what is legal."""
    if match.turn is None:
        return
    seat = view(match, match.turn)
    assert seat.decision is not None
    hand = format_hand(match.rules.deck, match.rules.deck.mask(seat.hand))
    legal = {
        "bid": " ".join(map(str, seat.legal_bids)),
        "pass cards": f"any {seat.pass_count}",
        "play": format_cards(seat.legal_plays),
    }[seat.decision.kind.value]
    shown = hand if seat.sees_hand else "face down"
    yield (
        f"    {seat.seat.letter}     ? {seat.decision.number} {seat.decision.kind.value},"
        f" holds {shown}, legal {legal}"
    )


def write(name: str) -> str:
    rules, seed, bids = MATCHES[name]
    match = Match(rules, SeededDeals(parse_seed(seed)))
    rng = Random(name)
    wanted = bids.split()
    undone = False
    lines = [
        f"# {name}: the rules {format_rules(rules)}, the seed {seed!r}.",
        "# Written by SPADES_UPDATE_GOLDEN=1 pytest tests/rules/test_playthroughs.py; review the diff.",
        "# number, viewers (S W N E, - for a spectator), what they see; > the action that was taken.",
    ]
    said = 0
    while True:
        for event in match.log[said:]:
            lines += say_to_all(said, event)
            said += 1
        lines += say_decision(match)
        if match.phase is Phase.MATCH_OVER:
            break
        assert match.turn is not None
        seat = match.turn
        if match.phase is Phase.BIDDING:
            action = parse_action(f"bid {wanted[0]}")
            if seat in match.state.face_down and wanted[0] != "blind_nil":
                action = Look()
            else:
                wanted.pop(0)
        elif rules.undo is UndoRule.ON and len(match.state.tricks) == 2 and not undone:
            undone = True
            assert match.state.last_played is not None
            seat, action = match.state.last_played, parse_action("undo")
        else:
            action = rng.choice(match.legal(seat))
        lines.append(f"    {seat.letter}     > {format_action(action)}")
        match.act(seat, action)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", MATCHES)
def test_a_playthrough_is_as_it_was_written(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    text = write(name)
    if os.environ.get("SPADES_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()
    assert len(text.splitlines()) < 400


def test_every_playthrough_belongs_to_a_match() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(MATCHES)


def test_the_playthroughs_show_what_they_are_for() -> None:
    texts = {name: (FOLDER / f"{name}.txt").read_text(encoding="utf-8") for name in MATCHES}
    assert "back" in texts["classic"]
    assert "bids nil" in texts["classic"]
    for words in ("face down SWNE", "bids blind nil", "passes 2: ?", "blind nil "):
        assert words in texts["blind_nil"]
    for words in ("plays 2D", "plays BJ", "plays LJ"):
        assert words in texts["jokers_nyc"]
    assert PRESETS["nyc"].deck.value == "jokers_nyc"
