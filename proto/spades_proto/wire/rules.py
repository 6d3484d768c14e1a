"""The options of a match."""

from __future__ import annotations

from spades import Rules
from spades_proto.v1 import rules_pb2
from spades_proto.wire.enums import (
    BLIND_NIL,
    DECK,
    DOUBLE_NIL,
    FIRST_DEALER,
    SPADE_LEAD,
    UNDO_RULE,
)


def rules_to_wire(rules: Rules) -> rules_pb2.Rules:
    """Writes every option."""
    return rules_pb2.Rules(
        target=rules.target,
        floor=rules.floor,
        deck=DECK.to_wire(rules.deck),
        first_dealer=FIRST_DEALER.to_wire(rules.first_dealer),
        spade_lead=SPADE_LEAD.to_wire(rules.spade_lead),
        blind_nil=BLIND_NIL.to_wire(rules.blind_nil),
        blind_nil_deficit=rules.blind_nil_deficit,
        blind_exchange=rules.blind_exchange,
        min_team_bid=rules.min_team_bid,
        bag_limit=rules.bag_limit,
        bag_penalty=rules.bag_penalty,
        nil_value=rules.nil_value,
        blind_nil_value=rules.blind_nil_value,
        double_nil=DOUBLE_NIL.to_wire(rules.double_nil),
        double_nil_value=rules.double_nil_value,
        max_hands=rules.max_hands,
        undo=UNDO_RULE.to_wire(rules.undo),
        next_hand_wait=rules.next_hand_wait,
    )


def rules_from_wire(message: rules_pb2.Rules) -> Rules:
    """Reads every option.

    :raises OptionError: if they are out of range or contradict each other.
    :raises TableError: if an enum is missing.
    """
    return Rules(
        target=message.target,
        floor=message.floor if message.HasField("floor") else None,
        deck=DECK.from_wire(message.deck),
        first_dealer=FIRST_DEALER.from_wire(message.first_dealer),
        spade_lead=SPADE_LEAD.from_wire(message.spade_lead),
        blind_nil=BLIND_NIL.from_wire(message.blind_nil),
        blind_nil_deficit=message.blind_nil_deficit,
        blind_exchange=message.blind_exchange,
        min_team_bid=message.min_team_bid,
        bag_limit=message.bag_limit,
        bag_penalty=message.bag_penalty,
        nil_value=message.nil_value,
        blind_nil_value=message.blind_nil_value,
        double_nil=DOUBLE_NIL.from_wire(message.double_nil),
        double_nil_value=message.double_nil_value,
        max_hands=message.max_hands,
        undo=UNDO_RULE.from_wire(message.undo),
        next_hand_wait=message.next_hand_wait,
    )
