"""What is true of every match: random options, random seeds, random lines of play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random

import pytest
from hypothesis import Phase as Stage
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import (
    BIDS,
    BLIND_NIL,
    CARDS,
    PRESETS,
    Action,
    Bid,
    BlindNil,
    Card,
    CardPlayed,
    Deal,
    Deck,
    DoubleNil,
    Event,
    FirstDealer,
    HandDealt,
    HandScored,
    Look,
    MakeBid,
    Match,
    MatchEnded,
    MatchStarted,
    MatchState,
    NextHand,
    Part,
    PassCards,
    Phase,
    Play,
    PlayTakenBack,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    Side,
    SideScore,
    SpadeLead,
    SpadesError,
    Standing,
    Surrender,
    TableView,
    TrickWon,
    Undo,
    UndoRule,
    actions_of,
    format_action,
    format_cards,
    format_deal,
    format_rules,
    game_events,
    has_secret,
    outcome_after,
    parse_action,
    parse_bid,
    parse_card,
    parse_cards,
    parse_deal,
    parse_rules,
    parse_seat,
    parse_seed,
    redact,
    replay,
    score_side,
    view,
    winner_of,
)

Choose = Callable[[Match, Random], tuple[Seat, Action] | None]
Wander = Callable[[Match, Random], Iterator[int]]
BookLegal = Callable[[Match], set[Card]]
AnyAction = Callable[[Match], list[Action]]

VIEWERS: tuple[Seat | None, ...] = (*Seat, None)


@st.composite
def some_rules(draw: st.DrawFn, *, max_hands: int = 3) -> Rules:
    blind_nil = draw(st.sampled_from(BlindNil))
    behind = blind_nil is BlindNil.BEHIND
    return Rules(
        target=draw(st.sampled_from([10, 100, 500, 500, 500])),
        floor=draw(st.sampled_from([None, None, -200, -100, -1])),
        deck=draw(st.sampled_from(Deck)),
        first_dealer=draw(st.sampled_from(FirstDealer)),
        spade_lead=draw(st.sampled_from(SpadeLead)),
        blind_nil=blind_nil,
        blind_nil_deficit=draw(st.sampled_from([0, 0, 0, 1, 100])),
        blind_exchange=draw(st.sampled_from([0, 2, 2])) if behind else 0,
        min_team_bid=draw(st.sampled_from([0, 4])),
        bag_limit=draw(st.sampled_from([1, 3, 5, 10])),
        bag_penalty=draw(st.sampled_from([0, 50, 100])),
        nil_value=draw(st.sampled_from([0, 50, 100])),
        blind_nil_value=draw(st.sampled_from([0, 150, 200])),
        double_nil=draw(st.sampled_from(DoubleNil)),
        double_nil_value=draw(st.sampled_from([0, 200, 400])),
        max_hands=draw(st.sampled_from([1, max_hands, max_hands])),
        undo=draw(st.sampled_from(UndoRule)),
        next_hand_wait=draw(st.integers(0, 3600)),
    )


seeds = st.binary(min_size=32, max_size=32)
lines = st.integers(0, 2**32).map(Random)
peoples = st.sampled_from([None, frozenset[Seat](), frozenset({Seat.SOUTH}), frozenset(Seat)])
# A line of play follows from a seed, which cannot be made simpler: these do not try to.
unshrunk = (stage for stage in Stage if stage not in (Stage.shrink, Stage.explain))
walks = settings(max_examples=80, deadline=None, phases=tuple(unshrunk))
few = settings(walks, max_examples=25)
many = settings(max_examples=250, deadline=None)


def state_of(match: Match) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(match.state, name) for name in MatchState.__slots__}
    values["hands"] = tuple(match.state.hands)
    return values


def snapshot(match: Match) -> tuple[object, ...]:
    return state_of(match), len(match.log), match.people


# Cards, tricks and the deck.


@walks
@given(rules=some_rules(), seed=seeds, rng=lines)
def test_every_hand_plays_52_cards_once_each_in_13_tricks(
    rules: Rules, seed: bytes, rng: Random, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(seed))
    for _ in wander(match, rng):
        pass

    down: list[Card] = []
    tricks: list[int] = []
    dealt = 0
    for event in match.log:
        match event:
            case HandDealt(number=number, masks=masks):
                dealt += 1
                assert number == dealt
                known = [mask for mask in masks if mask is not None]
                assert [mask.bit_count() for mask in known] == [13] * 4
                assert sum(known) == 2**52 - 1
                down, tricks = [], []
            case CardPlayed(card=card):
                down.append(card)
            case PlayTakenBack(card=card):
                assert down.pop() is card
                if len(down) % 4 == 3:
                    tricks.pop()
            case TrickWon(number=number):
                tricks.append(number)
                assert len(down) == 4 * number
            case HandScored():
                assert Counter(down) == Counter(rules.deck.cards)
                assert tricks == list(range(1, 14))
                assert sum(event.taken) == 13
                assert [score.taken for score in event.scores] == [
                    event.taken[0] + event.taken[2],
                    event.taken[1] + event.taken[3],
                ]
            case _:
                pass


TRUMPS = {
    Deck.STANDARD: "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS",
    Deck.JOKERS: "3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2S LJ BJ",
    Deck.JOKERS_NYC: "3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 2S 2D LJ BJ",
}


@many
@given(data=st.data(), deck=st.sampled_from(Deck), leader=st.sampled_from(Seat))
def test_the_highest_trump_or_else_the_highest_card_of_the_suit_led_wins(
    data: st.DataObject, deck: Deck, leader: Seat
) -> None:
    cards = data.draw(st.permutations(deck.cards).map(lambda pack: pack[:4]))
    trumps = TRUMPS[deck].split()
    words = list(map(str, cards))
    strength = [
        100 + trumps.index(word)
        if word in trumps
        else "23456789TJQKA".index(word[0])
        if word[1] == words[0][1]
        else -1
        for word in words
    ]
    winner = Seat((leader + strength.index(max(strength))) % 4)

    assert winner_of(deck, leader, cards) is winner


def may(match: Match, seat: Seat, action: Action, book_legal: BookLegal) -> bool:
    """Whether rules.md allows an action now, said a second time."""
    state, rules = match.state, match.rules
    at_turn = match.turn is seat
    match action:
        case Look():
            return match.phase is Phase.BIDDING and seat in state.face_down
        case MakeBid(bid):
            if match.phase is not Phase.BIDDING or not at_turn:
                return False
            if bid.blind or seat in state.face_down:
                return bid == BLIND_NIL and seat in state.face_down
            partner = state.bids[seat.partner]
            enough = (
                partner is None
                or 0 in (partner.tricks, bid.tricks)
                or partner.tricks + bid.tricks >= rules.min_team_bid
            )
            return 0 <= bid.tricks <= 13 and enough
        case PassCards(cards):
            held = state.deck.unmask(state.hands[seat] or 0)
            right_count = len(cards) == len(set(cards)) == rules.blind_exchange
            return match.phase is Phase.PASSING and at_turn and right_count and {*cards} <= {*held}
        case Play(card):
            return match.phase is Phase.PLAYING and at_turn and card in book_legal(match)
        case Undo():
            allowed = rules.undo is UndoRule.ON or (
                rules.undo is UndoRule.SOLO and match.people in (None, {seat})
            )
            return match.phase is Phase.PLAYING and allowed and state.last_played is seat
        case Surrender():
            return match.phase is not Phase.MATCH_OVER and seat not in state.proposed
        case NextHand():
            return match.phase is Phase.HAND_OVER and seat not in state.asked


@few
@given(rules=some_rules(max_hands=1), seed=seeds, rng=lines, people=peoples)
def test_what_the_rules_do_not_allow_is_refused_and_changes_nothing(
    rules: Rules,
    seed: bytes,
    rng: Random,
    people: frozenset[Seat] | None,
    choose: Choose,
    book_legal: BookLegal,
    any_action: AnyAction,
) -> None:
    match = Match(rules, SeededDeals(seed), people=people)
    actions = any_action(match)
    while match.phase is not Phase.MATCH_OVER:
        before = snapshot(match)
        held = match.rules.deck.cards[:3]
        passes = [PassCards(cards) for count in (0, 1, 2, 3) for cards in combinations(held, count)]
        tried: list[Action] = [*actions, *passes, PassCards((held[0], held[0]))]
        for seat in Seat:
            own_turn = match.turn is seat
            for action in tried if own_turn else rng.sample(tried, 12):
                if not may(match, seat, action, book_legal):
                    with pytest.raises(SpadesError):
                        match.act(seat, action)
        assert snapshot(match) == before

        chosen = choose(match, rng)
        if chosen is None:
            match.deal_next()
        else:
            assert may(match, *chosen, book_legal)
            match.act(*chosen)
            assert snapshot(match) != before


@walks
@given(rules=some_rules(), seed=seeds, rng=lines)
def test_the_legal_actions_are_those_of_the_book_and_each_is_accepted(
    rules: Rules, seed: bytes, rng: Random, wander: Wander, book_legal: BookLegal
) -> None:
    match = Match(rules, SeededDeals(seed))
    for _ in wander(match, rng):
        for seat in Seat:
            legal = match.legal(seat)
            assert len(legal) == len(set(legal))
            assert all(may(match, seat, action, book_legal) for action in legal)
            if match.turn is not seat:
                assert set(legal) <= {Look()}
            elif match.phase is Phase.PLAYING:
                assert set(legal) == set(map(Play, book_legal(match)))
                assert view(match, seat).legal_plays == tuple(
                    action.card for action in legal if isinstance(action, Play)
                )
            elif match.phase is Phase.PASSING:
                assert len(legal) == len(list(combinations(range(len(view(match, seat).hand)), 2)))
            else:
                bids = [Bid(tricks) for tricks in range(14)] + [BLIND_NIL]
                expected = {
                    MakeBid(bid) for bid in bids if may(match, seat, MakeBid(bid), book_legal)
                }
                assert set(legal) - {Look()} == expected


# Scores.


def expected_score(
    rules: Rules, bids: tuple[Bid, Bid], taken: tuple[int, int], bags: int
) -> tuple[int, int]:
    """Change and bags after, by rules.md 4, written without looking at the engine."""
    contract = sum(bid.tricks for bid in bids)
    for_contract = sum(n for bid, n in zip(bids, taken, strict=True) if bid.tricks)
    points = 0
    if contract and for_contract >= contract:
        points += 10 * contract + for_contract - contract
        bags += for_contract - contract
    elif contract:
        points -= 10 * contract
    for bid, tricks in zip(bids, taken, strict=True):
        if bid.tricks == 0:
            value = rules.blind_nil_value if bid.blind else rules.nil_value
            points += value if tricks == 0 else tricks - value
            bags += tricks
    if rules.double_nil is DoubleNil.BONUS and bids == (Bid(0), Bid(0)) and taken == (0, 0):
        points = rules.double_nil_value
    if rules.bag_penalty:
        while bags >= rules.bag_limit:
            bags -= rules.bag_limit
            points -= rules.bag_penalty
    return points, bags


all_bids = st.sampled_from([*BIDS, BLIND_NIL, BIDS[0]])
a_hand = st.tuples(all_bids, all_bids, st.integers(0, 13), st.integers(0, 13)).filter(
    lambda hand: hand[2] + hand[3] <= 13
)


@many
@given(rules=some_rules(), hand=a_hand, bags=st.integers(0, 30), total=st.integers(-300, 600))
def test_every_side_scores_as_a_second_scorer_says_and_its_parts_add_up(
    rules: Rules, hand: tuple[Bid, Bid, int, int], bags: int, total: int
) -> None:
    mine, partners, tricks, others = hand
    bids = ((Seat.WEST, mine), (Seat.EAST, partners))
    before = Standing(total, bags)

    score = score_side(rules, bids, (tricks, others), before)

    change, after = expected_score(rules, (mine, partners), (tricks, others), bags)
    assert (score.change, score.after) == (change, Standing(total + change, after))
    assert sum(part.points for part in score.parts) == score.change
    assert score.before == before
    assert score.contract == mine.tricks + partners.tricks
    assert score.taken == tricks + others


@many
@given(rules=some_rules(), hand=a_hand, bags=st.integers(0, 30))
def test_swapping_the_partners_changes_no_score(
    rules: Rules, hand: tuple[Bid, Bid, int, int], bags: int
) -> None:
    mine, partners, tricks, others = hand
    before = Standing(0, bags)
    one = score_side(rules, ((Seat.SOUTH, mine), (Seat.NORTH, partners)), (tricks, others), before)
    two = score_side(rules, ((Seat.SOUTH, partners), (Seat.NORTH, mine)), (others, tricks), before)

    assert (one.change, one.after, one.bags) == (two.change, two.after, two.bags)
    assert one.double_nil is two.double_nil
    assert Counter((part.part, part.points) for part in one.parts) == Counter(
        (part.part, part.points) for part in two.parts
    )


@many
@given(
    rules=some_rules(),
    hands=st.tuples(a_hand, a_hand),
    totals=st.tuples(st.integers(-300, 600), st.integers(-300, 600)),
    number=st.integers(1, 3),
)
def test_swapping_the_sides_mirrors_the_scores_and_the_outcome(
    rules: Rules,
    hands: tuple[tuple[Bid, Bid, int, int], tuple[Bid, Bid, int, int]],
    totals: tuple[int, int],
    number: int,
) -> None:
    def scored(side: Side, which: int) -> tuple[int, tuple[tuple[Part, int], ...]]:
        score = at(side, which)
        return score.change, tuple((part.part, part.points) for part in score.parts)

    def at(side: Side, which: int) -> SideScore:
        mine, partners, tricks, others = hands[which]
        first, second = side.seats
        bids = ((first, mine), (second, partners))
        return score_side(rules, bids, (tricks, others), Standing(totals[which], 0))

    for which in (0, 1):
        assert scored(Side.SOUTH_NORTH, which) == scored(Side.WEST_EAST, which)
    straight = outcome_after(rules, number, (at(Side.SOUTH_NORTH, 0), at(Side.WEST_EAST, 1)))
    mirrored = outcome_after(rules, number, (at(Side.SOUTH_NORTH, 1), at(Side.WEST_EAST, 0)))
    if straight is None or mirrored is None:
        assert straight is mirrored
    else:
        assert straight.reason is mirrored.reason
        assert straight.totals == mirrored.totals[::-1]
        if straight.winner is None:
            assert mirrored.winner is None
        else:
            assert mirrored.winner is straight.winner.other


@walks
@given(rules=some_rules(), seed=seeds, rng=lines)
def test_the_totals_of_a_match_are_the_sums_of_its_hands(
    rules: Rules, seed: bytes, rng: Random, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(seed))
    for _ in wander(match, rng):
        totals = [sum(hand.scores[side].change for hand in match.sheet) for side in Side]
        assert totals == [standing.total for standing in match.standings]
        for hand in match.sheet:
            for side in Side:
                first, second = side.seats
                bids = (hand.bids[first], hand.bids[second])
                taken = (hand.taken[first], hand.taken[second])
                score = hand.scores[side]
                expected = expected_score(rules, bids, taken, score.before.bags)
                assert (score.change, score.after.bags) == expected
    assert match.outcome is not None
    assert match.outcome.totals == (match.standings[0].total, match.standings[1].total)


# Replays, undo and folds.


@walks
@given(rules=some_rules(), seed=seeds, rng=lines, former=st.none() | st.sampled_from(Seat))
def test_the_same_rules_deals_and_actions_give_the_same_game(
    rules: Rules, seed: bytes, rng: Random, former: Seat | None, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(seed), former_first_dealer=former)
    for _ in wander(match, rng):
        pass

    again = replay(rules, SeededDeals(seed), actions_of(match.log), former_first_dealer=former)

    assert list(game_events(again.log)) == list(game_events(match.log))
    assert again.outcome == match.outcome


@walks
@given(rules=some_rules(), seed=seeds, rng=lines)
def test_an_undo_restores_everything_but_the_decision_number_and_the_right_to_undo(
    rules: Rules, seed: bytes, rng: Random, choose: Choose
) -> None:
    match = Match(rules, SeededDeals(seed))
    undo = {"turn_number", "last_played"}
    while match.phase is not Phase.MATCH_OVER:
        before = state_of(match)
        number = match.state.turn_number
        chosen = choose(match, rng)
        if chosen is None:
            match.deal_next()
            continue
        match.act(*chosen)
        seat, action = chosen
        if not isinstance(action, Play) or match.phase is not Phase.PLAYING:
            continue
        if rules.undo is UndoRule.OFF:
            with pytest.raises(SpadesError):
                match.undo(seat)
            continue
        (event,) = match.undo(seat)
        after = state_of(match)
        assert event == PlayTakenBack(seat, action.card)
        assert {name: value for name, value in after.items() if name not in undo} == {
            name: value for name, value in before.items() if name not in undo
        }
        assert match.state.turn_number == number + 2
        assert match.state.last_played is None
        match.play(seat, action.card)


@walks
@given(rules=some_rules(), seed=seeds, rng=lines, opens=st.booleans())
def test_each_viewer_learns_from_its_events_exactly_what_its_view_shows(
    rules: Rules, seed: bytes, rng: Random, opens: bool, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(seed), opens=opens)
    started = match.log[0]
    assert isinstance(started, MatchStarted)
    folds = {viewer: MatchState(started) for viewer in VIEWERS}

    def check(events: list[Event]) -> None:
        for viewer, state in folds.items():
            for event in events:
                state.apply(redact(event, viewer))
            if viewer is None:
                assert TableView(state) == view(match, None)
            else:
                seen = view(match, viewer)
                folded = SeatView(state, viewer)
                assert folded == seen
                assert hash(folded) == hash(seen)
                assert folded.hand == seen.hand
                assert folded.legal_plays == seen.legal_plays
                assert folded.legal_bids == seen.legal_bids
                assert (folded.decision, folded.may_look, folded.pass_count) == (
                    seen.decision,
                    seen.may_look,
                    seen.pass_count,
                )
            assert state.standings == match.standings
            assert state.sheet == match.sheet
            assert state.outcome == match.outcome
            assert (state.asked, state.proposed) == (match.state.asked, match.state.proposed)

    check(match.log[1:])
    for before in wander(match, rng):
        check(match.log[before:])
    assert isinstance(match.log[-1], MatchEnded)


@few
@given(rules=some_rules(), seed=seeds, rng=lines, opens=st.booleans())
def test_redacting_twice_is_redacting_once_and_only_marked_events_differ(
    rules: Rules, seed: bytes, rng: Random, opens: bool, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(seed), opens=opens)
    for _ in wander(match, rng):
        pass
    for event in match.log:
        for viewer in VIEWERS:
            seen = redact(event, viewer)
            assert type(seen) is type(event)
            assert redact(seen, viewer) == seen
            if not has_secret(event):
                assert seen is event


@few
@given(rules=some_rules(), seed=seeds, rng=lines)
def test_decisions_are_numbered_upwards_within_a_hand(
    rules: Rules, seed: bytes, rng: Random, wander: Wander
) -> None:
    match = Match(rules, SeededDeals(seed))
    last = (1, match.state.turn_number)
    for before in wander(match, rng):
        now = (match.hand_number, match.state.turn_number)
        assert now >= last
        decided = any(isinstance(event, CardPlayed | PlayTakenBack) for event in match.log[before:])
        if decided:
            assert now > last
        last = now


# Notation.


@many
@given(deck=st.sampled_from(Deck), seed=seeds, dealer=st.sampled_from(Seat), data=st.data())
def test_a_deal_of_any_deck_is_read_as_it_was_written(
    deck: Deck, seed: bytes, dealer: Seat, data: st.DataObject
) -> None:
    deal = SeededDeals(seed).deal(data.draw(st.integers(1, 99)), deck, dealer)

    text = format_deal(deal)

    assert parse_deal(text, deck) == deal
    assert text.isascii()
    first, hands = text.split(":")
    rotated = hands.split()
    turn = data.draw(st.integers(0, 3))
    seat = Seat((parse_seat(first) + turn) % 4)
    other = f" {seat.letter.lower()}:" + " ".join(rotated[turn:] + rotated[:turn]).lower()
    assert parse_deal(other, deck) == deal


@pytest.mark.parametrize("card", CARDS, ids=str)
def test_a_card_is_read_as_it_was_written(card: Card) -> None:
    assert parse_card(str(card)) is card
    assert parse_card(str(card).lower()) is card
    assert eval(repr(card), {"Card": Card}) is card


@many
@given(cards=st.lists(st.sampled_from(CARDS)).map(tuple))
def test_cards_are_read_as_they_were_written(cards: tuple[Card, ...]) -> None:
    assert parse_cards(format_cards(cards)) == cards


@pytest.mark.parametrize("bid", [*BIDS, BLIND_NIL], ids=str)
def test_a_bid_is_read_as_it_was_written(bid: Bid) -> None:
    assert parse_bid(str(bid)) == bid
    assert eval(repr(bid), {"Bid": Bid}) == bid


actions = st.one_of(
    st.sampled_from([Look(), Undo(), Surrender(), NextHand()]),
    st.sampled_from([*BIDS, BLIND_NIL]).map(MakeBid),
    st.sampled_from(CARDS).map(Play),
    st.lists(st.sampled_from(CARDS), min_size=2, max_size=2).map(tuple).map(PassCards),
)


@many
@given(action=actions)
def test_an_action_is_read_as_it_was_written(action: Action) -> None:
    assert parse_action(format_action(action)) == action


@many
@given(rules=some_rules() | st.sampled_from(sorted(PRESETS)).map(PRESETS.__getitem__))
def test_rules_are_read_as_they_were_written(rules: Rules) -> None:
    assert parse_rules(format_rules(rules)) == rules


@pytest.mark.parametrize("seat", Seat, ids=str)
def test_a_seat_is_read_as_it_was_written(seat: Seat) -> None:
    assert (
        parse_seat(str(seat)) is parse_seat(seat.letter) is parse_seat(f" {seat} ".lower()) is seat
    )


@many
@given(seed=seeds)
def test_a_seed_is_read_as_it_was_written(seed: bytes) -> None:
    assert parse_seed(seed.hex()) == parse_seed(f" {seed.hex().upper()} ") == seed


@many
@given(text=st.text(max_size=80))
def test_any_word_is_a_seed_of_32_bytes(text: str) -> None:
    if text.strip():
        assert len(parse_seed(text)) == 32
    else:
        with pytest.raises(SpadesError):
            parse_seed(text)


@many
@given(text=st.text(alphabet="0123456789abcdef ", min_size=64, max_size=64))
def test_sixty_four_characters_are_a_seed_too_when_some_are_spaces(text: str) -> None:
    if text.strip():
        assert len(parse_seed(text)) == 32


@many
@given(text=st.text(max_size=30), deck=st.sampled_from(Deck))
def test_text_that_is_no_notation_is_refused_as_such(text: str, deck: Deck) -> None:
    for parse in (parse_card, parse_bid, parse_action, parse_seat, parse_rules):
        try:
            parse(text)
        except SpadesError as error:
            assert error.sentence  # noqa: PT017
    with pytest.raises(SpadesError):
        parse_deal("S:" + text, deck)


def test_a_deal_is_one_deck_in_four_hands() -> None:
    suit = 2**13 - 1
    whole = Deal(Deck.JOKERS, (suit, suit << 13, suit << 26, suit << 39))
    assert parse_deal(format_deal(whole), Deck.JOKERS) == whole
