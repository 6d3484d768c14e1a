"""What is read and what is refused; that pairs round-trip is among the laws."""

from __future__ import annotations

import copy
import pickle

import pytest

from spades import (
    BLIND_NIL,
    CARDS,
    NIL,
    PRESETS,
    Bid,
    BlindNil,
    Card,
    Deck,
    NotationError,
    OptionError,
    Reason,
    Rules,
    Seat,
    SpadesError,
    format_action,
    format_cards,
    format_deal,
    format_option,
    format_rules,
    option_names,
    parse_action,
    parse_bid,
    parse_card,
    parse_cards,
    parse_deal,
    parse_rules,
    parse_seat,
    with_option,
)

DEAL = "S:.AJ952.KJT.KJT76 KQ73.K74.A85.A84 AJT652.Q86.96.Q9 984.T3.Q7432.532"


def test_there_are_54_cards_and_each_exists_once() -> None:
    assert len(CARDS) == len(set(map(str, CARDS))) == 54
    for index, card in enumerate(CARDS):
        assert card.index == index
        assert Card(str(card)) is card
        assert pickle.loads(pickle.dumps(card)) is card
        assert copy.deepcopy(card) is copy.copy(card) is card


@pytest.mark.parametrize(
    ("text", "card"),
    [("as", "AS"), (" TD ", "TD"), ("10d", "TD"), ("10H", "TH"), ("bj", "BJ"), ("Lj", "LJ")],
)
def test_a_card_may_be_written_in_several_ways(text: str, card: str) -> None:
    assert str(parse_card(text)) == card


@pytest.mark.parametrize(
    "text", ["", "A", "SA", "1S", "11S", "AX", "10", "J", "BJJ", "A S", "A♠", "ASD", "0D", "100D"]
)
def test_what_is_no_card_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(
        NotationError, match="is not a card: write the rank, then the suit"
    ) as error:
        parse_card(text)
    assert error.value.reason is Reason.INVALID_NOTATION
    assert repr(text) in str(error.value)


def test_cards_are_parted_by_spaces_or_commas() -> None:
    assert format_cards(parse_cards("AS, td  2c,BJ")) == "AS TD 2C BJ"
    assert parse_cards("") == ()


@pytest.mark.parametrize(
    ("card", "name"),
    [
        ("TD", "ten of diamonds"),
        ("AS", "ace of spades"),
        ("BJ", "big joker"),
        ("LJ", "little joker"),
    ],
)
def test_a_card_can_be_said_in_words(card: str, name: str) -> None:
    assert Card(card).name == name


@pytest.mark.parametrize(
    ("text", "bid"),
    [
        ("nil", NIL),
        ("NIL", NIL),
        ("0", NIL),
        ("blind nil", BLIND_NIL),
        ("Blind  Nil", BLIND_NIL),
        ("blind_nil", BLIND_NIL),
        (" 13 ", Bid(13)),
    ],
)
def test_a_bid_may_be_written_in_several_ways(text: str, bid: Bid) -> None:
    assert parse_bid(text) == bid


@pytest.mark.parametrize("text", ["", "14", "-1", "99", "4.0", "four", "½", "٣", "nan", "9" * 5000])
def test_what_is_no_bid_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(NotationError, match="is not a bid: nil, blind nil and 0 to 13 are"):
        parse_bid(text)


@pytest.mark.parametrize("text", ["", "X", "Nord", "SN", "0"])
def test_what_is_no_seat_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(NotationError, match="is not a seat: South, West, North and East are"):
        parse_seat(text)


@pytest.mark.parametrize("first", Seat, ids=str)
def test_a_deal_may_begin_with_any_seat(first: Seat) -> None:
    deal = parse_deal(DEAL)
    hands = DEAL.removeprefix("S:").split()
    text = f"{first.letter}:" + " ".join(hands[first:] + hands[:first])
    assert parse_deal(text) == deal
    assert format_deal(parse_deal(text)) == DEAL


