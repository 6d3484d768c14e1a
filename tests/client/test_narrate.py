"""What is said: every event in a sentence, to every viewer what it may hear, with names as they are."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, get_args

import pytest

import spades
from spades import Card, CardPlayed, Deck, Phase, PlayTakenBack, Rank, Rules, Seat, Suit, TrickWon
from spades_client.answers import answer
from spades_client.narrate import narrate, situation, tempo_sentence, who_sits
from spades_client.phrases import people, printable
from spades_client.state import ClientState, reduce
from spades_client.words import Word
from spades_proto.frames import DecisionRequest, Frame, Goodbye, GoodbyeReason, Heartbeat
from spades_proto.table import PresenceChanged, TableEvent, TableOpened, TableState
from spades_server.table_log import Entry

GOLDEN = Path(__file__).parent / "golden"

VIEWERS = (*Seat, None)
PLAIN = "max_hands=1,floor=none"
RICH = "max_hands=2,undo=on,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,floor=none"
SEED = "an evening"

SOMEBODY = ("Aaaq", "Bbbq", "Cccq", "Dddq")
"""Names that occur nowhere else in a sentence."""


class Step(Protocol):
    @property
    def entries(self) -> tuple[Entry, ...]: ...
    @property
    def frames(self) -> dict[Seat | None, list[Frame]]: ...
    def snapshot(self, viewer: Seat | None, /) -> Frame: ...
    def decision(self, viewer: Seat | None, /) -> DecisionRequest | None: ...


Evening = Callable[..., Sequence[Step]]
Told = tuple[Frame, ClientState, list[str]]


def tell(steps: Sequence[Step], viewer: Seat | None) -> list[Told]:
    """Follows a feed; gives each frame, the state after it, and what was said of it."""
    told: list[Told] = []
    state = ClientState(viewer)
    for step in steps:
        for frame in step.frames[viewer]:
            new = reduce(state, frame)
            told.append((frame, new, narrate(state, frame, new)))
            state = new
    return told


def sentences(steps: Sequence[Step], viewer: Seat | None) -> list[str]:
    return [sentence for _, _, said in tell(steps, viewer) for sentence in said]


# Golden texts


@pytest.mark.parametrize("viewer", [Seat.SOUTH, None], ids=str)
@pytest.mark.parametrize(("name", "rules"), [("short", PLAIN), ("blind_nil", RICH)])
def test_a_match_is_told_as_the_golden_text_tells_it(
    evening: Evening, name: str, rules: str, viewer: Seat | None
) -> None:
    who = "spectator" if viewer is None else str(viewer).lower()
    path = GOLDEN / f"{name}_{who}.txt"
    text = "\n".join(sentences(evening(rules, SEED), viewer)) + "\n"
    if os.environ.get("SPADES_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()


# Every event


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_every_event_is_told_and_only_ones_own_coming_and_going_is_not(
    evening: Evening, viewer: Seat | None
) -> None:
    kinds: set[type] = set()
    for frame, _, said in tell(evening(RICH, SEED), viewer):
        kinds.add(type(frame.payload))
        payload = frame.payload
        silent = isinstance(payload, PresenceChanged) and payload.seat is viewer
        assert bool(said) is not silent, payload
    missing = {*get_args(spades.Event), *get_args(TableEvent)} - kinds
    assert missing <= {spades.SurrenderProposed}


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_every_sentence_is_one_line_that_begins_large_and_ends_with_a_full_stop(
    evening: Evening, viewer: Seat | None
) -> None:
    steps = evening(RICH, SEED)
    said = sentences(steps, viewer)
    for step in steps[::5]:
        said += situation(reduce(ClientState(viewer), step.snapshot(viewer)))
    for sentence in said:
        assert printable(sentence) == sentence
        assert re.fullmatch(r"[A-Z].*\.", sentence), sentence
        assert "None" not in sentence


def test_a_surrender_is_told_with_its_proposer_and_its_end(evening: Evening) -> None:
    def given_up(steps: Sequence[Step]) -> bool:
        return any(
            isinstance(entry.event, spades.SurrenderProposed)
            for step in steps
            for entry in step.entries
        )

    steps = next(s for s in (evening(PLAIN, f"surrender {n}") for n in range(50)) if given_up(s))
    seat = next(
        entry.event.seat
        for step in steps
        for entry in step.entries
        if isinstance(entry.event, spades.SurrenderProposed)
    )
    name = dict(zip(Seat, ("Ann", "Bob", "Cyd", "Dan"), strict=True))[seat]
    assert "You want to surrender." in sentences(steps, seat)
    assert f"{name} wants to surrender." in sentences(steps, seat.left)


def test_a_heartbeat_says_nothing_and_a_goodbye_its_sentence(evening: Evening) -> None:
    _, state, _ = tell(evening(PLAIN, SEED), None)[30]
    beat = Frame(1, state.seq, 0, Heartbeat(1))
    goodbye = Frame(1, state.seq, 0, Goodbye(GoodbyeReason.DRAINING, "The server stops."))
    assert narrate(state, beat, state) == []
    assert narrate(state, goodbye, state) == ["The server stops."]


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_a_snapshot_is_told_as_the_whole_situation_in_every_moment(
    evening: Evening, viewer: Seat | None
) -> None:
    phases: set[Phase | None] = set()
    for step in evening(RICH, SEED):
        frame = step.snapshot(viewer)
        new = reduce(ClientState(viewer), frame)
        said = narrate(ClientState(viewer), frame, new)
        assert said == situation(new)
        assert said[0].startswith("You are at table TABLE, ")
        text = " ".join(said)
        phases.add(new.phase)
        match = new.table.match if new.table else None
        if match is None or new.phase is Phase.MATCH_OVER:
            continue
        assert "The match goes to 500." in text
        assert ("Trick " in text) is (new.phase is Phase.PLAYING)
        asks = new.phase in (Phase.BIDDING, Phase.PASSING, Phase.PLAYING)
        assert ("Bids: " in text) is asks
        hand = "Your hand: " in text or "Your cards are face down" in text
        assert hand is (asks and viewer is not None)
    assert phases == {None, *Phase}


# C13: the fourth card and the last trick


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_c13_all_four_cards_and_the_winner_are_told_of_every_trick_before_the_score_and_the_next_deal(
    evening: Evening, viewer: Seat | None
) -> None:
    lines = sentences(evening("max_hands=2,floor=none", SEED), viewer)
    tricks = [place for place, line in enumerate(lines) if re.search(r" wins? trick \d+\.", line)]
    assert len(tricks) == 26
    for place in tricks:
        before = [line for line in lines[:place] if re.search(r" plays? the ", line)][-4:]
        assert len(set(before)) == 4
    over = lines.index("Hand 1 is over.")
    assert tricks[12] < over < next(i for i, line in enumerate(lines) if line.startswith("Hand 2."))


def test_c13_the_last_trick_can_be_asked_for_after_the_thirteenth_too(evening: Evening) -> None:
    plays: list[str] = []
    for frame, state, said in tell(evening("max_hands=2,floor=none", SEED), Seat.EAST):
        if isinstance(frame.payload, CardPlayed):
            plays += said
        if isinstance(frame.payload, TrickWon | spades.HandScored):
            (last,) = answer(Word.LAST, "", state) or []
            for play in plays[-4:]:
                _, card = play.removesuffix(".").split(" the ", 1)
                assert card in last
            number = len(plays) // 4
            assert last.startswith(f"Trick {number if number <= 13 else number - 13}: ")


# Secrets

CARD_NAMES = {card.name: card for card in (*Deck.STANDARD, *Deck.JOKERS)}
NAMED = re.compile("|".join(sorted(map(re.escape, CARD_NAMES), key=len, reverse=True)))
SUITS = {suit.name.lower(): suit for suit in Suit}
HELD = re.compile(rf"({'|'.join(SUITS)})((?: [2-9TJQKA])+)")
RANKS = {rank.letter: rank for rank in Rank}


def cards_in(sentence: str) -> set[Card]:
    """Every card that a sentence names, alone or within a hand."""
    cards = {CARD_NAMES[found] for found in NAMED.findall(sentence)}
    for suit, letters in HELD.findall(sentence):
        cards |= {Card(letter + SUITS[suit].letter) for letter in letters.split()}
    return cards


def test_the_cards_of_a_sentence_are_found() -> None:
    assert cards_in("You play the ace of hearts.") == {Card("AH")}
    assert cards_in("Your hand: diamonds 2 A, spades Q.") == set(spades.parse_cards("2D AD QS"))
    assert cards_in("Spades are broken.") == set()


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
@pytest.mark.parametrize("rules", [PLAIN, RICH])
def test_nothing_is_said_of_a_card_that_is_hidden_from_the_viewer(
    evening: Evening, rules: str, viewer: Seat | None
) -> None:
    public: set[Card] = set()
    own: set[Card] = set()
    heard_own = False
    for frame, state, said in tell(evening(rules, SEED), viewer):
        event = frame.payload
        if isinstance(event, CardPlayed | PlayTakenBack):
            public.add(event.card)
        elif isinstance(event, spades.HandDealt):
            public.clear()
            own.clear()
        match = state.table.match if state.table else None
        if match is None:
            continue
        if viewer is not None and state.view is not None:
            own |= set(state.view.hand)
            for given in state.view.passes:
                if given.giver.side is viewer.side:
                    own |= set(given.cards or ())
        named = {card for sentence in (*said, *situation(state)) for card in cards_in(sentence)}
        assert named <= public | own
        heard_own = heard_own or bool(named & own - public)
    assert heard_own is (viewer is not None)


# C12: left is left


@pytest.mark.parametrize("viewer", Seat)
def test_c12_left_is_left_from_every_seat(evening: Evening, viewer: Seat) -> None:
    _, state, _ = tell(evening(PLAIN, SEED), viewer)[20]
    assert state.table is not None
    names = dict(zip(Seat, ("Ann", "Bob", "Cyd", "Dan"), strict=True))
    left, across, right = viewer.left, viewer.partner, viewer.right
    assert who_sits(state.table, viewer) == (
        f"{viewer} you; {left} {names[left]}; {across} {names[across]}; {right} {names[right]}."
    )
    assert viewer.left.left.left.left is viewer


def test_c12_from_south_west_is_left_north_across_and_east_right(evening: Evening) -> None:
    _, state, _ = tell(evening(PLAIN, SEED), Seat.SOUTH)[20]
    assert state.table is not None
    assert who_sits(state.table, Seat.SOUTH) == "South you; West Bob; North Cyd; East Dan."


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_c12_the_play_runs_to_the_left_and_the_same_names_do_the_same_things(
    evening: Evening, viewer: Seat | None
) -> None:
    names: dict[Seat, str] = dict(zip(Seat, ("Ann", "Bob", "Cyd", "Dan"), strict=True))
    if viewer is not None:
        names[viewer] = "You"
    order = [names[seat] for seat in Seat]
    bidders: list[str] = []
    trick: list[str] = []
    for frame, _, said in tell(evening(PLAIN, SEED), viewer):
        match frame.payload:
            case spades.BidMade(seat, _):
                bidders.append(said[0].split()[0])
                assert bidders[-1] == names[seat]
            case CardPlayed(seat, _):
                trick.append(said[0].split()[0])
                assert trick[-1] == names[seat]
                if len(trick) > 1:
                    # After South the West acts, then North, then East.
                    assert order[(order.index(trick[-2]) + 1) % 4] == trick[-1]
            case TrickWon(winner, _):
                assert said[0].split()[0] == names[winner]
                trick.clear()
            case _:
                pass
    assert bidders == order


# C05 and C07: names

AWKWARD = [
    "<b>",
    "R&D",
    "[red]",
    "{0}",
    "%s",
    "\\",
    "\\1",
    "%(name)s",
    "${HOME}",
    "[/]",
    "{",
    "South and North",
    "West and East",
    "a",
    "twenty-characters-xy",
    "牌" * 20,
    'O\'Neil "X"',
]


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
@pytest.mark.parametrize("name", AWKWARD)
def test_c07_c05_a_name_is_shown_as_it_is_in_every_sentence(
    evening: Evening, name: str, viewer: Seat | None
) -> None:
    names = ("Aaaq", name, "Cccq", "Dddq")
    plain = tell(evening(PLAIN, SEED, SOMEBODY), viewer)
    told = tell(evening(PLAIN, SEED, names), viewer)
    assert any(name in sentence for _, _, said in told for sentence in said)
    for (_, before, plainly), (_, after, said) in zip(plain, told, strict=True):
        assert said == [sentence.replace("Bbbq", name) for sentence in plainly]
        assert situation(after) == [line.replace("Bbbq", name) for line in situation(before)]
        for word in (Word.WHO, Word.BIDS, Word.TRICK, Word.LAST, Word.SCORE, Word.SHEET):
            asked, asked_plainly = answer(word, "", after), answer(word, "", before)
            assert asked == [line.replace("Bbbq", name) for line in asked_plainly or []]


@pytest.mark.parametrize("name", ["You", "you", "WEST", "North", "south"])
def test_c07_a_name_that_reads_like_a_seat_or_like_you_is_told_with_its_seat(
    evening: Evening, name: str
) -> None:
    names = ("Aaaq", "Bbbq", "Cccq", name)
    lines = sentences(evening(PLAIN, SEED, names), Seat.SOUTH)
    plays = [line for line in lines if re.search(" plays? the ", line)]
    assert len(plays) == 52
    assert sum(line.startswith(f"{name} (East) plays") for line in plays) == 13
    assert sum(line.startswith("You play ") for line in plays) == 13
    assert not any(line.startswith(f"{name} plays") for line in plays)


def test_c07_two_names_that_differ_in_capitals_alone_are_told_with_their_seats(
    evening: Evening,
) -> None:
    steps = evening(PLAIN, SEED, ("Aaaq", "bob", "Cccq", "BOB"))
    _, state, _ = tell(steps, Seat.SOUTH)[20]
    assert state.table is not None
    assert people(state.table, Seat.WEST, Seat.SOUTH) == "bob (West)"
    assert people(state.table, Seat.EAST, Seat.SOUTH) == "BOB (East)"


HOSTILE = "\x1b[31mA\x07\r\nYou win.\x9b\u202e\x00\u2028\udc80"


def test_no_character_of_a_hostile_name_moves_a_cursor_or_begins_a_line(evening: Evening) -> None:
    steps = evening(PLAIN, SEED, ("Aaaq", HOSTILE.removesuffix("\udc80"), "Cccq", "Dddq"))
    shown = [printable(sentence) for sentence in sentences(steps, Seat.SOUTH)]
    assert any("?[31mA???You win." in line for line in shown)
    assert all(char.isprintable() for line in shown for char in line)


def test_printable_text_is_left_alone_and_everything_else_is_a_question_mark() -> None:
    assert printable("Ünï 牌 ♠ [red] {0} %s \\ <b>") == "Ünï 牌 ♠ [red] {0} %s \\ <b>"
    assert printable(HOSTILE) == "?[31mA???You win.?????"


# Answers


@pytest.mark.parametrize("viewer", VIEWERS, ids=str)
def test_every_word_that_asks_is_answered_in_every_moment_and_the_others_never(
    evening: Evening, viewer: Seat | None
) -> None:
    asking = {
        Word.HAND,
        Word.TRICK,
        Word.LAST,
        Word.BIDS,
        Word.SCORE,
        Word.SHEET,
        Word.WHO,
        Word.RULES,
        Word.AGAIN,
        Word.HELP,
    }
    for _, state, _ in tell(evening(RICH, SEED), viewer)[::7]:
        for word in Word:
            said = answer(word, "", state)
            assert bool(said) is (word in asking), word
            assert all(line.endswith(".") for line in said or [])


def test_before_the_first_frame_the_answer_is_that_nothing_is_known() -> None:
    state = ClientState(Seat.SOUTH)
    assert answer(Word.HAND, "", state) == ["Nothing is known of the table yet."]
    assert situation(state) == ["Nothing is known of the table yet."]


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("0", "Trick 0 is not there: 1 to 13 are."),
        ("14", "Trick 14 is not there: 1 to 13 are."),
        ("-1", "last -1 is not possible: last, or last with the number of a trick, is."),
        ("²", "last ² is not possible: last, or last with the number of a trick, is."),
        ("x" * 9, "last xxxxxxxxx is not possible: last, or last with the number of a trick, is."),
    ],
)
def test_a_trick_that_is_not_there_is_said_so(evening: Evening, argument: str, said: str) -> None:
    _, state, _ = next(
        told
        for told in tell(evening(PLAIN, SEED), Seat.SOUTH)
        if isinstance(told[0].payload, spades.HandScored)
    )
    assert answer(Word.LAST, argument, state) == [said]


def test_the_sheet_adds_up_part_by_part_to_the_score(evening: Evening) -> None:
    _, state, _ = tell(evening("max_hands=2,floor=none", SEED), Seat.WEST)[-6]
    lines = answer(Word.SHEET, "", state) or []
    assert len(lines) == 5
    total = 0
    for line in lines[0], lines[2]:
        assert "You and Dan bid" in line
        parts, in_all = line.split(": ", 2)[2].split("; ")
        change = sum(map(int, re.findall(r"[+-]\d+", parts)))
        assert in_all.startswith(f"{change:+d} in all.")
        total += change
    assert f"You and Dan: Total {total}, " in lines[-1]


@pytest.mark.parametrize(
    ("tempo_ms", "sentence"),
    [
        (0, "House bots play at once (tempo instant)."),
        (700, "House bots take 0.7 s for a card (tempo normal)."),
        (1_500, "House bots take 1.5 s for a card (tempo relaxed)."),
        (900, "House bots take 0.9 s for a card (tempo 900 ms)."),
    ],
)
def test_the_tempo_of_a_table_is_said_by_its_name(tempo_ms: int, sentence: str) -> None:
    opened = TableOpened("T", "Ann", Rules(), private=False, seed_chosen=False, tempo_ms=tempo_ms)
    assert tempo_sentence(opened) == sentence
    state = ClientState(Seat.SOUTH, table=TableState(opened))
    assert sentence in (answer(Word.RULES, "", state) or [])
