"""Nobody learns what is not theirs: every card in every event and view, and what cards must not change.

The second half is the table "Who may read what, when" of the design, row by row, as far as the rules
can show it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from random import Random

import pytest
from hypothesis import Phase as Stage
from hypothesis import given, settings
from hypothesis import strategies as st

from spades import (
    BLIND_NIL,
    Action,
    Bid,
    BlindNil,
    Card,
    CardsPassed,
    Deal,
    Deck,
    Event,
    ExplicitDeals,
    HandDealt,
    HandScored,
    HandShown,
    Match,
    MatchEnded,
    MatchStarted,
    Phase,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    SpadeLead,
    SpadesError,
    Suit,
    TableView,
    UndoRule,
    agent_secret,
    parse_seed,
    redact,
    rng_key,
    view,
)
from tests.knowledge import seen_by

Choose = Callable[[Match, Random], tuple[Seat, Action] | None]
Wander = Callable[[Match, Random], Iterator[int]]

S, W, N, E = Seat
VIEWERS: tuple[Seat | None, ...] = (*Seat, None)
SEED = parse_seed("secrecy")
OPEN = Rules(max_hands=2, floor=None, undo=UndoRule.ON)
BLIND = replace(OPEN, blind_nil=BlindNil.BEHIND, blind_nil_deficit=0, blind_exchange=2)

seeds = st.binary(min_size=32, max_size=32)
lines = st.integers(0, 2**32)
some_rules = st.builds(
    replace,
    st.sampled_from([OPEN, BLIND, BLIND]),
    deck=st.sampled_from(Deck),
    spade_lead=st.sampled_from(SpadeLead),
)
# A line of play follows from a seed, which cannot be made simpler.
unshrunk = tuple(stage for stage in Stage if stage not in (Stage.shrink, Stage.explain))
walks = settings(max_examples=60, deadline=None, phases=unshrunk)


# Every card anywhere


def cards_in(value: object, deck: Deck) -> Iterator[Card]:
    """Decodes every card and every mask of cards, however deep it lies in a value."""
    match value:
        case Card():
            yield value
        case Enum() | str() | bytes() | None:
            pass
        case int():
            # The spades of the deck are no secret; any other number of this size would be cards.
            spades = deck.suit_masks[Suit.SPADES]
            assert value < 2**20 or value == spades, "a mask lies where none should"
        case tuple() | list() | frozenset() | set():
            for item in value:  # pyright: ignore[reportUnknownVariableType]
                yield from cards_in(item, deck)  # pyright: ignore[reportUnknownArgumentType]
        case _:
            for name in names_in(value):
                if name == "rng_seed":
                    continue
                inner = getattr(value, name)
                masks = name in ("mask", "masks", "_hand")
                yield from masked(inner, deck) if masks else cards_in(inner, deck)


def names_in(value: object) -> Iterator[str]:
    """Every field of an event; every slot and every property of a view, its private ones too."""
    if is_dataclass(value):
        yield from (field.name for field in fields(value))
        return
    assert isinstance(value, TableView), f"unknown kind of value: {value!r}"
    for kind in type(value).__mro__:
        slots: tuple[str, ...] = getattr(kind, "__slots__", ())
        yield from slots
        yield from (name for name, member in vars(kind).items() if isinstance(member, property))


def masked(value: object, deck: Deck) -> Iterator[Card]:
    if isinstance(value, int):
        yield from deck.unmask(value)
    elif isinstance(value, tuple):
        for mask in value:  # pyright: ignore[reportUnknownVariableType]
            yield from masked(mask, deck)  # pyright: ignore[reportUnknownArgumentType]
    else:
        assert value is None


def known_to(log: list[Event], viewer: Seat | None) -> set[Card]:
    """The cards of the last hand that a viewer may know: all, once an end has opened them."""
    opened = False
    for event in log:
        match event:
            case HandDealt():
                opened = False
            case HandScored(deal=None) | MatchEnded(opening=None):
                pass
            case HandScored() | MatchEnded():
                opened = True
            case _:
                pass
    if opened:
        return set(Deck.STANDARD) | set(Deck.JOKERS) | set(Deck.JOKERS_NYC)
    return seen_by(log, viewer)


def test_the_search_for_cards_finds_them() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    hand = set(view(match, S).hand)
    assert set(cards_in(match.log[1], Deck.STANDARD)) == set(Deck.STANDARD)
    assert set(cards_in(redact(match.log[1], S), Deck.STANDARD)) == hand
    assert set(cards_in(view(match, S), Deck.STANDARD)) == hand
    assert len(list(cards_in(view(match, S), Deck.STANDARD))) > 13
    assert not set(cards_in(view(match, None), Deck.STANDARD))


def check_every_card(match: Match, rng: Random, wander: Wander) -> None:
    deck = match.rules.deck

    def check(events: list[Event]) -> None:
        for viewer in VIEWERS:
            known = known_to(match.log, viewer)
            for event in events:
                assert set(cards_in(redact(event, viewer), deck)) <= known
            assert set(cards_in(view(match, viewer), deck)) <= known

    check(match.log[:])
    for before in wander(match, rng):
        check(match.log[before:])


@pytest.mark.parametrize("number", range(50))
def test_s03_over_fifty_hands_a_seat_sees_its_own_cards_and_those_played(
    number: int, wander: Wander
) -> None:
    deals = SeededDeals(parse_seed(f"s03 {number}"))
    check_every_card(Match(replace(OPEN, max_hands=1), deals), Random(number), wander)


@settings(walks, max_examples=16)
@given(rules=some_rules, seed=seeds, line=lines)
def test_no_event_and_no_view_holds_a_card_that_its_viewer_may_not_know(
    rules: Rules, seed: bytes, line: int, wander: Wander
) -> None:
    check_every_card(Match(rules, SeededDeals(seed)), Random(line), wander)


@settings(walks, max_examples=24)
@given(rules=some_rules, seed=seeds, line=lines)
def test_where_other_tables_play_the_deals_only_what_was_played_or_passed_to_it_reaches_a_viewer(
    rules: Rules, seed: bytes, line: int, wander: Wander
) -> None:
    """At the end of a hand and of the match as well (rules.md 5.4)."""
    match = Match(rules, SeededDeals(seed), opens=False)
    check_every_card(match, Random(line), wander)
    assert match.phase is Phase.MATCH_OVER
    assert len(known_to(match.log, None)) <= 52, "nothing has opened the whole deck"
    assert all(scored.deal is None and scored.passes == () for scored in match.sheet)


@walks
@given(seed=seeds, line=lines)
def test_what_the_legal_list_of_another_seat_holds_follows_from_no_cards(
    seed: bytes, line: int, wander: Wander
) -> None:
    match = Match(OPEN, SeededDeals(seed))
    for _ in wander(match, Random(line)):
        for seat in Seat:
            if match.turn is not seat:
                assert match.legal(seat) == ()
                assert view(match, seat).legal_plays == ()
                assert view(match, seat).decision is None


# What a viewer sees may not depend on what it may not know


Step = tuple[Seat, Action] | None


def hidden_from(match: Match, viewer: Seat | None) -> dict[Seat, list[Card]]:
    """The cards of each seat that the viewer knows nothing of and that have not been moved."""
    known = known_to(match.log, viewer)
    for event in match.log:
        if isinstance(event, CardsPassed):
            known |= set(event.cards or ())
    deck = match.rules.deck
    return {
        seat: [card for card in deck.unmask(match.state.hands[seat] or 0) if card not in known]
        for seat in Seat
    }


def exchanged(deal: Deal, hidden: dict[Seat, list[Card]], rng: Random) -> Deal:
    """Deals hidden cards anew among the seats that hold them, as many of each suit to each seat."""
    deck = deal.deck
    masks = list(deal.masks)
    by_suit: dict[int, list[tuple[Seat, Card]]] = {}
    for seat, cards in hidden.items():
        for card in cards:
            by_suit.setdefault(deck.suit_of(card), []).append((seat, card))
    for holders in by_suit.values():
        cards = [card for _, card in holders]
        rng.shuffle(cards)
        for (seat, old), new in zip(holders, cards, strict=True):
            masks[seat] += deck.bits[new] - deck.bits[old]
    return Deal(deck, (masks[0], masks[1], masks[2], masks[3]))


def seen_of(match: Match, viewer: Seat | None) -> list[object]:
    events = [redact(event, viewer) for event in match.log]
    started = events[0]
    assert isinstance(started, MatchStarted)
    events[0] = replace(started, commitment="")
    return [*events, view(match, viewer)]


def probe(match: Match, viewer: Seat) -> list[str]:
    """What the viewer is told for each card that it might try and that is refused."""
    told: list[str] = []
    for card in match.rules.deck:
        if match.turn is not viewer or card not in view(match, viewer).legal_plays:
            with pytest.raises(SpadesError) as error:
                match.play(viewer, card)
            told.append(f"{error.value.reason} {error.value}")
    return told


@settings(walks, max_examples=120)
@given(
    rules=some_rules, seed=seeds, line=lines, length=st.integers(0, 60),
    viewer=st.sampled_from(VIEWERS),
)  # fmt: skip
def test_hidden_cards_change_nothing_that_a_viewer_is_told(
    rules: Rules, seed: bytes, line: int, length: int, viewer: Seat | None, choose: Choose
) -> None:
    rules = replace(rules, max_hands=1)
    deal = SeededDeals(seed).deal(1, rules.deck, E)
    rng = Random(line)
    one = Match(rules, ExplicitDeals((deal,), b"salt"))
    steps: list[tuple[Seat, Action]] = []
    while len(steps) < length:
        chosen = choose(one, rng)
        assert chosen is not None
        one.act(*chosen)
        if one.phase in (Phase.HAND_OVER, Phase.MATCH_OVER):
            break
        steps.append(chosen)
    # The same line again, without a step that ended the hand.
    one = Match(rules, ExplicitDeals((deal,), b"salt"))
    for step in steps:
        one.act(*step)

    other = exchanged(deal, hidden_from(one, viewer), rng)
    two = Match(rules, ExplicitDeals((other,), b"salt"))
    assert seen_of(two, viewer)[:-1] == seen_of(one, viewer)[:2]
    for step in steps:
        two.act(*step)

    assert seen_of(two, viewer) == seen_of(one, viewer)
    if viewer is not None:
        assert probe(two, viewer) == probe(one, viewer)
        kinds = [[type(action) for action in match.legal(viewer)] for match in (one, two)]
        assert kinds[0] == kinds[1]


def test_the_deals_compared_really_differ() -> None:
    match = Match(BLIND, SeededDeals(SEED))
    deal = SeededDeals(SEED).deal(1, Deck.STANDARD, E)
    for viewer in VIEWERS:
        other = exchanged(deal, hidden_from(match, viewer), Random(1))
        assert [a != b for a, b in zip(deal.masks, other.masks, strict=True)] == [True] * 4
    match.look(S)
    other = exchanged(deal, hidden_from(match, S), Random(1))
    assert [a != b for a, b in zip(deal.masks, other.masks, strict=True)] == [
        False,
        True,
        True,
        True,
    ]


def test_an_agents_numbers_follow_from_its_secret_and_from_what_is_public() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    secret = agent_secret(SEED, S)
    key = rng_key(secret, match.state.commitment, S)
    seen = view(match, S, secret)
    assert seen.rng_seed == SeatView(match.state, S, key).rng_seed
    assert seen.rng().random() == seen.rng().random()
    assert seen.rng_seed != view(match, S, agent_secret(SEED, N)).rng_seed
    elsewhere = Match(OPEN, SeededDeals(bytes(32)))
    assert seen.rng_seed != view(elsewhere, S, secret).rng_seed


# Who may read what, when


def bid_all(match: Match, bids: str = "3 3 3 3") -> None:
    for word in bids.split():
        assert match.turn is not None
        if word != "blind" and match.turn in match.state.face_down:
            match.look(match.turn)
        match.bid(match.turn, BLIND_NIL if word == "blind" else Bid(int(word)))


def play_hand(match: Match) -> None:
    while match.phase in (Phase.PASSING, Phase.PLAYING):
        assert match.turn is not None
        match.act(match.turn, match.legal(match.turn)[0])


def hands_read(match: Match, viewer: Seat | None) -> dict[Seat, tuple[Card, ...] | None]:
    """The dealt hands that a viewer can read in all its events together."""
    read: dict[Seat, tuple[Card, ...] | None] = dict.fromkeys(Seat)
    for event in (redact(event, viewer) for event in match.log):
        match event:
            case HandDealt():
                read = {seat: event.hand(seat) for seat in Seat}
            case HandShown(seat, deck, mask) if mask is not None:
                read[seat] = deck.unmask(mask)
            case HandScored(deal=deal) if deal is not None:
                read = {seat: deal.hand(seat) for seat in Seat}
            case _:
                pass
    return read


def test_a_hand_is_the_seats_from_the_deal_and_everybodys_at_the_hands_end() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    deal = SeededDeals(SEED).deal(1, Deck.STANDARD, E)
    bid_all(match)
    for viewer in VIEWERS:
        read = hands_read(match, viewer)
        assert read == {seat: deal.hand(seat) if seat is viewer else None for seat in Seat}
    play_hand(match)
    for viewer in VIEWERS:
        assert hands_read(match, viewer) == {seat: deal.hand(seat) for seat in Seat}


def test_in_a_competition_a_hand_stays_the_seats_own_when_it_ends_and_when_the_match_does() -> None:
    match = Match(OPEN, SeededDeals(SEED), opens=False)
    for _ in range(2):
        bid_all(match)
        play_hand(match)
        dealt = {seat: hands_read(match, seat)[seat] for seat in Seat}
        assert None not in dealt.values()
        for viewer in VIEWERS:
            read = hands_read(match, viewer)
            assert read == {seat: dealt[seat] if seat is viewer else None for seat in Seat}
        if match.phase is Phase.HAND_OVER:
            match.deal_next()
    assert match.phase is Phase.MATCH_OVER


@pytest.mark.parametrize("how", ["look", "blind bid"])
def test_a_hand_that_may_be_bid_blind_is_the_seats_from_its_look_or_its_blind_bid(how: str) -> None:
    match = Match(BLIND, SeededDeals(SEED))
    assert hands_read(match, S) == dict.fromkeys(Seat)
    if how == "look":
        match.look(S)
    else:
        match.bid(S, BLIND_NIL)
    hand = SeededDeals(SEED).deal(1, Deck.STANDARD, E).hand(S)
    assert hands_read(match, S) == {**dict.fromkeys(Seat), S: hand}
    for viewer in (W, N, E, None):
        assert hands_read(match, viewer) == dict.fromkeys(Seat)


def test_legal_actions_and_decisions_are_the_seats_own_only() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    bid_all(match)
    while match.phase is Phase.PLAYING:
        for seat in Seat:
            seen = view(match, seat)
            assert (seen.decision is not None) is (match.turn is seat)
            assert bool(seen.legal_plays) is (match.turn is seat)
        spectator = view(match, None)
        for name in ("hand", "legal_plays", "legal_bids", "decision", "pass_count", "rng_seed"):
            assert not hasattr(spectator, name)
        assert match.turn is not None
        match.act(match.turn, match.legal(match.turn)[-1])


def pass_over(match: Match) -> None:
    bid_all(match, "blind 3 3 3")
    match.pass_cards(S, view(match, S).hand[:2])
    match.pass_cards(N, view(match, N).hand[:2])


def test_passed_cards_are_the_two_partners_and_everybodys_at_the_hands_end() -> None:
    match = Match(BLIND, SeededDeals(SEED))
    pass_over(match)
    passes = [event for event in match.log if isinstance(event, CardsPassed)]

    def read(viewer: Seat | None) -> list[bool]:
        in_events = [redact(event, viewer) for event in passes]
        in_view = list(view(match, viewer).passes)
        assert in_events == in_view
        return [isinstance(event, CardsPassed) and event.cards is not None for event in in_events]

    assert [read(viewer) for viewer in (S, N)] == [[True, True]] * 2
    assert [read(viewer) for viewer in (W, E, None)] == [[False, False]] * 3
    play_hand(match)
    for viewer in VIEWERS:
        assert view(match, viewer).passes == tuple(passes)
        scored = redact(match.sheet[0], viewer)
        assert isinstance(scored, HandScored)
        assert scored.passes == tuple(passes)


@pytest.mark.parametrize("end", ["hand", "surrender"])
def test_in_a_competition_passed_cards_stay_the_two_partners(end: str) -> None:
    match = Match(BLIND, SeededDeals(SEED), opens=False)
    pass_over(match)
    if end == "surrender":
        match.surrender(W)
        match.surrender(E)
    else:
        play_hand(match)
        assert match.sheet
    for viewer in VIEWERS:
        partner = viewer in (S, N)
        assert [one.cards is not None for one in view(match, viewer).passes] == [partner] * 2
        told = [redact(event, viewer) for event in match.log]
        passed = [event.cards for event in told if isinstance(event, CardsPassed)]
        assert [cards is not None for cards in passed] == [partner] * 2
        assert not any(scored.passes for scored in told if isinstance(scored, HandScored))


def test_the_deal_seed_is_everybodys_at_the_matchs_end_and_proves_the_deals() -> None:
    deals = SeededDeals(SEED)
    match = Match(OPEN, deals)
    for _ in range(2):
        bid_all(match)
        for viewer in VIEWERS:
            told = repr([redact(event, viewer) for event in match.log])
            assert repr(SEED) not in told
            assert SEED.hex() not in told
        play_hand(match)
        if match.phase is Phase.HAND_OVER:
            match.deal_next()
    assert match.phase is Phase.MATCH_OVER
    started = match.log[0]
    assert isinstance(started, MatchStarted)
    for viewer in VIEWERS:
        ended = redact(match.log[-1], viewer)
        assert isinstance(ended, MatchEnded)
        assert isinstance(ended.opening, SeededDeals)
        assert hashlib.sha256(ended.opening.seed).hexdigest() == started.commitment
        for hand in match.sheet:
            dealer = Seat((E + hand.number - 1) % 4)
            assert ended.opening.deal(hand.number, Deck.STANDARD, dealer) == hand.deal


def test_in_a_competition_the_seed_is_nobodys_at_the_matchs_end() -> None:
    match = Match(OPEN, SeededDeals(SEED), opens=False)
    bid_all(match)
    match.surrender(S)
    match.surrender(N)
    assert match.phase is Phase.MATCH_OVER
    for viewer in VIEWERS:
        told = repr([redact(event, viewer) for event in match.log])
        assert repr(SEED) not in told
        assert SEED.hex() not in told


def test_an_agents_secret_leaves_in_no_view_and_partners_share_no_numbers() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    secrets = [agent_secret(SEED, seat) for seat in Seat]
    assert len(set(secrets)) == 4
    assert SEED not in secrets
    commitments = (SeededDeals(SEED).commitment(), SeededDeals(bytes(32)).commitment())
    keys = {
        rng_key(secret, commitment, seat)
        for secret in secrets
        for commitment in commitments
        for seat in Seat
    }
    assert len(keys) == 4 * 2 * 4
    numbers = [view(match, seat, secrets[0]).rng_seed for seat in Seat]
    assert len(set(numbers)) == 4
    seen = view(match, S, secrets[S])
    values = [
        getattr(seen, name) for kind in SeatView.__mro__ for name in getattr(kind, "__slots__", ())
    ]
    assert secrets[S] not in values
    assert secrets[S].hex() not in repr(seen)
    for viewer in VIEWERS:
        told = repr([redact(event, viewer) for event in match.log])
        assert not any(repr(secret) in told or secret.hex() in told for secret in secrets)


def test_an_agents_numbers_are_new_for_every_decision_and_the_same_for_the_same_one() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    secret = agent_secret(SEED, S)
    first = view(match, S, secret).rng_seed
    assert view(match, S, secret).rng_seed == first
    bid_all(match)
    second = view(match, S, secret).rng_seed
    match.act(S, match.legal(S)[0])
    match.undo(S)
    third = view(match, S, secret).rng_seed
    play_hand(match)
    match.deal_next()
    fourth = view(match, S, secret).rng_seed
    assert len({first, second, third, fourth}) == 4


def test_that_a_seat_looked_is_everybodys_at_once() -> None:
    match = Match(BLIND, SeededDeals(SEED))
    for seat in (E, N, W):
        (shown,) = match.look(seat)
        for viewer in VIEWERS:
            assert seat not in view(match, viewer).face_down
            event = redact(shown, viewer)
            assert isinstance(event, HandShown)
            assert event.seat is seat
            assert (event.mask is not None) is (viewer is seat)
    assert view(match, None).face_down == {S}


def test_a_view_does_not_follow_the_match() -> None:
    match = Match(OPEN, SeededDeals(SEED))
    seen, again = view(match, S), view(match, S)
    bid_all(match)
    play_hand(match)
    assert seen == again
    assert seen.phase is Phase.BIDDING
    assert seen != view(match, S)
