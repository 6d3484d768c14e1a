"""The page of a table in process: a real server, keys from a pipe, a screen that is read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import pytest

from spades import Bid, BidMade, Card, CardPlayed, MakeBid, Phase, Play, Seat, SeatView
from spades_agents import HOUSE_BOTS, Advice, Server, advise
from spades_client.adviser import Adviser
from spades_client.desk import DeskOptions
from spades_client.levels import about_level
from spades_client.screen.canvas import Click
from spades_client.screen.looks import UNICODE
from spades_client.screen.table_page import TablePage
from spades_client.session import TableSession
from spades_client.settings import Settings
from spades_client.solo import SoloTable, solo_session
from spades_client.state import ClientState
from spades_proto.frames import Command, Deed
from spades_server.app import SpadesServer
from spades_server.commands import BotDeed
from spades_server.host import TableHost


class Stage(Protocol):
    """A page on a screen that can be read."""

    def press(self, text: str, /) -> None: ...
    def resize(self, columns: int, rows: int, /) -> None: ...
    async def until(self, seen: str | Callable[[str], bool], /) -> str: ...
    async def click(self, words: str, /) -> None: ...


OnStage = Callable[..., AbstractAsyncContextManager[Stage]]
QUICK = Settings(pause_ms=0)


@dataclass
class Table:
    """South on a stage, three house bots on strings, and a real server between them."""

    page: TablePage
    stage: Stage
    host: TableHost

    def move(self, card: Card | None = None) -> None:
        """Has the bot whose turn it is do the plainest thing."""
        table = self.host.table
        seat = table.match.turn if table.match else None
        assert seat is not None and seat is not Seat.SOUTH
        view = table.bot_view(seat)
        action = Play(card or view.legal_plays[0]) if view.legal_plays else MakeBid(Bid(3))
        self.host.submit(BotDeed(seat, table.decision_id, action))

    def move_all(self) -> None:
        """Has the bots move until it is South's turn, or nobody's."""
        while self.host.table.match and self.host.table.match.turn not in (None, Seat.SOUTH):
            self.move()

    def deeds(self) -> list[Bid | Card]:
        """What South has bid and played, by the server's log."""
        made: list[Bid | Card] = []
        for entry in self.host.table.log:
            event = entry.event
            if isinstance(event, BidMade) and event.seat is Seat.SOUTH:
                made.append(event.bid)
            elif isinstance(event, CardPlayed) and event.seat is Seat.SOUTH:
                made.append(event.card)
        return made

    def has_done(self, deeds: int) -> Callable[[str], bool]:
        """Whether the server has got so many deeds of South's."""
        return lambda _: len(self.deeds()) >= deeds

    async def at_the_first_card(self) -> None:
        await self.stage.until("B bids it")
        self.stage.press("4b")
        await self.stage.until("West is to bid")
        self.move_all()
        await self.stage.until("You lead")


def page_for(
    session: TableSession,
    settings: Settings = QUICK,
    *,
    solo: bool = False,
    adviser: Adviser = advise,
) -> TablePage:
    options = DeskOptions(solo=solo, adviser=adviser)
    return TablePage(session, options, settings, lambda _: UNICODE, lambda _: "")


def _other_than(before: str) -> Callable[[str], bool]:
    return lambda text: text != before


def _is_not_asked(text: str) -> bool:
    return not any(words in text for words in ("You lead", "Your card", "is picked", "Sending"))


class SlowSession(TableSession):
    """A session whose deeds take until they are let go."""

    gate: asyncio.Event | None = None

    async def act(self, deed: Deed, seen: ClientState, decision: int = 0) -> None:
        if self.gate is not None:
            await self.gate.wait()
        await super().act(deed, seen, decision)


class Line(Protocol):
    """A line to the server that can be cut and mended."""

    @property
    def target(self) -> str: ...
    def hold(self) -> None: ...
    def release(self) -> None: ...
    def cut(self) -> None: ...
    def mend(self) -> None: ...


