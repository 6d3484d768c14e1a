"""Refusals inside a stream; :mod:`spades_proto.status` has those that end a call."""

from __future__ import annotations

from spades import Reason, SpadesError, error_for
from spades_proto.v1 import error_pb2
from spades_proto.wire.enums import REASON


def refusal_to_wire(error: SpadesError) -> error_pb2.Refusal:
    """Writes a refusal."""
    return error_pb2.Refusal(reason=REASON.to_wire(error.reason), sentence=error.sentence)


def refusal_from_wire(message: error_pb2.Refusal) -> SpadesError:
    """Reads a refusal as the same error that the referee raises in process."""
    try:
        reason = REASON.from_wire(message.reason)
    except SpadesError:
        # A newer server may refuse for a reason that is not known here; its sentence still explains it.
        reason = Reason.INVALID_FIELD
    return error_for(reason, message.sentence)
