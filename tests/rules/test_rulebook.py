"""The rule book, sentence by sentence: rules.md 1 to 6. A test's name begins with its number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from itertools import pairwise

import pytest

from spades import (
    BIDS,
    BLIND_NIL,
    NIL,
    PRESETS,
    Bid,
    BidMade,
    BlindNil,
    Card,
    CardPlayed,
    CardsPassed,
    Deal,
    DecisionKind,
    Deck,
    DoubleNil,
    EndReason,
    ExplicitDeals,
    FirstDealer,
    HandDealt,
    HandScored,
    HandShown,
    Look,
    Match,
    MatchEnded,
    NextHandAsked,
    OptionError,
    Outcome,
    Part,
    PassCards,
    Phase,
    PlayTakenBack,
    Reason,
    Rules,
    Seat,
    SeededDeals,
    Side,
    SideScore,
    SpadeLead,
    SpadesError,
    Standing,
    SurrenderProposed,
    TrickWon,
    UndoRule,
    actions_of,
    format_cards,
    game_events,
    option_names,
    outcome_after,
    parse_bid,
    parse_cards,
    parse_rules,
    parse_seed,
    redact,
    replay,
    score_side,
    view,
    winning_position,
    with_option,
)

Line = tuple[dict[Seat, Card], ...]
Fill = Callable[[str, Deck], Deal]
Stage = Callable[[str, str], tuple[Deal, Line]]
PlayOut = Callable[[Match, Line], None]
PlayHands = Callable[[Rules, Sequence[tuple[str, str]]], Match]

S, W, N, E = Seat
SEED = parse_seed("rule book")
CLASSIC = PRESETS["classic"]
STANDARD = Deck.STANDARD
BLIND = Rules(blind_nil=BlindNil.BEHIND, blind_nil_deficit=0, blind_exchange=2)


def match_of(deal: Deal, rules: Rules = CLASSIC) -> Match:
    """A match of this one deal, which East deals: South bids and leads first."""
    return Match(replace(rules, deck=deal.deck, max_hands=1), ExplicitDeals((deal,), b"salt"))


def playing(deal: Deal, rules: Rules = CLASSIC) -> Match:
    match = match_of(deal, rules)
    bid(match, "3 3 3 3")
    return match


def seeded(rules: Rules = CLASSIC) -> Match:
    return Match(rules, SeededDeals(SEED))


def to_act(match: Match) -> Seat:
    assert match.turn is not None
    return match.turn


def bid(match: Match, bids: str) -> None:
    """Bids for the seats to act; who bids with the cards up looks first."""
    for word in bids.split():
        seat = to_act(match)
        made = BLIND_NIL if word == "blind" else parse_bid(word)
        if seat in match.state.face_down and not made.blind:
            match.look(seat)
        match.bid(seat, made)


def play(match: Match, cards: str) -> None:
    for card in parse_cards(cards):
        match.play(to_act(match), card)


def legal(match: Match) -> str:
    return format_cards(view(match, to_act(match)).legal_plays)


def refused(act: Callable[[], object]) -> Reason:
    with pytest.raises(SpadesError) as error:
        act()
    return error.value.reason


def refused_card(match: Match, card: str) -> Reason:
    return refused(lambda: match.play(to_act(match), Card(card)))


def finish_hand(match: Match) -> None:
    number = match.hand_number
    while match.phase not in (Phase.HAND_OVER, Phase.MATCH_OVER):
        seat = to_act(match)
        match.act(seat, match.legal(seat)[-1 if match.phase is Phase.BIDDING else 0])
    assert match.hand_number == number


# 1. Table, deck, deal


def test_1_1_seats_run_south_west_north_east_and_partners_sit_opposite() -> None:
    assert S.clockwise() == (S, W, N, E)
    assert [seat.left for seat in (S, W, N, E)] == [W, N, E, S]
    assert [seat.right for seat in (S, W, N, E)] == [E, S, W, N]
    assert [seat.partner for seat in (S, W, N, E)] == [N, E, S, W]
    assert Side.SOUTH_NORTH.seats == (S, N)
    assert Side.WEST_EAST.seats == (W, E)
    assert [seat.side for seat in (S, W, N, E)] == [Side(0), Side(1), Side(0), Side(1)]
    assert Side.SOUTH_NORTH.other is Side.WEST_EAST


@pytest.mark.parametrize("deck", Deck, ids=str)
def test_1_2_every_card_is_dealt_thirteen_each(deck: Deck) -> None:
    deal = SeededDeals(SEED).deal(1, deck, E)
    hands = [deal.hand(seat) for seat in Seat]
    assert [len(hand) for hand in hands] == [13] * 4
    assert {card for hand in hands for card in hand} == set(deck.cards)


def test_1_2_cards_are_dealt_one_at_a_time_clockwise_from_the_dealers_left() -> None:
    from spades.deals import shuffled  # noqa: PLC0415  # the pack is nobody's business elsewhere

    pack = [STANDARD.cards[place] for place in shuffled(STANDARD, SEED, 1)]
    for dealer in Seat:
        deal = SeededDeals(SEED).deal(1, STANDARD, dealer)
        hands: dict[Seat, set[Card]] = {seat: set() for seat in Seat}
        seat = dealer
        for card in pack:
            seat = seat.left
            hands[seat].add(card)
        assert {seat: set(deal.hand(seat)) for seat in Seat} == hands


def test_1_2_the_deal_passes_one_seat_to_the_left_after_every_hand(play_hands: PlayHands) -> None:
    match = play_hands(Rules(max_hands=5), [("N3 E3 S3 W3", "N4 E3 S3 W3")] * 5)
    dealers = [event.dealer for event in match.log if isinstance(event, HandDealt)]
    assert dealers == [E, S, W, N, E]


def test_1_3_with_first_dealer_east_south_bids_and_leads_first() -> None:
    match = seeded()
    assert match.state.dealer is E
    assert match.turn is S
    bid(match, "3 3 3 3")
    assert (match.phase, match.turn) == (Phase.PLAYING, S)


def test_1_3_a_random_first_dealer_follows_from_the_seed_and_may_be_anyone() -> None:
    rules = Rules(first_dealer=FirstDealer.RANDOM)
    seeds = [parse_seed(str(number)) for number in range(400)]
    dealers = [Match(rules, SeededDeals(seed)).state.dealer for seed in seeds]
    assert dealers == [Match(rules, SeededDeals(seed)).state.dealer for seed in seeds]
    assert all(60 < dealers.count(seat) < 140 for seat in Seat)


def test_1_3_the_draw_of_the_first_dealer_has_its_own_label_and_moves_no_card() -> None:
    match = seeded(Rules(first_dealer=FirstDealer.RANDOM))
    fixed = SeededDeals(SEED).deal(1, STANDARD, match.state.dealer)
    assert match.state.hands == list(fixed.masks)


def test_1_3_explicit_deals_draw_a_random_first_dealer_too() -> None:
    deal = SeededDeals(SEED).deal(1, STANDARD, E)
    rules = Rules(first_dealer=FirstDealer.RANDOM, max_hands=1)
    salts = [bytes([number]) for number in range(60)]
    dealers = [Match(rules, ExplicitDeals((deal,), salt)).state.dealer for salt in salts]
    assert set(dealers) == set(Seat)
    assert dealers == [Match(rules, ExplicitDeals((deal,), salt)).state.dealer for salt in salts]


@pytest.mark.parametrize("drawn", FirstDealer)
@pytest.mark.parametrize("former", Seat, ids=str)
def test_1_3_a_rematch_moves_the_first_dealer_one_seat_to_the_left(
    former: Seat, drawn: FirstDealer
) -> None:
    rules = Rules(first_dealer=drawn)
    rematch = Match(rules, SeededDeals(SEED), former_first_dealer=former)
    assert rematch.state.dealer is rematch.state.first_dealer is former.left
    assert rematch.turn is former.left.left


@pytest.mark.parametrize(
    ("deck", "out", "trumps"),
    [
        (Deck.STANDARD, "BJ LJ", "AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S"),
        (Deck.JOKERS, "2C 2H", "BJ LJ 2S AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S"),
        (Deck.JOKERS_NYC, "2C 2H", "BJ LJ 2D 2S AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S"),
    ],
    ids=["standard", "jokers", "nyc"],
)
def test_1_4_the_trumps_of_each_deck_from_high_to_low(deck: Deck, out: str, trumps: str) -> None:
    assert len(set(deck.cards)) == 52
    assert not set(parse_cards(out)) & set(deck.cards)
    spades = [card for card in deck.cards if deck.suit_of(card).letter == "S"]
    assert format_cards(reversed(spades)) == trumps
    for higher, lower in pairwise(parse_cards(trumps)):
        assert winning_position(deck, (higher, lower, Card("AH"), Card("AC"))) == 0
        assert winning_position(deck, (Card("AH"), lower, Card("AC"), higher)) == 3


def test_1_4_aces_are_high_and_twos_low_in_the_plain_suits() -> None:
    for suit in "DCH":
        cards = [Card(rank + suit) for rank in "23456789TJQKA"]
        for lower, higher in pairwise(cards):
            assert winning_position(STANDARD, (lower, higher)) == 1
            assert winning_position(STANDARD, (higher, lower)) == 0


def test_1_4_a_joker_follows_a_spade_lead(fill: Fill) -> None:
    deal = fill("S KS\n W LJ 9D -S\n N 4S\n E BJ -S", Deck.JOKERS)
    match = playing(deal, Rules(spade_lead=SpadeLead.ANY))
    play(match, "KS")
    assert legal(match) == "LJ"
    assert refused_card(match, "9D") is Reason.MUST_FOLLOW_SUIT
    play(match, "LJ 4S")
    assert legal(match) == "BJ"
    play(match, "BJ")
    assert match.turn is E


def test_1_4_a_joker_may_not_be_led_before_spades_are_broken_and_breaks_them(fill: Fill) -> None:
    match = playing(fill("S 9H BJ\n W 9D LJ -H\n N TH\n E JH", Deck.JOKERS))
    assert "BJ" not in legal(match).split()
    assert refused_card(match, "BJ") is Reason.SPADES_NOT_BROKEN
    play(match, "9H LJ TH JH")
    assert match.state.spades_broken
    assert match.turn is W


def test_1_4_a_joker_that_is_led_asks_for_spades(fill: Fill) -> None:
    deal = fill("S BJ\n W 9D LJ -S\n N TH 2S -S\n E JH -S", Deck.JOKERS)
    match = playing(deal, Rules(spade_lead=SpadeLead.ANY))
    play(match, "BJ")
    assert legal(match) == "LJ"
    play(match, "LJ")
    assert legal(match) == "2S"
    play(match, "2S")
    assert view(match, E).legal_plays == view(match, E).hand
    play(match, "JH")
    assert match.turn is S


def test_1_4_the_2d_of_nyc_must_be_played_when_spades_are_led(fill: Fill) -> None:
    deal = fill("S KS\n W 2D 9D -S\n N 4S\n E 5S", Deck.JOKERS_NYC)
    match = playing(deal, Rules(spade_lead=SpadeLead.ANY))
    play(match, "KS")
    assert legal(match) == "2D"
    assert refused_card(match, "9D") is Reason.MUST_FOLLOW_SUIT
    play(match, "2D 4S 5S")
    assert match.turn is W


def test_1_4_the_2d_of_nyc_does_not_follow_a_diamond_lead(fill: Fill) -> None:
    match = playing(fill("S KD\n W 2D 9D 3C\n N AD\n E 5D", Deck.JOKERS_NYC))
    play(match, "KD")
    assert "9D" in legal(match).split()
    assert "2D" not in legal(match).split()
    assert refused_card(match, "2D") is Reason.MUST_FOLLOW_SUIT


def test_1_4_the_2d_of_nyc_ruffs_diamonds_and_breaks_spades(fill: Fill) -> None:
    match = playing(fill("S KD\n W 2D 3S 3C -D\n N AD\n E 5D", Deck.JOKERS_NYC))
    play(match, "KD")
    assert {"2D", "3C"} <= set(legal(match).split())
    play(match, "2D AD 5D")
    assert match.state.spades_broken
    assert match.turn is W
    assert "3S" in legal(match).split()


def test_1_4_the_2d_of_nyc_may_not_be_led_before_spades_are_broken(fill: Fill) -> None:
    match = playing(fill("S 2D KD\n W 5S\n N 6S\n E 7S", Deck.JOKERS_NYC))
    assert "2D" not in legal(match).split()
    assert refused_card(match, "2D") is Reason.SPADES_NOT_BROKEN


def test_1_4_the_2d_of_nyc_that_is_led_asks_for_spades(fill: Fill) -> None:
    deal = fill("S 2D KD\n W 5S 6D\n N LJ 7D -S\n E 8D -S", Deck.JOKERS_NYC)
    match = playing(deal, Rules(spade_lead=SpadeLead.ANY))
    play(match, "2D")
    assert match.state.spades_broken
    assert "5S" in legal(match).split()
    assert refused_card(match, "6D") is Reason.MUST_FOLLOW_SUIT
    play(match, "5S")
    assert legal(match) == "LJ"
    play(match, "LJ")
    assert len(view(match, E).legal_plays) == 13  # void of spades: anything
    play(match, "8D")
    assert match.turn is N


def test_1_4_who_holds_nothing_but_spades_may_lead_the_2d_of_nyc(fill: Fill) -> None:
    deal = fill("S 2D 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", Deck.JOKERS_NYC)
    match = playing(deal)
    assert len(legal(match).split()) == 13
    play(match, "2D")
    assert match.state.spades_broken


def test_1_4_the_2d_is_a_diamond_in_the_other_decks(fill: Fill) -> None:
    for deck in (Deck.STANDARD, Deck.JOKERS):
        match = playing(fill("S 2D\n W 3D\n N 4D\n E 5D", deck))
        play(match, "2D 3D 4D 5D")
        assert match.turn is E
        assert not match.state.spades_broken


def test_1_5_hands_show_diamonds_clubs_hearts_spades_each_low_to_high(fill: Fill) -> None:
    deal = fill("S AS QS 7S 4S KH 9H 3H AD 8D 5D 2D 6C 3C", STANDARD)
    shown = view(match_of(deal), S).hand
    assert format_cards(shown) == "2D 5D 8D AD 3C 6C 3H 9H KH 4S 7S QS AS"


# 2. Bidding


@pytest.mark.parametrize("former", Seat, ids=str)
def test_2_1_each_seat_bids_once_clockwise_from_the_dealers_left(former: Seat) -> None:
    match = Match(CLASSIC, SeededDeals(SEED), former_first_dealer=former)
    dealer = match.state.dealer
    for seat in dealer.left.clockwise():
        assert (match.turn, match.decision) == (seat, DecisionKind.BID)
        for other in Seat:
            if other is not seat:
                assert refused(partial(match.bid, other, Bid(3))) is Reason.NOT_YOUR_TURN
        match.bid(seat, Bid(3))
    assert match.phase is Phase.PLAYING


def test_2_1_a_bid_is_never_changed() -> None:
    match = seeded()
    bid(match, "3")
    assert refused(lambda: match.bid(S, Bid(4))) is Reason.NOT_YOUR_TURN
    bid(match, "3 3 3")
    assert refused(lambda: match.bid(S, Bid(4))) is Reason.WRONG_PHASE
    assert match.state.bids == (Bid(3),) * 4


@pytest.mark.parametrize("tricks", range(14))
def test_2_1_every_bid_from_0_to_13_may_be_made(tricks: int) -> None:
    match = seeded()
    assert Bid(tricks) in view(match, S).legal_bids
    assert match.bid(S, Bid(tricks)) == (BidMade(S, Bid(tricks)),)
    assert match.state.bids[S] == Bid(tricks)


@pytest.mark.parametrize("tricks", [-1, 14, 99])
def test_2_1_other_numbers_are_no_bids(tricks: int) -> None:
    match = seeded()
    assert Bid(tricks) not in view(match, S).legal_bids
    assert refused(lambda: match.bid(S, Bid(tricks))) is Reason.BID_OUT_OF_RANGE
    assert match.turn is S


def test_2_1_bids_need_not_increase() -> None:
    match = seeded()
    bid(match, "5 1 4 1")
    assert match.state.bids == (Bid(5), Bid(1), Bid(4), Bid(1))


def test_2_1_a_bid_of_0_is_always_nil() -> None:
    assert parse_bid("0") == parse_bid("nil") == Bid(0) == NIL
    assert NIL.is_nil
    assert not any(other.is_nil for other in BIDS[1:])


def test_2_2_the_contract_is_the_sum_of_both_bids_and_a_nil_counts_nothing(
    play_hands: PlayHands,
) -> None:
    (hand,) = play_hands(CLASSIC, [("N4 E5 S0 W3", "N5 E5 S0 W3")]).sheet
    assert [score.contract for score in hand.scores] == [4, 8]


def test_2_3_the_bids_of_a_side_may_add_up_to_more_than_13() -> None:
    match = seeded()
    bid(match, "13 9 13 9")
    assert match.phase is Phase.PLAYING


def test_2_4_after_a_partners_2_the_legal_bids_are_nil_and_2_to_13() -> None:
    match = seeded(Rules(min_team_bid=4))
    bid(match, "2 1")
    assert view(match, N).legal_bids == (NIL, *BIDS[2:])
    assert refused(lambda: match.bid(N, Bid(1))) is Reason.BID_UNDER_TEAM_MINIMUM
    bid(match, "2")
    assert match.state.bids[N] == Bid(2)


def test_2_4_the_partner_who_bids_first_may_bid_anything() -> None:
    match = seeded(Rules(min_team_bid=4))
    assert view(match, S).legal_bids == BIDS
    bid(match, "1")
    assert view(match, W).legal_bids == BIDS


@pytest.mark.parametrize(("first", "least"), [("1", 3), ("3", 1), ("4", 1), ("13", 1)])
def test_2_4_the_sum_must_reach_4(first: str, least: int) -> None:
    match = seeded(Rules(min_team_bid=4))
    bid(match, f"{first} 5")
    assert view(match, N).legal_bids == (NIL, *BIDS[least:])


@pytest.mark.parametrize("nil", ["nil", "blind"])
def test_2_4_a_side_with_a_nil_in_it_is_exempt(nil: str) -> None:
    match = seeded(replace(BLIND, min_team_bid=4))
    bid(match, f"{nil} 4")
    match.look(N)
    assert view(match, N).legal_bids == BIDS
    match = seeded(Rules(min_team_bid=4))
    bid(match, "1 4 nil")
    assert match.state.bids[N] == NIL


def test_2_4_without_the_option_a_side_may_bid_as_little_as_it_likes() -> None:
    match = seeded()
    bid(match, "1 3")
    assert view(match, N).legal_bids == BIDS


def trailing(play_hands: PlayHands, deficit: int, blind: BlindNil = BlindNil.BEHIND) -> Match:
    """A second hand, in which South and North trail by 160."""
    rules = Rules(blind_nil=blind, blind_nil_deficit=deficit)
    match = play_hands(rules, [("N5 E3 S5 W3", "N4 E3 S3 W3")])
    assert [standing.total for standing in match.standings] == [-100, 60]
    match.deal_next()
    return match


@pytest.mark.parametrize(("deficit", "eligible"), [(100, True), (160, True), (161, False)])
def test_2_5_only_a_side_that_trails_by_the_deficit_may_bid_blind_nil(
    play_hands: PlayHands, deficit: int, *, eligible: bool
) -> None:
    match = trailing(play_hands, deficit)
    assert match.state.face_down == (frozenset({S, N}) if eligible else frozenset())
    bid(match, "3")  # West, on the left of the new dealer South
    if eligible:
        match.bid(N, BLIND_NIL)
    else:
        assert refused(lambda: match.bid(N, BLIND_NIL)) is Reason.BLIND_NIL_NOT_ALLOWED


def test_2_5_a_side_that_leads_may_not_bid_blind_nil(play_hands: PlayHands) -> None:
    match = trailing(play_hands, 100)
    assert match.turn is W
    assert view(match, W).sees_hand
    assert refused(lambda: match.bid(W, BLIND_NIL)) is Reason.BLIND_NIL_NOT_ALLOWED
    assert refused(lambda: match.look(W)) is Reason.ALREADY_LOOKED


def test_2_5_with_blind_nil_off_nobody_may_bid_it(play_hands: PlayHands) -> None:
    match = trailing(play_hands, 100, BlindNil.OFF)
    bid(match, "3")
    assert match.state.face_down == frozenset()
    assert refused(lambda: match.bid(N, BLIND_NIL)) is Reason.BLIND_NIL_NOT_ALLOWED


def test_2_5_the_deficit_is_100_unless_the_rules_say_otherwise() -> None:
    assert Rules(blind_nil=BlindNil.BEHIND).blind_nil_deficit == 100
    assert seeded(Rules(blind_nil=BlindNil.BEHIND)).state.face_down == frozenset()


def test_2_5_an_eligible_seats_cards_stay_face_down() -> None:
    match = seeded(BLIND)
    dealt = match.log[1]
    assert isinstance(dealt, HandDealt)
    for seat in Seat:
        seen = redact(dealt, seat)
        assert isinstance(seen, HandDealt)
        assert seen.masks == (None,) * 4
        assert view(match, seat).hand == ()
        assert not view(match, seat).sees_hand


def test_2_5_face_down_the_only_bid_is_blind_nil() -> None:
    match = seeded(BLIND)
    assert view(match, S).legal_bids == (BLIND_NIL,)
    assert Look() in match.legal(S)
    for made in BIDS:
        assert refused(partial(match.bid, S, made)) is Reason.CARDS_FACE_DOWN


def test_2_5_looking_is_possible_at_any_time_before_the_seats_bid() -> None:
    match = seeded(BLIND)
    match.look(E)  # Not East's turn.
    match.look(S)
    assert view(match, E).sees_hand
    assert not view(match, W).sees_hand
    assert match.turn is S
    bid(match, "3 3 3 3")
    assert refused(lambda: match.look(S)) is Reason.WRONG_PHASE


def test_2_5_looking_is_final() -> None:
    match = seeded(BLIND)
    match.look(S)
    assert refused(lambda: match.look(S)) is Reason.ALREADY_LOOKED
    assert refused(lambda: match.bid(S, BLIND_NIL)) is Reason.BLIND_NIL_NOT_ALLOWED
    assert view(match, S).legal_bids == BIDS
    assert not view(match, S).may_look


def test_2_5_looking_shows_the_cards_to_the_seat_alone_and_that_it_looked_to_all() -> None:
    match = seeded(BLIND)
    (shown,) = match.look(W)
    mine = redact(shown, W)
    assert isinstance(mine, HandShown)
    assert mine.mask == match.state.hands[W]
    assert view(match, W).hand == SeededDeals(SEED).deal(1, STANDARD, E).hand(W)
    for viewer in (S, N, E, None):
        assert redact(shown, viewer) == HandShown(W, STANDARD, None)
        assert W not in view(match, viewer).face_down


def test_2_5_looking_answers_no_decision() -> None:
    match = seeded(BLIND)
    before = view(match, S).decision
    match.look(S)
    match.look(N)
    assert view(match, S).decision == before


def test_2_5_bidding_blind_nil_shows_that_seat_its_own_cards() -> None:
    match = seeded(BLIND)
    made, shown = match.bid(S, BLIND_NIL)
    assert made == BidMade(S, BLIND_NIL)
    assert isinstance(shown, HandShown)
    assert redact(shown, S) == HandShown(S, STANDARD, match.state.hands[S])
    assert [redact(shown, viewer) for viewer in (W, N, E, None)] == [
        HandShown(S, STANDARD, None)
    ] * 4
    assert view(match, S).hand == SeededDeals(SEED).deal(1, STANDARD, E).hand(S)


def test_2_5_blind_nil_is_bid_at_the_seats_turn() -> None:
    match = seeded(BLIND)
    assert refused(lambda: match.bid(N, BLIND_NIL)) is Reason.NOT_YOUR_TURN
    assert not view(match, N).sees_hand


def test_2_5_only_a_nil_can_be_bid_blind() -> None:
    match = seeded(BLIND)
    blind_three = Bid(3, blind=True)
    assert refused(lambda: match.bid(S, blind_three)) is Reason.BLIND_NIL_NOT_ALLOWED


def test_2_5_an_eligible_seat_that_looks_may_bid_like_any_other() -> None:
    match = seeded(BLIND)
    bid(match, "4 nil 3 13")
    assert match.state.bids == (Bid(4), NIL, Bid(3), Bid(13))
    assert match.phase is Phase.PLAYING


def passing_order(bids: str, rules: Rules = BLIND) -> str:
    """Who passes cards after these bids, in this order."""
    match = seeded(rules)
    bid(match, bids)
    seats = ""
    while match.phase is Phase.PASSING:
        seat = to_act(match)
        assert match.decision is DecisionKind.PASS_CARDS
        seats += seat.letter
        match.act(seat, match.legal(seat)[0])
    assert match.phase is Phase.PLAYING
    assert match.turn is S
    assert all(len(view(match, seat).hand) == 13 for seat in Seat)
    return seats


@pytest.mark.parametrize(
    ("bids", "order"),
    [
        ("blind 3 4 3", "SN"),
        ("3 blind 4 3", "WE"),
        ("3 3 blind 4", "NS"),
        ("3 3 4 blind", "EW"),
        ("blind blind 3 4", "SNWE"),
        ("3 blind blind 4", "WENS"),
        ("blind 3 4 blind", "SNEW"),
        ("3 3 blind blind", "NSEW"),
        ("blind 3 nil 4", "SN"),
        ("3 3 4 4", ""),
        ("nil 3 4 nil", ""),
    ],
)
def test_2_6_each_blind_nil_bidder_in_bidding_order_passes_and_the_partner_passes_back(
    bids: str, order: str
) -> None:
    assert passing_order(bids) == order


@pytest.mark.parametrize(
    ("bids", "order"),
    [
        ("blind 3 blind 3", ""),
        ("3 blind 4 blind", ""),
        ("blind blind blind blind", ""),
        ("blind blind blind 3", "WE"),
        ("blind blind 4 blind", "SN"),
    ],
)
def test_2_6_a_side_in_which_both_bid_blind_nil_exchanges_nothing(bids: str, order: str) -> None:
    assert passing_order(bids) == order


def test_2_6_without_the_option_nobody_exchanges_cards() -> None:
    assert passing_order("blind blind 3 4", replace(BLIND, blind_exchange=0)) == ""


def exchange() -> Match:
    match = seeded(BLIND)
    bid(match, "blind 3 4 3")
    return match


def test_2_6_two_cards_move_and_the_partner_sees_them_before_passing_back() -> None:
    match = exchange()
    given = view(match, S).hand[-2:]
    match.pass_cards(S, given)
    assert set(given) <= set(view(match, N).hand)
    assert (len(view(match, S).hand), len(view(match, N).hand)) == (11, 15)
    back = view(match, N).hand[:2]
    match.pass_cards(N, back)
    assert set(back) <= set(view(match, S).hand)
    assert not set(back) & set(view(match, N).hand)


def test_2_6_the_partner_may_pass_the_same_cards_back() -> None:
    match = exchange()
    hands = [view(match, seat).hand for seat in Seat]
    match.pass_cards(S, hands[S][:2])
    match.pass_cards(N, hands[S][:2])
    assert [view(match, seat).hand for seat in Seat] == hands


@pytest.mark.parametrize("count", [0, 1, 3, 13])
def test_2_6_another_number_of_cards_cannot_be_passed(count: int) -> None:
    match = exchange()
    cards = view(match, S).hand[:count]
    assert refused(lambda: match.pass_cards(S, cards)) is Reason.WRONG_PASS_COUNT


def test_2_6_the_same_card_twice_is_not_two_cards() -> None:
    match = exchange()
    card = view(match, S).hand[0]
    assert refused(lambda: match.pass_cards(S, (card, card))) is Reason.WRONG_PASS_COUNT


def test_2_6_only_cards_that_are_held_can_be_passed() -> None:
    match = exchange()
    mine, other = view(match, S).hand[0], view(match, N).hand[0]
    assert refused(lambda: match.pass_cards(S, (mine, other))) is Reason.CARD_NOT_HELD
    assert refused(lambda: match.pass_cards(S, (mine, Card("BJ")))) is Reason.CARD_NOT_HELD


def test_2_6_nobody_else_passes_and_nobody_plays_during_the_exchange() -> None:
    match = exchange()
    for seat in (W, N, E):
        cards = view(match, seat).hand[:2]
        assert refused(partial(match.pass_cards, seat, cards)) is Reason.NOT_YOUR_TURN
    assert refused(lambda: match.play(S, view(match, S).hand[0])) is Reason.WRONG_PHASE


def test_2_6_only_the_two_partners_learn_which_cards_moved() -> None:
    match = exchange()
    (there,) = match.act(S, PassCards(view(match, S).hand[:2]))
    (back,) = match.act(N, PassCards(view(match, N).hand[3:5]))
    for event in (there, back):
        assert isinstance(event, CardsPassed)
        assert redact(event, S) == redact(event, N) == event
        hidden = CardsPassed(event.giver, STANDARD, 2, None)
        assert [redact(event, viewer) for viewer in (W, E, None)] == [hidden] * 3
    assert view(match, S).passes == view(match, N).passes == (there, back)
    for viewer in (W, E, None):
        assert [event.cards for event in view(match, viewer).passes] == [None, None]
    finish_hand(match)
    for viewer in (*Seat, None):
        assert view(match, viewer).passes == (there, back)


# 3. Play


def test_3_1_the_dealers_left_leads_first_and_then_the_winner_of_each_trick(
    stage: Stage, play_out: PlayOut
) -> None:
    winners = "NNESWWNESNSWE"
    deal, line = stage(winners, "N")
    match = playing(deal)
    play_out(match, line)
    leaders = [event.seat for event in match.log if isinstance(event, CardPlayed)][::4]
    assert "".join(seat.letter for seat in leaders) == "S" + winners[:12]
    won = [event.winner for event in match.log if isinstance(event, TrickWon)]
    assert "".join(seat.letter for seat in won) == winners


FOLLOW = "S 9H\n W AH 2H 5C KS 7D\n N 3H -S\n E 4C 6D 8S -H"


def test_3_2_the_suit_led_must_be_followed(fill: Fill) -> None:
    match = playing(fill(FOLLOW, STANDARD))
    play(match, "9H")
    assert set(legal(match).split()) >= {"2H", "AH"}
    assert all(card.suit.letter == "H" for card in view(match, W).legal_plays)
    for card in ("5C", "7D", "KS"):
        assert refused_card(match, card) is Reason.MUST_FOLLOW_SUIT


def test_3_2_who_cannot_follow_plays_anything_a_spade_on_the_first_trick_included(
    fill: Fill,
) -> None:
    match = playing(fill(FOLLOW, STANDARD))
    play(match, "9H AH 3H")
    assert view(match, E).legal_plays == view(match, E).hand
    play(match, "8S")
    assert match.turn is E


def test_3_2_a_spade_on_the_first_trick_breaks_them_like_any_other(fill: Fill) -> None:
    match = playing(fill(FOLLOW + " 9S", STANDARD))
    play(match, "9H AH 3H")
    assert not match.state.spades_broken
    play(match, "8S")
    assert match.state.spades_broken
    assert "9S" in legal(match).split()


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        ("9H KH TH 2H", "W"),
        ("2H 3H 4H 5H", "E"),
        ("9H AD KD AC", "S"),
        ("9H AD 2S KH", "N"),
        ("9H 3S 2S AH", "W"),
        ("2S 3S AH 4S", "E"),
        ("2C AD AH KD", "S"),
        ("KC 3S JS AC", "N"),
    ],
)
def test_3_3_the_highest_spade_wins_or_else_the_highest_card_of_the_suit_led(
    trick: str, winner: str
) -> None:
    cards = parse_cards(trick)
    assert "SWNE"[winning_position(STANDARD, cards)] == winner


def test_3_4_a_spade_may_not_be_led_before_one_has_been_played(fill: Fill) -> None:
    match = playing(fill("S AS 9H\n W 2H\n N 3H\n E 4H", STANDARD))
    assert "AS" not in legal(match).split()
    assert refused_card(match, "AS") is Reason.SPADES_NOT_BROKEN
    play(match, "9H 2H 3H 4H")
    assert refused_card(match, "AS") is Reason.SPADES_NOT_BROKEN


def test_3_4_a_spade_may_be_led_once_one_has_been_played_to_an_earlier_trick(fill: Fill) -> None:
    match = playing(fill("S AS 9H\n W 2H\n N 3H\n E 4S 5S -H", STANDARD))
    play(match, "9H 2H 3H 4S")
    assert {"5S"} <= set(legal(match).split())
    play(match, "5S")


def test_3_4_breaking_is_forgotten_with_the_next_hand(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [("N3 E3 S3 W3", "N4 E3 S3 W3")])
    assert match.state.spades_broken
    match.deal_next()
    assert not match.state.spades_broken


def test_3_4_who_holds_nothing_but_spades_may_lead_one_and_that_breaks_them(fill: Fill) -> None:
    match = playing(fill("S AS KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S", STANDARD))
    assert len(legal(match).split()) == 13
    play(match, "2S")
    assert match.state.spades_broken


def test_3_4_with_any_a_spade_may_be_led_at_any_time(fill: Fill) -> None:
    deal = fill("S AS 9H\n W 2H\n N 3H\n E 4H", STANDARD)
    match = playing(deal, Rules(spade_lead=SpadeLead.ANY))
    assert view(match, S).legal_plays == view(match, S).hand
    play(match, "AS")
    assert match.state.spades_broken


def test_3_5_an_illegal_card_is_refused_with_the_reason_and_nothing_changes(fill: Fill) -> None:
    match = playing(fill(FOLLOW, STANDARD))
    play(match, "9H")
    before = [view(match, viewer) for viewer in (*Seat, None)]
    with pytest.raises(SpadesError, match=r"^5C is not legal: hearts were led and West holds .*AH"):
        match.play(W, Card("5C"))
    assert [view(match, viewer) for viewer in (*Seat, None)] == before
    play(match, "2H")


# 4. Scoring a hand


def score(
    bids: str, taken: str, bags: int = 0, *, total: int = 0, rules: Rules = CLASSIC
) -> SideScore:
    mine, partners = (BLIND_NIL if bid == "blind" else parse_bid(bid) for bid in bids.split("+"))
    tricks, others = map(int, taken.split("+"))
    sides = ((S, mine), (N, partners))
    return score_side(rules, sides, (tricks, others), Standing(total, bags))


def points(scored: SideScore) -> dict[str, int]:
    return {part.part.value: part.points for part in scored.parts}


def test_4_1_a_made_contract_scores_ten_a_trick_and_one_per_overtrick_each_a_bag() -> None:
    scored = score("4+2", "5+3")
    assert points(scored) == {"contract": 60, "overtricks": 2}
    assert scored.after == Standing(62, 2)


def test_4_1_a_set_contract_costs_ten_a_trick_bid_and_brings_no_bags() -> None:
    scored = score("4+2", "5+0", 3)
    assert points(scored) == {"contract": -60}
    assert scored.after == Standing(-60, 3)


def test_4_1_the_tricks_of_a_nil_bidder_do_not_count_for_the_contract() -> None:
    assert points(score("nil+4", "1+3")) == {
        "contract": -40,
        "nil": -100,
        "tricks of a failed nil": 1,
    }
    assert points(score("blind+4", "2+3"))["contract"] == -40


def test_4_1_a_contract_of_0_scores_nothing() -> None:
    assert points(score("nil+nil", "0+0")) == {"nil": 100}
    assert score("nil+nil", "0+0").change == 200
    assert Part.CONTRACT not in [part.part for part in score("nil+nil", "3+2").parts]


def test_4_2_each_nil_is_scored_on_its_own() -> None:
    scored = score("nil+nil", "0+3")
    assert [(part.part, part.points, part.seat) for part in scored.parts] == [
        (Part.NIL, 100, S),
        (Part.NIL, -100, N),
        (Part.NIL_TRICKS, 3, N),
    ]
    assert scored.bags == 3


def test_4_2_a_failed_nils_tricks_are_points_and_bags_with_the_contract_made_or_set() -> None:
    made, lost = score("nil+4", "2+4"), score("nil+4", "2+3")
    assert (made.change, made.bags) == (40 - 100 + 2, 2)
    assert (lost.change, lost.bags) == (-40 - 100 + 2, 2)


def test_4_2_a_made_nil_pays_with_the_contract_set() -> None:
    assert score("nil+5", "0+4").change == -50 + 100


def test_4_2_a_blind_nil_is_worth_its_own_value_either_way() -> None:
    assert points(score("blind+6", "0+6")) == {"contract": 60, "blind nil": 200}
    assert points(score("blind+6", "1+6"))["blind nil"] == -200
    rules = Rules(nil_value=50, blind_nil_value=170)
    assert points(score("blind+nil", "0+1", rules=rules)) == {
        "blind nil": 170,
        "nil": -50,
        "tricks of a failed nil": 1,
    }


def test_4_3_with_double_nil_off_two_nils_are_scored_one_by_one() -> None:
    assert score("nil+nil", "0+0").change == 200
    assert score("nil+nil", "0+1").change == 1


def test_4_3_the_bonus_replaces_the_value_of_both_nils() -> None:
    rules = Rules(double_nil=DoubleNil.BONUS)
    assert score("nil+nil", "0+0", rules=rules).change == 400
    other = replace(rules, double_nil_value=250, nil_value=90)
    assert score("nil+nil", "0+0", rules=other).change == 250


@pytest.mark.parametrize(
    ("bids", "taken", "change"),
    [("nil+nil", "0+1", 1), ("nil+nil", "1+2", -197), ("nil+4", "0+4", 140)],
)
def test_4_3_the_bonus_needs_two_made_nils(bids: str, taken: str, change: int) -> None:
    assert score(bids, taken, rules=Rules(double_nil=DoubleNil.BONUS)).change == change


@pytest.mark.parametrize(
    ("bids", "change"), [("blind+nil", 300), ("nil+blind", 300), ("blind+blind", 400)]
)
def test_4_3_the_bonus_is_not_for_blind_nils(bids: str, change: int) -> None:
    rules = Rules(double_nil=DoubleNil.BONUS, double_nil_value=1000)
    assert score(bids, "0+0", rules=rules).change == change


def ended(
    rules: Rules, totals: tuple[int, int], *, hands: int = 1, doubles: str = ""
) -> Outcome | None:
    both = tuple(
        SideScore(0, 0, (), 0, 0, Standing(), Standing(total), double_nil=side.name[0] in doubles)
        for side, total in zip(Side, totals, strict=True)
    )
    return outcome_after(rules, hands, (both[0], both[1]))


@pytest.mark.parametrize("bids", ["nil+nil", "blind+nil", "blind+blind"])
def test_4_3_wins_scores_as_usual_and_then_wins_the_match(bids: str) -> None:
    rules = Rules(double_nil=DoubleNil.WINS)
    scored = score(bids, "0+0", total=-150, rules=rules)
    assert scored.change == score(bids, "0+0").change
    assert scored.double_nil
    outcome = outcome_after(rules, 1, (scored, score("4+5", "4+9", total=480)))
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Side.SOUTH_NORTH, EndReason.DOUBLE_NIL)


def test_4_3_wins_whatever_the_totals() -> None:
    rules = Rules(double_nil=DoubleNil.WINS)
    for totals in ((-300, 600), (0, 0), (499, 500)):
        outcome = ended(rules, totals, doubles="S")
        assert outcome == Outcome(Side.SOUTH_NORTH, EndReason.DOUBLE_NIL, totals)
        mirrored = (totals[1], totals[0])
        outcome = ended(rules, mirrored, doubles="W")
        assert outcome == Outcome(Side.WEST_EAST, EndReason.DOUBLE_NIL, mirrored)


def test_4_3_if_both_sides_make_a_double_nil_the_totals_decide() -> None:
    rules = Rules(double_nil=DoubleNil.WINS)
    assert ended(rules, (10, 20), doubles="SW") == Outcome(
        Side.WEST_EAST, EndReason.DOUBLE_NIL, (10, 20)
    )
    assert ended(rules, (20, 20), doubles="SW") is None


def test_4_3_a_lost_double_nil_wins_nothing() -> None:
    assert not score("nil+nil", "0+1").double_nil
    assert not score("nil+1", "0+0").double_nil
    assert ended(CLASSIC, (0, 0), doubles="S") is None


def test_4_3_a_double_nil_ends_a_match_that_is_played(play_hands: PlayHands) -> None:
    rules = Rules(double_nil=DoubleNil.WINS, max_hands=9)
    with pytest.raises(SpadesError):
        play_hands(rules, [("N0 E6 S0 W7", "N0 E6 S0 W7")])  # one deal for nine hands
    match = play_hands(replace(rules, max_hands=2), [("N0 E6 S0 W7", "N0 E6 S0 W7")])
    assert match.outcome == Outcome(Side.SOUTH_NORTH, EndReason.DOUBLE_NIL, (200, 130))


@pytest.mark.parametrize(
    ("before", "brought", "penalty", "left"),
    [(0, 9, 0, 9), (9, 1, -100, 0), (8, 3, -100, 1), (9, 12, -200, 1), (10, 12, -200, 2)],
)
def test_4_4_each_full_ten_bags_cost_100_and_the_rest_stays(
    before: int, brought: int, penalty: int, left: int
) -> None:
    scored = score("1+nil", f"{1 + brought}+0", before)
    assert points(scored).get("bag penalty", 0) == penalty
    assert scored.after.bags == left
    assert scored.change == 110 + brought + penalty


def test_4_4_22_bags_on_the_count_cost_200_and_leave_2() -> None:
    scored = score("1+nil", "13+0", 10)
    assert (points(scored)["bag penalty"], scored.after.bags) == (-200, 2)


def test_4_4_bag_limit_and_penalty_are_options() -> None:
    scored = score("1+1", "4+4", rules=Rules(bag_limit=5, bag_penalty=50))
    assert points(scored) == {"contract": 20, "overtricks": 6, "bag penalty": -50}
    assert scored.after.bags == 1


def test_4_4_without_a_penalty_overtricks_score_and_the_count_keeps_growing() -> None:
    scored = score("1+1", "8+4", 9, rules=Rules(bag_penalty=0))
    assert points(scored) == {"contract": 20, "overtricks": 10}
    assert scored.after == Standing(30, 19)


# 5. Ending the match


@pytest.mark.parametrize(
    ("totals", "winner"),
    [((499, 498), None), ((500, 0), 0), ((0, 500), 1), ((540, 560), 1), ((560, 540), 0)],
)
def test_5_1_a_side_at_the_target_ends_the_match_and_the_higher_total_wins(
    totals: tuple[int, int], winner: int | None
) -> None:
    expected = None if winner is None else Outcome(Side(winner), EndReason.TARGET, totals)
    assert ended(CLASSIC, totals) == expected


@pytest.mark.parametrize(
    ("totals", "winner"),
    [((-199, 0), None), ((-200, 0), 1), ((0, -200), 0), ((-210, -250), 0), ((-250, -210), 1)],
)
def test_5_1_a_side_at_the_floor_ends_the_match_and_the_higher_total_wins(
    totals: tuple[int, int], winner: int | None
) -> None:
    expected = None if winner is None else Outcome(Side(winner), EndReason.FLOOR, totals)
    assert ended(CLASSIC, totals) == expected


@pytest.mark.parametrize("total", [500, 700, -200, -333])
def test_5_1_with_equal_totals_another_hand_is_played(total: int) -> None:
    assert ended(CLASSIC, (total, total)) is None


@pytest.mark.parametrize("target", [300, 250])
def test_5_1_the_target_is_an_option(target: int) -> None:
    rules = Rules(target=target)
    assert ended(rules, (target - 1, 0)) is None
    assert ended(rules, (target, 0)) is not None


def test_5_1_after_a_tie_the_deal_rotates_as_ever(play_hands: PlayHands) -> None:
    match = play_hands(CLASSIC, [("N13 E13 S13 W13", "N4 E3 S3 W3")])
    assert match.standings[0] == match.standings[1] == Standing(-260, 0)
    assert match.phase is Phase.HAND_OVER
    match.deal_next()
    assert match.state.dealer is S
    assert match.turn is W


@pytest.mark.parametrize("totals", [(-200, 0), (-5000, -4000), (-201, 499)])
def test_5_2_without_a_floor_negative_totals_end_nothing(totals: tuple[int, int]) -> None:
    assert ended(Rules(floor=None), totals) is None
    assert ended(Rules(floor=None), (totals[0], 500)) is not None


def test_5_3_a_side_surrenders_with_both_partners_and_loses_whatever_the_score(
    play_hands: PlayHands,
) -> None:
    match = play_hands(CLASSIC, [("N4 E3 S3 W6", "N4 E3 S3 W3")])
    match.deal_next()
    assert match.standings[0].total > match.standings[1].total
    assert match.surrender(N) == (SurrenderProposed(N),)
    assert match.outcome is None
    events = match.surrender(S)
    assert events[0] == SurrenderProposed(S)
    assert isinstance(events[1], MatchEnded)
    assert match.outcome == Outcome(Side.WEST_EAST, EndReason.SURRENDER, (70, -90))
    assert match.phase is Phase.MATCH_OVER


def test_5_3_one_partner_alone_and_one_of_each_side_surrender_nothing() -> None:
    match = seeded()
    match.surrender(S)
    match.surrender(W)
    assert match.outcome is None
    assert refused(lambda: match.surrender(S)) is Reason.ALREADY_ASKED


def test_5_3_a_proposal_changes_neither_turn_nor_decision() -> None:
    match = seeded()
    before = view(match, S).decision
    match.surrender(N)
    assert view(match, S).decision == before


def test_5_3_a_proposal_lapses_when_the_hand_ends(stage: Stage, play_out: PlayOut) -> None:
    deal, line = stage("NNESWWNESNSWE", "N")
    match = Match(Rules(max_hands=2), ExplicitDeals((deal, deal), b"salt"))
    match.surrender(S)
    bid(match, "3 3 3 3")
    play_out(match, line)
    assert match.phase is Phase.HAND_OVER
    match.surrender(N)
    assert match.outcome is None
    match.deal_next()
    match.surrender(S)
    assert match.outcome is None
    match.surrender(N)
    assert match.outcome is not None


@pytest.mark.parametrize("bids", ["", "blind", "blind 3 4 3"])
def test_5_3_a_side_may_surrender_while_bidding_and_while_exchanging(bids: str) -> None:
    match = seeded(BLIND)
    bid(match, bids)
    match.surrender(E)
    match.surrender(W)
    assert match.outcome == Outcome(Side.SOUTH_NORTH, EndReason.SURRENDER, (0, 0))
    for seat in Seat:
        assert match.legal(seat) == ()
        assert not view(match, seat).may_look


def test_5_3_after_the_end_nothing_can_be_done() -> None:
    match = seeded()
    match.surrender(E)
    match.surrender(W)
    for act in (
        lambda: match.surrender(S),
        lambda: match.bid(S, Bid(3)),
        lambda: match.look(S),
        lambda: match.play(S, Card("AS")),
        lambda: match.undo(S),
        lambda: match.ask_next_hand(S),
        match.deal_next,
    ):
        assert refused(act) is Reason.WRONG_PHASE


@pytest.mark.parametrize("where", ["before the deal", "after the deal"])
def test_5_3_a_surrender_between_hands_is_replayed_where_it_was(
    where: str, play_hands: PlayHands
) -> None:
    match = play_hands(CLASSIC, [("N4 E3 S3 W3", "N4 E3 S3 W3")])
    if where == "after the deal":
        match.deal_next()
    match.surrender(S)
    match.surrender(N)
    again = replay(match.rules, _deals(match), actions_of(match.log))
    assert list(game_events(again.log)) == list(game_events(match.log))


def _deals(match: Match) -> ExplicitDeals:
    assert isinstance(match.deals, ExplicitDeals)
    return match.deals


def test_5_3_a_surrender_opens_no_cards_that_were_passed() -> None:
    match = exchange()
    (passed,) = match.pass_cards(S, view(match, S).hand[:2])
    match.surrender(E)
    match.surrender(W)
    for viewer in (W, E, None):
        assert [event.cards for event in view(match, viewer).passes] == [None]
    assert view(match, N).passes == (passed,)


def test_5_4_the_full_deal_becomes_public_when_the_hand_ends(
    stage: Stage, play_out: PlayOut
) -> None:
    deal, line = stage("NNESWWNESNSWE", "N")
    match = playing(deal)
    play_out(match, line)
    (scored,) = match.sheet
    assert scored.deal == deal
    assert scored.bids == (Bid(3),) * 4
    assert scored.taken == (3, 3, 4, 3)
    for viewer in (*Seat, None):
        assert redact(scored, viewer) == scored
        dealt = redact(match.log[1], viewer)
        assert isinstance(dealt, HandDealt)
        assert [dealt.hand(seat) is not None for seat in Seat] == [seat is viewer for seat in Seat]


UNDO = Rules(undo=UndoRule.ON)
FOUR_HEARTS = "S 9H 8H\n W 2H TH\n N 3H\n E 4H"


def test_5_5_the_seat_that_played_last_may_take_its_card_back(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), UNDO)
    play(match, "9H 2H")
    assert match.undo(W) == (PlayTakenBack(W, Card("2H")),)
    assert match.turn is W
    assert Card("2H") in view(match, W).hand
    play(match, "TH")


def test_5_5_nobody_else_may(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), UNDO)
    play(match, "9H 2H")
    for seat in (S, N, E):
        assert refused(partial(match.undo, seat)) is Reason.UNDO_NOT_ALLOWED


def test_5_5_not_once_a_further_card_has_been_played(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), UNDO)
    play(match, "9H 2H")
    assert refused(lambda: match.undo(S)) is Reason.UNDO_NOT_ALLOWED


def test_5_5_the_fourth_card_of_a_trick_can_be_taken_back(fill: Fill) -> None:
    match = playing(fill("S 9H\n W TH\n N 3H\n E AH 4H", STANDARD), UNDO)
    play(match, "9H TH 3H AH")
    assert (match.turn, match.state.taken) == (E, (0, 0, 0, 1))
    match.undo(E)
    assert (match.turn, match.state.leader) == (E, S)
    assert match.state.taken == (0, 0, 0, 0)
    assert match.state.tricks == ()
    assert format_cards(match.state.trick) == "9H TH 3H"
    play(match, "4H")
    assert (match.turn, match.state.taken) == (W, (0, 1, 0, 0))


def test_5_5_the_last_card_of_a_hand_cannot_be_taken_back(stage: Stage, play_out: PlayOut) -> None:
    deal, line = stage("NNESWWNESNSWE", "N")
    match = Match(replace(UNDO, max_hands=2), ExplicitDeals((deal, deal), b"salt"))
    bid(match, "3 3 3 3")
    play_out(match, line)
    assert match.phase is Phase.HAND_OVER
    for seat in Seat:
        assert refused(partial(match.undo, seat)) is Reason.WRONG_PHASE


def test_5_5_a_second_undo_does_not_reach_further_back(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), UNDO)
    play(match, "9H 2H")
    match.undo(W)
    for seat in Seat:
        assert refused(partial(match.undo, seat)) is Reason.UNDO_NOT_ALLOWED
    play(match, "2H")
    match.undo(W)


def test_5_5_an_undo_withdraws_the_decision_that_the_card_had_opened(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), UNDO)
    play(match, "9H")
    wests = view(match, W).decision
    play(match, "2H")
    norths = view(match, N).decision
    match.undo(W)
    assert view(match, N).decision is None
    again = view(match, W).decision
    assert wests is not None
    assert norths is not None
    assert again is not None
    assert wests.number < norths.number < again.number


def test_5_5_spades_broken_by_the_card_are_unbroken_again(fill: Fill) -> None:
    match = playing(fill("S 9H AS\n W 2S 3S 5C -H\n N 3H\n E 4H", STANDARD), UNDO)
    play(match, "9H 2S")
    assert match.state.spades_broken
    match.undo(W)
    assert not match.state.spades_broken
    play(match, "5C 3H 4H")
    assert match.turn is S
    assert refused_card(match, "AS") is Reason.SPADES_NOT_BROKEN


def test_5_5_spades_broken_earlier_stay_broken(fill: Fill) -> None:
    match = playing(fill("S 9H\n W 2S 3S -H\n N 3H\n E 4H\n", STANDARD), UNDO)
    play(match, "9H 2S 3H 4H 3S")
    match.undo(W)
    assert match.state.spades_broken
    assert "3S" in legal(match).split()


def test_5_5_with_off_nobody_takes_a_card_back(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), Rules(undo=UndoRule.OFF))
    play(match, "9H")
    assert refused(lambda: match.undo(S)) is Reason.UNDO_NOT_ALLOWED


def test_5_5_with_solo_the_one_person_among_bots_may_and_the_bots_may_not(fill: Fill) -> None:
    assert CLASSIC.undo is UndoRule.SOLO
    match = playing(fill(FOUR_HEARTS, STANDARD))
    match.people = frozenset({S})
    play(match, "9H")
    match.undo(S)
    play(match, "9H 2H")
    assert refused(lambda: match.undo(W)) is Reason.UNDO_NOT_ALLOWED


@pytest.mark.parametrize("people", [{S, N}, {W}, set(Seat), set[Seat]()])
def test_5_5_with_solo_nobody_may_where_others_than_that_person_play(
    fill: Fill, people: set[Seat]
) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD))
    match.people = frozenset(people)
    play(match, "9H")
    assert refused(lambda: match.undo(S)) is Reason.UNDO_NOT_ALLOWED


def test_5_5_with_on_anybody_may_whoever_plays(fill: Fill) -> None:
    match = playing(fill(FOUR_HEARTS, STANDARD), UNDO)
    match.people = frozenset(Seat)
    for card in ("9H", "2H", "3H", "4H"):
        seat = to_act(match)
        play(match, card)
        match.undo(seat)
        play(match, card)


def test_5_5_bids_are_final() -> None:
    match = seeded(UNDO)
    bid(match, "3")
    assert refused(lambda: match.undo(S)) is Reason.WRONG_PHASE
    bid(match, "3 3 3")
    assert refused(lambda: match.undo(E)) is Reason.UNDO_NOT_ALLOWED


def between_hands(play_hands: PlayHands, people: set[Seat] | None) -> Match:
    match = play_hands(CLASSIC, [("N4 E3 S3 W3", "N4 E3 S3 W3")])
    match.people = None if people is None else frozenset(people)
    assert match.phase is Phase.HAND_OVER
    return match


def test_5_6_the_next_hand_is_dealt_when_every_person_has_asked_for_it(
    play_hands: PlayHands,
) -> None:
    match = between_hands(play_hands, {S, E})
    assert match.ask_next_hand(S) == (NextHandAsked(S),)
    assert match.phase is Phase.HAND_OVER
    asked, dealt = match.ask_next_hand(E)
    assert asked == NextHandAsked(E)
    assert isinstance(dealt, HandDealt)
    assert (dealt.number, dealt.dealer) == (2, S)
    assert view(match, None).phase is Phase.BIDDING


def test_5_6_asking_twice_deals_once(play_hands: PlayHands) -> None:
    match = between_hands(play_hands, {S, E})
    match.ask_next_hand(S)
    assert refused(lambda: match.ask_next_hand(S)) is Reason.ALREADY_ASKED
    assert match.hand_number == 1
    match.ask_next_hand(E)
    for seat in Seat:
        assert refused(partial(match.ask_next_hand, seat)) is Reason.WRONG_PHASE
    assert refused(match.deal_next) is Reason.WRONG_PHASE
    assert match.hand_number == 2


def test_5_6_after_the_wait_the_hand_is_dealt_unasked(play_hands: PlayHands) -> None:
    match = between_hands(play_hands, {S, E})
    assert CLASSIC.next_hand_wait == 30
    match.ask_next_hand(S)
    (dealt,) = match.deal_next()
    assert isinstance(dealt, HandDealt)
    assert match.state.asked == frozenset()


def test_5_6_where_the_people_are_not_known_asking_deals_nothing(play_hands: PlayHands) -> None:
    match = between_hands(play_hands, None)
    for seat in Seat:
        assert match.ask_next_hand(seat) == (NextHandAsked(seat),)
    assert match.phase is Phase.HAND_OVER


def test_5_6_no_hand_is_asked_for_while_one_is_played() -> None:
    match = seeded()
    assert refused(lambda: match.ask_next_hand(S)) is Reason.WRONG_PHASE
    assert refused(match.deal_next) is Reason.WRONG_PHASE
    bid(match, "3 3 3 3")
    assert refused(lambda: match.ask_next_hand(S)) is Reason.WRONG_PHASE


def test_5_7_after_max_hands_the_higher_total_wins() -> None:
    rules = Rules(max_hands=3)
    assert ended(rules, (10, 20), hands=2) is None
    assert ended(rules, (10, 20), hands=3) == Outcome(Side(1), EndReason.MAX_HANDS, (10, 20))
    assert ended(rules, (20, 10), hands=4) == Outcome(Side(0), EndReason.MAX_HANDS, (20, 10))


@pytest.mark.parametrize("total", [0, 500, -200, 20])
def test_5_7_equal_totals_after_max_hands_are_a_draw(total: int) -> None:
    totals = (total, total)
    assert ended(Rules(max_hands=1), totals) == Outcome(None, EndReason.MAX_HANDS, totals)


def test_5_7_without_a_limit_a_match_goes_on() -> None:
    assert ended(Rules(max_hands=0), (10, 20), hands=9999) is None


def test_5_7_a_match_of_two_hands_ends_with_the_second(play_hands: PlayHands) -> None:
    match = play_hands(Rules(max_hands=2), [("N4 E3 S3 W3", "N4 E3 S3 W3")] * 2)
    assert match.outcome == Outcome(Side(0), EndReason.MAX_HANDS, (140, 120))
    assert refused(match.deal_next) is Reason.WRONG_PHASE
    last = match.log[-1]
    assert isinstance(last, MatchEnded)
    assert isinstance(match.log[-2], HandScored)


# 6. Presets

TABLE = """
option           classic quick larch karty  jokers nyc
target           500     250   500   500    500    500
floor            -200    -200  none  none   -200   -200
blind_nil        off     off   off   off    off    off
blind_exchange   0       0     0     0      0      0
spade_lead       broken  broken broken broken any  any
deck             standard standard standard standard jokers jokers_nyc
first_dealer     east    east  east  random random random
bag_limit        10      10    10    10     10     10
bag_penalty      100     100   100   100    100    100
nil_value        100     100   100   100    100    100
blind_nil_value  200     200   200   200    200    200
double_nil       off     off   off   off    off    off
min_team_bid     0       0     0     0      0      0
max_hands        0       0     0     0      0      0
"""


def test_6_the_presets_are_those_of_the_table() -> None:
    names, *rows = (row.split() for row in TABLE.strip().splitlines())
    assert list(PRESETS) == names[1:]
    for option, *values in rows:
        for preset, value in zip(PRESETS.values(), values, strict=True):
            assert with_option(preset, option, value) == preset, (option, value)


def test_6_what_the_table_does_not_name_is_the_same_in_all_presets() -> None:
    named = {row.split()[0] for row in TABLE.strip().splitlines()}
    for option in set(option_names()) - named:
        assert len({getattr(preset, option) for preset in PRESETS.values()}) == 1
    assert (CLASSIC.blind_nil_deficit, CLASSIC.double_nil_value) == (100, 400)
    assert (CLASSIC.next_hand_wait, CLASSIC.undo) == (30, UndoRule.SOLO)


def test_6_larch_may_switch_on_blind_nil_with_an_exchange_and_any_spade_lead() -> None:
    rules = parse_rules("larch,blind_nil=behind,blind_exchange=2,spade_lead=any")
    assert rules == replace(
        PRESETS["larch"],
        blind_nil=BlindNil.BEHIND,
        blind_nil_deficit=100,
        blind_exchange=2,
        spade_lead=SpadeLead.ANY,
    )


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(
    "option",
    [
        "target=300", "floor=none", "floor=-500", "deck=jokers", "first_dealer=random",
        "spade_lead=any", "blind_nil=behind", "blind_nil_deficit=0", "min_team_bid=4",
        "bag_limit=5", "bag_penalty=0", "nil_value=50", "blind_nil_value=150",
        "double_nil=wins", "double_nil_value=200", "max_hands=4", "undo=on", "next_hand_wait=0",
    ],
)  # fmt: skip
def test_6_any_option_can_be_set_on_any_table(preset: str, option: str) -> None:
    name, _, value = option.partition("=")
    rules = parse_rules(f"{preset},{option}")
    assert rules == with_option(PRESETS[preset], name, value)
    others = [field.name for field in fields(Rules) if field.name != name]
    assert all(getattr(rules, other) == getattr(PRESETS[preset], other) for other in others)
    assert len(Match(rules, SeededDeals(SEED)).log) == 2


@pytest.mark.parametrize(
    "option",
    [
        "target=0", "target=-5", "floor=0", "floor=100", "deck=tarot", "first_dealer=north",
        "spade_lead=never", "blind_nil=always", "blind_nil_deficit=-1", "blind_exchange=1",
        "blind_exchange=3", "min_team_bid=3", "bag_limit=0", "bag_penalty=-1", "nil_value=-1",
        "blind_nil_value=-1", "double_nil=on", "double_nil_value=-1", "max_hands=-1",
        "undo=maybe", "next_hand_wait=-1", "target=many",
    ],
)  # fmt: skip
def test_6_options_out_of_range_are_refused_by_name(option: str) -> None:
    name = option.partition("=")[0]
    text = option if name != "blind_exchange" else f"blind_nil=behind,{option}"
    with pytest.raises(OptionError, match=rf"^{name}=") as error:
        parse_rules(text)
    assert error.value.reason is Reason.INVALID_OPTION


def test_6_an_exchange_without_blind_nil_is_refused_by_name() -> None:
    with pytest.raises(OptionError, match="blind_exchange=2 contradicts blind_nil=off"):
        Rules(blind_exchange=2)
    with pytest.raises(OptionError, match="blind_exchange=2 contradicts blind_nil=off"):
        parse_rules("classic,blind_exchange=2")


@pytest.mark.parametrize("text", ["poker", "target=300,quick", "quick,larch", "colour=red"])
def test_6_what_is_neither_preset_nor_option_is_refused_by_name(text: str) -> None:
    word = next(word for word in text.split(",")[::-1] if word != "target=300")
    with pytest.raises(OptionError, match=word.partition("=")[0]):
        parse_rules(text)


def test_6_deals_of_another_deck_and_too_few_deals_are_refused_by_name() -> None:
    deal = SeededDeals(SEED).deal(1, STANDARD, E)
    for rules, name in (
        (Rules(deck=Deck.JOKERS, max_hands=1), "deck=jokers"),
        (Rules(), "max_hands=0"),
        (Rules(max_hands=2), "max_hands=2"),
    ):
        with pytest.raises(OptionError, match=f"^{name}"):
            Match(rules, ExplicitDeals((deal,), b"salt"))
