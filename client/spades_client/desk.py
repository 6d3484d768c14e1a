"""A player's place at a table, whatever draws it: what is asked for, what is on its way, what was refused."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from spades import (
    SEATS,
    MakeBid,
    PassCards,
    Play,
    Reason,
    Seat,
    SpadesError,
    TableError,
    parse_seat,
)
from spades_agents import advise
from spades_agents.tasks import end
from spades_client.adviser import Adviser, advised
from spades_client.answers import answer, clock_sentence
from spades_client.asks import Ask, ask_of
from spades_client.hints import Hint, refusal
from spades_client.levels import LEVELS
from spades_client.narrate import narrate
from spades_client.phrases import to_you
from spades_client.session import Changed, Ended, LineBack, LineLost, TableSession, Update
from spades_client.state import ClientState
from spades_client.words import Typed, Word, understand
from spades_proto.frames import Deed
from spades_proto.table import RecordKept, TableStage, TableState


@dataclass(frozen=True, slots=True)
class DeskOptions:
    """What holds for the whole evening."""

    record: Path | None = None
    """Where to append the record of each match."""
    start_when_full: bool = False
    """Whether the host starts the match as soon as all four seats are taken."""
    solo: bool = False
    """Whether the table is this program's own and ends with it."""
    adviser: Adviser = advise
    """Who is asked for hints."""


ANSWERS_DECISION: Final = (MakeBid, PassCards, Play)
ON_ITS_WAY: Final = "Your last move is still on its way; nothing was sent."
BOT_PLAYS: Final = "A house bot plays for you; back takes your seat back. Nothing was sent."
NOT_YOUR_TURN: Final = "It is not your turn; nothing was sent."


