"""`spades compete verify --server`: an event of a server, downloaded and come to again."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from spades import Reason, SpadesError, TableError
from spades_agents.competitions import Competitions
from spades_arena.events import COMMITMENTS, EVENT, RECORDS, EventFolder, read_event, read_json
from spades_arena.reports import publish
from spades_client import event_status
from spades_client.callers import looking
from spades_client.phrases import printable
from spades_client.places import Place
from spades_client.programs import run
from spades_proto.competition import CompetitionStatus

_FILE: Final = re.compile(
    r"(event|seed|commitments)\.json|journal\.jsonl|records/[cmu0-9-]+\.jsonl"
)
"""What a file of an event is called; a server could name any path."""


def verify(place: Place, name: str, competition: str, out: Path | None) -> int:
    """Downloads an event, writes its report and comes to everything again."""
    if importlib.util.find_spec("numpy") is None:
        sys.stderr.write("To verify one needs: pip install 'spades[arena]'.\n")
        return 1
    if out is not None:
        return _verified(place, name, competition, out)
    with tempfile.TemporaryDirectory() as folder:
        return _verified(place, name, competition, Path(folder) / "event")


def _verified(place: Place, name: str, competition: str, folder: Path) -> int:
    async def program() -> None:
        async with looking(place, name) as competitions:
            said = await competitions.get(competition)
            await _download(competitions, said, folder)
        _check_promises(folder, said)
        event = EventFolder.open(folder)
        publish(event, event.state())

    fetched = run(program())
    return fetched or event_status.verify(folder, competition)


def _require_room(folder: Path, status: CompetitionStatus) -> None:
    """Refuses a folder that holds anything else than the same event of an earlier time."""
    if folder.exists() and any(folder.iterdir()) and not _holds(folder, status.event):
        raise TableError(
            f"{folder} is not empty and does not hold {status.id}: name another folder with --out.",
            Reason.INVALID_FIELD,
        )


def _move(fresh: Path, folder: Path) -> None:
    """Puts the files of an event in the place of those of an earlier time."""
    for path in sorted(folder.rglob("*")):
        if _FILE.fullmatch(path.relative_to(folder).as_posix()):
            path.unlink()
    (folder / RECORDS).mkdir(parents=True, exist_ok=True)
    for path in fresh.rglob("*.json*"):
        shutil.move(path, folder / path.relative_to(fresh))


def _holds(folder: Path, event: str) -> bool:
    try:
        return read_event(folder / EVENT).name == event
    except SpadesError:
        return False


async def _download(competitions: Competitions, status: CompetitionStatus, folder: Path) -> None:
    """Writes the files of an event into a folder.

    :raises SpadesError: if the folder is in use, or the server sends what belongs to no event.
    """
    try:
        _require_room(folder, status)
        with tempfile.TemporaryDirectory() as place:
            # Until all is there what was there before stays, and what is refused leaves no folder.
            fresh = Path(place)
            (fresh / RECORDS).mkdir()
            async for file, data in competitions.download(status.id):
                if not _FILE.fullmatch(file):
                    raise TableError(
                        f"The server sent a file {printable(file)!r}, which belongs to no event.",
                        Reason.INVALID_FIELD,
                    )
                with (fresh / file).open("ab") as opened:
                    opened.write(data)
            _move(fresh, folder)
    except OSError as error:
        raise TableError(
            f"{folder} cannot be written: {error.strerror}.", Reason.INVALID_FIELD
        ) from None


def _check_promises(folder: Path, status: CompetitionStatus) -> None:
    """Compares the files with what the server says of the event.

    :raises SpadesError: if they are of another.
    """
    spec = read_event(folder / EVENT)
    root = read_json(folder / COMMITMENTS).get("root")
    if (spec.seed_commitment, spec.name, root) != (
        status.seed_commitment,
        status.event,
        status.streams_root,
    ):
        raise TableError(
            f"{status.id} does not hold: the files are of another event than the server published.",
            Reason.COMPETITION_STATE,
        )
