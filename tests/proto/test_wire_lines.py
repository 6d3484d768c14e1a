"""Messages as lines of JSON: whole, in one line, and a sentence for what is none."""

from __future__ import annotations

import json

import pytest

from spades import Reason, TableError
from spades_proto.v1 import action_pb2, card_pb2, pipe_pb2
from spades_proto.wire.lines import from_line, to_line


def test_a_line_has_every_field_and_one_end() -> None:
    line = to_line(action_pb2.Bid(tricks=0))
    assert line == b'{"tricks":0,"blind":false}\n'


def test_a_line_that_was_written_is_read_again() -> None:
    message = pipe_pb2.PipeResponse(
        command=action_pb2.Command(
            table="Zürich\n", decision=1 << 60, action=action_pb2.Action(play=card_pb2.CARD_QS)
        )
    )
    line = to_line(message)
    assert line.count(b"\n") == 1
    assert from_line(line, pipe_pb2.PipeResponse) == message


def test_numbers_of_64_bits_are_written_as_text_and_read_as_both() -> None:
    line = to_line(action_pb2.Command(decision=17))
    assert json.loads(line)["decision"] == "17"
    for text in (b'{"decision": 17}', b'{"decision": "17"}'):
        assert from_line(text, action_pb2.Command).decision == 17


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"", "'' is not JSON: Expecting value at character 1."),
        (b"{", "'{' is not JSON"),
        (b"\xff{}", "is not JSON"),
        (b"[" * 60_000, "is not JSON"),
        (b"17", "'17' is no JSON object."),
        (b"null", "'null' is no JSON object."),
        (b'{"trick": 3}', '\'{"trick": 3}\' is no Bid: Message type "spades.v1.Bid" has no field'),
        (b'{"tricks": "many"}', "is no Bid: "),
        (b'{"tricks": 99999999999}', "is no Bid: "),
        (b'{"blind": {"a": 1}}', "is no Bid: "),
        (b'{"tricks": NaN}', "is no Bid: "),
        (b'{"x": "' + b"y" * 500 + b'"}', "…' is no Bid: "),
    ],
)
def test_what_is_no_message_is_refused_in_a_sentence(line: bytes, sentence: str) -> None:
    with pytest.raises(TableError) as caught:
        from_line(line, action_pb2.Bid)
    assert sentence in caught.value.sentence
    assert caught.value.reason is Reason.INVALID_FIELD


def test_a_field_of_a_newer_version_is_passed_over_where_that_is_wanted() -> None:
    assert from_line(b'{"tricks": 3, "mood": "high"}', action_pb2.Bid, newer=True).tricks == 3
