"""What a player types: words, their shortenings, and what is said of everything else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import (
    BLIND_NIL,
    NIL,
    Bid,
    Card,
    Deck,
    Look,
    MakeBid,
    NextHand,
    NotationError,
    PassCards,
    Play,
    SpadesError,
    Surrender,
    Undo,
    parse_cards,
)
from spades.actions import Action
from spades_client.words import Typed, Word, help_lines, understand
from spades_proto.table import Courtesy

ARGUMENTS = {
    Word.BID: "4",
    Word.PLAY: "QS",
    Word.PASS: "2C 3D",
    Word.SAY: "thanks",
    Word.BOTS: "gentle",
    Word.LAST: "3",
}


def sentence_of(line: str) -> str:
    with pytest.raises(SpadesError) as raised:
        understand(line)
    return raised.value.sentence


def shortenings(word: Word) -> list[str]:
    """The beginnings of a word that begin no other, and the word itself."""
    others = [other.text for other in Word if other is not word]
    if word is Word.SURRENDER:
        return [word.text]
    starts = [word.text[:length] for length in range(1, len(word.text))]
    return [word.text, *(s for s in starts if not any(other.startswith(s) for other in others))]


@pytest.mark.parametrize("word", Word)
def test_every_word_is_understood_whole_in_capitals_and_shortened_while_it_is_unique(
    word: Word,
) -> None:
    argument = ARGUMENTS.get(word, "")
    whole = understand(f"{word.text} {argument}")
    assert whole.word is word
    for short in shortenings(word):
        assert understand(f"{short} {argument}") == whole
        assert understand(f"  {short.upper()}  {argument} ") == whole


def test_the_shortest_unique_shortenings_are_these() -> None:
    shortest = {word.text: min(shortenings(word), key=len) for word in Word}
    assert shortest == {
        "back": "ba",
        "bid": "bid",
        "clock": "c",
        "nil": "ni",
        "blind": "bl",
        "look": "lo",
        "pass": "pa",
        "play": "pl",
        "undo": "u",
        "next": "ne",
        "surrender": "surrender",
        "say": "sa",
        "hint": "hi",
        "hand": "ha",
        "trick": "t",
        "last": "la",
        "bids": "bids",
        "score": "sc",
        "sheet": "sh",
        "who": "w",
        "rules": "r",
        "again": "a",
        "bots": "bo",
        "start": "st",
        "help": "he",
        "quit": "q",
    }


def test_h_is_the_hint_as_it_is_on_the_screen() -> None:
    assert understand("h") == understand("H") == understand("hint") == Typed(Word.HINT)


def test_a_word_that_another_begins_with_is_itself() -> None:
    assert understand("bid 5").word is Word.BID
    assert understand("bids").word is Word.BIDS


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("p 2C", "'p' could be pass or play."),
        ("g", "'g' is not understood: type help for the words, or a card such as QS."),
        ("hint 3", "hint takes no further word: '3' is not understood."),
        ("L", "'L' could be look or last."),
        ("n", "'n' could be nil or next."),
        ("s", "'s' could be surrender or say or score or sheet or start."),
        ("bi 4", "'bi' could be bid or bids."),
    ],
)
def test_an_ambiguous_shortening_is_explained(line: str, sentence: str) -> None:
    assert sentence_of(line) == sentence


@pytest.mark.parametrize("line", ["xyzzy", "bidding 4", "1S", "4 5", "\x1b[A", "QQ", "♠Q"])
def test_what_is_not_understood_is_said_with_a_way_on(line: str) -> None:
    sentence = sentence_of(line)
    assert repr(line.split(maxsplit=1)[0]) in sentence
    assert "type help" in sentence


@pytest.mark.parametrize(
    ("line", "deed"),
    [
        ("nil", MakeBid(NIL)),
        ("blind", MakeBid(BLIND_NIL)),
        ("bid nil", MakeBid(NIL)),
        ("bid blind nil", MakeBid(BLIND_NIL)),
        ("bid 13", MakeBid(Bid(13))),
        ("bid\t4", MakeBid(Bid(4))),
        ("look", Look()),
        ("undo", Undo()),
        ("next", NextHand()),
        ("surrender", Surrender()),
        ("play qs", Play(Card("QS"))),
        ("pass 2C 3D", PassCards(tuple(parse_cards("2C 3D")))),
        ("say thanks", Courtesy.THANK_YOU),
        ("say thank you", Courtesy.THANK_YOU),
        ("say Well played", Courtesy.WELL_PLAYED),
        ("say good luck", Courtesy.GOOD_LUCK),
        ("say luck", Courtesy.GOOD_LUCK),
        ("say sorry", Courtesy.SORRY),
    ],
)
def test_words_that_do_something_make_the_deed(line: str, deed: Action | Courtesy) -> None:
    assert understand(line).deed == deed


@pytest.mark.parametrize("card", [*Deck.STANDARD, *Deck.JOKERS], ids=str)
def test_a_card_alone_is_played(card: Card) -> None:
    assert understand(str(card)) == Typed(Word.PLAY, str(card), Play(card))
    assert understand(f" {str(card).lower()} ").deed == Play(card)


@pytest.mark.parametrize(
    ("line", "tricks"),
    [
        ("0", 0),
        ("4", 4),
        ("13", 13),
        ("007", 7),
        ("0000000000004", 4),
        ("14", 14),
        ("-1", -1),
        ("-0", 0),
        ("99999999999999999999", 999_999),
        ("-99999999999999999999", -999_999),
        ("9" * 5_000, 999_999),
    ],
)
def test_a_number_alone_is_bid_and_the_referee_judges_one_that_is_out_of_range(
    line: str, tricks: int
) -> None:
    assert understand(line).deed == MakeBid(Bid(tricks))


@pytest.mark.parametrize("line", ["--5", "5-", "-", "+4", "4.0", "1e3", "²", "٣", "0x4", "- 4"])
def test_what_only_looks_like_a_number_is_no_bid(line: str) -> None:
    assert "understood" in sentence_of(line)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("bid", "bid 4, or nil"),
        ("bid 14", "'14'"),
        ("bid -1", "'-1'"),
        ("bid lots", "'lots'"),
        ("play", "play QS"),
        ("pass", "pass 2C 3D"),
        ("play 1S", "'1S'"),
        ("play QS KS", "'QS KS'"),
        ("pass 2C XX", "'XX'"),
        ("say", "''"),
        ("say hello", "'hello'"),
    ],
)
def test_a_word_with_a_wrong_argument_says_which_and_what_would_do(line: str, named: str) -> None:
    assert named in sentence_of(line)


def test_every_word_has_a_line_of_help() -> None:
    lines = help_lines()
    assert [line.partition(":")[0] for line in lines] == [word.text for word in Word]
    assert all(re.fullmatch(r"[a-z]+: [^:]\S.+\.", line) for line in lines)


def made_of(line: str) -> Typed | str:
    """What a line was understood as, or the sentence that refuses it."""
    try:
        return understand(line)
    except SpadesError as error:
        return error.sentence


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_is_either_understood_or_refused_in_a_sentence(line: str) -> None:
    made = made_of(line)
    assert made.endswith(".") if isinstance(made, str) else made.word in Word


WORDS = st.sampled_from([word.text for word in Word] + ["QS", "nil", "4", "-1", "2C 3D", "-", "b"])


@given(
    st.lists(WORDS | st.text(max_size=3), min_size=1, max_size=4).map(" ".join).filter(str.strip)
)
def test_any_row_of_words_is_either_understood_or_refused_in_a_sentence(line: str) -> None:
    made = made_of(line)
    if isinstance(made, str):
        assert made.endswith(".")
    else:
        first = line.split(maxsplit=1)[0].lower()
        assert made.word.text.startswith(first) or made.word in (Word.BID, Word.PLAY)


@pytest.mark.parametrize("text", ["su", "surr", "surrende"])
def test_giving_up_needs_the_whole_word(text: str) -> None:
    with pytest.raises(NotationError, match="whole word surrender"):
        understand(text)


@pytest.mark.parametrize("text", ["surrender x", "undo now", "quit now", "start 4", "nil 3"])
def test_a_word_that_stands_alone_takes_no_other(text: str) -> None:
    with pytest.raises(NotationError, match="takes no further word"):
        understand(text)
