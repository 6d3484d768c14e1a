"""Screens: golden text at every size, with every set of characters and every depth of colour, and laws."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.output import ColorDepth

from spades import BLIND_NIL, Action, Bid, Look, MakeBid, PassCards, Phase, Play, Seat
from spades_client.answers import answer
from spades_client.asks import Ask
from spades_client.hints import Hint, HintLine
from spades_client.screen.canvas import Click, Row, Size, literal, pad, row_width
from spades_client.screen.cursor import cursor_of
from spades_client.screen.drawing import draw
from spades_client.screen.interface import Context, Interface, Panel, Sight, context_of
from spades_client.screen.looks import ASCII, UNICODE, Glyphs, Layout
from spades_client.screen.plates import around
from spades_client.settings import Settings
from spades_client.words import Word
from spades_proto.timing import SeatClock

pytestmark = pytest.mark.once

Evenings = Callable[..., Sequence[Any]]
LookAt = Callable[..., Sight]
OnStage = Callable[..., AbstractAsyncContextManager[Any]]

GOLDEN = Path(__file__).parent / "golden"
RULES = "blind_nil=behind,blind_nil_deficit=0,blind_exchange=2,max_hands=2,undo=on"
NAMES = ("Ann", "R&D <b>", "日本語の名前", "{0} %s \\")
SIZES = (Size(112, 33), Size(80, 24), Size(60, 18), Size(40, 12), Size(20, 5))
DEPTHS = {
    "no colour": ("no-colour", ColorDepth.DEPTH_1_BIT),
    "16 colours": ("four-colour", ColorDepth.DEPTH_4_BIT),
    "true colour": ("four-colour", ColorDepth.DEPTH_24_BIT),
}


def text_of(rows: Sequence[Row]) -> list[str]:
    return ["".join(piece.text for piece in row) for row in rows]


def phases(evening: Evenings, look: LookAt) -> dict[str, tuple[Sight, Interface]]:
    """The moments of one match, as West sees them."""
    steps = evening(RULES, "golden 7", NAMES)
    log = ("Ann plays the two of clubs.", "Trick 1 is won.")
    sights = [look(step, Seat.WEST, log=log) for step in steps]

    def first(wanted: Callable[[Sight], bool]) -> Sight:
        return next(one for one in sights if wanted(one))

    def of(context: Context) -> Sight:
        return first(lambda one: context_of(one, Interface()) is context)

    def mid_trick(one: Sight) -> bool:
        match = one.state.table.match if one.state.table else None
        mine = context_of(one, Interface()) is Context.PLAY
        return mine and match is not None and len(match.trick) == 3 and len(match.tricks) > 2

    def gathered(one: Sight) -> bool:
        match = one.state.table.match if one.state.table else None
        return match is not None and len(match.tricks) == 5 and not match.trick

    passing, playing = of(Context.PASS), first(mid_trick)
    view = passing.state.view
    assert view is not None
    return {
        "waiting": (of(Context.WAITING), Interface()),
        "blind": (of(Context.BLIND), Interface(blind=True)),
        "bidding": (of(Context.BID), Interface(bid=4)),
        "passing": (passing, Interface(picked=frozenset(view.hand[3:5]), cursor=view.hand[3])),
        "playing": (playing, Interface(notice="It is not your turn.")),
        "hinted bid": (replace(of(Context.BID), hint=bid_hint()), Interface(bid=4)),
        "hinted card": (replace(playing, hint=card_hint(playing)), Interface()),
        "full trick": (replace(first(gathered), holding=True), Interface()),
        "score card": (of(Context.BETWEEN), Interface()),
        "match over": (first(lambda one: one.state.phase is Phase.MATCH_OVER), Interface()),
    }


def bid_hint() -> Hint:
    """The second of two reasons for a bid."""
    reasons = (
        "Bid 3: your hand is worth about 3.4 tricks",
        "Bid 3; moreover, your partner bid nil",
    )
    return Hint(tuple(HintLine(MakeBid(Bid(3)), reason) for reason in reasons), 1)


def card_hint(sight: Sight) -> Hint:
    """A hint for the last card that may be played, longer than any line."""
    view = sight.state.view
    assert view is not None
    card = view.legal_plays[-1]
    reasons = f"{card} is the cheapest card that wins the trick as it lies", "it keeps the others"
    return Hint((HintLine(Play(card), f"Play {card}: {', and '.join(reasons * 2)}"),))


class Still:
    """A page that never changes."""

    def __init__(self, rows: list[Row], settings_: Settings) -> None:
        self.settings = settings_
        self.changed: Callable[[], None] = lambda: None
        self.question: tuple[str, str] | None = None
        self.done = asyncio.Event()
        self._rows = rows

    def answered(self, text: str | None) -> None:
        raise AssertionError(text)

    def draw(self, size: Size) -> list[Row]:
        del size
        return self._rows

    def press(self, key: str) -> None:
        del key
        self.done.set()

    def click(self, click: Click) -> None:
        del click

    async def run(self) -> None:
        await self.done.wait()


def attributes(stage: Any) -> list[str]:
    """How each cell looks, in runs: a letter for each look, and the looks by letter."""
    looks: dict[tuple[object, ...], str] = {}
    lines: list[str] = []
    for row in range(stage.rows):
        cells = [stage.screen.buffer[row][column] for column in range(stage.columns)]
        styles = [(c.fg, c.bg, c.bold, c.underscore, c.reverse) for c in cells]
        runs: list[str] = []
        for style, run in groupby(styles):
            letter = looks.setdefault(style, chr(ord("a") + len(looks)))
            runs.append(f"{letter}{len(list(run))}")
        lines.append(" ".join(runs))
    return [*lines, *(f"{letter} = {style}" for style, letter in looks.items())]


async def shown(rows: list[Row], size: Size, depth: str, on_stage: OnStage) -> list[str]:
    """What a terminal makes of rows; their text must be what was drawn."""
    colours, colour_depth = DEPTHS[depth]
    page = Still(rows, Settings(colours=colours))
    async with on_stage(page, *size, depth=colour_depth) as stage:
        wanted = [line.rstrip() for line in text_of(rows)]

        def is_drawn(_: str) -> bool:
            return [line.rstrip() for line in stage.screen.display] == wanted

        await stage.until(is_drawn)
        looks = attributes(stage)
        stage.press("q")
    return looks


PHASES = (
    "waiting", "blind", "bidding", "passing", "playing", "full trick", "score card", "match over",
    "hinted bid", "hinted card",
)  # fmt: skip


@pytest.mark.parametrize("phase", PHASES)
async def test_screens_are_the_golden_ones_at_every_size_and_depth(
    phase: str, evening: Evenings, look: LookAt, on_stage: OnStage
) -> None:
    sight, interface = phases(evening, look)[phase]
    told: list[str] = []
    for size in SIZES:
        for glyphs in (UNICODE, ASCII):
            rows = draw(sight, interface, Settings(), glyphs, size)
            told += [f"== {size.columns}x{size.rows} {glyphs.name}", *text_of(rows)]
            for depth in DEPTHS:
                told += [f"-- {depth}", *await shown(rows, size, depth, on_stage)]
    text = "".join(f"{line.rstrip()}\n" for line in told)
    path = GOLDEN / f"{phase.replace(' ', '-')}.txt"
    if os.environ.get("SPADES_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_c14_without_colour_no_cell_has_one_and_playable_cards_are_marked() -> None:
    for phase in PHASES:
        text = (GOLDEN / f"{phase.replace(' ', '-')}.txt").read_text(encoding="utf-8")
        for part in text.split("-- no colour\n")[1:]:
            for line in part.split("--")[0].split("==")[0].splitlines():
                if " = (" in line:
                    assert line.split(" = ")[1].startswith("('default', 'default'")
    # The marks below the hand are part of the text, which is the same at every depth.
    playing = (GOLDEN / "playing.txt").read_text(encoding="utf-8")
    screen = playing.split("== 80x24 unicode\n")[1].splitlines()[:24]
    assert UNICODE.cursor in screen[19] and set(screen[19].split()) <= {
        UNICODE.playable,
        UNICODE.cursor,
    }


def test_c05_ascii_screens_hold_ascii_beside_names(evening: Evenings, look: LookAt) -> None:
    names = ("Ann", "Bob", "Cyd", "Dan")
    for step in evening(RULES, "golden 7", names)[::5]:
        for panel in (None, *Panel):
            rows = draw(
                look(step, Seat.EAST), Interface(panel=panel), Settings(), ASCII, Size(80, 24)
            )
            assert "\n".join(text_of(rows)).isascii()


@pytest.fixture(scope="session")
def moments(evening: Evenings, look: LookAt) -> list[Sight]:
    """What everybody and a spectator see of a match."""
    steps = evening(RULES, "golden 7", NAMES)
    return [look(step, viewer) for step in steps[::4] for viewer in (*Seat, None)]


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_c04_any_moment_fits_any_window(moments: list[Sight], data: st.DataObject) -> None:
    sight = data.draw(st.sampled_from(moments))
    size = Size(data.draw(st.integers(1, 130)), data.draw(st.integers(1, 45)))
    panel = data.draw(st.sampled_from([None, *Panel]))
    interface = Interface(
        panel=panel,
        row=data.draw(st.integers(0, 60)),
        notice=data.draw(st.text(max_size=30)),
        answer=("An answer.",) * 30,
    )
    glyphs = data.draw(st.sampled_from([UNICODE, ASCII]))
    changed = replace(
        sight, holding=data.draw(st.booleans()), lost_s=data.draw(st.none() | st.just(7))
    )
    rows = draw(changed, interface, Settings(), glyphs, size)
    assert len(rows) == size.rows
    assert {row_width(row) for row in rows} == {size.columns}


def test_c04_a_window_that_is_too_small_says_what_is_needed(moments: list[Sight]) -> None:
    rows = draw(moments[0], Interface(), Settings(), UNICODE, Size(39, 30))
    text = " ".join(" ".join(text_of(rows)).split())
    assert "Spades needs 40 columns and 12 rows; this window has 39 by 30." in text
    assert "--plain" in text


def plates_of(
    sight: Sight, size: Size, glyphs: Glyphs = UNICODE
) -> Iterator[tuple[Seat, int, int]]:
    """Where the name of each seat stands: column and row."""
    table = sight.state.table
    assert table is not None
    rows = text_of(draw(sight, Interface(), Settings(), glyphs, size))
    for seat in Seat:
        name = "You" if seat is sight.state.seat else literal(table.name_of(seat))
        for number, line in enumerate(rows[2:-9], 2):
            if re.search(rf"(?<![\w+]){re.escape(name)}(?!\w)", line):
                yield seat, line.index(name), number
                break


@pytest.mark.parametrize("viewer", [*Seat, None])
@pytest.mark.parametrize("size", [Size(80, 24), Size(112, 33)])
def test_c12_left_is_left_from_every_seat(
    evening: Evenings, look: LookAt, viewer: Seat | None, size: Size
) -> None:
    steps = evening("max_hands=1", "left", ("Ann", "Bob", "Cyd", "Dan"))
    sight = next(
        one
        for step in steps
        if (one := look(step, viewer)).state.phase is Phase.PLAYING
        and context_of(one, Interface()) is not Context.BID
    )
    places = {seat: (column, row) for seat, column, row in plates_of(sight, size)}
    left, across, right, own = around(viewer)
    assert own is (Seat.SOUTH if viewer is None else viewer)
    assert (left, across, right) == (own.left, own.left.left, own.right)
    assert places[left][0] < places[across][0] < places[right][0]
    assert places[across][1] < places[left][1] == places[right][1] < places[own][1]


def test_c11_trick_numbers_and_counts_are_the_servers(evening: Evenings, look: LookAt) -> None:
    steps = evening("max_hands=2", "counts", ("Ann", "Bob", "Cyd", "Dan"))
    seen: set[int] = set()
    for step in steps:
        sight = look(step, Seat.NORTH)
        if sight.state.phase is not Phase.PLAYING:
            continue
        for holding in (False, True):
            rows = text_of(
                draw(
                    replace(sight, holding=holding), Interface(), Settings(), UNICODE, Size(80, 24)
                )
            )
            found = re.search(r"trick (\d+) of 13", rows[0])
            assert found is not None
            assert 1 <= int(found[1]) <= 13
            seen.add(int(found[1]))
        text = " ".join(rows)
        match = sight.state.table.match if sight.state.table else None
        assert match is not None
        for seat in Seat:
            bid, taken = match.bids[seat], step.taken[seat]
            assert bid is not None
            said = f"{bid}, took {taken}" if bid.is_nil else f"{taken} of {bid}"
            assert said in text
    assert seen == set(range(1, 14))


def test_the_bars_clicks_are_keys_and_the_hands_clicks_are_its_cards(moments: list[Sight]) -> None:
    for sight in moments:
        view = sight.state.view
        if view is None or not view.sees_hand or sight.state.phase is not Phase.PLAYING:
            continue
        for size in SIZES[:4]:
            rows = draw(sight, Interface(), Settings(), UNICODE, size)
            cards = {piece.click.card for row in rows for piece in row if piece.click}
            assert set(view.hand) <= cards
            assert any(piece.click and piece.click.key for piece in rows[-1])


def test_playable_cards_stand_out_on_anyones_turn(moments: list[Sight]) -> None:
    told: set[bool] = set()
    for sight in moments:
        view = sight.state.view
        if view is None or sight.state.phase is not Phase.PLAYING or not view.sees_hand:
            continue
        rows = draw(sight, Interface(), Settings(), UNICODE, Size(80, 24))
        styles: dict[object, set[str]] = {}
        for piece in (piece for row in rows for piece in row):
            if piece.click is not None and piece.click.card is not None:
                styles.setdefault(piece.click.card, set()).update(piece.style.split())
        cursor = cursor_of(sight, Interface())
        for card in view.hand:
            bright = "playable" in styles[card] or card is cursor
            assert bright is (card in view.playable)
            told.add(bright and view.turn is not view.seat)
        if view.legal_plays:
            assert set(view.playable) == set(view.legal_plays)
    assert told == {True, False}


def test_seven_bags_stand_out(evening: Evenings, look: LookAt) -> None:
    for step in evening(
        "bag_limit=10,max_hands=8,floor=none", "bags 1", ("Ann", "Bob", "Cyd", "Dan")
    ):
        sight = look(step, Seat.SOUTH)
        match = sight.state.table.match if sight.state.table else None
        if match is not None and match.standings[0].bags in (7, 8, 9):
            row = draw(sight, Interface(), Settings(), UNICODE, Size(80, 24))[1]
            assert any(piece.style == "warn" and "!" in piece.text for piece in row)
            return
    pytest.fail("nobody has seven bags in this match")


CARDS = re.compile("(10|[2-9JQKA])([♠♥♦♣])")
SUITS = {"♠": "spades", "♥": "hearts", "♦": "diamonds", "♣": "clubs"}
RANKS = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight",
         "9": "nine", "10": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}  # fmt: skip


def test_every_fact_on_the_screen_can_be_had_by_a_word_of_the_line_client(
    moments: list[Sight],
) -> None:
    asked = (Word.HAND, Word.TRICK, Word.BIDS, Word.SCORE, Word.SHEET, Word.WHO, Word.RULES,
             Word.LAST, Word.AGAIN)  # fmt: skip
    cards = 0
    for sight in moments:
        table = sight.state.table
        match = table.match if table else None
        if table is None or match is None or match.phase is Phase.MATCH_OVER:
            continue
        words = {word: " ".join(answer(word, "", sight.state) or []) for word in asked}
        everything = " ".join(words.values())
        rows = text_of(draw(sight, Interface(), Settings(), UNICODE, Size(80, 24)))
        screen = "\n".join(rows)
        for rank, suit in CARDS.findall("\n".join(rows[2:21])):
            cards += 1
            name = f"{RANKS[rank]} of {SUITS[suit]}"
            held = f"{SUITS[suit]}[^,.]* {'T' if rank == '10' else rank}( |,|[.])"
            assert name in everything or re.search(held, words[Word.HAND]), (name, screen)
        for total, bags in re.findall(r"  (-?\d+) (\d+) bag", rows[1]):
            unit = "bag" if bags == "1" else "bags"
            assert f"Total {total}, {bags} {unit}." in words[Word.SCORE]
        for taken, bid in re.findall(r"  (\d+) of (\d+)(?: ·|\n|  |$)", "\n".join(rows[2:16])):
            assert f"{bid}, took {taken}" in words[Word.BIDS]
        for number in re.findall(r"Hand (\d+)", rows[0]):
            assert f"Hand {number}" in everything
        for target in re.findall(r"to (\d+) $", rows[0]):
            assert f"goes to {target}" in words[Word.SCORE]
        if match.phase is Phase.PLAYING:
            assert ("not broken" in rows[0]) is ("not broken" in words[Word.TRICK])
            for number in re.findall(r"trick (\d+) of 13", rows[0]):
                assert re.search(rf"[Tt]rick {number}\b", words[Word.TRICK])
    assert cards > 500


@pytest.mark.parametrize(
    ("columns", "rows", "layout"),
    [
        (110, 32, Layout.WIDE),
        (109, 32, Layout.FULL),
        (110, 31, Layout.FULL),
        (80, 24, Layout.FULL),
        (79, 24, Layout.NARROW),
        (60, 18, Layout.NARROW),
        (59, 50, Layout.SMALL),
        (40, 12, Layout.SMALL),
        (40, 11, Layout.NONE),
        (1, 1, Layout.NONE),
    ],
)
def test_break_points(columns: int, rows: int, layout: Layout) -> None:
    assert Layout.of(columns, rows) is layout


# The clock


@pytest.mark.parametrize("size", SIZES[:4], ids=str)
def test_everybody_sees_how_much_time_the_seat_to_act_has(
    evening: Evenings, look: LookAt, size: Size
) -> None:
    sight, interface = phases(evening, look)["playing"]
    table = sight.state.table
    assert table is not None and table.match is not None and table.match.turn is not None
    clock = SeatClock(table.match.turn, 1, 0)
    timed = replace(sight, state=replace(sight.state, clock=clock), time_left_s=81)
    shown = draw(timed, interface, Settings(), UNICODE, size)
    assert sum(line.count("1:21") for line in text_of(shown)) == 1
    short = draw(replace(timed, time_left_s=9), interface, Settings(), UNICODE, size)
    styles = [piece.style for row in short for piece in row if "0:09" in piece.text]
    assert styles == ["warn"]
    stands = draw(replace(timed, time_left_s=None), interface, Settings(), UNICODE, size)
    assert not any("1:21" in line for line in text_of(stands))


@pytest.mark.parametrize("size", SIZES[:4], ids=str)
def test_whoever_is_played_for_is_told_how_to_come_back(
    evening: Evenings, look: LookAt, size: Size
) -> None:
    sight, _ = phases(evening, look)["playing"]
    late = replace(sight, ask=Ask.STAND_IN)
    shown = " ".join(text_of(draw(late, Interface(), Settings(), UNICODE, size)))
    assert "A house bot plays for you" in shown


# Hints


def hinted(sight: Sight, action: Action, sentence: str = "A reason") -> Sight:
    return replace(sight, hint=Hint((HintLine(action, sentence),)))


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=lambda one: one.name)
@pytest.mark.parametrize("size", SIZES[:4], ids=str)
def test_the_choice_of_a_hint_is_readable_and_its_card_marked_at_every_size(
    evening: Evenings, look: LookAt, size: Size, glyphs: Glyphs
) -> None:
    playing, _ = phases(evening, look)["playing"]
    view = playing.state.view
    assert view is not None
    for card in view.hand:
        sight = hinted(playing, Play(card), f"Play {card}: {'a reason, ' * 30}and {card}")
        lines = text_of(draw(sight, Interface(), Settings(), glyphs, size))
        text = "\n".join(lines)
        assert f" Play {glyphs.card(card)}: a reason" in text
        # Five marks of exclamation would be more than a hint.
        assert text.count(glyphs.hinted) == 1
        if size.columns < 80:
            assert re.search(rf"{re.escape(glyphs.card(card))}[\] }}]?!", text)


@pytest.mark.parametrize("size", SIZES[:4], ids=str)
def test_a_hint_marks_the_cards_to_pass_and_the_choice_of_cards_face_down(
    evening: Evenings, look: LookAt, size: Size
) -> None:
    moments_ = phases(evening, look)
    passing, interface = moments_["passing"]
    view = passing.state.view
    assert view is not None
    sight = hinted(passing, PassCards(view.hand[2:4]))
    text = "\n".join(text_of(draw(sight, interface, Settings(), UNICODE, size)))
    assert text.count(UNICODE.hinted) == 2
    blind, _ = moments_["blind"]
    for action, words in ((Look(), "look!"), (MakeBid(BLIND_NIL), "blind nil!")):
        shown = draw(hinted(blind, action), Interface(), Settings(), UNICODE, size)
        assert words in "\n".join(text_of(shown))


def test_a_hint_stands_in_the_panel_of_the_bid_and_changes_no_bid(
    evening: Evenings, look: LookAt
) -> None:
    bidding, _ = phases(evening, look)["bidding"]
    plain = text_of(draw(bidding, Interface(), Settings(), UNICODE, Size(80, 24)))
    for bid, said in ((0, "hint nil"), (13, "hint 13")):
        sight = hinted(bidding, MakeBid(Bid(bid)))
        lines = text_of(draw(sight, Interface(), Settings(), UNICODE, Size(80, 24)))
        changed = [new for old, new in zip(plain, lines, strict=True) if old != new]
        assert said in changed[0]
        assert changed[1:] == [pad(" A reason.", 80)]


def test_the_bar_offers_a_hint_where_there_can_be_one(moments: list[Sight]) -> None:
    seen: set[tuple[bool, bool]] = set()
    for moment in moments:
        for hints in (True, False):
            table = moment.state.table
            assert table is not None
            opened = replace(table.opened, hints=hints)
            other = table.copy()
            other.opened = opened
            sight = replace(moment, state=replace(moment.state, table=other))
            rows = draw(sight, Interface(), Settings(), UNICODE, Size(112, 33))
            offered = " H hint" in text_of(rows)[-1]
            assert offered is (hints and sight.ask is Ask.DECISION)
            seen.add((hints, offered))
    assert seen == {(True, True), (True, False), (False, False)}


@pytest.mark.parametrize("size", SIZES[:4], ids=str)
def test_the_waiting_room_and_the_page_of_the_table_say_that_there_are_no_hints(
    evening: Evenings, look: LookAt, size: Size
) -> None:
    waiting, _ = phases(evening, look)["waiting"]
    assert waiting.state.table is not None
    table = waiting.state.table.copy()
    table.opened = replace(table.opened, hints=False)
    sight = replace(waiting, state=replace(waiting.state, table=table))
    for interface in (Interface(), Interface(panel=Panel.TABLE)):
        shown = " ".join(text_of(draw(sight, interface, Settings(), UNICODE, size)))
        assert "The table was opened without" in shown


def test_a_notice_comes_before_a_hint(evening: Evenings, look: LookAt) -> None:
    bidding, _ = phases(evening, look)["bidding"]
    sight = hinted(bidding, MakeBid(Bid(3)), "A reason of its own")
    shown = draw(sight, Interface(notice="14 cannot be bid."), Settings(), UNICODE, Size(80, 24))
    text = "\n".join(text_of(shown))
    assert "14 cannot be bid." in text
    assert "A reason of its own" not in text
