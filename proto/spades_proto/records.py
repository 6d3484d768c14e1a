"""A match as one line that anybody can verify; `verification.py` does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from google.protobuf.json_format import ParseDict

import spades
from spades import ALGORITHM, Match, Outcome, Reason, Seat, SpadesError
from spades.replay import actions_of
from spades_proto.record_text import (
    actions_text,
    json_text,
    sealed_with_actions,
    seat_action,
    text_digest,
    to_json,
)
from spades_proto.seal import Seal
from spades_proto.table import NoteKind, Occupant, OccupantKind
from spades_proto.v1 import event_pb2, records_pb2
from spades_proto.wire.enums import NOTE_KIND, SEAT, optional_seat_to_wire
from spades_proto.wire.profiles import players_from_wire, players_to_wire
from spades_proto.wire.rules import rules_to_wire
from spades_proto.wire.scores import (
    opening_to_wire,
    outcome_from_wire,
    outcome_to_wire,
    side_score_to_wire,
)

VERSION: Final = 1
"""The version of the format."""

STRUCK_NAME: Final = "somebody"
"""What stands where the name of a player was struck."""


class RecordError(SpadesError):
    """A record is not what it claims to be; the sentence says where."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence, Reason.INVALID_NOTATION)


@dataclass(frozen=True, slots=True)
class Note:
    """Something that happened beside the game, after so many actions of a hand."""

    kind: NoteKind
    seat: Seat
    hand: int
    action: int


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What differs between two plays of the same game."""

    match: str = ""
    table: str = ""
    started_us: int = 0
    ended_us: int = 0
    players: tuple[tuple[Seat, Occupant], ...] = ()
    software: str = ""
    seed_chosen: bool = False
    notes: tuple[Note, ...] = ()


def record_line(
    match: Match, circumstances: Circumstances, former_first_dealer: Seat | None = None
) -> str:
    """Writes a finished match as a line of JSON, without the line end."""
    game, actions = _game_and_actions(match, former_first_dealer)
    record = records_pb2.MatchRecord(
        version=VERSION, game=game, circumstances=_circumstances_to_wire(circumstances)
    )
    return sealed_with_actions(record, actions)


def summary_bytes(circumstances: Circumstances, outcome: Outcome) -> bytes:
    """Writes what a list shows of a finished match: everything beside the game, and its outcome."""
    game = records_pb2.Game(outcome=outcome_to_wire(outcome))
    record = records_pb2.MatchRecord(
        version=VERSION, game=game, circumstances=_circumstances_to_wire(circumstances)
    )
    return record.SerializeToString()


def parse_summary(data: bytes) -> tuple[Circumstances, Outcome]:
    """Reads what :func:`summary_bytes` wrote.

    :raises RecordError: if it cannot be read.
    """
    record = records_pb2.MatchRecord.FromString(data)
    outcome = outcome_from_wire(record.game.outcome)
    return circumstances_from_wire(record.circumstances), outcome


def without_name(circumstances: Circumstances, name: str) -> Circumstances:
    """Strikes the name of a player, who was no house bot."""
    players = tuple(
        (seat, replace(who, name=STRUCK_NAME))
        if who.name == name and who.kind is not OccupantKind.HOUSE_BOT
        else (seat, who)
        for seat, who in circumstances.players
    )
    return replace(circumstances, players=players)


def strike_name(line: str, name: str) -> str:
    """Strikes the name of a player in a record and seals the line anew; its game stays byte for byte."""
    data: dict[str, Any] = json.loads(line)
    message = ParseDict(data["circumstances"], records_pb2.Circumstances())
    struck = without_name(circumstances_from_wire(message), name)
    data["circumstances"] = to_json(_circumstances_to_wire(struck))
    del data["seal"]
    data["seal"] = text_digest(json_text(data))
    return json_text(data)


def game_message(match: Match, former_first_dealer: Seat | None = None) -> records_pb2.Game:
    """Writes the part that is the same wherever the same game was played."""
    game, _ = _game_and_actions(match, former_first_dealer)
    for hand, events in zip(game.hands, _hands(match.log), strict=True):
        hand.actions.extend(seat_action(seat, action) for seat, action in actions_of(events))
    return game


def _game_and_actions(
    match: Match, former_first_dealer: Seat | None
) -> tuple[records_pb2.Game, list[str]]:
    """Writes a game without the actions of its hands, and these as text."""
    assert match.outcome is not None, "only a finished match has a record"
    started = match.log[0]
    assert isinstance(started, spades.MatchStarted), "a match begins with its start"
    seal = Seal(former_first_dealer)
    hands: list[records_pb2.HandRecord] = []
    actions: list[str] = []
    for events in _by_hand(match.log):
        seal.add(events)
        if isinstance(events[0], spades.HandDealt):
            hands.append(_hand_message(events, seal.digest()))
            actions.append(actions_text(events))
    game = records_pb2.Game(
        rules=rules_to_wire(match.rules),
        algorithm=ALGORITHM if isinstance(match.deals, spades.SeededDeals) else "",
        commitment=started.commitment,
        opening=opening_to_wire(match.deals),
        former_first_dealer=optional_seat_to_wire(former_first_dealer),
        hands=hands,
        outcome=outcome_to_wire(match.outcome),
        seal=seal.digest(),
    )
    return game, actions


def game_json(match: Match, former_first_dealer: Seat | None = None) -> str:
    """Writes the game part alone, for comparing two plays byte by byte."""
    return json_text(to_json(game_message(match, former_first_dealer)))


_BEFORE: Final = frozenset((spades.HandDealt, spades.MatchEnded))
"""The events before which a log is cut."""


def _by_hand(log: Sequence[spades.Event]) -> list[list[spades.Event]]:
    """Cuts a log before each deal and before the end of the match."""
    parts: list[list[spades.Event]] = [[]]
    for event in log:
        if type(event) in _BEFORE:
            parts.append([])
        parts[-1].append(event)
    return parts


def _hands(log: Sequence[spades.Event]) -> Iterator[list[spades.Event]]:
    return (events for events in _by_hand(log) if isinstance(events[0], spades.HandDealt))


def _hand_message(events: Sequence[spades.Event], seal: str) -> records_pb2.HandRecord:
    """Writes a hand without its actions."""
    dealt = events[0]
    assert isinstance(dealt, spades.HandDealt), "a hand begins with its deal"
    scored = next(
        (event for event in reversed(events) if isinstance(event, spades.HandScored)), None
    )
    return records_pb2.HandRecord(
        number=dealt.number,
        dealer=SEAT.to_wire(dealt.dealer),
        scores=scores_message(scored),
        seal=seal,
    )


def scores_message(scored: spades.HandScored | None) -> list[event_pb2.SideScore]:
    """Writes the scores of a hand, of which there are none where it was given up."""
    if scored is None:
        return []
    return [side_score_to_wire(side, scored.scores[side]) for side in spades.Side]


def _circumstances_to_wire(circumstances: Circumstances) -> records_pb2.Circumstances:
    return records_pb2.Circumstances(
        match=circumstances.match,
        table=circumstances.table,
        started_us=circumstances.started_us,
        ended_us=circumstances.ended_us,
        players=players_to_wire(circumstances.players),
        software=circumstances.software,
        seed_chosen=circumstances.seed_chosen,
        notes=[
            records_pb2.Note(
                kind=NOTE_KIND.to_wire(note.kind),
                seat=SEAT.to_wire(note.seat),
                hand=note.hand,
                action=note.action,
            )
            for note in circumstances.notes
        ],
    )


def circumstances_from_wire(message: records_pb2.Circumstances) -> Circumstances:
    """Reads what differs between two plays of the same game.

    :raises RecordError: if it cannot be read.
    """
    try:
        return Circumstances(
            message.match,
            message.table,
            message.started_us,
            message.ended_us,
            players_from_wire(message.players),
            message.software,
            message.seed_chosen,
            tuple(
                Note(NOTE_KIND.from_wire(one.kind), SEAT.from_wire(one.seat), one.hand, one.action)
                for one in message.notes
            ),
        )
    except SpadesError as error:
        raise RecordError(f"The circumstances cannot be read: {error.sentence}") from error
