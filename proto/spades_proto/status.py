# pyright: basic
# The messages of google.rpc come without types, and their stubs on PyPI bring a second set for grpc.
"""Refusals as gRPC statuses: a code, a sentence, and an `ErrorInfo` with the reason."""

from __future__ import annotations

from typing import Final, cast

import grpc
from google.protobuf import duration_pb2
from google.protobuf.any_pb2 import Any
from google.protobuf.message import DecodeError
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from spades import Reason, SpadesError, TableError, error_for

DOMAIN: Final = "spades"
"""The domain of every `ErrorInfo`."""

MAX_SENTENCE_BYTES: Final = 1_000
"""A longer sentence, which quotes somebody's long text, is cut: gRPC drops trailers of more than 8 KiB."""

_CODES: Final[dict[Reason, int]] = {
    Reason.INVALID_NOTATION: code_pb2.INVALID_ARGUMENT,
    Reason.INVALID_OPTION: code_pb2.INVALID_ARGUMENT,
    Reason.INVALID_FIELD: code_pb2.INVALID_ARGUMENT,
    Reason.BID_OUT_OF_RANGE: code_pb2.INVALID_ARGUMENT,
    Reason.WRONG_PASS_COUNT: code_pb2.INVALID_ARGUMENT,
    Reason.REQUEST_ID_REUSED: code_pb2.INVALID_ARGUMENT,
    Reason.NAME_INVALID: code_pb2.INVALID_ARGUMENT,
    Reason.UNKNOWN_BOT: code_pb2.INVALID_ARGUMENT,
    Reason.STALE_DECISION: code_pb2.ABORTED,
    Reason.WRONG_HAND: code_pb2.ABORTED,
    Reason.EPOCH_CHANGED: code_pb2.ABORTED,
    Reason.REPLACED: code_pb2.ABORTED,
    Reason.NOT_YOUR_SEAT: code_pb2.PERMISSION_DENIED,
    Reason.NOT_SEATED: code_pb2.PERMISSION_DENIED,
    Reason.NOT_THE_HOST: code_pb2.PERMISSION_DENIED,
    Reason.SEED_NOT_ALLOWED: code_pb2.PERMISSION_DENIED,
    Reason.TABLE_NOT_FOUND: code_pb2.NOT_FOUND,
    Reason.RECORD_NOT_FOUND: code_pb2.NOT_FOUND,
    Reason.PLAYER_NOT_FOUND: code_pb2.NOT_FOUND,
    Reason.COMPETITION_NOT_FOUND: code_pb2.NOT_FOUND,
    Reason.NOT_THE_ORGANISER: code_pb2.PERMISSION_DENIED,
    Reason.NAME_TAKEN: code_pb2.ALREADY_EXISTS,
    Reason.TOKEN_INVALID: code_pb2.UNAUTHENTICATED,
    Reason.TOO_MANY: code_pb2.RESOURCE_EXHAUSTED,
    Reason.SLOW_CONSUMER: code_pb2.RESOURCE_EXHAUSTED,
    Reason.RATE_LIMITED: code_pb2.RESOURCE_EXHAUSTED,
    Reason.DRAINING: code_pb2.UNAVAILABLE,
}
"""The code of each reason; all others are FAILED_PRECONDITION."""


_NO_FIELD: Final = frozenset(
    {
        code_pb2.UNAUTHENTICATED,
        code_pb2.PERMISSION_DENIED,
        code_pb2.RESOURCE_EXHAUSTED,
        code_pb2.UNAVAILABLE,
    }
)
"""The codes that are about who calls, or when, whatever the request says."""


def code_of(reason: Reason) -> int:
    """The number of the status code that a reason travels under."""
    return int(_CODES.get(reason, code_pb2.FAILED_PRECONDITION))


def status_of(error: SpadesError, field: str = "") -> grpc.Status:
    """Writes a refusal as a status; ``field`` names the field of the request that is to blame."""
    sentence = _cut(error.sentence)
    details = [_packed(error_details_pb2.ErrorInfo(reason=error.reason.name, domain=DOMAIN))]
    if field and code_of(error.reason) not in _NO_FIELD:
        violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=sentence)
        details.append(_packed(error_details_pb2.BadRequest(field_violations=[violation])))
    retry_after_s = error.retry_after_s if isinstance(error, TableError) else None
    if retry_after_s is not None:
        delay = duration_pb2.Duration()
        delay.FromMilliseconds(round(retry_after_s * 1_000))
        details.append(_packed(error_details_pb2.RetryInfo(retry_delay=delay)))
    message = status_pb2.Status(code=code_of(error.reason), message=sentence, details=details)
    return rpc_status.to_status(message)


def error_of(call_error: grpc.aio.AioRpcError) -> SpadesError | None:
    """Reads a refusal back, as the error that the referee raises in process.

    ``None`` for a failure that is no refusal, such as a broken line.
    """
    try:
        message = rpc_status.from_call(cast("grpc.Call", call_error))
    except (ValueError, DecodeError):
        return None  # The details are not those of the status: something on the way changed it.
    if message is None:
        return None
    retry_after_s = _retry_after(message)
    for detail in message.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            if info.reason in Reason.__members__:
                error = error_for(Reason[info.reason], message.message)
                if isinstance(error, TableError):
                    error.retry_after_s = retry_after_s
                return error
            return TableError(message.message, Reason.INVALID_FIELD)
    return None


def _retry_after(message: status_pb2.Status) -> float | None:
    for detail in message.details:
        retry = error_details_pb2.RetryInfo()
        if detail.Unpack(retry):
            return float(retry.retry_delay.ToMilliseconds() / 1_000)
    return None


def _cut(sentence: str) -> str:
    data = sentence.encode()
    if len(data) <= MAX_SENTENCE_BYTES:
        return sentence
    return data[: MAX_SENTENCE_BYTES - 3].decode(errors="ignore") + "…"


def _packed(
    message: error_details_pb2.ErrorInfo
    | error_details_pb2.BadRequest
    | error_details_pb2.RetryInfo,
) -> Any:
    packed = Any()
    packed.Pack(message)
    return packed
