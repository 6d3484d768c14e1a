"""One table in process: limits of time, fallback actions, strikes and forfeits."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spades import (
    Card,
    DecisionKind,
    Match,
    Outcome,
    Rules,
    Seat,
    SeatView,
    SeededDeals,
    Side,
    SpadesError,
    agent_secret,
    rng_key,
)
from spades_agents.agent import Agent, ask, finish
from spades_agents.failures import Crashed, DidNotStart, Ended, Malformed, raised, shortened
from spades_agents.fallback import fallback
from spades_arena.canonical import sha256
from spades_arena.fault_book import FaultBook
from spades_arena.faults import Discipline, Evidence
from spades_arena.limits import TimeLimits
from spades_arena.results import TableResult, decided
from spades_arena.watch import Watch
from spades_proto.records import Circumstances, Note, record_line
from spades_proto.software import SOFTWARE
from spades_proto.table import Occupant, OccupantKind


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSetting:
    """What a table plays, and under what conditions."""

    id: str
    place: int
    """0 for the first table of a unit, 1 for the second."""
    rules: Rules
    deals: SeededDeals
    names: tuple[str, str]
    """The entries, indexed by side."""
    limits: TimeLimits
    discipline: Discipline
    seed_chosen: bool = False


@dataclass(frozen=True, slots=True)
class PlayedTable:
    """A table that is done: its result and its record."""

    result: TableResult
    record: str


class _OverdueError(Exception):
    """An answer was still awaited when the time was over."""


async def _in_time(
    agent: Agent, view: SeatView, kind: DecisionKind, answer: object, allowed_ms: int
) -> object:
    """Awaits an answer, or computes it in a thread, and breaks that off when the time is over."""
    limit = asyncio.timeout(allowed_ms / 1000)
    try:
        async with limit:
            if agent.blocking:
                answer = await asyncio.to_thread(ask, agent, view, kind)
            return await answer if inspect.isawaitable(answer) else answer
    except TimeoutError:
        if limit.expired():
            raise _OverdueError from None
        raise


class Table:
    """A table while it is played: the referee, four agents and their clocks."""

    def __init__(
        self, setting: TableSetting, agents: Sequence[Agent | Evidence], watch: Watch
    ) -> None:
        self._setting = setting
        self._agents = agents
        self._watch = watch
        self._match = Match(setting.rules, setting.deals, people=frozenset(), opens=False)
        seed, commitment = setting.deals.seed, self._match.state.commitment
        # As `play_local` makes them: whoever sits in a seat draws the same numbers there, so that an
        # agent against itself plays the same game at both tables.
        self._keys = [rng_key(agent_secret(seed, seat), commitment, seat) for seat in Seat]
        limits = setting.limits
        self._banks = [float(limits.control.bank_ms)] * len(Seat)
        self._allowed = [limits.allowed_ms(limits.control.bank_ms)] * len(Seat)
        # A decision that took no longer is nobody's concern.
        self._ease_ms = limits.control.decision_ms if limits.control else limits.silence_ms
        self._game_ms = limits.game_ms
        self._thought = [0.0, 0.0]
        self._fault_book = FaultBook(limits, setting.discipline)

    async def play(self) -> PlayedTable:
        """Plays to the end, whatever the agents do."""
        self._check_start()
        match = self._match
        while match.outcome is None and len(self._fault_book.forfeited) < len(Side):
            turn = match.state.turn
            if turn is None:
                match.deal_next()
            else:
                await self._act(turn)
        return self._result()

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or ``None``."""
        return self._match.outcome

    def _check_start(self) -> None:
        """Counts a side whose agents did not start as having forfeited; if both did not, nobody plays."""
        agents = zip(Seat, self._agents, strict=True)
        missing = {seat: agent for seat, agent in agents if isinstance(agent, Evidence)}
        self._fault_book.did_not_start(missing)
        if len(self._fault_book.forfeited) == 1:
            self._surrender(self._fault_book.forfeited[0])

    async def _act(self, seat: Seat) -> None:
        """Asks a seat, and does what it answered or what takes its place."""
        state = self._match.state
        kind = state.decision
        assert kind is not None, "only the seat to act is asked"
        view = SeatView(state, seat, self._keys[seat])
        answer, evidence = await self._ask(seat, view, kind)
        if evidence is None:
            evidence = self._apply(seat, kind, answer)
        if evidence is not None:
            self._replace(seat, view, evidence)

    def _replace(self, seat: Seat, view: SeatView, evidence: Evidence) -> None:
        """Books a fault, and plays on for the seat or ends the game."""
        decision = view.decision
        assert decision is not None, "only the seat to act is asked"
        exhausted = self._thought[seat.side] > self._game_ms
        self._fault_book.book(seat, view.hand_number, decision.number, evidence, hopeless=exhausted)
        if seat.side in self._fault_book.forfeited:
            self._surrender(seat.side)
        else:
            self._match.act(seat, fallback(view))

    async def _ask(
        self, seat: Seat, view: SeatView, kind: DecisionKind
    ) -> tuple[object, Evidence | None]:
        """Calls the agent and looks at the clock; gives the answer, or evidence that there is none."""
        agent = self._agents[seat]
        assert isinstance(agent, Agent), "a side that did not start has forfeited"
        allowed = self._allowed[seat]
        self._watch.begin(self._setting.place, seat, allowed)
        began = time.perf_counter()
        answer: object = None
        evidence: Evidence | None = None
        try:
            # A card at once is the usual answer, and asking whether it can be awaited is dear.
            answer = None if agent.blocking else ask(agent, view, kind)
            if agent.blocking or (not isinstance(answer, Card) and inspect.isawaitable(answer)):
                answer = await _in_time(agent, view, kind, answer, allowed)
        except _OverdueError:
            evidence = self._fault_book.overdue(allowed)
        except DidNotStart as error:
            evidence = Evidence(no_start=shortened(str(error)))
        except Ended as error:
            evidence = Evidence(ended=shortened(f"{error} {error.evidence}"))
        except Crashed as error:
            evidence = Evidence(crashed=shortened(f"{error} {error.evidence}"))
        except Malformed as error:
            evidence = Evidence(malformed=shortened(f"{error} {error.evidence}"))
        except (Exception, SystemExit) as error:  # noqa: BLE001  # somebody else's code
            evidence = Evidence(crashed=raised(error))
        spent = (time.perf_counter() - began) * 1000
        self._watch.end()
        thought = self._thought
        side = seat & 1
        thought[side] += spent
        if evidence is None and spent <= self._ease_ms and thought[side] <= self._game_ms:
            return answer, None
        return answer, self._judge_time(seat, spent, evidence)

    def _judge_time(self, seat: Seat, spent: float, evidence: Evidence | None) -> Evidence | None:
        """Takes from the bank what a decision took, and adds to the evidence what the clock says."""
        limits, allowed = self._setting.limits, self._allowed[seat]
        late = ""
        if self._thought[seat.side] > limits.game_ms:
            late = self._fault_book.too_long_in_all
        elif limits.control:
            self._banks[seat] -= max(0.0, spent - self._ease_ms - limits.margin_ms)
            self._banks[seat] = max(0.0, self._banks[seat])
            self._allowed[seat] = limits.allowed_ms(int(self._banks[seat]))
        if not late and spent > allowed:
            evidence = evidence or self._fault_book.overdue(allowed)
        return replace(evidence or Evidence(), late=late) if late else evidence

    def _apply(self, seat: Seat, kind: DecisionKind, answer: object) -> Evidence | None:
        """Has the referee judge an answer; gives evidence if it is none, or not legal."""
        match = self._match
        try:
            if isinstance(answer, Card) and kind is DecisionKind.PLAY:
                match.play(seat, answer)
                return None
            action = finish(kind, answer)
            assert not inspect.isawaitable(action), "the answer has been awaited"
            match.act(seat, action)
        except Malformed as error:
            return Evidence(malformed=shortened(str(error)))
        except SpadesError as error:
            return Evidence(illegal=shortened(error.sentence))
        except (TypeError, AttributeError, ValueError) as error:
            return Evidence(malformed=shortened(str(error)))
        return None

    def _surrender(self, side: Side) -> None:
        """Ends a game that a side has forfeited, as the rules end one (rules.md 5.3)."""
        for seat in side.seats:
            self._match.surrender(seat)

    def _result(self) -> PlayedTable:
        return played_table(self._setting, self._match, self._fault_book)


def played_table(setting: TableSetting, match: Match, book: FaultBook) -> PlayedTable:
    """Makes the result of a table and its record, wherever it was played."""
    line = ""
    if match.outcome is not None:
        line = record_line(match, _circumstances(setting, book.notes))
    south_north, west_east = match.standings
    result = TableResult(
        place=setting.place,
        winner=decided(match.outcome),
        totals=(south_north.total, west_east.total),
        bags=(south_north.bags, west_east.bags),
        hands=len(match.sheet),
        faults=tuple(book.faults),
        forfeited=tuple(book.forfeited),
        record=sha256(line) if line else "",
    )
    return PlayedTable(result, line)


def _circumstances(setting: TableSetting, notes: Sequence[Note]) -> Circumstances:
    """Says nothing of the clock: the same game gives the same line wherever and whenever it is played."""
    players = tuple((seat, Occupant(OccupantKind.AGENT, setting.names[seat.side])) for seat in Seat)
    return Circumstances(
        match=setting.id,
        players=players,
        software=SOFTWARE,
        seed_chosen=setting.seed_chosen,
        notes=tuple(notes),
    )
