"""Memos of tables as JSON, and back."""

from __future__ import annotations

import json
from dataclasses import astuple, fields
from functools import lru_cache
from sys import intern
from typing import Any, Final, cast

from spades import Reason, Seat, error_for
from spades.actions import Action
from spades_proto.frames import Answer, Command
from spades_proto.records import Note
from spades_proto.table import NoteKind, Occupant, OccupantKind, SeatStatus, TableStage
from spades_server.clock import ClockMemo
from spades_server.memo import MatchMemo, Move, SeatingMemo, TableMemo
from spades_server.storage.deeds import (
    SEAT_DIGITS,
    format_command,
    format_deed,
    parse_action,
    parse_command,
)

_DEAL: Final = "d"


def encode_memo(memo: TableMemo) -> bytes:
    """Writes a memo."""
    data = _plain(memo) | {
        "seating": _seating(memo.seating),
        "match": memo.match and _match(memo.match),
        "answers": [_answer(*one) for one in memo.answers],
    }
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode()


def decode_memo(payload: bytes) -> TableMemo:
    """Reads a memo."""
    data: dict[str, Any] = json.loads(payload)
    data |= {
        "seating": _read_seating(data["seating"]),
        "match": data["match"] and _read_match(data["match"]),
        "answers": [_read_answer(*one) for one in data["answers"]],
    }
    return TableMemo(**_tuples(data))


def _plain(memo: TableMemo | SeatingMemo) -> dict[str, Any]:
    """The fields as they are: numbers, words and lists of them are JSON already."""
    return {field.name: getattr(memo, field.name) for field in fields(memo)}


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    """The fields of a memo, whose lists are tuples."""
    for name, value in data.items():
        if isinstance(value, list):
            data[name] = tuple(cast("list[object]", value))
    return data


# The seats.


def _seating(memo: SeatingMemo) -> dict[str, Any]:
    return _plain(memo) | {
        "stage": memo.stage.name,
        "seats": [_status(one) for one in memo.seats],
        "clock": list(astuple(memo.clock)),
        "notes": [(one.kind.name, one.seat, one.hand, one.action) for one in memo.notes],
    }


def _read_seating(data: dict[str, Any]) -> SeatingMemo:
    data |= {
        "stage": TableStage[data["stage"]],
        "seats": [_read_status(*one) for one in data["seats"]],
        "clock": _read_clock(*data["clock"]),
        "notes": [_read_note(*one) for one in data["notes"]],
    }
    return SeatingMemo(**_tuples(data))


def _read_clock(
    seat: int | None,
    banks_us: list[int],
    strikes: list[int],
    round_trips_us: list[int | None],
    frozen: bool,
    spent_us: int,
    since_us: int | None,
) -> ClockMemo:
    return ClockMemo(
        None if seat is None else Seat(seat),
        tuple(banks_us),
        tuple(strikes),
        tuple(round_trips_us),
        frozen,
        spent_us,
        since_us,
    )


def _read_note(kind: str, seat: int, hand: int, action: int) -> Note:
    return Note(NoteKind[kind], Seat(seat), hand, action)


def _status(status: SeatStatus) -> tuple[object, ...]:
    occupant = status.occupant
    who = (None, "") if occupant is None else (occupant.kind.name, occupant.name)
    return (*who, status.away, status.stand_in)


def _read_status(kind: str | None, name: str, away: bool, stand_in: bool) -> SeatStatus:
    occupant = None if kind is None else Occupant(OccupantKind[kind], name)
    return SeatStatus(occupant, away, stand_in)


# The match.


def _match(memo: MatchMemo) -> dict[str, Any]:
    moves = " ".join([_DEAL if move is None else _move(*move) for move in memo.moves])
    return {"seed": memo.seed.hex(), "former": memo.former, "moves": moves}


def _read_match(data: dict[str, Any]) -> MatchMemo:
    former = data["former"]
    return MatchMemo(
        bytes.fromhex(data["seed"]),
        None if former is None else Seat(former),
        tuple(map(_read_move, data["moves"].split())),
    )


def _move(seat: Seat, action: Action) -> str:
    return SEAT_DIGITS[seat] + format_deed(action)


@lru_cache(2_048)
def _read_move(text: str) -> Move:
    return None if text == _DEAL else (Seat(int(text[0])), parse_action(text[1:]))


# What was answered.


def _answer(player: str, command: Command, answer: Answer) -> tuple[object, ...]:
    told = (player, format_command(command), answer.seq)
    refusal = answer.refusal
    return told if refusal is None else (*told, refusal.reason.name, refusal.sentence)


def _read_answer(
    player: str, command: str, seq: int, reason: str = "", sentence: str = ""
) -> tuple[str, Command, Answer]:
    refusal = error_for(Reason[reason], sentence) if reason else None
    return intern(player), parse_command(command), Answer(seq, refusal)
