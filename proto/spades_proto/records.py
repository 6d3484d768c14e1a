"""A match as one line that anybody can verify."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from google.protobuf.json_format import ParseDict, ParseError

import spades
from spades import ALGORITHM, IllegalAction, Match, Outcome, Reason, Seat, SpadesError
from spades.replay import actions_of
from spades_proto.record_text import (
    actions_text,
    json_text,
    sealed_text,
    sealed_with_actions,
    seat_action,
    text_digest,
    to_json,
)
from spades_proto.seal import Seal
from spades_proto.table import NoteKind, Occupant, OccupantKind
from spades_proto.v1 import event_pb2, records_pb2
from spades_proto.wire.actions import action_from_wire
from spades_proto.wire.enums import NOTE_KIND, SEAT, optional_seat, optional_seat_to_wire
from spades_proto.wire.profiles import players_from_wire, players_to_wire
from spades_proto.wire.rules import rules_from_wire, rules_to_wire
from spades_proto.wire.scores import (
    opening_from_wire,
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


@dataclass(frozen=True, slots=True)
class Verified:
    """A record that holds, and the match played again from it."""

    match: Match
    circumstances: Circumstances
    line: str = field(repr=False)


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
    return _circumstances_from_wire(record.circumstances), outcome


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
    struck = without_name(_circumstances_from_wire(message), name)
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
        scores=_scores_message(scored),
        seal=seal,
    )


def _scores_message(scored: spades.HandScored | None) -> list[event_pb2.SideScore]:
    if scored is None:
        return []
    return [side_score_to_wire(side, scored.scores[side]) for side in spades.Side]


def verify(line: str) -> Verified:
    """Recomputes everything that a record claims.

    The commitment from the opening, the deals from the seed, the legality of every action, the scores and
    the outcome from the actions, both seals, and that the line is written in the one canonical way.

    :raises RecordError: saying where the first difference is.
    """
    record = _parse(line)
    if record.version != VERSION:
        raise RecordError(
            f"The record has version {record.version} of the format; version {VERSION} is known."
        )
    match = _verify_game(record.game)
    sealed = sealed_text(record)
    if not sealed.endswith(f'"seal":"{record.seal}"}}'):
        raise RecordError(
            "The seal of the line does not fit: the game holds, but the circumstances or the seal"
            " itself were changed."
        )
    if line != sealed:
        at = next(
            (i for i, (a, b) in enumerate(zip(line, sealed, strict=False)) if a != b),
            min(len(line), len(sealed)),
        )
        raise RecordError(
            f"The line is not written as a record is: character {at + 1} is {line[at : at + 1]!r}"
            f" and should be {sealed[at : at + 1]!r}."
        )
    return Verified(match, _circumstances_from_wire(record.circumstances), line)


def read_records(lines: Iterable[str]) -> Iterable[Verified]:
    """Verifies the lines of a file one after the other; empty lines are passed over."""
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\n")
        if not text:
            continue
        try:
            yield verify(text)
        except RecordError as error:
            raise RecordError(f"Line {number}: {error.sentence}") from error


def _parse(line: str) -> records_pb2.MatchRecord:
    try:
        data: Any = json.loads(line)
        # An escape can name half a character, which is no text: neither protobuf nor a digest takes it.
        json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise RecordError(f"Character {error.pos + 1} is not JSON: {error.msg}.") from None
    except ValueError as error:
        raise RecordError(f"The line is not JSON: {error}.") from None
    except RecursionError:
        raise RecordError("The line is nested too deeply to be a record.") from None
    if not line.startswith("{"):
        raise RecordError("The line is not a record: a record is a JSON object.")
    try:
        return ParseDict(cast("dict[str, Any]", data), records_pb2.MatchRecord())
    except (ParseError, AttributeError, TypeError, ValueError) as error:
        raise RecordError(f"The line is not a record: {error}.") from None


def _verify_game(game: records_pb2.Game) -> Match:
    try:
        rules = rules_from_wire(game.rules)
        deals = opening_from_wire(game.opening, rules.deck)
        former = optional_seat(game.former_first_dealer)
        expected = ALGORITHM if isinstance(deals, spades.SeededDeals) else ""
        if game.algorithm != expected:
            raise RecordError(f"The algorithm {game.algorithm!r} is not known; {expected!r} is.")
        if game.commitment != deals.commitment():
            raise RecordError("The commitment is not the one of the seed or the deals.")
        match = Match(rules, deals, former_first_dealer=former)
    except RecordError:
        raise
    except SpadesError as error:
        raise RecordError(f"The head of the game does not hold: {error.sentence}") from error
    seal = Seal(former)
    done = 0
    for place, hand in enumerate(game.hands, 1):
        _verify_hand(match, place, hand)
        done = _add(seal, match.log, done)
        if hand.seal != seal.digest():
            raise RecordError(
                f"The seal of hand {place} does not fit: one of its actions, or what came before"
                " it, was changed."
            )
    if match.outcome is None:
        raise RecordError("The record ends before the match does.")
    if game.outcome != outcome_to_wire(match.outcome):
        raise RecordError(f"The outcome is another one: {match.outcome}")
    seal.add(match.log[done:])
    if game.seal != seal.digest():
        raise RecordError("The seal of the game does not fit.")
    _verify_writing(game, game_message(match, former))
    return match


def _verify_writing(game: records_pb2.Game, right: records_pb2.Game) -> None:
    """Refuses another way to write the same game, which no seal of the game would notice."""
    for place, (hand, other) in enumerate(zip(game.hands, right.hands, strict=True), 1):
        if hand != other:
            raise RecordError(f"Hand {place} is not written as a record writes its actions.")
    if game != right:
        raise RecordError("The head of the game is not written as a record writes it.")


def _add(seal: Seal, log: Sequence[spades.Event], done: int) -> int:
    """Seals what has been logged since, but for the end of the match, which no hand's seal covers."""
    events = [event for event in log[done:] if not isinstance(event, spades.MatchEnded)]
    seal.add(events)
    return done + len(events)