MakeAdvice = Callable[..., Advice]
OpenTable = Callable[..., AbstractAsyncContextManager[Table]]


@pytest.fixture
def table(puppet_server: SpadesServer, on_stage: OnStage) -> OpenTable:
    """Opens a table at which South leads the first trick; leaving ends the block."""

    @asynccontextmanager
    async def opened(
        settings: Settings = QUICK,
        rules: str = "max_hands=1",
        columns: int = 80,
        rows: int = 24,
        *,
        seed: str = "7",
        solo: bool = False,
        target: str = "",
        adviser: Adviser = advise,
        hints: bool = True,
    ) -> AsyncGenerator[Table]:
        async with AsyncExitStack() as stack:
            where = target or f"127.0.0.1:{puppet_server.port}"
            player = await stack.enter_async_context(Server(where))
            await player.register(f"Ann {seed}" if seed != "7" else "Ann")
            bots = [(seat, "gentle") for seat in (Seat.WEST, Seat.NORTH, Seat.EAST)]
            made = await player.create_table(
                rules, seats=(Seat.SOUTH,), bots=bots, start=True, seed=seed, hints=hints
            )
            session = SlowSession(player, made.code, Seat.SOUTH)
            page = page_for(session, settings, solo=solo, adviser=adviser)
            stage = await stack.enter_async_context(on_stage(page, columns, rows))
            yield Table(page, stage, puppet_server.lobby.find(made.code))
            stage.press("\x03")

    return opened


async def test_a_whole_match_is_played_by_keys_alone(on_stage: OnStage) -> None:
    solo = SoloTable("max_hands=2,floor=none", ["gentle"] * 3, "Ann", "7", 0)
    async with solo_session(solo) as session:
        page = page_for(session, solo=True)
        async with on_stage(page) as stage:
            seen: set[str] = set()
            while "The match is over" not in seen:
                text = await stage.until(
                    lambda text: any(
                        words in text
                        for words in ("B bids it", "You lead", "Your card", "is picked", "N deals",
                                      "The match is over")
                    )
                )  # fmt: skip
                for words, keys in {
                    "The match is over": "",
                    "N deals": "n",
                    "B bids it": "b",
                    "is picked": "\r",
                    "You lead": "\r",
                    "Your card": " ",
                }.items():
                    if words in text:
                        seen.add(words)
                        stage.press(keys)
                        break
                before = text
                if "The match is over" not in seen:
                    await stage.until(_other_than(before))
            stage.press("s")
            await stage.until("Score sheet")
            stage.press("\x1b")
            await stage.until("The match is over")
            stage.press("q")
            await stage.until("Q again leaves")
            stage.press("q")
        assert page.ending == ["You leave the table."]
        assert page.failure is None
        assert {"B bids it", "You lead", "is picked", "N deals"} <= seen


async def test_cards_are_picked_and_played_by_the_mouse(table: OpenTable) -> None:
    async with table() as at:
        await at.stage.until("Your bid")
        await at.stage.click("+      │")
        await at.stage.click(" B ")
        await at.stage.until("West is to bid")
        at.move_all()
        await at.stage.until("You lead")
        await at.stage.click("Q♣")
        await at.stage.until("Q♣ is picked")
        await at.stage.click("Q♣")
        await at.stage.until("West is to play")
        assert at.deeds() == [Bid(2), Card("QC")]


async def test_the_partners_bid_is_on_the_bid_panel_as_soon_as_it_is_made(table: OpenTable) -> None:
    async with table() as at:
        text = await at.stage.until("Your bid")
        assert "North: no bid yet" in text
        assert "No bids so far" in text
    async with table(rules="max_hands=1,first_dealer=random", seed="1") as at:
        await at.stage.until("West is to bid")
        at.move_all()
        text = await at.stage.until("Your bid")
        assert "North: 3, together" in text
        assert "Bids 3+3+3 = 9 of 13" in text


