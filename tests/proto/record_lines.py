"""The records of the finished matches of these tests, and new seals for what was changed in one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

from spades import Match, Seat
from spades_proto.records import Circumstances, Note, record_line
from spades_proto.table import NoteKind, Occupant, OccupantKind


class Game(Protocol):
    """A finished match, as the fixture ``games`` has it."""

    @property
    def match(self) -> Match: ...
    @property
    def former(self) -> Seat | None: ...


Games = Mapping[str, Game]
Data = dict[str, Any]

NAMES = [
    "seeded",
    "explicit",
    "surrender",
    "undo",
    "exchange",
    "jokers",
    "nyc",
    "draw",
    "rematch",
    "short",
    "brief",
]
AROUND = Circumstances(
    match="QRST-1-0a1b2c3d",
    table="QRST",
    started_us=1_700_000_000_000_000,
    ended_us=1_700_000_360_000_000,
    players=(
        (Seat.SOUTH, Occupant(OccupantKind.PERSON, "Zoë ♠ 王")),
        (Seat.WEST, Occupant(OccupantKind.AGENT, 'quo"te\\')),
        (Seat.NORTH, Occupant(OccupantKind.HOUSE_BOT, "gentle")),
        (Seat.EAST, Occupant(OccupantKind.HOUSE_BOT, "beginner")),
    ),
    software="spades 0.1.0",
    seed_chosen=True,
    notes=tuple(Note(kind, Seat.SOUTH, 1, place) for place, kind in enumerate(NoteKind)),
)


def line_of(games: Games, name: str, around: Circumstances = AROUND) -> str:
    game = games[name]
    return record_line(game.match, around, game.former)


def written(data: Data) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False)


def resealed(data: Data) -> str:
    """Writes a record with a seal of the line that fits, as whoever changed it would."""
    rest = {key: value for key, value in data.items() if key != "seal"}
    return written({**rest, "seal": hashlib.sha256(written(rest).encode()).hexdigest()})
