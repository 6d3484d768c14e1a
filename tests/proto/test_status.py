# pyright: basic
# The messages of google.rpc come without types, as proto/spades_proto/status.py says.
"""Refusals as statuses: the same error on both ends of a call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from google.protobuf.any_pb2 import Any as AnyMessage
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc import aio
from grpc_status import rpc_status

from spades import Reason, SpadesError, TableError, error_for
from spades_proto.channel import CLIENT_OPTIONS, SERVER_OPTIONS
from spades_proto.status import DOMAIN, MAX_SENTENCE_BYTES, code_of, error_of, status_of
from spades_proto.v1 import error_pb2


def call_error(status: grpc.Status) -> aio.AioRpcError:
    """What a client gets of a status."""
    trailing = aio.Metadata(*(status.trailing_metadata or ()))
    return aio.AioRpcError(status.code, aio.Metadata(), trailing, status.details)


def details_of(status: grpc.Status) -> status_pb2.Status:
    trailing = dict(status.trailing_metadata or ())
    assert list(trailing) == ["grpc-status-details-bin"]
    value = trailing["grpc-status-details-bin"]
    assert isinstance(value, bytes)
    return status_pb2.Status.FromString(value)


def said(reason: Reason) -> SpadesError:
    return error_for(reason, f"9♥ is not legal: {reason.value}.")


# Both ways


@pytest.mark.parametrize("reason", Reason)
def test_every_refusal_is_the_same_error_after_the_wire(reason: Reason) -> None:
    error = said(reason)
    back = error_of(call_error(status_of(error)))
    assert type(back) is type(error)
    assert back is not None
    assert (back.reason, back.sentence) == (reason, error.sentence)


@pytest.mark.parametrize("reason", Reason)
def test_every_refusal_says_its_sentence_its_reason_and_the_domain(reason: Reason) -> None:
    error = said(reason)
    status = status_of(error)
    assert status.details == error.sentence
    assert status.code.value[0] == code_of(reason)
    details = details_of(status)
    assert details.message == error.sentence
    (detail,) = details.details
    info = error_details_pb2.ErrorInfo()
    assert detail.Unpack(info)
    assert info.domain == DOMAIN == "spades"
    # As error.proto says: one of its names without the prefix.
    assert f"REASON_{info.reason}" in error_pb2.Reason.keys()  # noqa: SIM118  # no dictionary


def test_a_refusal_names_the_field_that_is_to_blame() -> None:
    error = TableError("A name has 1 to 24 characters.", Reason.NAME_INVALID)
    details = details_of(status_of(error, "name")).details
    request = error_details_pb2.BadRequest()
    assert [detail.Unpack(request) for detail in details] == [False, True]
    (violation,) = request.field_violations
    assert (violation.field, violation.description) == ("name", error.sentence)
    back = error_of(call_error(status_of(error, "name")))
    assert back is not None
    assert back.reason is Reason.NAME_INVALID


def test_no_refusal_travels_as_ok_or_as_a_fault_of_the_server() -> None:
    faults = {
        code_pb2.OK,
        code_pb2.UNKNOWN,
        code_pb2.INTERNAL,
        code_pb2.DATA_LOSS,
        code_pb2.UNIMPLEMENTED,
        code_pb2.CANCELLED,
        code_pb2.DEADLINE_EXCEEDED,
    }
    assert not {code_of(reason) for reason in Reason} & faults


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        (Reason.INVALID_FIELD, code_pb2.INVALID_ARGUMENT),
        (Reason.TABLE_NOT_FOUND, code_pb2.NOT_FOUND),
        (Reason.TOKEN_INVALID, code_pb2.UNAUTHENTICATED),
        (Reason.NOT_YOUR_SEAT, code_pb2.PERMISSION_DENIED),
        (Reason.STALE_DECISION, code_pb2.ABORTED),
        (Reason.MUST_FOLLOW_SUIT, code_pb2.FAILED_PRECONDITION),
        (Reason.NOT_YOUR_TURN, code_pb2.FAILED_PRECONDITION),
        (Reason.DRAINING, code_pb2.UNAVAILABLE),
    ],
)
def test_the_code_tells_a_stock_client_what_to_do(reason: Reason, code: int) -> None:
    assert code_of(reason) == code


# What is no refusal


def test_a_broken_line_is_no_refusal() -> None:
    bare = aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, aio.Metadata(), aio.Metadata(), "no route")
    assert error_of(bare) is None


def packed(message: Any) -> AnyMessage:
    detail = AnyMessage()
    detail.Pack(message)
    return detail


def foreign(*details: AnyMessage) -> aio.AioRpcError:
    message = status_pb2.Status(code=code_pb2.NOT_FOUND, message="No.", details=details)
    return call_error(rpc_status.to_status(message))


def test_the_error_of_another_domain_is_no_refusal() -> None:
    info = error_details_pb2.ErrorInfo(reason="TABLE_NOT_FOUND", domain="example.org")
    assert error_of(foreign(packed(info))) is None
    assert error_of(foreign()) is None
    assert error_of(foreign(packed(error_details_pb2.BadRequest()))) is None


def test_an_unknown_reason_of_a_newer_server_keeps_its_sentence() -> None:
    info = error_details_pb2.ErrorInfo(reason="MOON_IS_FULL", domain=DOMAIN)
    error = error_of(foreign(packed(error_details_pb2.BadRequest()), packed(info)))
    assert isinstance(error, TableError)
    assert (error.sentence, error.reason) == ("No.", Reason.INVALID_FIELD)


@pytest.mark.parametrize(
    "details",
    [
        b"\xff\xff\xff",
        status_pb2.Status(code=code_pb2.ABORTED, message="No.").SerializeToString(),
        status_pb2.Status(code=code_pb2.NOT_FOUND, message="Yes.").SerializeToString(),
    ],
)
def test_details_that_contradict_the_status_are_no_refusal_and_no_failure(details: bytes) -> None:
    trailing = aio.Metadata(("grpc-status-details-bin", details))
    error = aio.AioRpcError(grpc.StatusCode.NOT_FOUND, aio.Metadata(), trailing, "No.")
    assert error_of(error) is None


# Over a real call


@asynccontextmanager
async def refusing(error: SpadesError, field: str) -> AsyncGenerator[aio.Channel]:
    """A server whose one method is always refused."""

    async def refuse(_request: bytes, context: aio.ServicerContext[bytes, bytes]) -> bytes:
        status = status_of(error, field)
        trailing = tuple(status.trailing_metadata or ())
        await context.abort(status.code, status.details or "", trailing)
        raise AssertionError("abort raises")

    handler: Any = grpc.unary_unary_rpc_method_handler(refuse)  # pyright: ignore[reportArgumentType]
    server = aio.server(options=SERVER_OPTIONS)
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler("test.Refusing", {"Ask": handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with aio.insecure_channel(f"127.0.0.1:{port}", options=CLIENT_OPTIONS) as channel:
            yield channel
    finally:
        await server.stop(None)


async def asked(error: SpadesError, field: str = "") -> SpadesError | None:
    async with refusing(error, field) as channel:
        call: aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary("/test.Refusing/Ask")
        with pytest.raises(aio.AioRpcError) as failure:
            await call(b"")
        return error_of(failure.value)


@pytest.mark.parametrize(
    "sentence", ["9♥ is not legal: diamonds were led.", "", "a\nb\r\tc%20%", "é" * 450]
)
async def test_a_sentence_arrives_as_it_was_written(sentence: str) -> None:
    back = await asked(TableError(sentence, Reason.STALE_DECISION))
    assert isinstance(back, TableError)
    assert (back.sentence, back.reason) == (sentence, Reason.STALE_DECISION)


@pytest.mark.parametrize("letter", ["x", "♠", "🂡", "\n"])
async def test_s18_a_refusal_that_quotes_60_kilobytes_still_arrives_with_its_reason(
    letter: str,
) -> None:
    quoted = letter * 60_000
    back = await asked(error_for(Reason.INVALID_OPTION, f"{quoted} is no option."), "rules")
    assert back is not None
    assert back.reason is Reason.INVALID_OPTION
    assert back.sentence.endswith("…")
    assert quoted.startswith(back.sentence[:-1])
    assert MAX_SENTENCE_BYTES - 8 < len(back.sentence.encode()) <= MAX_SENTENCE_BYTES