async def test_the_reason_is_in_the_prompt_when_a_dim_card_is_tried(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press("\x1b[F\r")
        await at.stage.until("spades are not broken")
        assert at.deeds() == [Bid(4)]
        at.stage.press("\x1b[H\r\r")
        await at.stage.until("West is to play")
        assert len(at.deeds()) == 2


async def test_c13_the_fourth_card_stays_until_the_pause_is_over_or_a_key_is_pressed(
    table: OpenTable,
) -> None:
    async with table(Settings(pause_ms=3_600_000)) as at:
        await at.at_the_first_card()
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.move_all()
        text = await at.stage.until("wins the trick.")
        match = at.host.table.match
        assert match is not None
        for card in match.state.tricks[0].cards:
            assert f"│ {UNICODE.card(card)}" in text
        # Nobody waits: the bots have gone on, and the server knows of no pause.
        if match.turn is not Seat.SOUTH:
            at.move_all()
        assert len(match.state.tricks) == 1
        at.stage.press(" ")
        await at.stage.until(lambda text: "wins the trick." not in text)
        assert at.deeds()[0] == Bid(4) and len(at.deeds()) == 2


async def test_c13_the_last_trick_is_seen_before_the_score_card(table: OpenTable) -> None:
    async with table(Settings(pause_ms=3_600_000)) as at:
        await at.at_the_first_card()
        match = at.host.table.match
        assert match is not None
        while len(match.state.tricks) < 13:
            if match.turn is Seat.SOUTH:
                text = await at.stage.until(
                    lambda text: "You lead" in text or "Your card" in text or "the trick." in text
                )
                at.stage.press(" " if "the trick." in text else "\r\r")
                if "the trick." not in text:
                    await at.stage.until(at.has_done(len(at.deeds()) + 1))
                    await at.stage.until(_is_not_asked)
                else:
                    await at.stage.until(lambda text: "the trick." not in text)
            else:
                at.move()
        text = await at.stage.until(lambda text: "trick 13 of 13" in text and "the trick." in text)
        assert "Score card" not in text
        for card in match.state.tricks[12].cards:
            assert f"│ {UNICODE.card(card)}" in text
        at.stage.press(" ")
        await at.stage.until("The match is over")


async def test_c09_a_slow_server_freezes_nothing(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        session = at.page._desk.session  # pyright: ignore[reportPrivateUsage]
        assert isinstance(session, SlowSession)
        session.gate = asyncio.Event()
        at.stage.press("\r\r")
        await at.stage.until("Sending...")
        at.stage.press("\r\r")
        at.stage.press("?")
        await at.stage.until("Bidding")
        at.stage.press("\x1b")
        await at.stage.until("Sending...")
        assert at.deeds() == [Bid(4)]
        session.gate.set()
        await at.stage.until("West is to play")
        assert len(at.deeds()) == 2


async def test_c10_keys_before_ones_turn_are_not_kept(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.stage.press("3\r5\r")
        await at.stage.until("It is West's turn.")
        at.move_all()
        await at.stage.until(lambda text: "You lead" in text or "Your card" in text)
        assert len(at.deeds()) == 2


async def test_c10_after_a_refusal_one_can_play_at_once(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press("\x1b[F\r")
        await at.stage.until("spades are not broken")
        at.stage.press("\x1b[D" * 12 + "\r\r")
        await at.stage.until("West is to play")
        assert len(at.deeds()) == 2


async def test_a_typed_word_does_what_it_does_in_the_line_client(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press(":rules\r")
        await at.stage.until("Options:")
        at.stage.press("\x1b")
        await at.stage.until("You lead")
        at.stage.press(":score\r")
        await at.stage.until("goes to 500")
        at.stage.press("\x1b:2x\r")
        await at.stage.until("'2x' is not understood")
        at.stage.press(":QC\r")
        await at.stage.until("West is to play")
        assert at.deeds() == [Bid(4), Card("QC")]
        at.stage.press(":sc\x1b")
        await at.stage.until(lambda text: ":sc" not in text)


async def test_undo_takes_the_card_back(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.stage.press("u")
        await at.stage.until("You lead")
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.move()
        await at.stage.until("North is to play")
        at.stage.press("u")
        await at.stage.until("You have no card to take back")


async def test_esc_waits_for_no_other_key(table: OpenTable) -> None:
    async with table() as at:
        await at.stage.until("B bids it")
        at.stage.press("\x1b")
        await at.stage.until("Back to the table")


async def test_c04_a_resize_changes_nothing_else(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press("\x1b[C\x1b[C\r")
        before = await at.stage.until("is picked")
        for columns, rows, shown in (
            (20, 5, "Spades"),
            (1, 1, "S"),
            (200, 60, "What happened"),
            (40, 12, "We "),
            (80, 24, "West (gentle)"),
        ):
            at.stage.resize(columns, rows)
            at.page.changed()
            await at.stage.until(shown)
        await at.stage.until(lambda text: text == before)


async def test_a_table_of_ones_own_waits_while_the_menu_is_open(table: OpenTable) -> None:
    async with table(solo=True) as at:
        await at.at_the_first_card()
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.stage.press("\x1b")
        await at.stage.until("Back to the table")
        at.move()
        session = at.page._desk.session  # pyright: ignore[reportPrivateUsage]
        await session.until(lambda: session.state.seq == at.host.table.seq)
        assert at.page.sight.state.seq < session.state.seq
        at.stage.press("\x1b")
        await at.stage.until("North is to play")
        assert at.page.sight.state.seq == session.state.seq


async def test_settings_that_are_changed_are_kept(table: OpenTable) -> None:
    async with table() as at:
        kept: list[Settings] = []

        def keep(settings: Settings) -> str:
            kept.append(settings)
            return "The settings could not be kept."

        at.page._keep = keep  # pyright: ignore[reportPrivateUsage]
        await at.stage.until("B bids it")
        at.stage.press("f")
        await at.stage.until("could not be kept")
        assert kept == [replace(QUICK, colours="two-colour")]
        await at.stage.click("menu")
        await at.stage.click("Settings")
        await at.stage.click("One press plays a card: no")
        await at.stage.until("One press plays a card: yes")
        at.stage.press("\x1b")


async def test_a_clicked_card_under_a_panel_is_not_touched(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        at.stage.press("s")
        await at.stage.until("No hand has been scored yet")
        at.page.click(Click(card=Card("QC")))
        at.stage.press("\x1b")
        await at.stage.until("You lead")
        assert at.deeds() == [Bid(4)]


async def test_a_spectator_watches(
    puppet_server: SpadesServer, on_stage: OnStage, table: OpenTable
) -> None:
    async with table() as at, Server(f"127.0.0.1:{puppet_server.port}") as other:
        await other.register("Bob")
        code = at.host.table.config.code
        page = page_for(TableSession(other, code, None))
        async with on_stage(page) as stage:
            await stage.until("Ann is to bid")
            stage.press("b")
            stage.press("\r")
            await stage.until("You watch.")
            stage.press("qq")
        assert page.ending == ["You leave."]


async def test_the_waiting_room_seats_bots_and_starts(
    puppet_server: SpadesServer, on_stage: OnStage
) -> None:
    async with (
        Server(f"127.0.0.1:{puppet_server.port}") as host,
        Server(f"127.0.0.1:{puppet_server.port}") as guest,
    ):
        await host.register("Ann")
        await guest.register("Bob")
        made = await host.create_table("max_hands=1")
        await host.sit(made.code, Seat.SOUTH)
        await guest.sit(made.code, Seat.NORTH)
        mine = page_for(TableSession(host, made.code, Seat.SOUTH))
        theirs = page_for(TableSession(guest, made.code, Seat.NORTH))
        async with on_stage(mine) as one, on_stage(theirs) as two:
            await one.until("S starts the match")
            await two.until("Waiting for the host to start.")
            two.press("s")
            await two.until("Only Ann, the host of the table, can start.")
            one.press("s")
            await one.until("nobody sits West and East")
            one.press("b")
            await one.until("Every free seat")
            one.press("\x1b[B\r")
            weakest, *levels = list(HOUSE_BOTS)[:3]
            await one.until(about_level(weakest))
            for level in levels:
                one.press("\x1b[B")
                await one.until(about_level(level))
            one.press("\r")
            await one.until(f"West   West ({levels[-1]})")
            # One seat is left: nobody is asked which.
            one.press("b")
            await one.until("which level?")
            one.press("\r")
            await one.until(f"East   East ({weakest})")
            one.press("s")
            await one.until("B bids it")
            await two.until("Ann is to bid")
            one.press("\x03")
            two.press("\x03")


async def test_the_page_ends_with_the_table(table: OpenTable, puppet_server: SpadesServer) -> None:
    async with table() as at:
        await at.stage.until("B bids it")
        # What a server that is stopping says ends nothing: the client tries to come back.
        puppet_server.lobby.drain()
        text = await at.stage.until("The line is lost")
        assert "6♠" in text
        at.page.press("c-c")
    assert at.page.failure is None


async def test_the_log_holds_what_happened_in_sentences(table: OpenTable) -> None:
    async with table(columns=112, rows=33) as at:
        await at.at_the_first_card()
        text = await at.stage.until("What happened")
        assert "East bids 3." in text
        assert "Contracts: You and North" in text


async def test_a_cut_line_keeps_the_cards_counts_seconds_and_comes_back_at_the_same_card(
    table: OpenTable, proxy: Line
) -> None:
    async with table(target=proxy.target) as at:
        await at.at_the_first_card()
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.move()
        before = await at.stage.until("North is to play")
        proxy.cut()
        lost = await at.stage.until("trying to come back for 1 s")
        for row in before.splitlines()[16:20]:
            assert row in lost
        at.stage.press("\r?")
        await at.stage.until("Bidding")
        at.stage.press("\x1b")
        # With nobody at the table the bots have not waited: the trick has come round to South.
        proxy.mend()
        await at.stage.until(lambda text: "You lead" in text or "Your card" in text)
        assert len(at.deeds()) == 2


async def test_c09_a_card_that_is_long_on_its_way_is_marked_and_sent_once(
    table: OpenTable, proxy: Line
) -> None:
    async with table(target=proxy.target) as at:
        await at.at_the_first_card()
        proxy.hold()
        at.stage.press("\r\r")
        text = await at.stage.until("Sending...")
        assert "~" in text
        at.stage.press("\r\r\r")
        at.stage.resize(60, 18)
        at.page.changed()
        await at.stage.until("bids 4+3+3+3")
        proxy.release()
        await at.stage.until("West is to play")
        assert len(at.deeds()) == 2


async def test_ones_own_deed_ends_the_pause(table: OpenTable) -> None:
    async with table(Settings(pause_ms=3_600_000)) as at:
        await at.at_the_first_card()
        at.stage.press("\r\r")
        await at.stage.until("West is to play")
        at.move_all()
        await at.stage.until("the trick.")
        at.stage.press("u")
        await at.stage.until(lambda text: "the trick." not in text)


async def test_the_end_of_a_match_lies_beside_its_last_hand_at_once(table: OpenTable) -> None:
    async with table(Settings(pause_ms=3_600_000), rules="max_hands=1") as at:
        await at.at_the_first_card()
        at.stage.press(":surrender\r")
        text = await at.stage.until("The match is over")
        assert "West and East win" in text
        assert "No hand was played to its end." in text


async def test_a_card_that_was_typed_is_marked_while_it_is_on_its_way(table: OpenTable) -> None:
    async with table() as at:
        await at.at_the_first_card()
        session = at.page._desk.session  # pyright: ignore[reportPrivateUsage]
        assert isinstance(session, SlowSession)
        session.gate = asyncio.Event()
        at.stage.press(":QC\r")
        await at.stage.until("Sending...")
        assert at.page.sight.sending_card is Card("QC")
        session.gate.set()
        await at.stage.until("West is to play")


async def test_a_command_is_typed_over_the_same_screen(table: OpenTable) -> None:
    async with table(columns=40, rows=12) as at:
        await at.stage.until("B bids it")
        at.stage.press(":")
        text = await at.stage.until("\n:")
        assert "Hand 1, bidding" in text
        assert "6♥" in text
        at.stage.press("3\r")
        await at.stage.until("West is to bid")


async def test_two_people_are_ready_one_after_the_other(
    puppet_server: SpadesServer, on_stage: OnStage
) -> None:
    where = f"127.0.0.1:{puppet_server.port}"
    async with Server(where) as host, Server(where) as guest:
        await host.register("Ann")
        await guest.register("Bob")
        bots = [(seat, "gentle") for seat in (Seat.WEST, Seat.EAST)]
        made = await host.create_table("max_hands=2", seats=(Seat.SOUTH,), bots=bots)
        await guest.sit(made.code, Seat.NORTH)
        mine = page_for(TableSession(host, made.code, Seat.SOUTH))
        theirs = page_for(TableSession(guest, made.code, Seat.NORTH))
        async with on_stage(mine) as one, on_stage(theirs) as two:
            await one.until("S starts")
            one.press("s")
            await one.until("B bids it")
            table = puppet_server.lobby.find(made.code)
            at = Table(mine, one, table)
            assert at.host.table.match is not None
            match = at.host.table.match
            while match.phase is not Phase.HAND_OVER:
                assert match.turn is not None
                view = at.host.table.bot_view(match.turn)
                action = Play(view.legal_plays[0]) if view.legal_plays else MakeBid(Bid(3))
                if view.seat in (Seat.SOUTH, Seat.NORTH):
                    player = host if view.seat is Seat.SOUTH else guest
                    await player.act(
                        Command(made.code, action, view.seat, f"{at.host.table.seq}",
                                at.host.table.decision_id, at.host.table.epoch)
                    )  # fmt: skip
                else:
                    at.host.submit(BotDeed(view.seat, at.host.table.decision_id, action))
            await two.until("N asks for the next hand")
            two.press("n")
            await one.until("is ready for the next hand")
            one.press("n")
            await one.until("Hand 2, bidding")
            await two.until("Hand 2, bidding")
            one.press("\x03")
            two.press("\x03")


# Hints


def of_two(advice: MakeAdvice) -> Adviser:
    """Advises the last legal card for two reasons, and the first for one; for a bid five."""

    def adviser(view: SeatView) -> list[Advice]:
        if not view.legal_plays:
            return [advice(MakeBid(Bid(5)), "five is a good number")]
        last, first = view.legal_plays[-1], view.legal_plays[0]
        return [
            advice(Play(last), f"{last} is the best", "it is the last"),
            advice(Play(first), "somebody has to begin"),
        ]

    return adviser


async def test_h_tells_the_choice_then_its_reasons_then_the_next_choice_and_goes_round(
    table: OpenTable, advice: MakeAdvice
) -> None:
    async with table(adviser=of_two(advice)) as at:
        await at.at_the_first_card()
        view = at.page.sight.state.view
        assert view is not None
        last, first = (UNICODE.card(view.legal_plays[number]) for number in (-1, 0))
        told = [
            f"Play {last}: {last} is the best (1 of 3).",
            f"Play {last}; moreover, it is the last (2 of 3).",
            f"Or {first}: somebody has to begin (3 of 3).",
        ]
        for sentence in (*told, told[0]):
            at.stage.press("h")
            await at.stage.until(sentence)
        assert at.deeds() == [Bid(4)]


async def test_a_hint_puts_the_cursor_on_its_card_and_plays_only_what_is_picked_as_ever(
    table: OpenTable, advice: MakeAdvice
) -> None:
    async with table(adviser=of_two(advice)) as at:
        await at.at_the_first_card()
        view = at.page.sight.state.view
        assert view is not None
        first, last = view.legal_plays[0], view.legal_plays[-1]
        at.stage.press("h")
        await at.stage.until("is the best")
        at.stage.press("\r")
        await at.stage.until(f"{UNICODE.card(last)} is picked")
        # What is picked stays so, whatever the next hint speaks of.
        at.stage.press("hh")
        await at.stage.until(f"Or {UNICODE.card(first)}")
        at.stage.press("\r")
        await at.stage.until("West is to play")
        assert at.deeds() == [Bid(4), last]


async def test_where_one_press_plays_a_hint_leaves_the_cursor_alone(
    table: OpenTable, advice: MakeAdvice
) -> None:
    async with table(Settings(pause_ms=0, one_press=True), adviser=of_two(advice)) as at:
        await at.at_the_first_card()
        view = at.page.sight.state.view
        assert view is not None
        at.stage.press("h")
        await at.stage.until("is the best")
        at.stage.press("\r")
        await at.stage.until("West is to play")
        assert at.deeds() == [Bid(4), view.legal_plays[0]]


async def test_a_hint_for_a_bid_changes_no_bid_and_goes_away_with_its_decision(
    table: OpenTable, advice: MakeAdvice
) -> None:
    async with table(adviser=of_two(advice)) as at:
        before = await at.stage.until("B bids it")
        at.stage.press("h")
        text = await at.stage.until("Bid 5: five is a good number.")
        assert "hint 5" in text
        shown = [line for line in before.splitlines() if "B bids it" in line]
        assert shown[0] in text
        at.stage.press("4b")
        text = await at.stage.until("West is to bid")
        assert "five is a good number" not in text
        at.stage.press("h")
        await at.stage.until("There is no hint now: it is West's turn.")
        at.move_all()
        text = await at.stage.until("You lead")
        assert "five is a good number" not in text
        assert at.deeds() == [Bid(4)]


async def test_the_screen_lives_while_a_hint_is_thought_about(table: OpenTable) -> None:
    thinks, goes_on = threading.Event(), threading.Event()

    def slow(view: SeatView) -> tuple[Advice, ...]:
        thinks.set()
        goes_on.wait(60)
        return advise(view)

    async with table(adviser=slow) as at:
        await at.stage.until("B bids it")
        at.stage.press("h")
        await at.stage.until(lambda _: thinks.is_set())
        at.stage.press("7")
        await at.stage.until("Your bid: 7.")
        goes_on.set()
        await at.stage.until("hint ")


async def test_a_hint_that_comes_too_late_is_not_shown(table: OpenTable) -> None:
    thinks, goes_on = threading.Event(), threading.Event()

    def slow(view: SeatView) -> tuple[Advice, ...]:
        thinks.set()
        goes_on.wait(60)
        return advise(view)

    async with table(adviser=slow) as at:
        await at.stage.until("B bids it")
        at.stage.press("h")
        await at.stage.until(lambda _: thinks.is_set())
        at.stage.press("4b")
        await at.stage.until(at.has_done(1))
        goes_on.set()
        text = await at.stage.until("West is to bid")
        assert "tricks" not in text


async def test_an_adviser_that_fails_costs_nobody_the_table(table: OpenTable) -> None:
    def broken(view: SeatView) -> tuple[Advice, ...]:
        raise KeyError(view.seat)

    async with table(adviser=broken) as at:
        await at.stage.until("B bids it")
        at.stage.press("h")
        await at.stage.until("No hint could be made: thinking failed with KeyError.")
        at.stage.press("4b")
        await at.stage.until(at.has_done(1))


async def test_h_says_why_there_is_no_hint_at_a_table_without_them(table: OpenTable) -> None:
    async with table(hints=False) as at:
        text = await at.stage.until("B bids it")
        assert "H hint" not in text
        at.stage.press("h")
        await at.stage.until("This table plays without hints: that was settled when")


async def test_the_bar_gives_a_hint_at_a_click(table: OpenTable, advice: MakeAdvice) -> None:
    async with table(adviser=of_two(advice)) as at:
        await at.stage.click(" H hint")
        await at.stage.until("Bid 5: five is a good number.")
