"""What is begun, and what is not begun any more."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from spades import Rules
from spades_arena.faults import Discipline
from spades_arena.lines import opening_line, unit_line, withdrawal_line
from spades_arena.results import TableResult
from spades_arena.schedule import Unit
from spades_arena.unit import PlayedUnit, score_unit, unit_work
from spades_proto.competition import CompetitionFormat, CompetitionTerms
from spades_proto.timing import UNLIMITED
from spades_server.commands import Player
from spades_server.competitions.competition import Competition
from spades_server.competitions.driver import Driver
from spades_server.competitions.entries import Entered
from spades_server.competitions.office import Competitions
from spades_server.competitions.registration import Registration
from spades_server.config import ServerConfig
from spades_server.journal import MemoryJournal, StoredCompetition
from spades_server.lobby import Lobby

ORGANISER = Player("organiser", "Olga")


def registration(*bots: str) -> Registration:
    """A round-robin of four that has begun: A to D, played by players unless a bot is named."""
    terms = CompetitionTerms(
        format=CompetitionFormat.ROUND_ROBIN,
        boards=False,
        rules=Rules(),
        units=6,
        controls=0,
        challengers=1,
        time_control=UNLIMITED,
        strikes=Discipline().strikes,
        strict=False,
    )
    entered = tuple(
        Entered(name, "gentle", "", 1) if name in bots else Entered(name, "", f"id of {name}", 1)
        for name in "ABCD"
    )
    return Registration(
        id="CUP234",
        title="Cup",
        organiser=ORGANISER,
        created_us=1,
        terms=terms,
        server_seed=bytes(32),
        entries=entered,
    ).begun()


def a_lobby() -> Lobby:
    return Lobby(ServerConfig(port=0), MemoryJournal(), lambda: 1, ThreadPoolExecutor(1))


class Gated(Driver):
    """Plays nothing: a unit is done when the test says so."""

    competition: Competition
    begun: list[Unit]
    gates: dict[str, asyncio.Event]

    async def _play(self, unit: Unit) -> PlayedUnit:
        self.begun.append(unit)
        gate = self.gates[unit.id] = asyncio.Event()
        await gate.wait()
        tables = tuple(
            TableResult(place=place, winner=None, totals=(0, 0), bags=(0, 0), hands=1)
            for place in (0, 1)
        )
        work = unit_work(self.competition.spec, unit, bytes(32))
        return PlayedUnit(score_unit(work, tables))


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_no_unit_is_begun_for_an_entry_that_leaves_while_another_is_written() -> None:
    competition = Competition(registration())
    competition.take(competition.written(opening_line(competition.spec)))
    writing = asyncio.Lock()

    async def keep(played: PlayedUnit) -> None:
        async with writing:
            competition.take(competition.written(unit_line(played.result)))

    driver = Gated(competition, a_lobby(), lambda: 0, keep, 64)
    driver.competition, driver.begun, driver.gates = competition, [], {}
    running = asyncio.create_task(driver.run())
    await settled()
    (first,) = [unit for unit in driver.begun if unit.has(0)]
    async with writing:
        driver.gates[first.id].set()
        await settled()
        competition.take(competition.written(withdrawal_line("A", "it was taken out")))
        driver.look_again()
    await settled()
    # Those of others go on.
    for unit in driver.begun[1:]:
        driver.gates[unit.id].set()
    await settled()
    assert len(driver.begun) > 2
    assert [unit for unit in driver.begun if unit.has(0)] == [first]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_a_journal_begins_with_its_event_though_the_server_was_killed_before_it_was_written() -> (
    None
):
    begun = registration("C", "D")
    stored = StoredCompetition(begun.id, begun.to_text(), ())
    office = Competitions(a_lobby(), MemoryJournal(), lambda: 1, lambda player: not player)
    office.restore([stored], {ORGANISER.id, "id of B"})
    await settled()
    lines = office.find(begun.id).lines
    assert [line["kind"] for line in lines[:2]] == ["opened", "withdrawal"]
    assert lines[1]["entry"] == "A"
    await office.stop()