def _verify_hand(match: Match, place: int, hand: records_pb2.HandRecord) -> None:
    where = f"Hand {place}"
    if match.outcome is not None:
        raise RecordError(f"{where} comes after the end of the match.")
    try:
        if place > 1:
            match.deal_next()
        if (hand.number, SEAT.from_wire(hand.dealer)) != (place, match.state.dealer):
            raise RecordError(f"{where} has another number or dealer: {match.state.dealer} deals.")
        for number, act in enumerate(hand.actions, 1):
            where = f"Hand {place}, action {number}"
            if match.phase is spades.Phase.HAND_OVER and not act.action.HasField("surrender"):
                raise RecordError(f"{where} comes after the end of the hand.")
            spades.step(match, SEAT.from_wire(act.seat), action_from_wire(act.action))
    except IllegalAction as error:
        raise RecordError(f"{where} is not legal: {error.sentence}") from error
    except RecordError:
        raise
    except SpadesError as error:
        raise RecordError(f"{where} cannot be read: {error.sentence}") from error
    _verify_scores(match, place, hand)


def _verify_scores(match: Match, place: int, hand: records_pb2.HandRecord) -> None:
    scored = match.sheet[-1] if len(match.sheet) == place else None
    if scored is None and match.outcome is None:
        raise RecordError(f"Hand {place} ends before its thirteenth trick.")
    if list(hand.scores) == _scores_message(scored):
        return
    if scored is None or len(hand.scores) != len(spades.Side):
        raise RecordError(f"Hand {place} has scores that it should not have, or lacks them.")
    for claimed, side in zip(hand.scores, spades.Side, strict=True):
        right = scored.scores[side]
        if claimed != side_score_to_wire(side, right):
            raise RecordError(
                f"The score of {side} in hand {place} is another one:"
                f" {right.change:+d} to {right.after.total}, {right.after.bags} bags."
            )


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


def _circumstances_from_wire(message: records_pb2.Circumstances) -> Circumstances:
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
