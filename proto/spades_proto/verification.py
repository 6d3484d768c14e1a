"""A record played again: everything that it claims is recomputed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from google.protobuf.json_format import ParseDict, ParseError

import spades
from spades import ALGORITHM, IllegalAction, Match, SpadesError
from spades_proto.record_text import sealed_text
from spades_proto.records import (
    VERSION,
    Circumstances,
    RecordError,
    circumstances_from_wire,
    game_message,
    scores_message,
)
from spades_proto.seal import Seal
from spades_proto.v1 import records_pb2
from spades_proto.wire.actions import action_from_wire
from spades_proto.wire.enums import SEAT, optional_seat
from spades_proto.wire.rules import rules_from_wire
from spades_proto.wire.scores import opening_from_wire, outcome_to_wire, side_score_to_wire


@dataclass(frozen=True, slots=True)
class Verified:
    """A record that holds, and the match played again from it."""

    match: Match
    circumstances: Circumstances
    line: str = field(repr=False)


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
    return Verified(match, circumstances_from_wire(record.circumstances), line)


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
    if list(hand.scores) == scores_message(scored):
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
