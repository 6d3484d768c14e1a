"""Messages as lines of JSON: protobuf's own JSON form, with the names as the .proto files write them."""

from __future__ import annotations

import json
from typing import Any, Final, TypeVar, cast

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message

from spades import Reason, TableError

M = TypeVar("M", bound=Message)

MAX_LINE: Final = 1 << 16
"""The longest line, in bytes."""


def to_line(message: Message) -> bytes:
    """Writes a message as one line; a reader finds every field, also one that holds nothing."""
    fields = MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return json.dumps(fields, separators=(",", ":")).encode() + b"\n"


def from_line(line: bytes, kind: type[M], *, newer: bool = False) -> M:
    """Reads a message from a line; with ``newer``, fields that are not known here are passed over.

    :raises TableError: saying what is wrong with it.
    """
    try:
        fields: Any = json.loads(line)
    except json.JSONDecodeError as error:
        raise _refused(
            f"{_shown(line)} is not JSON: {error.msg} at character {error.pos + 1}."
        ) from None
    except (ValueError, RecursionError):
        raise _refused(f"{_shown(line)} is not JSON.") from None
    if not isinstance(fields, dict):
        raise _refused(f"{_shown(line)} is no JSON object.")
    try:
        return ParseDict(cast("dict[str, Any]", fields), kind(), ignore_unknown_fields=newer)
    except (ParseError, AttributeError, TypeError, ValueError, RecursionError) as error:
        raise _refused(f"{_shown(line)} is no {kind.DESCRIPTOR.name}: {error}.") from None


def _refused(sentence: str) -> TableError:
    return TableError(sentence, Reason.INVALID_FIELD)


def _shown(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
