"""What a competition leaves behind: the files of the event, and the records of its tables."""

from __future__ import annotations

from collections.abc import AsyncIterator

from spades import Reason, TableError
from spades_arena.state import Kind
from spades_proto.competition import CompetitionStage
from spades_server.competitions.competition import Competition
from spades_server.journal import Journal


async def files_of(competition: Competition, journal: Journal) -> AsyncIterator[tuple[str, str]]:
    """The files of a competition that is over, one after the other.

    :raises TableError: if it is not.
    """
    registration = competition.registration
    registration.require(CompetitionStage.FINISHED, f"{registration.id} cannot be downloaded")
    for name, text in competition.fixed_files().items():
        yield name, text
    yield "journal.jsonl", "".join(text + "\n" for text in competition.texts())
    for number, unit in _units(competition):
        records = await journal.competition_records(registration.id, number)
        if records:
            yield f"records/{unit}.jsonl", records


async def record_of(
    competition: Competition, journal: Journal, name: str, place: int
) -> str | None:
    """The record of one of the tables of a unit; ``None`` if there is none.

    :raises TableError: while the same deals are played at other tables.
    """
    unit = competition.unit(name)
    if unit is None:
        return None
    if not competition.is_open_to_all(unit.stream):
        raise TableError(
            f"The record of {name} in {competition.registration.id} is not open yet: its deals are still"
            " to be played at other tables.",
            Reason.COMPETITION_STATE,
        )
    number = next((number for number, played in _units(competition) if played == name), None)
    if number is None:
        return None
    records = await journal.competition_records(competition.registration.id, number)
    lines = records.splitlines()
    # A table that nobody played has none.
    return lines[place - 1] if place <= len(lines) else None


def _units(competition: Competition) -> list[tuple[int, str]]:
    """The units that were played, each with the number of its line in the journal."""
    return [
        (number, line["result"]["unit"])
        for number, line in enumerate(competition.lines, 1)
        if line["kind"] == Kind.UNIT.value
    ]
