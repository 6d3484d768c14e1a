"""Writes the JSON schema of the lines between a program and what runs it, from the descriptors.

python docs/schema.py > docs/bot-lines.schema.json
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

from spades_proto.v1 import pipe_pb2

PROTOS: Final = Path(__file__).parents[1] / "proto" / "spades_proto" / "v1"
PACKAGE: Final = "spades.v1."

_NUMBERS: Final = {
    FieldDescriptor.TYPE_INT32: {"type": "integer"},
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    # Protobuf's JSON writes numbers of 64 bits as text, and reads both.
    FieldDescriptor.TYPE_INT64: {"type": ["string", "integer"], "pattern": "^-?[0-9]+$"},
    FieldDescriptor.TYPE_UINT64: {"type": ["string", "integer"], "pattern": "^[0-9]+$"},
}

Schema = dict[str, Any]


def schema() -> Schema:
    """The schema of both kinds of lines, with all messages that they hold."""
    comments = _comments()
    definitions: dict[str, Schema] = {}
    for root in (pipe_pb2.PipeRequest.DESCRIPTOR, pipe_pb2.PipeResponse.DESCRIPTOR):
        _define(root, definitions, comments)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The lines between a bot and what runs it",
        "description": "A program reads PipeRequests, one to a line, and writes PipeResponses.",
        "oneOf": [_reference("PipeRequest"), _reference("PipeResponse")],
        "$defs": dict(sorted(definitions.items())),
    }


def _define(message: Descriptor, into: dict[str, Schema], comments: dict[str, str]) -> None:
    if message.name in into:
        return
    into[message.name] = defined = {"type": "object", "description": comments[message.name]}
    properties: dict[str, Schema] = {}
    for field in message.fields:
        kind = _kind(field, into, comments)
        if field.is_repeated:
            kind = {"type": "array", "items": kind}
        properties[field.name] = {"description": comments[f"{message.name}.{field.name}"], **kind}
    defined["properties"] = properties
    defined["additionalProperties"] = False
    for oneof in message.oneofs:
        if len(oneof.fields) > 1:
            defined["oneOf"] = [{"required": [field.name]} for field in oneof.fields]


def _kind(field: FieldDescriptor, into: dict[str, Schema], comments: dict[str, str]) -> Schema:
    if field.message_type is not None:
        _define(field.message_type, into, comments)
        return _reference(field.message_type.name)
    if field.enum_type is not None:
        _define_enum(field.enum_type, into, comments)
        return _reference(field.enum_type.name)
    return dict(_NUMBERS[field.type])


def _define_enum(enum: EnumDescriptor, into: dict[str, Schema], comments: dict[str, str]) -> None:
    into[enum.name] = {
        "description": comments[enum.name],
        "enum": [value.name for value in enum.values],
    }


def _reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _comments() -> dict[str, str]:
    """What the .proto files say of each message, enum and field, as buf lint demands."""
    found: dict[str, str] = {}
    for path in sorted(PROTOS.glob("*.proto")):
        message, said = "", []
        for line in path.read_text(encoding="utf-8").splitlines():
            text = line.strip()
            if text.startswith("//"):
                said.append(text.removeprefix("//").strip())
                continue
            if opened := re.match(r"(message|enum) (\w+) \{", text):
                message = opened[2]
                found[message] = " ".join(said)
            elif field := re.match(r"(?:repeated |optional )?[\w.]+ (\w+) = \d+;", text):
                found[f"{message}.{field[1]}"] = " ".join(said)
            said = []
    return found


def text() -> str:
    """The schema as the file has it."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    sys.stdout.write(text())