def test_jokers_stand_at_the_head_of_the_spades_and_the_2d_of_nyc_in_the_diamonds() -> None:
    text = "S:5.AQ853.AQJ.KQ98 LJ74.T74.296.T63 B2AT963.J9.T7.AJ KQ8.K6.K8543.754"
    deal = parse_deal(text, Deck.JOKERS_NYC)
    assert format_deal(deal) == text
    assert Card("2D") in deal.hand(Seat.WEST)
    assert Card("LJ") in deal.hand(Seat.WEST)
    assert {Card("BJ"), Card("2S")} < set(deal.hand(Seat.NORTH))


@pytest.mark.parametrize(
    ("text", "deck", "why"),
    [
        ("", Deck.STANDARD, "is not a deal"),
        (DEAL[2:], Deck.STANDARD, "is not a deal"),
        ("S:" + DEAL[2:].rsplit(" ", 1)[0], Deck.STANDARD, "is not a deal"),
        ("X" + DEAL[1:], Deck.STANDARD, "is not a seat"),
        (DEAL.replace("984.", "98."), Deck.STANDARD, "East has 12 cards and 13 are dealt"),
        (DEAL.replace("984.", "983."), Deck.STANDARD, "3S was dealt twice"),
        (DEAL.replace("984.", "988."), Deck.STANDARD, "8S was dealt twice"),
        (DEAL.replace("984.", "98B."), Deck.STANDARD, "BJ does not belong to the spades"),
        (DEAL.replace("984.", "98X."), Deck.STANDARD, "'XS' is not a card"),
        (DEAL.replace("984.T3.", "984T3."), Deck.STANDARD, "three dots"),
        (DEAL.replace("AJ952.", "AB952."), Deck.JOKERS, "BJ does not belong to the hearts"),
        (DEAL.replace("AJ952.", "AJ95."), Deck.JOKERS, "South has 12 cards"),
        (DEAL, Deck.JOKERS, "2H does not belong to the hearts of the deck jokers"),
    ],
)
def test_what_is_no_deal_is_refused_and_says_what_is_wrong(text: str, deck: Deck, why: str) -> None:
    with pytest.raises(NotationError, match=why):
        parse_deal(text, deck)


@pytest.mark.parametrize(
    ("text", "again"),
    [
        ("Bid NIL", "bid nil"),
        ("bid blind nil", "bid blind nil"),
        ("PLAY 10d", "play TD"),
        ("pass 2c, 3d", "pass 2C 3D"),
        (" undo ", "undo"),
        ("look", "look"),
        ("surrender", "surrender"),
        ("next", "next"),
    ],
)
def test_an_action_may_be_written_in_several_ways(text: str, again: str) -> None:
    assert format_action(parse_action(text)) == again


@pytest.mark.parametrize("text", ["", "bid", "bid 14", "play", "play 4", "undo it", "claim", "4"])
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_action(text)


def test_rules_are_written_as_the_nearest_preset_and_what_differs() -> None:
    for name, preset in PRESETS.items():
        assert format_rules(preset) == name
    assert format_rules(Rules(target=250, floor=None)) == "quick,floor=none"
    assert format_rules(Rules(floor=None, max_hands=16)) == "larch,max_hands=16"


def test_rules_may_be_written_with_spaces_in_any_case_and_order() -> None:
    rules = parse_rules(" LARCH , blind_exchange = 2 , blind_nil = BEHIND ")
    assert (rules.floor, rules.blind_exchange) == (None, 2)
    assert parse_rules("") == PRESETS["classic"]
    assert parse_rules("target=300") == Rules(target=300)


def test_blind_nil_that_is_switched_off_takes_the_exchange_with_it() -> None:
    rules = Rules(blind_nil=BlindNil.BEHIND, blind_exchange=2)
    with pytest.raises(OptionError):
        with_option(rules, "blind_nil", "off")
    assert parse_rules("larch,blind_nil=off").blind_exchange == 0


def test_every_option_can_be_written_and_read() -> None:
    rules = Rules(floor=None, blind_nil=BlindNil.BEHIND, blind_exchange=2, min_team_bid=4)
    for name in option_names():
        assert with_option(rules, name, format_option(rules, name)) == rules


@pytest.mark.parametrize("option", ["floor=", "target=none", "target=1.5", "=5", "deck", "x=y"])
def test_what_is_no_option_is_refused(option: str) -> None:
    with pytest.raises(SpadesError):
        parse_rules(f"classic,{option}")
