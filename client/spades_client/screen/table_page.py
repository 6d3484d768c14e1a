"""The page of one table: keys to deeds, updates to what is drawn, and a pause for the fourth card."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import spades
from spades import Card, NextHand, Play, SpadesError
from spades_agents.tasks import end
from spades_client.desk import ON_ITS_WAY, Desk, DeskOptions
from spades_client.levels import LEVELS
from spades_client.phrases import printable
from spades_client.screen.canvas import Click, Row, Size
from spades_client.screen.choices import setting_choices
from spades_client.screen.drawing import draw, last_row
from spades_client.screen.effects import Change, Effect, Order, SeatBots
from spades_client.screen.interface import Interface, Panel, Sight
from spades_client.screen.looks import Glyphs, Layout
from spades_client.screen.moves import Step, press, touch
from spades_client.screen.pause import Pause
from spades_client.session import Changed, Ended, LineBack, LineLost, TableSession, Update
from spades_client.settings import Settings
from spades_proto.frames import Deed
from spades_proto.table import RecordKept

BACKLOG: Final = 40
"""From so many waiting updates on nothing is looked at any longer: the screen catches up."""

LEAVE_S: Final = 2.0
"""How long leaving waits for an answer."""


class TablePage:
    """A table in full screen."""

    def __init__(
        self,
        session: TableSession,
        options: DeskOptions,
        settings: Settings,
        glyphs: Callable[[Settings], Glyphs],
        keep: Callable[[Settings], str],
    ) -> None:
        """``keep`` keeps changed settings for the next time and says why it could not."""
        self.settings = settings
        self.changed: Callable[[], None] = lambda: None
        self.ending: list[str] = []
        """What to say when the screen is gone."""
        self._glyphs = glyphs
        self._keep = keep
        self._options = options
        self._wake = asyncio.Event()
        self._desk = Desk(session, options, self._wake.set)
        self._interface = Interface()
        self._queue: deque[Update] = deque()
        self._log: deque[str] = deque(maxlen=100)
        self._commands: deque[str] = deque()
        self._hints_asked = 0
        """How often a hint was asked for that is not given yet."""
        self._deed: Deed | None = None
        """What was sent last by a key or a click."""
        self._pause = Pause()
        self._lost_at: float | None = None
        self._leaving = False
        self._size = Size(*Layout.FULL.value)

    @property
    def failure(self) -> SpadesError | None:
        """Why the table ended, where it was not to be expected."""
        return self._desk.failure

    @property
    def sight(self) -> Sight:
        """What is known now."""
        now = asyncio.get_running_loop().time()
        desk = self._desk
        left = desk.time_left_s
        return Sight(
            desk.state,
            desk.ask,
            desk.state.table is not None and desk.is_host,
            desk.on_its_way,
            self._pause.shows_trick(now),
            None if self._lost_at is None else int(now - self._lost_at),
            None if left is None else int(left),
            tuple(self._log),
            desk.session.server.invitation,
            self._options.solo,
            levels=LEVELS,
            hint=desk.hint,
        )

    def tell(self, sentence: str) -> None:
        """Shows a sentence among what happened."""
        self._log.append(printable(sentence))

    # What the skin asks.

    @property
    def question(self) -> tuple[str, str] | None:
        """The line for a typed command."""
        return (":", "") if self._interface.command else None

    def answered(self, text: str | None) -> None:
        """Takes a typed command."""
        self._interface = replace(self._interface, command=False)
        if text is not None and text.strip():
            self._commands.append(text.strip())
            self._wake.set()

    def draw(self, size: Size) -> list[Row]:
        """Draws the table."""
        self._size = size
        return draw(self.sight, self._interface, self.settings, self._glyphs(self.settings), size)

    def press(self, key: str) -> None:
        """Does what a key means now."""
        self._step(press(key, self.sight, self._interface, self.settings))

    def click(self, click: Click) -> None:
        """Does what a click means: a key, a card, or a line of a panel."""
        if click.card is not None:
            if self._interface.panel is None:
                self._step(touch(click.card, self.sight, self._interface, self.settings))
        elif click.key.startswith("choose-"):
            self._interface = replace(self._interface, row=int(click.key.removeprefix("choose-")))
            self.press("enter")
        else:
            self.press(click.key)

    def _step(self, step: Step) -> None:
        self._interface = step.interface
        if step.interface.row:
            glyphs = self._glyphs(self.settings)
            last = last_row(self.sight, step.interface, self.settings, glyphs, self._size)
            self._interface = replace(step.interface, row=min(step.interface.row, last))
        if step.effect is not None:
            self._do(step.effect)
        # A panel that closes may let the table go on.
        self._wake.set()

    def _do(self, effect: Effect) -> None:
        match effect:
            case Order.LEAVE:
                self._leaving = True
                self._notice(["Leaving..."])
            case Order.GO_ON:
                self._pause.end()
            case Order.HINT:
                self._pause.put_away()
                self._hints_asked += 1
            case Order.START:
                self._notice(self._desk.start())
            case SeatBots(level, seat):
                self._notice(self._desk.add_bots(level, seat))
            case Change(setting):
                self.settings = self.settings.changed(setting)
                told = [c.text for c in setting_choices(self.settings) if c.takes == setting]
                self._notice([*(f"{one}." for one in told), self._keep(self.settings)])
            case _:
                self._send(effect)

    def _send(self, deed: Deed) -> None:
        self._pause.put_away()
        newer = self._desk.session.state.hand_number > self._desk.state.hand_number
        if isinstance(deed, NextHand) and newer:
            # The next hand has come already and only waits to be shown.
            return
        if self._desk.sending:
            self._notice([ON_ITS_WAY])
        else:
            self._deed = deed
            self._desk.send(deed)

    def _notice(self, sentences: list[str]) -> None:
        self._interface = replace(self._interface, notice=" ".join(filter(None, sentences)))

    # Life.

    async def run(self) -> None:
        """Plays until the player leaves or the table is gone."""
        desk = self._desk
        pump = asyncio.create_task(self._pump())
        pump.add_done_callback(lambda _: self._wake.set())
        try:
            while not desk.left:
                await self._rest()
                refused = desk.settled()
                if refused is not None:
                    # A card that was refused is back in the hand; what is picked to be passed stays picked.
                    played = isinstance(self._deed, Play)
                    picked: frozenset[Card] = frozenset() if played else self._interface.picked
                    self._interface = replace(self._interface, notice=refused, picked=picked)
                if self._leaving:
                    await self._leave()
                    return
                await self._take_due()
                await self._give_hints()
                await self._run_commands()
                self.changed()
                if pump.done() and not self._queue:
                    pump.result()
                    return
        finally:
            try:
                await end(pump)
            finally:
                await desk.close()

    async def _leave(self) -> None:
        """Leaves, and waits no longer than a person would for a server that does not answer."""
        try:
            async with asyncio.timeout(LEAVE_S):
                self.ending.append(await self._desk.leave())
        except TimeoutError:
            self.ending.append("You leave the table; the server did not answer.")

    async def _pump(self) -> None:
        async for update in self._desk.session.updates():
            self._queue.append(update)
            self._wake.set()

    async def _rest(self) -> None:
        """Waits for something to happen, for the end of a pause, or for the next second of silence."""
        now = asyncio.get_running_loop().time()
        ends: list[float] = []
        if paused := self._pause.left_s(now):
            ends.append(paused)
        if self._lost_at is not None:
            ends.append(1.0)
        left = self._desk.time_left_s
        if left:
            # The next second of the clock; a hundredth more, so that it has really come.
            ends.append(left % 1.0 + 0.01)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(ends, default=None)):
                await self._wake.wait()
        self._wake.clear()

    async def _take_due(self) -> None:
        """Takes in what may be shown now."""
        loop = asyncio.get_running_loop()
        while self._queue and not self._desk.left:
            seen = self._interface.panel is not None or self._pause.card_up
            held = (self._options.solo and seen) or self._pause.left_s(loop.time()) > 0
            if held and len(self._queue) < BACKLOG and not _belongs(self._queue[0]):
                return
            update = self._queue.popleft()
            before = self._desk.state
            told = await self._desk.take(update)
            self._log.extend(map(printable, told))
            match update:
                case LineLost():
                    self._lost_at = loop.time()
                case LineBack():
                    self._lost_at = None
                case Changed():
                    trick_s = self.settings.pause_ms / 1000
                    self._pause.begin_after(update, loop.time(), trick_s)
                case Ended():
                    self._lost_at = None
            if self._desk.left:
                self.ending += told
            after = self._desk.state
            if after.decision != before.decision or after.hand_number != before.hand_number:
                self._interface = _fitted(self._interface, self.sight)

    async def _give_hints(self) -> None:
        """Gives the hints that were asked for; the cursor goes to the card where Enter would not play it."""
        while self._hints_asked and not self._desk.left:
            self._hints_asked -= 1
            told, hint = await self._desk.give_hint(), self._desk.hint
            if hint is None:
                self._notice(told)
            elif hint.cards and not self.settings.one_press and not self._interface.picked:
                self._interface = replace(self._interface, cursor=hint.cards[0])

    async def _run_commands(self) -> None:
        """Does what was typed after a colon, and shows what it answers."""
        while self._commands and not self._desk.left:
            told = [printable(line) for line in await self._desk.typed(self._commands.popleft())]
            if self._desk.sending:
                self._pause.put_away()
            if self._desk.left:
                self.ending += told
            elif len(told) > 1 or any(len(line) > 76 for line in told):
                self._interface = replace(
                    self._interface, panel=Panel.ANSWER, row=0, answer=tuple(told)
                )
            else:
                self._notice(told)


def _belongs(update: Update) -> bool:
    """Whether an update is no more than the end of what is on the screen already."""
    last = spades.MatchEnded | RecordKept
    return isinstance(update, Changed) and isinstance(update.frame.payload, last)


def _fitted(interface: Interface, sight: Sight) -> Interface:
    """What is pointed at when another decision opens: nothing that belonged to the one before."""
    view = sight.state.view
    hand = view.hand if view is not None else ()
    return replace(
        interface,
        bid=None,
        digits="",
        blind=False,
        row=0 if interface.panel is None else interface.row,
        cursor=interface.cursor if interface.cursor in hand else None,
        picked=frozenset(),
        notice="",
    )
