"""The start screen, in process."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from spades import PRESETS
from spades_agents import HOUSE_BOTS
from spades_client.discovery import Found
from spades_client.levels import DEFAULT_LEVEL, about_level, parse_levels
from spades_client.recent import RecentTable
from spades_client.screen.canvas import Click, Size, row_width
from spades_client.screen.looks import ASCII, UNICODE
from spades_client.screen.start_list import Do
from spades_client.screen.start_page import StartPage
from spades_client.screen.wishes import GoTo, OpenRecord, OwnTable, PlayBots
from spades_client.settings import Settings, value_after
from spades_proto.link import Link, fingerprint_of
from spades_proto.version import PROTOCOL

RECENT = [RecentTable("host:1", "K7QF2"), RecentTable("host:2", "ABCDE", watched=True)]


class Kept:
    """What was kept of the settings."""

    def __init__(self) -> None:
        self.settings: list[Settings] = []

    def __call__(self, settings: Settings) -> str:
        self.settings.append(settings)
        return ""


def page_of(settings: Settings | None = None, kept: Kept | None = None) -> StartPage:
    return StartPage(settings or Settings(), lambda _: UNICODE, kept or Kept(), RECENT)


def text_of(page: StartPage, columns: int = 80, rows: int = 24) -> str:
    return "\n".join("".join(piece.text for piece in row) for row in page.draw(Size(columns, rows)))


def choose(page: StartPage, does: object) -> None:
    """Moves down to a line and takes it."""
    page.press("home")
    for line in page.lines():
        if line.does == does:
            page.press("enter")
            return
        page.press("down")
    raise AssertionError(f"{does} is not there")


async def test_a_match_against_bots_starts_with_one_key() -> None:
    page = page_of(Settings(rules="quick", level="beginner"))
    page.press("enter")
    await page.run()
    assert page.wish == PlayBots("quick", ("beginner",) * 3)


async def test_each_bot_has_a_level_of_its_own_which_is_told_in_a_line() -> None:
    kept = Kept()
    page = page_of(Settings(level="beginner"), kept)
    after = value_after(list(HOUSE_BOTS), "beginner")
    choose(page, Do.PARTNER_NEXT)
    assert kept.settings[-1].level == f"beginner,{after},beginner"
    shown = text_of(page)
    for words in ("bots: each as below", "left: beginner", f"partner: {after}", "right: beginner"):
        assert words in shown
    assert about_level(after) in shown
    page.press("down")
    assert about_level("beginner") in text_of(page)
    choose(page, Do.LEFT_NEXT)
    choose(page, Do.RIGHT_NEXT)
    assert kept.settings[-1].level == after
    choose(page, Do.LEFT_NEXT)
    choose(page, Do.LEVEL_NEXT)
    assert len(set(parse_levels(kept.settings[-1].level))) == 1
    page = page_of(Settings(level="beginner,random,gentle"))
    page.press("enter")
    await page.run()
    assert page.wish == PlayBots("classic", ("beginner", "random", "gentle"))


def test_levels_that_somebody_spoilt_in_the_file_are_the_newcomers() -> None:
    page = page_of(Settings(level="a,b"))
    assert f"left: {DEFAULT_LEVEL}" in text_of(page)


def test_rules_and_bots_go_round_and_are_kept() -> None:
    kept = Kept()
    page = page_of(kept=kept)
    rules: list[str] = []
    levels: list[str] = []
    for _ in PRESETS:
        choose(page, Do.RULES_NEXT)
        rules.append(page.settings.rules)
    for _ in HOUSE_BOTS:
        choose(page, Do.LEVEL_NEXT)
        levels.append(page.settings.level)
    assert sorted(rules) == sorted(PRESETS)
    assert sorted(levels) == sorted(HOUSE_BOTS)
    assert kept.settings[-1] == page.settings


@pytest.mark.parametrize(
    ("does", "text", "wish"),
    [
        (Do.JOIN, "host k7qf2", GoTo("host:7450", "K7QF2")),
        (Do.JOIN, "host:1", GoTo("host:1")),
        (Do.OPEN, "host:1", GoTo("host:1", new=True)),
        (Do.WATCH, "host:1 abcde", GoTo("host:1", "ABCDE", watch=True)),
        (Do.REPLAY, "/some where/m.jsonl", OpenRecord(Path("/some where/m.jsonl"))),
    ],
)
async def test_what_needs_words_asks_for_them(does: Do, text: str, wish: object) -> None:
    page = page_of()
    choose(page, does)
    assert page.question is not None
    page.answered(text)
    await page.run()
    assert page.wish == wish


def test_the_last_server_stands_there_already() -> None:
    page = page_of(Settings(server="host:9"))
    choose(page, Do.JOIN)
    assert page.question is not None and page.question[1] == "host:9"


@pytest.mark.parametrize(("text", "said"), [("", "Nothing was typed."), ("a:b:c", "is no address")])
def test_what_is_no_address_is_said_and_nothing_ends(text: str, said: str) -> None:
    page = page_of()
    choose(page, Do.JOIN)
    page.answered(text)
    assert said in text_of(page)
    assert page.wish is None
    choose(page, Do.JOIN)
    page.answered(None)
    assert page.question is None


async def test_recent_tables_are_one_key_away() -> None:
    page = page_of()
    assert "Back to K7QF2 on host:1" in text_of(page)
    assert "Watch ABCDE on host:2" in text_of(page)
    choose(page, RECENT[1])
    await page.run()
    assert page.wish == GoTo("host:2", "ABCDE", watch=True)


def test_settings_are_changed_in_their_own_list_and_the_name_is_typed() -> None:
    kept = Kept()
    page = page_of(kept=kept)
    choose(page, Do.SETTINGS)
    choose(page, "colours")
    choose(page, "one_press")
    choose(page, Do.NAME)
    page.answered(" Zoë ")
    assert page.settings == Settings(colours="two-colour", one_press=True, name="Zoë")
    assert kept.settings[-1] == page.settings
    page.press("escape")
    assert page.lines()[0].does is Do.DEAL


async def test_tempo_and_hints_are_settings_of_the_tables_that_one_opens() -> None:
    for does, text in ((Do.DEAL, ""), (Do.OPEN, "host:1"), (Do.JOIN, "host:1")):
        page = page_of()
        choose(page, Do.SETTINGS)
        assert "Tempo of the bots at your tables: normal" in text_of(page)
        choose(page, "tempo")
        choose(page, "tempo")
        choose(page, "hints")
        assert "Tempo of the bots at your tables: instant" in text_of(page)
        assert "Hints at your tables: no" in text_of(page)
        assert (page.settings.tempo, page.settings.hints) == ("instant", False)
        page.press("escape")
        choose(page, does)
        page.answered(text)
        await page.run()
        assert isinstance(page.wish, PlayBots | GoTo)
        assert page.wish.own == OwnTable(0, hints=False)


def test_the_rules_are_read_there() -> None:
    page = page_of()
    choose(page, Do.READ)
    assert "partners sit across" in text_of(page)
    page.press("down")
    page.press("up")
    page.press("escape")
    assert "partners sit across" not in text_of(page)


@pytest.mark.parametrize("key", ["q", "c-c", "c-d"])
async def test_it_is_left_without_a_wish(key: str) -> None:
    page = page_of()
    page.press(key)
    await page.run()
    assert page.wish is None


async def test_a_click_takes_a_line() -> None:
    page = page_of()
    number = next(n for n, line in enumerate(page.lines()) if line.does is Do.QUIT)
    page.click(Click(key=f"choose-{number}"))
    await page.run()
    assert page.wish is None


@pytest.mark.parametrize(
    "size", [Size(112, 33), Size(80, 24), Size(60, 18), Size(40, 12), Size(9, 3)]
)
def test_it_fits_every_window_and_the_chosen_line_is_shown(size: Size) -> None:
    page = StartPage(Settings(), lambda _: ASCII, Kept(), RECENT, "A notice.")
    for _ in page.lines():
        rows = page.draw(size)
        assert {row_width(row) for row in rows} == {size.columns}
        assert size.columns < 40 or any(piece.style == "chosen" for row in rows for piece in row)
        assert text_of(page, *size).isascii()
        page.press("down")


def test_escape_says_how_to_leave() -> None:
    page = page_of()
    page.press("escape")
    assert "Q quits" in text_of(page)


def test_a_home_that_nobody_has_is_said() -> None:
    page = page_of()
    choose(page, Do.REPLAY)
    page.answered("~nobody-of-this-name/x")
    assert page.wish is None
    assert "is no file" in text_of(page)


def test_a_dash_is_a_file_and_not_the_input() -> None:
    page = page_of()
    choose(page, Do.REPLAY)
    page.answered("-")
    assert page.wish == OpenRecord(Path("-").absolute())


def test_a_name_of_half_characters_is_kept_whole() -> None:
    kept = Kept()
    page = page_of(kept=kept)
    choose(page, Do.SETTINGS)
    choose(page, Do.NAME)
    page.answered("Zo\udceb")
    assert page.settings.name == "Zo?"


# Servers nearby


CELLAR = Found(
    "Ann's cellar", Link("192.168.1.5:7450", fingerprint=fingerprint_of(b"hers")), True, PROTOCOL
)
OLD = Found("An old one", Link("192.168.1.6:7450"), True, PROTOCOL + 1)


class Nearby:
    """What is found when somebody looks."""

    def __init__(self, *found: Found) -> None:
        self.found = found
        self.looked = asyncio.Event()

    async def __call__(self) -> Sequence[Found]:
        self.looked.set()
        return self.found


async def after_looking(*found: Found) -> tuple[StartPage, asyncio.Task[None]]:
    """A page that has looked around, and its life."""
    page = StartPage(Settings(), lambda _: UNICODE, Kept(), [], find=Nearby(*found))
    changed = asyncio.Event()
    page.changed = changed.set
    running = asyncio.create_task(page.run())
    choose(page, Do.FIND)
    assert "Looking for servers..." in text_of(page)
    async with asyncio.timeout(10):
        await changed.wait()
    return page, running


async def test_servers_that_are_announced_are_listed_and_joined_by_their_links() -> None:
    page, running = await after_looking(CELLAR, OLD)
    shown = text_of(page)
    assert "▶ Join Ann's cellar at 192.168.1.5:7450" in shown
    assert "An old one" not in shown
    assert "1 server found." in shown
    page.press("enter")
    await running
    # An announcement proves nothing, so its fingerprint is not taken for a link's.
    assert page.wish == GoTo(CELLAR.link.target)


async def test_where_no_server_is_announced_that_is_said() -> None:
    page, running = await after_looking()
    assert "No server is announced on this network" in text_of(page)
    page.press("q")
    await running
    assert page.wish is None


async def test_a_link_is_taken_with_its_fingerprint_and_its_table() -> None:
    page = page_of()
    choose(page, Do.JOIN)
    page.answered(str(CELLAR.link.to_table("K7QF2")))
    await page.run()
    assert page.wish == GoTo(str(CELLAR.link), "K7QF2")
