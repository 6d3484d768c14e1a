"""Asks a bot for one decision at a time, within a limit, and judges what it answers."""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

from spades import BLIND_NIL, Look, MakeBid, PassCards, Play, SeatView, format_cards
from spades.actions import Action
from spades_agents.agent import Agent, decide
from spades_agents.conformance.findings import NotKept
from spades_agents.failures import in_words

T = TypeVar("T")


class Questioner:
    """Asks one bot. What it computes on the spot it computes in a thread that nobody need wait for."""

    def __init__(self, agent: Agent, limit_s: float) -> None:
        self.agent = agent
        self.limit_s = limit_s
        self.asked = 0
        """How many decisions were asked for."""
        self.slowest_s = 0.0
        """The longest that an answer took."""
        self.late = 0
        """How many answers did not come in time."""
        self.failed = 0
        """How many answers were none, or not legal."""
        self._answered_s = 0.0
        self._thread: _Worker | None = None

    async def ask(self, seen: SeatView) -> Action:
        """Has the bot decide, and sees that the answer is legal and there in time.

        :raises NotKept: saying what it did in place of that.
        """
        self.asked += 1
        try:
            action = await self._answer(seen)
            require_legal(seen, action)
        except NotKept:
            self.failed += 1
            raise
        return action

    @property
    def mean_s(self) -> float:
        """How long an answer took on the average."""
        return self._answered_s / max(self.asked, 1)

    async def _answer(self, seen: SeatView) -> Action:
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        try:
            async with asyncio.timeout(self.limit_s):
                action = await self._decide(seen)
        except TimeoutError:
            self.late += 1
            raise NotKept(f"No answer came within {self.limit_s:g} s. {where(seen)}") from None
        except Exception as error:  # the author's code: whatever it raises is what was found
            raise NotKept(f"{in_words(error).strip()}\n{where(seen)}") from error
        took_s = loop.time() - began_s
        self.slowest_s = max(self.slowest_s, took_s)
        self._answered_s += took_s
        return action

    async def _decide(self, seen: SeatView) -> Action:
        if self.agent.blocking or _is_async(self.agent):
            answer = decide(self.agent, seen)
        else:
            answer = await self._aside(lambda: decide(self.agent, seen))
        return await answer if isinstance(answer, Awaitable) else answer

    async def _aside(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            self._thread = _Worker()
        done = self._thread.do(work)
        try:
            return await asyncio.wrap_future(done)
        except asyncio.CancelledError:
            # It may never come back.
            self._thread = None
            done.add_done_callback(_dispose)
            raise


def _is_async(agent: Agent) -> bool:
    methods = (agent.bid, agent.play, agent.blind_bid, agent.pass_cards)
    return any(map(inspect.iscoroutinefunction, methods))


def _dispose(done: concurrent.futures.Future[T]) -> None:
    """Closes what nobody will wait for."""
    if not done.cancelled() and done.exception() is None:
        answer = done.result()
        if inspect.iscoroutine(answer):
            answer.close()


class _Worker:
    """A thread that dies with the program, whatever it is busy with."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="a bot that is checked", daemon=True).start()

    def do(self, work: Callable[[], T]) -> concurrent.futures.Future[T]:
        """Does something there, after what was given before."""
        future: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except Exception as error:  # noqa: BLE001  # carried over to whoever waits
                future.set_exception(error)

        self._work.put(run)
        return future

    def _run(self) -> None:
        while True:
            self._work.get()()


def require_legal(seen: SeatView, action: Action) -> None:
    """Judges an answer by what the view says is legal.

    :raises NotKept: saying what was answered and what would have been legal.
    """
    match action:
        case Play(card):
            legal, said = card in seen.legal_plays, f"the card {card}"
            allowed = format_cards(seen.legal_plays)
        case MakeBid(bid):
            legal, said = bid in seen.legal_bids, f"the bid {bid}"
            allowed = ", ".join(map(str, seen.legal_bids))
            if seen.may_look:
                allowed = f"{BLIND_NIL} and a look"
        case PassCards(cards):
            own = set(cards) <= set(seen.hand)
            legal = own and len(set(cards)) == len(cards) == seen.pass_count
            said = f"the cards {format_cards(cards)}" if cards else "no cards"
            allowed = f"{seen.pass_count} of {format_cards(seen.hand)}"
        case Look():
            legal, said, allowed = seen.may_look, "a look", "a bid"
        case _:
            legal, said, allowed = False, "no answer to a decision", "one"
    if not legal:
        raise NotKept(f"It answered {said}, where {allowed} would be legal. {where(seen)}")


def where(seen: SeatView) -> str:
    """The position in words, so that an author can set it up again."""
    hand = format_cards(seen.hand) if seen.sees_hand else "face down"
    trick = f" on {format_cards(seen.trick)}" if seen.trick else ""
    asked = seen.decision.kind.value if seen.decision is not None else "nothing"
    bids = ", ".join(
        f"{one} {bid}" for one, bid in zip(("S", "W", "N", "E"), seen.bids, strict=True)
        if bid is not None
    )  # fmt: skip
    return (
        f"(Asked for {asked}{trick}; hand {hand}; bids {bids or 'none'};"
        f" deck {seen.rules.deck.value}.)"
    )
