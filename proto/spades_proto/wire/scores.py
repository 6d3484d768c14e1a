"""Scores, outcomes and what the deals came from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import spades
from spades import (
    Deal,
    Deck,
    ExplicitDeals,
    Outcome,
    Reason,
    ScorePart,
    SeededDeals,
    Side,
    SideScore,
    Standing,
    TableError,
)
from spades_proto.v1 import card_pb2, event_pb2
from spades_proto.wire.enums import END_REASON, PART, SIDE, optional_seat, optional_seat_to_wire


@lru_cache(maxsize=64)
def parse_deal(text: str, deck: Deck) -> Deal:
    """Reads a deal once, though four seats of one process receive it."""
    return spades.parse_deal(text, deck)


def side_score_to_wire(side: Side, score: SideScore) -> event_pb2.SideScore:
    """Writes one side's score."""
    return event_pb2.SideScore(
        side=SIDE.to_wire(side),
        contract=score.contract,
        taken=score.taken,
        parts=[
            event_pb2.ScorePart(
                part=PART.to_wire(part.part),
                points=part.points,
                seat=optional_seat_to_wire(part.seat),
            )
            for part in score.parts
        ],
        change=score.change,
        bags=score.bags,
        before=event_pb2.Standing(total=score.before.total, bags=score.before.bags),
        after=event_pb2.Standing(total=score.after.total, bags=score.after.bags),
        double_nil=score.double_nil,
    )


def side_score_from_wire(message: event_pb2.SideScore) -> SideScore:
    """Reads one side's score."""
    return SideScore(
        contract=message.contract,
        taken=message.taken,
        parts=tuple(
            ScorePart(PART.from_wire(part.part), part.points, optional_seat(part.seat))
            for part in message.parts
        ),
        change=message.change,
        bags=message.bags,
        before=Standing(message.before.total, message.before.bags),
        after=Standing(message.after.total, message.after.bags),
        double_nil=message.double_nil,
    )


def both_scores_from_wire(
    messages: Sequence[event_pb2.SideScore],
) -> tuple[SideScore, SideScore]:
    """Reads the scores of both sides.

    :raises TableError: if there are not two.
    """
    if len(messages) != len(Side):
        raise TableError(f"A hand has two scores, not {len(messages)}.", Reason.INVALID_FIELD)
    return (side_score_from_wire(messages[0]), side_score_from_wire(messages[1]))


def outcome_to_wire(outcome: Outcome) -> event_pb2.Outcome:
    """Writes how a match ended."""
    return event_pb2.Outcome(
        winner=card_pb2.SIDE_UNSPECIFIED
        if outcome.winner is None
        else SIDE.to_wire(outcome.winner),
        reason=END_REASON.to_wire(outcome.reason),
        totals=outcome.totals,
    )


def outcome_from_wire(message: event_pb2.Outcome) -> Outcome:
    """Reads how a match ended.

    :raises TableError: if there are not two totals.
    """
    if len(message.totals) != len(Side):
        raise TableError(
            f"A match has two totals, not {len(message.totals)}.", Reason.INVALID_FIELD
        )
    winner = SIDE.from_wire(message.winner) if message.winner else None
    totals = (message.totals[0], message.totals[1])
    return Outcome(winner, END_REASON.from_wire(message.reason), totals)


def opening_to_wire(deals: SeededDeals | ExplicitDeals) -> event_pb2.Opening:
    """Opens what a match was dealt from."""
    if isinstance(deals, SeededDeals):
        return event_pb2.Opening(seed=deals.seed.hex())
    texts = [spades.format_deal(deal) for deal in deals.deals]
    return event_pb2.Opening(explicit=event_pb2.ExplicitDeals(deals=texts, salt=deals.salt.hex()))


def opening_from_wire(message: event_pb2.Opening, deck: Deck) -> SeededDeals | ExplicitDeals:
    """Reads what a match was dealt from.

    :raises NotationError: if a deal is none.
    :raises TableError: if the seed or the salt is not a number of the right length.
    """
    try:
        match message.WhichOneof("kind"):
            case "seed":
                seed = bytes.fromhex(message.seed)
                if len(seed) == spades.SEED_BYTES:
                    return SeededDeals(seed)
            case "explicit":
                deals = tuple(parse_deal(text, deck) for text in message.explicit.deals)
                return ExplicitDeals(deals, bytes.fromhex(message.explicit.salt))
            case None:
                pass
    except ValueError as error:
        if isinstance(error, spades.SpadesError):
            raise
    raise TableError(
        "The opening is neither a seed of 64 hexadecimal digits nor deals with a salt.",
        Reason.INVALID_FIELD,
    )
