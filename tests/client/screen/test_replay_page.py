"""Replay in full screen, in process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

import spades
from spades import Match, Phase, Play, Seat, SeatView
from spades_agents import Advice, advise, play_local
from spades_client.adviser import Adviser
from spades_client.hints import view_of_turn
from spades_client.screen.canvas import Click, Size, row_width
from spades_client.screen.looks import ASCII, UNICODE
from spades_client.screen.recorded import Replay, parse_jump
from spades_client.screen.replay_page import ReplayPage
from spades_client.settings import Settings
from spades_proto.verification import Verified, verify


@pytest.fixture(scope="session")
def verified() -> Verified:
    rules = "max_hands=2,blind_nil=behind,blind_nil_deficit=0,blind_exchange=2"
    return verify(play_local(["gentle", "random", "gentle", "random"], rules, "7").record())


def page_of(verified: Verified, viewer: Seat | None = None, hand: int = 0) -> ReplayPage:
    return ReplayPage(verified, viewer, Settings(), lambda _: UNICODE, hand)


def text_of(page: ReplayPage) -> str:
    return "\n".join("".join(piece.text for piece in row) for row in page.draw(Size(80, 24)))


def at(page: ReplayPage) -> int:
    found = text_of(page).split("Event ")[1]
    return int(found.split(" ")[0])


def test_stepping_forth_and_back_goes_event_by_event(verified: Verified) -> None:
    page = page_of(verified)
    for key in ("right", "space", "enter", "down"):
        page.press(key)
    first = kinds(verified.match, spades.HandDealt)[0]
    assert at(page) == first + 4
    page.press("left")
    page.press("backspace")
    assert at(page) == first + 2
    page.press("end")
    assert at(page) == len(verified.match.log)
    page.press("right")
    assert at(page) == len(verified.match.log)
    page.press("home")
    page.press("left")
    assert at(page) == first


def kinds(match: Match, kind: type[object]) -> list[int]:
    return [number for number, event in enumerate(match.log, 1) if isinstance(event, kind)]


def test_tricks_and_hands_are_jumped_over(verified: Verified) -> None:
    page = page_of(verified)
    tricks = kinds(verified.match, spades.TrickWon)
    deals = kinds(verified.match, spades.HandDealt)
    page.press("t")
    page.press("T")
    assert at(page) == tricks[1]
    page.press("r")
    assert at(page) == tricks[0]
    page.press("r")
    assert "There is none before." in text_of(page)
    page.press("n")
    assert at(page) == deals[1]
    page.press("N")
    assert "There is none further on." in text_of(page)
    page.press("b")
    assert at(page) == deals[0]


@pytest.mark.parametrize(
    ("text", "where"),
    [("2", (2, 0)), (" 1.13 ", (1, 13)), ("", None), ("x", None), ("1.x", None), ("-1", None)],
)
def test_a_jump_names_a_hand_or_a_trick_of_it(text: str, where: tuple[int, int] | None) -> None:
    assert parse_jump(text) == where


def test_one_jumps_by_typing(verified: Verified) -> None:
    page = page_of(verified, hand=2)
    assert at(page) == kinds(verified.match, spades.HandDealt)[1]
    page.press("j")
    assert page.question == ("Hand, or hand.trick: ", "")
    page.answered("1.3")
    assert page.question is None
    assert at(page) == kinds(verified.match, spades.TrickWon)[2]
    for wrong in ("7", "1.99", "what"):
        page.answered(wrong)
        assert "is not in this match" in text_of(page)
    page.answered(None)


def test_the_view_goes_round_the_seats_and_one_seat_sees_only_its_own_cards(
    verified: Verified,
) -> None:
    page = page_of(verified, hand=1)
    assert "all hands open" in text_of(page)
    for seat in Seat:
        page.press("v")
        assert f"as {seat} saw it" in text_of(page)
    page.press("v")
    assert "all hands open" in text_of(page)


def test_the_states_of_a_replay_are_the_views_of_the_match(verified: Verified) -> None:
    """A fresh match of the same actions shows each viewer the same after every event."""
    for viewer in (*Seat, None):
        replay = Replay(verified, viewer)
        last = replay.step(len(replay) - 1).state.table
        assert last is not None and last.match is not None
        whole = verified.match.state
        assert (last.match.standings, last.match.bids, last.match.taken) == (
            whole.standings, whole.bids, whole.taken,
        )  # fmt: skip
        for number in range(len(replay)):
            step = replay.step(number)
            view = step.state.view
            hidden = [seat for seat in Seat if viewer is not None and seat is not viewer]
            match = step.state.table.match if step.state.table else None
            if match is not None and match.phase is Phase.PLAYING:
                assert all(match.hands[seat] is None for seat in hidden)
                assert viewer is None or (view is not None and view.sees_hand)


def every_page(verified: Verified) -> Iterator[tuple[ReplayPage, Size]]:
    for viewer in (None, Seat.WEST):
        page = page_of(verified, viewer)
        for size in (
            Size(112, 33),
            Size(80, 24),
            Size(60, 18),
            Size(40, 12),
            Size(20, 5),
            Size(1, 1),
        ):
            page.press("home")
            for _ in range(0, len(verified.match.log), 9):
                for _ in range(9):
                    page.press("right")
                yield page, size


def test_every_step_fits_every_window(verified: Verified) -> None:
    for page, size in every_page(verified):
        rows = page.draw(size)
        assert len(rows) == size.rows
        assert {row_width(row) for row in rows} == {size.columns}


def test_the_sheet_lies_over_it_and_goes_again(verified: Verified) -> None:
    page = page_of(verified)
    page.press("end")
    page.press("s")
    assert "Score sheet" in text_of(page)
    page.press("escape")
    assert "Score sheet" not in text_of(page)


async def test_it_ends_when_it_is_left_by_key_or_click(verified: Verified) -> None:
    for leave in ("q", "escape", "c-c", "c-d"):
        page = page_of(verified)
        page.press(leave)
        await page.run()
    page = page_of(verified)
    page.click(Click(key="q"))
    await page.run()


def test_other_keys_say_what_keys_there_are(verified: Verified) -> None:
    page = page_of(verified)
    page.press("x")
    assert "? show the keys" in text_of(page)
    page.press("?")
    assert "to the end of the trick before" in text_of(page)
    page.press("x")
    assert "to the end of the trick before" not in text_of(page)
    page.press("f")
    assert page.settings.colours == "two-colour"


def test_the_bar_can_be_written_in_ascii(verified: Verified) -> None:
    page = ReplayPage(verified, None, Settings(), lambda _: ASCII)
    for key in ("right", "t", "end", "s"):
        page.press(key)
        assert text_of(page).isascii()


# Hints


class Running:
    """A page that lives, with an ear for its changes."""

    def __init__(self, page: ReplayPage) -> None:
        self.page = page
        self._changed = asyncio.Event()
        page.changed = self._changed.set

    async def advised(self) -> str:
        """Asks for a hint that takes thinking, and waits for it."""
        self._changed.clear()
        self.page.press("h")
        async with asyncio.timeout(60):
            await self._changed.wait()
        return text_of(self.page)


@asynccontextmanager
async def living(
    verified: Verified, viewer: Seat | None, adviser: Adviser = advise
) -> AsyncGenerator[Running]:
    page = ReplayPage(verified, viewer, Settings(), lambda _: UNICODE, adviser=adviser)
    running = asyncio.create_task(page.run())
    yield Running(page)
    page.press("q")
    await running


async def test_h_tells_what_sharp_would_do_at_a_decision_reason_by_reason(
    verified: Verified, advice: Callable[..., Advice]
) -> None:
    def adviser(view: SeatView) -> list[Advice]:
        return [
            advice(Play(view.legal_plays[0]), "why not", "it is the first"),
            advice(Play(view.legal_plays[-1]), "it is the last"),
        ]

    number = kinds(verified.match, spades.CardPlayed)[0] - 2
    turn = view_of_turn(Replay(verified, None).step(number).state)
    first, last = (UNICODE.card(turn.legal_plays[place]) for place in (0, -1))
    async with living(verified, None, adviser) as replay:
        page = replay.page
        while at(page) <= number:
            page.press("right")
        told = await replay.advised()
        assert f"Hint for {turn.seat}: Play {first}: why not (1 of 3)." in told
        assert told.count("!") == 1
        page.press("h")
        assert f"Play {first}; moreover, it is the first (2 of 3)." in text_of(page)
        page.press("H")
        assert f"Or {last}: it is the last (3 of 3)." in text_of(page)
        page.press("right")
        assert "Hint for" not in text_of(page)
        page.press("left")
        page.press("x")
        assert "? show the keys" in text_of(page)


async def test_a_hint_can_be_had_at_every_decision_from_that_seats_view_alone(
    verified: Verified,
) -> None:
    seen: list[SeatView] = []

    def adviser(view: SeatView) -> tuple[Advice, ...]:
        seen.append(view)
        return advise(view)

    shown = {seat: Replay(verified, seat) for seat in Seat}
    whole = Replay(verified, None)
    async with living(verified, None, adviser) as replay:
        for number in range(at(replay.page) - 1, len(whole)):
            state = whole.step(number).state
            match = state.table.match if state.table is not None else None
            if match is not None and match.turn is not None:
                assert f"Hint for {match.turn}: " in await replay.advised()
                assert seen.pop() == shown[match.turn].step(number).state.view
            else:
                replay.page.press("h")
                assert "There is no hint here: nobody is to act." in text_of(replay.page)
            replay.page.press("right")


async def test_a_seats_own_view_has_hints_at_its_own_decisions_only(verified: Verified) -> None:
    whole = Replay(verified, None)
    async with living(verified, Seat.WEST) as replay:
        told: set[bool] = set()
        for number in range(at(replay.page) - 1, 60):
            state = whole.step(number).state
            match = state.table.match if state.table is not None else None
            assert match is not None
            if match.turn is Seat.WEST:
                assert "Hint for West: " in await replay.advised()
            elif match.turn is not None:
                replay.page.press("h")
                assert f"There is no hint here: {match.turn} is to act" in text_of(replay.page)
            told.add(match.turn is Seat.WEST)
            replay.page.press("right")
        assert told == {True, False}


async def test_a_replay_lives_while_a_hint_is_thought_about(verified: Verified) -> None:
    thinks, goes_on = threading.Event(), threading.Event()

    def slow(view: SeatView) -> tuple[Advice, ...]:
        thinks.set()
        goes_on.wait(60)
        return advise(view)

    async with living(verified, None, slow) as replay:
        before = at(replay.page)
        waiting = asyncio.create_task(replay.advised())
        async with asyncio.timeout(60):
            while not thinks.is_set():  # noqa: ASYNC110  # another thread sets it
                await asyncio.sleep(0)
        replay.page.press("right")
        assert at(replay.page) == before + 1
        goes_on.set()
        # What it was for is no longer shown.
        assert "Hint for" not in await waiting


@pytest.mark.parametrize("size", [Size(112, 33), Size(80, 24), Size(60, 18), Size(40, 12)])
@pytest.mark.parametrize("viewer", [None, Seat.WEST])
async def test_a_hint_fits_every_window(
    verified: Verified, advice: Callable[..., Advice], size: Size, viewer: Seat | None
) -> None:
    def adviser(view: SeatView) -> list[Advice]:
        return [advice(Play(view.legal_plays[0]), "a reason that is quite long, " * 12 + "or so")]

    async with living(verified, viewer, adviser) as replay:
        whole = Replay(verified, None)
        for number in range(at(replay.page) - 1, len(whole)):
            state = whole.step(number).state
            match = state.table.match if state.table is not None else None
            if match is not None and match.turn is Seat.WEST and match.phase is Phase.PLAYING:
                break
            replay.page.press("right")
        await replay.advised()
        rows = replay.page.draw(size)
        assert {row_width(row) for row in rows} == {size.columns}
        text = "\n".join("".join(piece.text for piece in row) for row in rows)
        assert "Hint for West: Play " in text
