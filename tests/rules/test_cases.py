"""What went wrong elsewhere: the public cases that the rules can show, each by its id.

Bids and tricks are written as the cases write them, and every hand is really played.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random

import pytest

from spades import (
    CARDS,
    PRESETS,
    Bid,
    BidMade,
    Card,
    CardPlayed,
    Deal,
    Deck,
    EndReason,
    ExplicitDeals,
    HandDealt,
    HandScored,
    Match,
    MatchStarted,
    MatchState,
    Outcome,
    Part,
    Phase,
    Reason,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    Side,
    SpadesError,
    Standing,
    TrickWon,
    format_cards,
    parse_bid,
    parse_cards,
    parse_seed,
    redact,
    view,
)

Line = tuple[dict[Seat, Card], ...]
Fill = Callable[[str, Deck], Deal]
Stage = Callable[[str, str], tuple[Deal, Line]]
PlayHands = Callable[[Rules, Sequence[tuple[str, str]]], Match]
Wander = Callable[[Match, Random], Iterator[int]]

S, W, N, E = Seat
NS, EW = Side
CLASSIC = PRESETS["classic"]


def last_hand(match: Match) -> HandScored:
    return match.sheet[-1]


def changes(match: Match) -> tuple[int, int]:
    """What the last hand changed: North and South's total, East and West's."""
    hand = last_hand(match)
    return hand.scores[NS].change, hand.scores[EW].change


def bags(match: Match) -> tuple[int, int]:
    return match.standings[NS].bags, match.standings[EW].bags


def totals(match: Match) -> tuple[int, int]:
    return match.standings[NS].total, match.standings[EW].total


def mirror(text: str) -> str:
    """The same with the sides swapped."""
    return text.translate(str.maketrans("NESW", "ENWS"))


def to_act(match: Match) -> Seat:
    assert match.turn is not None
    return match.turn


def north_leads(deal: Deal) -> Match:
    """A match of one deal in which North leads to the first trick."""
    rules = Rules(max_hands=1, deck=deal.deck)
    match = Match(rules, ExplicitDeals((deal,), b"salt"), former_first_dealer=S)
    bid(match, "3 3 3 3")
    return match


def south_leads(deal: Deal) -> Match:
    match = Match(Rules(max_hands=1, deck=deal.deck), ExplicitDeals((deal,), b"salt"))
    bid(match, "3 3 3 3")
    return match


def bid(match: Match, bids: str) -> None:
    for word in bids.split():
        match.bid(to_act(match), parse_bid(word))


def play(match: Match, cards: str) -> None:
    for card in parse_cards(cards):
        match.play(to_act(match), card)


def legal(match: Match) -> str:
    return format_cards(view(match, to_act(match)).legal_plays)


def refusal(act: Callable[[], object]) -> SpadesError:
    with pytest.raises(SpadesError) as error:
        act()
    return error.value


# Scoring


def test_r01_two_bag_penalties_in_one_hand_and_the_lines_add_up(play_hands: PlayHands) -> None:
    nine_bags = ("N1 E1 S1 W1", "N11 E1 S0 W1")
    match = play_hands(CLASSIC, [nine_bags, ("N1 E4 S0 W3", "N13 E0 S0 W0")])
    score = last_hand(match).scores[NS]
    assert score.before.bags == 9
    assert changes(match) == (-78, -70)
    assert bags(match) == (1, 0)
    assert [(part.part, part.points) for part in score.parts] == [
        (Part.CONTRACT, 10),
        (Part.OVERTRICKS, 12),
        (Part.NIL, 100),
        (Part.BAG_PENALTY, -200),
    ]


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [("N10 E2 S0 W1", -38, 0), ("N9 E3 S0 W1", 62, 9)],
    ids=["eight bags before", "seven bags before"],
)
def test_r02_exactly_ten_bags_is_already_the_penalty(
    before: str, change: int, after: int, play_hands: PlayHands
) -> None:
    hands = [("N1 E1 S1 W1", before), ("N4 E3 S2 W2", "N5 E3 S3 W2")]
    match = play_hands(CLASSIC, hands)
    assert changes(match) == (change, 50)
    assert bags(match)[NS] == after


def test_r03_an_overtrick_is_a_point_and_a_bag(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [("N3 E2 S4 W2", "N5 E2 S4 W2")])
    assert changes(match) == (72, 40)
    assert bags(match) == (2, 0)


def test_r04_a_set_costs_the_whole_bid_and_brings_no_bags(play_hands: PlayHands) -> None:
    hands = [("N1 E2 S1 W2", "N9 E2 S0 W2"), ("N5 E2 S4 W2", "N4 E3 S4 W2")]
    match = play_hands(CLASSIC, hands)
    assert last_hand(match).scores[NS].before.bags == 7
    assert changes(match) == (-90, 41)
    assert bags(match) == (7, 1)


@pytest.mark.parametrize(
    "hand",
    [("N0 E4 S5 W3", "N2 E3 S5 W3"), ("N5 E4 S0 W3", "N5 E3 S2 W3")],
    ids=["North", "South"],
)
def test_r06_a_failed_nil_scores_the_same_whichever_partner_bid_it(
    hand: tuple[str, str], play_hands: PlayHands
) -> None:
    match = play_hands(CLASSIC, [hand])
    assert changes(match) == (-48, -70)
    assert bags(match) == (2, 0)
    mirrored = play_hands(CLASSIC, [(mirror(hand[0]), mirror(hand[1]))])
    assert changes(mirrored) == (-70, -48)


def test_r07_a_nil_takes_nothing_from_the_teams_bid(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [("N0 E5 S4 W3", "N0 E6 S4 W3")])
    assert changes(match) == (140, 81)
    assert bags(match) == (0, 1)
    assert last_hand(match).scores[NS].contract == 4


def test_r10_a_negative_total_is_one_number_and_the_bags_another(play_hands: PlayHands) -> None:
    first, second = ("N4 E2 S3 W1", "N6 E2 S4 W1"), ("N8 E2 S4 W2", "N6 E2 S3 W2")
    assert play_hands(CLASSIC, [first]).standings[NS] == Standing(73, 3)
    match = play_hands(CLASSIC, [first, second])
    assert changes(match)[NS] == -120
    for viewer in (*Seat, None):
        assert view(match, viewer).standings[NS] == Standing(total=-47, bags=3)
    assert last_hand(match).scores[NS].after == Standing(-47, 3)


LEVEL_480_490 = [
    ("N0 E1 S0 W12", "N0 E1 S0 W12"),
    ("N0 E1 S0 W12", "N0 E1 S0 W12"),
    ("N4 E1 S1 W12", "N0 E1 S0 W12"),
    ("N0 E1 S3 W9", "N0 E1 S3 W9"),
]


def test_r13_if_both_sides_pass_500_in_one_hand_the_higher_total_wins(
    play_hands: PlayHands,
) -> None:
    match = play_hands(CLASSIC, LEVEL_480_490)
    assert (totals(match), bags(match)) == ((480, 490), (0, 0))
    hands = [*LEVEL_480_490, ("N3 E4 S3 W3", "N3 E4 S3 W3")]
    match = play_hands(CLASSIC, hands)
    assert match.outcome == Outcome(EW, EndReason.TARGET, (540, 560))
    mirrored = play_hands(CLASSIC, [(mirror(bids), mirror(tricks)) for bids, tricks in hands])
    assert mirrored.outcome == Outcome(NS, EndReason.TARGET, (560, 540))


LEVEL_440_430 = [
    ("N0 E0 S0 W13", "N0 E0 S0 W13"),
    ("N0 E0 S1 W12", "N0 E0 S1 W12"),
    ("N1 E1 S12 W1", "N1 E0 S12 W0"),
]


def test_r14_equal_totals_at_500_play_on_and_the_deal_rotates(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, LEVEL_440_430)
    assert (totals(match), bags(match)) == ((440, 430), (0, 0))
    hand_a = ("N3 E4 S3 W3", "N3 E4 S3 W3")
    match = play_hands(CLASSIC, [*LEVEL_440_430, hand_a])
    assert totals(match) == (500, 500)
    assert (match.phase, match.outcome) == (Phase.HAND_OVER, None)
    dealer = match.state.dealer
    match.deal_next()
    assert match.state.dealer is dealer.left
    hand_b = ("N4 E3 S3 W3", "N4 E3 S3 W3")
    match = play_hands(CLASSIC, [*LEVEL_440_430, hand_a, hand_b])
    assert match.outcome == Outcome(NS, EndReason.TARGET, (570, 560))


THREE_HANDS = [
    ("N2 E3 S2 W2", "N5 E3 S3 W2"),
    ("N3 E2 S2 W2", "N5 E2 S4 W2"),
    ("N4 E2 S2 W2", "N5 E2 S4 W2"),
]


def test_r16_bags_add_up_across_hands(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, THREE_HANDS)
    scores = [hand.scores[NS] for hand in match.sheet]
    assert [score.change for score in scores] == [44, 54, -37]
    assert [score.after.bags for score in scores] == [4, 8, 1]
    assert [hand.scores[EW].change for hand in match.sheet] == [50, 40, 40]
    assert totals(match) == (61, 130)


def test_r16_the_running_score_stays_during_the_third_hand(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, THREE_HANDS)
    started = match.log[0]
    assert isinstance(started, MatchStarted)
    spectator = MatchState(started)
    seen = 0
    for event in match.log[1:]:
        spectator.apply(redact(event, None))
        if spectator.deal_number == 3 and not isinstance(event, HandScored):
            assert spectator.standings == (Standing(98, 8), Standing(90, 0))
            seen += 1
    assert seen == 1 + 4 + 52 + 13


def test_r24_a_made_nil_pays_although_the_partner_is_set(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [("N0 E4 S5 W3", "N0 E5 S4 W4")])
    assert changes(match) == (50, 72)
    assert bags(match) == (0, 2)


def test_r25_a_team_bid_above_13_is_accepted(play_hands: PlayHands) -> None:
    match = Match(CLASSIC, SeededDeals(parse_seed("r25")), former_first_dealer=S)
    bid(match, "8 1 6 1")
    assert match.state.bids == (Bid(6), Bid(1), Bid(8), Bid(1))
    match = play_hands(CLASSIC, [("N8 E1 S6 W1", "N6 E1 S5 W1")])
    assert changes(match) == (-140, 20)
    assert bags(match) == (0, 0)


TO_120_AND_MINUS_130 = ("N0 E12 S2 W1", "N0 E11 S2 W0")
TO_120_AND_MINUS_129 = ("N8 E0 S4 W3", "N8 E1 S4 W0")
DOWN_70 = ("N2 E4 S3 W3", "N4 E3 S3 W3")


def test_r26_minus_200_is_the_floor(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [TO_120_AND_MINUS_130])
    assert match.standings == (Standing(120, 0), Standing(-130, 0))
    match = play_hands(CLASSIC, [TO_120_AND_MINUS_130, DOWN_70])
    assert changes(match) == (52, -70)
    assert match.outcome == Outcome(NS, EndReason.FLOOR, (172, -200))


def test_r26_minus_199_is_not(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [TO_120_AND_MINUS_129])
    assert match.standings == (Standing(120, 0), Standing(-129, 1))
    match = play_hands(CLASSIC, [TO_120_AND_MINUS_129, DOWN_70])
    assert (totals(match), match.phase) == ((172, -199), Phase.HAND_OVER)


@pytest.mark.parametrize("before", [TO_120_AND_MINUS_130, TO_120_AND_MINUS_129])
def test_r26_without_a_floor_both_play_on(before: tuple[str, str], play_hands: PlayHands) -> None:
    match = play_hands(Rules(floor=None), [before, DOWN_70])
    assert (match.outcome, match.phase) == (None, Phase.HAND_OVER)


# Bidding and play


def test_r12_bids_outside_0_to_13_leave_no_trace() -> None:
    match = Match(CLASSIC, SeededDeals(parse_seed("r12")))
    for tricks in (14, -1, 99):
        log, before = len(match.log), view(match, S)
        error = refusal(partial(match.bid, S, Bid(tricks)))
        assert error.reason is Reason.BID_OUT_OF_RANGE
        assert str(tricks) in error.sentence
        assert (len(match.log), match.turn, view(match, S)) == (log, S, before)
    assert match.bid(S, Bid(3)) == (BidMade(S, Bid(3)),)
    assert match.turn is W


# The case has North on lead after ten tricks, but 39 plain cards do not last for ten: with spades
# unbroken nine tricks are the most. North's hand of (b) is as in the case, that of (a) has a 2S more.


def after_nine_tricks(stage: Stage, ruffer: str) -> Match:
    """North has won the ninth trick and leads; the ruffer holds four spades, the others three."""
    deal, line = stage("SSSWWWEEN" + ruffer + "EWE", ruffer)
    match = south_leads(deal)
    for trick in line[:9]:
        for _ in range(4):
            match.play(to_act(match), trick[to_act(match)])
    assert match.turn is N
    assert not match.state.spades_broken
    return match


def test_r18_a_leader_with_nothing_but_spades_may_lead_any_of_them(stage: Stage) -> None:
    for led in ("2S", "5S", "8S", "KS"):
        match = after_nine_tricks(stage, "N")
        assert legal(match) == "2S 5S 8S KS"
        play(match, led)
        assert match.state.spades_broken


def test_r18_a_leader_with_another_suit_may_not_lead_a_spade(stage: Stage) -> None:
    match = after_nine_tricks(stage, "E")
    assert format_cards(view(match, N).hand) == "2H 5S 8S KS"
    assert legal(match) == "2H"
    assert refusal(lambda: match.play(N, Card("KS"))).reason is Reason.SPADES_NOT_BROKEN
    play(match, "2H")


def test_r19_a_discarded_spade_breaks_the_suit_at_once(fill: Fill) -> None:
    deal = fill(
        """
        S  3C 6C 9D
        W  AC KC 7D
        N  4C 7C 2D
        E  5C 8C 2S 9S QH -D
        """,
        Deck.STANDARD,
    )
    match = south_leads(deal)
    play(match, "3C AC 4C 5C")
    play(match, "KC 7C 8C 6C")
    play(match, "7D 2D 2S 9D")
    assert match.turn is E
    assert {"9S", "QH"} <= set(legal(match).split())
    started = match.log[0]
    assert isinstance(started, MatchStarted)
    client = MatchState(started)
    for event in match.log[1:]:
        client.apply(redact(event, E))
    assert SeatView(client, E).legal_plays == view(match, E).legal_plays
    play(match, "9S")


def test_r20_a_spade_on_the_first_trick_is_legal_and_breaks_them(fill: Fill) -> None:
    match = north_leads(fill("N KC\n E 4C\n S 9C\n W 3S 8S 5D -C", Deck.STANDARD))
    play(match, "KC 4C 9C")
    assert "3S" in legal(match).split()
    play(match, "3S")
    assert match.state.spades_broken
    assert match.turn is W
    assert {"8S", "5D"} <= set(legal(match).split())
    play(match, "8S")


@pytest.mark.parametrize(
    ("drawing", "trick"),
    [
        ("N 9H\n E AD -H\n S 2S -H\n W KH", "9H AD 2S KH"),
        ("N KC\n E 3S -C\n S JS -C\n W AC", "KC 3S JS AC"),
    ],
    ids=["a", "b"],
)
def test_r21_the_winner_of_the_trick_leads_next(drawing: str, trick: str, fill: Fill) -> None:
    match = north_leads(fill(drawing, Deck.STANDARD))
    play(match, trick)
    assert match.turn is S
    assert match.state.taken == (1, 0, 0, 0)
    assert match.log[-1] == TrickWon(S, 1)
    assert match.decision is not None


def test_r22_a_refused_card_does_not_count(fill: Fill) -> None:
    match = north_leads(fill("N KH\n E 5H 9D 2C\n S 3H\n W 4H", Deck.STANDARD))
    play(match, "KH")
    for card in ("9D", "2C"):
        error = refusal(partial(match.play, E, Card(card)))
        assert error.reason is Reason.MUST_FOLLOW_SUIT
    play(match, "5H")

    attempts = Counter[int]()
    while match.phase is Phase.PLAYING:
        seat = to_act(match)
        hand = set(view(match, seat).hand)
        wrong = sorted(hand - set(view(match, seat).legal_plays), key=lambda card: card.index)
        wrong += [card for card in Deck.STANDARD if card not in hand]
        refusal(partial(match.play, seat, wrong[0]))
        attempts[len(match.state.tricks)] += 1
        match.play(seat, view(match, seat).legal_plays[0])
    assert attempts == Counter({trick: 2 if trick == 0 else 4 for trick in range(13)})
    assert sum(last_hand(match).taken) == 13
    down = [event.card for event in match.log if isinstance(event, CardPlayed)]
    assert Counter(down) == Counter(Deck.STANDARD.cards)


def test_r23_dealer_and_first_bidder_rotate() -> None:
    match = Match(Rules(floor=None, target=10_000), SeededDeals(bytes(32)), former_first_dealer=W)
    bidders, leaders = "", ""
    for number in range(1, 6):
        if number > 1:
            match.deal_next()
        bidders += to_act(match).letter
        bid(match, "3 3 3 3")
        leaders += to_act(match).letter
        while match.phase is Phase.PLAYING:
            match.act(to_act(match), match.legal(to_act(match))[0])
    assert bidders == leaders == "ESWNE"
    dealers = [event.dealer.letter for event in match.log if isinstance(event, HandDealt)]
    assert "".join(dealers) == "NESWN"


# Dealing


def test_r27_no_deal_repeats_and_every_card_reaches_every_seat_equally_often() -> None:
    deals: set[Deal] = set()
    count = Counter[tuple[int, Seat]]()
    for number in range(20_000):
        seed = hashlib.sha256(f"r27 {number}".encode()).digest()
        deal = SeededDeals(seed).deal(1, Deck.STANDARD, E)
        deals.add(deal)
        for seat in Seat:
            mask = deal.masks[seat]
            while mask:
                low = mask & -mask
                count[low.bit_length(), seat] += 1
                mask ^= low
    assert len(deals) == 20_000
    assert len(count) == 52 * 4
    assert all(abs(times - 5000) <= 306 for times in count.values())


def test_r27_the_hands_of_one_match_are_as_fair_and_never_repeat() -> None:
    match_deals = SeededDeals(parse_seed("r27"))
    deals = [match_deals.deal(number, Deck.JOKERS_NYC, E) for number in range(1, 4001)]
    assert len(set(deals)) == len(deals)
    times = Counter(card for deal in deals for card in deal.hand(S))
    # Five sigma of 4000 draws at one in four.
    assert all(abs(times[card] - 1000) <= 137 for card in Deck.JOKERS_NYC)


def test_r27_the_same_seed_gives_the_same_deal_and_another_seed_another() -> None:
    one, two = SeededDeals(parse_seed("one")), SeededDeals(parse_seed("two"))
    for number in (1, 2, 3):
        again = SeededDeals(parse_seed("one")).deal(number, Deck.STANDARD, E)
        assert one.deal(number, Deck.STANDARD, E) == again
        assert one.deal(number, Deck.STANDARD, E) != two.deal(number, Deck.STANDARD, E)


def test_r27_no_seed_of_a_running_match_can_be_had() -> None:
    deals = SeededDeals(parse_seed("r27"))
    match = Match(CLASSIC, deals)
    bid(match, "3 3 3 3")
    for viewer in (*Seat, None):
        for event in match.log:
            assert deals.seed.hex() not in repr(redact(event, viewer))
            assert repr(deals.seed) not in repr(redact(event, viewer))
    started = match.log[0]
    assert isinstance(started, MatchStarted)
    assert started.commitment == hashlib.sha256(deals.seed).hexdigest()


# Secrets and records


def test_s02_only_the_seat_to_move_may_move_and_the_reply_does_not_tell_who_holds_what(
    fill: Fill,
) -> None:
    match = south_leads(fill("S KH\n W 5H 9D\n N 7D QC\n E 8C 8H", Deck.STANDARD))
    play(match, "KH")
    assert match.turn is W
    before = [view(match, viewer) for viewer in (*Seat, None)]
    log = len(match.log)

    card_of_west = refusal(lambda: match.play(E, Card("5H")))
    card_of_its_own = refusal(lambda: match.play(E, Card("8H")))
    card_of_nobody = refusal(lambda: match.play(E, Card("BJ")))
    card_of_north = refusal(lambda: match.play(W, Card("7D")))

    # East is told the same whatever card it sends; West, that the card is not its own.
    assert card_of_west.reason is card_of_its_own.reason is Reason.NOT_YOUR_TURN
    assert str(card_of_west) == str(card_of_its_own) == str(card_of_nobody)
    assert card_of_north.reason is Reason.CARD_NOT_HELD
    assert str(card_of_north) == str(refusal(lambda: match.play(W, Card("QC")))).replace("QC", "7D")
    assert len(match.log) == log
    assert [view(match, viewer) for viewer in (*Seat, None)] == before
    play(match, "5H")


def test_s02_a_refusal_names_no_card_of_another_seat() -> None:
    rng = Random(2)
    for number in range(20):
        match = Match(CLASSIC, SeededDeals(parse_seed(f"s02 {number}")))
        bid(match, "3 3 3 3")
        for _ in range(rng.randrange(52)):
            match.act(to_act(match), rng.choice(match.legal(to_act(match))))
        if match.phase is not Phase.PLAYING:
            continue
        for seat in Seat:
            mine = {str(card) for card in view(match, seat).hand}
            for card in CARDS:
                if match.turn is seat and card in view(match, seat).legal_plays:
                    continue
                sentence = str(refusal(partial(match.play, seat, card)))
                named = {str(other) for other in CARDS if str(other) in sentence}
                assert named <= mine | {str(card)}


def test_s22_one_bid_one_record(wander: Wander) -> None:
    for number in range(25):
        match = Match(Rules(max_hands=2, floor=None), SeededDeals(parse_seed(f"s22 {number}")))
        made: dict[Seat, Bid] = {}
        for before in wander(match, Random(number)):
            for event in match.log[before:]:
                match event:
                    case HandDealt():
                        made = {}
                    case BidMade(seat, bid_of_seat):
                        assert seat not in made
                        made[seat] = bid_of_seat
                    case HandScored():
                        assert event.bids == tuple(made[seat] for seat in Seat)
                    case _:
                        pass
            for viewer in (*Seat, None):
                assert view(match, viewer).bids == tuple(made.get(seat) for seat in Seat)