class Desk:
    """One table and one player: takes in what happens, and sends what the player does.

    The state is that of the last update that was taken in, so whoever draws may let updates wait.
    """

    def __init__(
        self, session: TableSession, options: DeskOptions, changed: Callable[[], None]
    ) -> None:
        """``changed`` is called whenever something that was sent has come to its end."""
        self.session = session
        self.state: ClientState = session.state
        self.left = False
        """Whether the player has left, or the table is gone."""
        self.failure: SpadesError | None = None
        """Why the session ended, where it was not to be expected."""
        self._options = options
        self._changed = changed
        self.on_its_way: Deed | None = None
        """The deed that was sent and is not answered yet."""
        self._sending: asyncio.Task[None] | None = None
        self._started = False
        self._hint: tuple[tuple[int, int, bool], Hint] | None = None
        """The last hint, and what it was for."""

    # What the table says.

    async def take(self, update: Update) -> list[str]:
        """Takes in what has happened and tells it in sentences."""
        match update:
            case Changed():
                self.state = update.new
                told = narrate(update.old, update.frame, update.new)
                if isinstance(update.frame.payload, RecordKept):
                    told += await self._keep_record(update.frame.payload.match)
                return told + self._start_when_full()
            case LineLost(sentence):
                return [sentence]
            case LineBack():
                return ["The line is back."]
            case Ended(sentence, refusal):
                self.failure = refusal
                self.left = True
                # A table that never showed is the command line's failure and told there.
                return [sentence] if refusal is None or self.state.table is not None else []

    async def _keep_record(self, match: str) -> list[str]:
        path = self._options.record
        if path is None:
            return []
        try:
            line = await self.session.server.record(match)
            with path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except (SpadesError, OSError) as error:
            why = error.sentence if isinstance(error, SpadesError) else f"{error.strerror}."
            self.failure = TableError(
                f"The record could not be written to {path}: {why}", Reason.RECORD_NOT_FOUND
            )
            return [self.failure.sentence]
        return [f"The record is written to {path}."]

    def _start_when_full(self) -> list[str]:
        table = self.state.table
        wanted = self._options.start_when_full and not self._started and not self.sending
        if not wanted or table is None or not self.is_host:
            return []
        if table.stage is not TableStage.OPEN or not all(one.occupant for one in table.seats):
            return []
        self._started = True
        self.start()
        return ["All seats are taken."]

    # What is asked of the player.

    @property
    def sending(self) -> bool:
        """Whether something is on its way to the server."""
        return self._sending is not None

    @property
    def table(self) -> TableState:
        """The table; there is one once there is something to say of it."""
        table = self.state.table
        assert table is not None, "the first frame brings the table"
        return table

    @property
    def is_host(self) -> bool:
        """Whether the player is the table's host."""
        seat = self.state.seat
        return seat is not None and self.table.opened.host == self.table.name_of(seat)

    @property
    def decision_id(self) -> int:
        """The id of the decision that is open for the player, 0 without one."""
        decision = self.state.decision
        return decision.id if decision is not None else 0

    @property
    def ask(self) -> Ask:
        """What the player is waited for with."""
        return Ask.NOTHING if self.sending else ask_of(self.state)

    @property
    def time_left_s(self) -> float | None:
        """How many seconds the seat that is to act has left; ``None`` where no clock runs."""
        clock = self.state.clock
        if clock is None or clock.deadline_us is None:
            return None
        return max((clock.deadline_us - self.session.server_now_us) / 1_000_000, 0.0)

    @property
    def hint(self) -> Hint | None:
        """The hint that was asked for last, as long as its decision is open."""
        if self._hint is None or self._hint[0] != self._asked:
            return None
        return self._hint[1]

    @property
    def _asked(self) -> tuple[int, int, bool] | None:
        """What the player is asked for; a look keeps the decision and changes what can be seen."""
        view = self.state.view
        if self.ask is not Ask.DECISION or view is None:
            return None
        return self.state.epoch, self.decision_id, view.sees_hand

    # What the player does.

    async def give_hint(self) -> list[str]:
        """Gives a hint for the open decision, each time the next reason; or says why there is none."""
        refused = refusal(self.state, self.ask, sending=self.sending)
        if refused is not None:
            return [refused]
        asked, view, hint = self._asked, self.state.view, self.hint
        assert view is not None, "a decision is asked of a seat"
        if hint is not None:
            hint = hint.after()
        else:
            try:
                hint = await advised(view, self._options.adviser)
            except SpadesError as error:
                return [error.sentence]
        if asked != self._asked:
            # The table went on while it was thought about.
            return []
        assert asked is not None, "a decision is open"
        self._hint = asked, hint
        return [hint.sentence]

    async def typed(self, line: str) -> list[str]:
        """Does what a word of the line client says; returns what there is to say at once."""
        try:
            typed = understand(line)
        except SpadesError as error:
            return [error.sentence]
        if typed.word is Word.QUIT:
            return [await self.leave()]
        if typed.word is Word.START or (typed.word is Word.AGAIN and self.ask is Ask.REMATCH):
            return self.start()
        if typed.word is Word.BOTS:
            return self._bots(typed.argument)
        if typed.word is Word.HINT:
            return await self.give_hint()
        if typed.word is Word.CLOCK:
            return [clock_sentence(self.state, self.session.server_now_us)]
        if typed.deed is not None:
            return self.deed(typed)
        return answer(typed.word, typed.argument, self.state) or []

    def deed(self, typed: Typed) -> list[str]:
        """Sends what can be sent now, and says why the rest is not."""
        deed = typed.deed
        assert deed is not None, "only deeds are sent"
        if self.state.seat is None:
            return ["A spectator only watches; nothing was sent."]
        if self.sending:
            return [ON_ITS_WAY]
        if isinstance(deed, ANSWERS_DECISION) and self.ask is not Ask.DECISION:
            return [BOT_PLAYS if self.ask is Ask.STAND_IN else NOT_YOUR_TURN]
        self.send(deed)
        return []

    def send(self, deed: Deed) -> None:
        """Sends something for the state that is shown."""
        self.on_its_way = deed
        decision = self.decision_id if isinstance(deed, ANSWERS_DECISION) else 0
        self._track(self.session.act(deed, self.state, decision))

    def start(self) -> list[str]:
        """Has the host start a match."""
        before = self._commitment()
        call = self.session.server.start(self.session.table)
        return self._at_the_lobby(call, lambda: self._commitment() != before)

    def _bots(self, argument: str) -> list[str]:
        """Seats bots as they were typed, a level and perhaps a seat; without words it tells the levels."""
        level, *where = argument.split() or [""]
        if not level:
            return [f"{one}: {about}" for one, about in LEVELS]
        try:
            return self.add_bots(level, parse_seat(" ".join(where)) if where else None)
        except SpadesError as error:
            return [error.sentence]

    def add_bots(self, level: str, seat: Seat | None = None) -> list[str]:
        """Has the host seat house bots of a level at the empty seats, or at one."""
        call = self.session.server.add_bot(self.session.table, level, seat)
        return self._at_the_lobby(call, lambda: self._is_taken(seat))

    def _is_taken(self, seat: Seat | None) -> bool:
        """Whether a seat is taken, or with ``None`` all of them, as the last frame tells it."""
        table = self.session.state.table
        if table is None:
            return False
        return all(table.seats[one].occupant for one in (SEATS if seat is None else (seat,)))

    def _commitment(self) -> str:
        table = self.session.state.table
        return table.match.commitment if table is not None and table.match is not None else ""

    def _at_the_lobby(
        self, call: Coroutine[object, object, object], seen: Callable[[], bool]
    ) -> list[str]:
        """Has the lobby do something; it is over when the feed shows it, as with every other deed."""
        if self.sending:
            call.close()
            return [ON_ITS_WAY]

        async def ask() -> None:
            await call
            await self.session.until(seen)

        self._track(ask())
        return []

    def _track(self, work: Coroutine[object, object, None]) -> None:
        self._sending = asyncio.create_task(work)
        self._sending.add_done_callback(lambda _: self._changed())

    def settled(self) -> str | None:
        """Notes the end of what was sent: why it was refused, or ``None``; to be asked before :attr:`ask`."""
        sending = self._sending
        if sending is None or not sending.done():
            return None
        self._sending = self.on_its_way = None
        # The last seat may have been taken by what was on its way.
        self._start_when_full()
        error = sending.exception()
        if isinstance(error, SpadesError):
            return to_you(error.sentence, self.state.seat)
        if error is not None:
            raise error
        return None

    async def leave(self) -> str:
        """Leaves the table; in a match with others the seat stays the player's."""
        self.left = True
        if self.state.seat is None:
            return "You leave."
        table = self.state.table
        playing = table is not None and table.stage is TableStage.PLAYING
        playing = playing and not self._options.solo
        with contextlib.suppress(SpadesError):
            await self.session.server.leave(self.session.table)
        kept = " Your seat stays yours: join again to come back." if playing else ""
        return f"You leave the table.{kept}"

    async def close(self) -> None:
        """Waits for nothing any more."""
        if self._sending is not None:
            await end(self._sending)
