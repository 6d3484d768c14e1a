"""What the tests of the rules share: hands drawn as text, hands that end as wanted, random matches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

import pytest

from spades import (
    BLIND_NIL,
    NIL,
    Action,
    Bid,
    Card,
    Deal,
    Deck,
    Look,
    MakeBid,
    Match,
    NextHand,
    Phase,
    Play,
    Seat,
    Suit,
    Surrender,
    Undo,
    UndoRule,
    parse_card,
    parse_seat,
)


def fill_deal(text: str, deck: Deck = Deck.STANDARD) -> Deal:
    """Deals the cards that a drawing gives to each seat, and the rest of the deck as it comes.

    Each line names a seat and some of its cards; ``-D`` keeps the seat void of diamonds.
    """
    hands: dict[Seat, set[Card]] = {seat: set() for seat in Seat}
    voids: dict[Seat, set[Suit]] = {seat: set() for seat in Seat}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, *words = line.split()
        seat = parse_seat(name)
        for word in words:
            if word.startswith("-"):
                voids[seat].add(next(suit for suit in Suit if suit.letter == word[1]))
            else:
                hands[seat].add(parse_card(word))
    given = set[Card]().union(*hands.values())
    assert sum(map(len, hands.values())) == len(given), "a card was drawn twice"
    rest = [card for card in deck if card not in given]
    for seat in sorted(Seat, key=lambda seat: -len(voids[seat])):
        for card in tuple(rest):
            if len(hands[seat]) < 13 and deck.suit_of(card) not in voids[seat]:
                hands[seat].add(card)
                rest.remove(card)
    assert not rest, "the drawing cannot be filled"
    south, west, north, east = (deck.mask(hands[seat]) for seat in Seat)
    return Deal(deck, (south, west, north, east))


def choose_action(match: Match, rng: Random) -> tuple[Seat, Action] | None:
    """Chooses something that the rules allow at random; ``None`` stands for the next deal."""
    state = match.state
    roll = rng.random()
    may_propose = [seat for seat in Seat if seat not in state.proposed]
    # A surrender is likeliest where it is hardest: after the deal, in an exchange, between hands.
    rare = match.phase is Phase.PLAYING or (match.phase is Phase.BIDDING and any(state.bids))
    if may_propose and roll < (0.002 if rare else 0.06 * (1 + 4 * len(state.proposed))):
        return rng.choice(may_propose), Surrender()
    if match.phase is Phase.HAND_OVER:
        waiting = [seat for seat in Seat if seat not in state.asked]
        if waiting and roll < 0.8:
            return rng.choice(waiting), NextHand()
        return None
    if state.face_down and roll < 0.15:
        return rng.choice(sorted(state.face_down)), Look()
    last = state.last_played
    solo = match.people is None or (last is not None and match.people == frozenset({last}))
    undo = match.rules.undo
    if (
        last is not None
        and roll > 0.9
        and (undo is UndoRule.ON or (undo is UndoRule.SOLO and solo))
    ):
        return last, Undo()
    seat = match.turn
    assert seat is not None
    actions = match.legal(seat)
    nils = [action for action in actions if action in (MakeBid(NIL), MakeBid(BLIND_NIL))]
    if nils and rng.random() < 0.3:
        return seat, nils[0]
    if match.phase is Phase.BIDDING and rng.random() < 0.8:
        actions = actions[:6]  # Matches that do not end with the first hand.
    return seat, rng.choice(actions)


def wander_on(match: Match, rng: Random) -> Iterator[int]:
    """Plays a match at random to its end; yields, after each step, how long the log was before."""
    while match.phase is not Phase.MATCH_OVER:
        before = len(match.log)
        chosen = choose_action(match, rng)
        if chosen is None:
            match.deal_next()
        else:
            match.act(*chosen)
        yield before


def legal_by_the_book(match: Match) -> set[Card]:
    """The cards that the seat to play may play, read from rules.md 3.2 and 3.4 card by card."""
    state = match.state
    assert match.turn is not None
    mask = state.hands[match.turn]
    assert mask is not None
    hand = [card for card, bit in state.deck.bits.items() if mask & bit]

    def is_spade(card: Card) -> bool:
        return str(card) in ("BJ", "LJ") or str(card).endswith("S") or is_nyc_deuce(card)

    def is_nyc_deuce(card: Card) -> bool:
        return str(card) == "2D" and match.rules.deck is Deck.JOKERS_NYC

    def suit(card: Card) -> str:
        return "S" if is_spade(card) else str(card)[-1]

    if state.trick:
        following = {card for card in hand if suit(card) == suit(state.trick[0])}
        return following or set(hand)
    down = [card for trick in state.tricks for card in trick.cards]
    if match.rules.spade_lead.value == "any" or any(map(is_spade, down)):
        return set(hand)
    return {card for card in hand if not is_spade(card)} or set(hand)


@pytest.fixture(scope="session")
def fill() -> Callable[[str, Deck], Deal]:
    return fill_deal


@pytest.fixture(scope="session")
def choose() -> Callable[[Match, Random], tuple[Seat, Action] | None]:
    return choose_action


@pytest.fixture(scope="session")
def wander() -> Callable[[Match, Random], Iterator[int]]:
    return wander_on


@pytest.fixture(scope="session")
def book_legal() -> Callable[[Match], set[Card]]:
    return legal_by_the_book


@pytest.fixture(scope="session")
def any_action() -> Callable[[Match], list[Action]]:
    """Every action that could be written down, for trying what is not legal."""

    def actions(match: Match) -> list[Action]:
        cards = [*match.rules.deck, Card("2C"), Card("BJ"), Card("2D")]
        bids = [Bid(tricks) for tricks in (-1, *range(15), 99)] + [BLIND_NIL, Bid(3, blind=True)]
        return [Look(), Undo(), Surrender(), NextHand(), *map(Play, cards), *map(MakeBid, bids)]

    return actions
