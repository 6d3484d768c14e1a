"""The worked examples of rules.md 7 and 8, and that every score names its parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from spades import (
    BLIND_NIL,
    PRESETS,
    Bid,
    Deck,
    EndReason,
    Match,
    Outcome,
    Part,
    Rules,
    ScorePart,
    Seat,
    Side,
    Standing,
    parse_bid,
    parse_cards,
    quick_count,
    score_side,
)

PlayHands = Callable[[Rules, Sequence[tuple[str, str]]], Match]

S, W, N, E = Seat
NS, EW = Side
CLASSIC = PRESETS["classic"]

# bids, tricks, bags before, the parts in order, change, bags after
EXAMPLES = """
4+2         6+0  0  contract 60                                                    60  0
4+2         8+0  0  contract 60, overtricks 2                                      62  2
4+2         5+0  3  contract -60                                                  -60  3
nil+4       0+5  0  contract 40, overtricks 1, nil 100                            141  1
nil+4       1+4  0  contract 40, nil -100, tricks of a failed nil 1               -59  1
nil+4       0+5  9  contract 40, overtricks 1, nil 100, bag penalty -100           41  0
4+3         5+3  0  contract 70, overtricks 1                                      71  1
3+4         8+0  0  contract 70, overtricks 1                                      71  1
5+2         4+5  0  contract 70, overtricks 2                                      72  2
3+3         9+0  8  contract 60, overtricks 3, bag penalty -100                   -37  1
nil+5       2+3  0  contract -50, nil -100, tricks of a failed nil 2             -148  2
nil+nil     0+3  8  nil 100, nil -100, tricks of a failed nil 3, bag penalty -100 -97  1
blind+6     0+6  0  contract 60, blind nil 200                                    260  0
"""


def example_bid(text: str) -> Bid:
    return BLIND_NIL if text == "blind" else parse_bid(text)


@pytest.mark.parametrize("row", EXAMPLES.strip().splitlines(), ids=lambda row: row[:20])
def test_7_a_worked_example_scores_as_the_book_says_and_names_its_parts(row: str) -> None:
    bids, taken, before, *words, change, after = row.split()
    mine, partners = map(example_bid, bids.split("+"))
    tricks, others = map(int, taken.split("+"))
    expected = [piece.strip() for piece in " ".join(words).split(",")]

    score = score_side(
        CLASSIC, ((S, mine), (N, partners)), (tricks, others), Standing(0, int(before))
    )

    assert [f"{part.part.value} {part.points}" for part in score.parts] == expected
    assert (score.change, score.after.bags) == (int(change), int(after))
    assert sum(part.points for part in score.parts) == score.change


def test_7_all_thirteen_examples_are_there() -> None:
    assert len(EXAMPLES.strip().splitlines()) == 13


@pytest.mark.parametrize("split", [(8, 0), (7, 1), (4, 4), (0, 8)])
def test_7_only_the_sum_of_the_partners_tricks_counts(split: tuple[int, int]) -> None:
    score = score_side(CLASSIC, ((W, Bid(3)), (E, Bid(4))), split, Standing())
    assert score.change == 71


def test_7_the_hand_in_the_first_source_ends_141_and_71(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [("S4 W3 N0 E4", "S5 W3 N0 E5")])
    (hand,) = match.sheet
    assert hand.scores[NS].parts == (
        ScorePart(Part.CONTRACT, 40),
        ScorePart(Part.OVERTRICKS, 1),
        ScorePart(Part.NIL, 100, N),
    )
    assert hand.scores[EW].parts == (
        ScorePart(Part.CONTRACT, 70),
        ScorePart(Part.OVERTRICKS, 1),
    )
    assert [score.change for score in hand.scores] == [141, 71]
    assert match.standings == (Standing(141, 1), Standing(71, 1))
    assert [(score.contract, score.taken) for score in hand.scores] == [(4, 5), (7, 8)]


def test_parts_that_belong_to_a_nil_name_its_seat_and_the_others_none() -> None:
    score = score_side(CLASSIC, ((S, Bid(0)), (N, Bid(2))), (3, 9), Standing(0, 9))
    assert [(part.part, part.seat) for part in score.parts] == [
        (Part.CONTRACT, None),
        (Part.OVERTRICKS, None),
        (Part.NIL, S),
        (Part.NIL_TRICKS, S),
        (Part.BAG_PENALTY, None),
    ]


# 8. Counting a hand


@pytest.mark.parametrize(
    ("hand", "count"),
    [
        ("AS QS 7S 4S KH 9H 3H AD 8D 5D 2D 6C 3C", 4),  # the first source's hand
        ("AD AC AH AS", 4),
        ("KD", 0),
        ("KD 2D", 1),
        ("KD AD", 1),  # the ace is no smaller card
        ("KD AD 3D", 2),
        ("KS 2S", 1),
        ("4S 3S 2S", 0),
        ("5S 4S 3S 2S", 1),
        ("QD JD TD QH JH QC JC", 0),
        ("AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", 12),
    ],
)
def test_8_the_quick_count_of_a_hand(hand: str, count: int) -> None:
    assert quick_count(parse_cards(hand)) == count


@pytest.mark.parametrize(
    ("deck", "hand", "count"),
    [
        (Deck.JOKERS, "BJ", 1),
        (Deck.JOKERS, "BJ LJ", 2),
        (Deck.JOKERS, "BJ LJ 3S 4S", 3),  # the fourth spade is a joker's
        (Deck.JOKERS, "KS 2S", 0),  # the two is the higher card there
        (Deck.JOKERS, "KS 3S", 1),
        (Deck.JOKERS_NYC, "KD 2D", 0),  # the two is no diamond there
        (Deck.JOKERS_NYC, "2D 3S 4S 5S", 1),  # but the fourth spade
        (Deck.JOKERS, "KD 2D", 1),
    ],
)
def test_8_the_quick_count_knows_the_trumps_of_the_deck(deck: Deck, hand: str, count: int) -> None:
    assert quick_count(parse_cards(hand), deck) == count


def test_8_the_quick_count_never_exceeds_the_tricks_of_a_hand() -> None:
    hand = parse_cards("BJ LJ 2S AS KS QS JS TS 9S 8S 7S 6S 5S")
    assert quick_count(hand, Deck.JOKERS) == 13


# Outcomes in words


@pytest.mark.parametrize(
    ("outcome", "sentence"),
    [
        (
            Outcome(NS, EndReason.TARGET, (512, 340)),
            "South and North win 512 to 340: a side reached the target.",
        ),
        (
            Outcome(EW, EndReason.FLOOR, (-210, 30)),
            "West and East win 30 to -210: a side fell to the floor.",
        ),
        (
            Outcome(None, EndReason.MAX_HANDS, (40, 40)),
            "The match is a draw at 40: the last hand was played.",
        ),
        (
            Outcome(NS, EndReason.DOUBLE_NIL, (-10, 90)),
            "South and North win at -10 to 90: a side made a double nil.",
        ),
        (
            Outcome(EW, EndReason.SURRENDER, (90, -10)),
            "West and East win: the other side surrendered at 90 to -10.",
        ),
    ],
)
def test_an_outcome_says_who_won_and_why(outcome: Outcome, sentence: str) -> None:
    assert str(outcome) == sentence
