"""Addresses as people type them."""

from __future__ import annotations

import pytest

from spades import NotationError
from spades_proto.address import parse_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("localhost", "localhost:7450"),
        (" 10.0.0.7:81 ", "10.0.0.7:81"),
        ("table.example:65535", "table.example:65535"),
        ("[::1]", "[::1]:7450"),
        ("[fe80::1%eth0]:7451", "[fe80::1%eth0]:7451"),
    ],
)
def test_a_port_that_is_left_out_is_the_default(text: str, address: str) -> None:
    assert parse_address(text) == address
    assert parse_address(address) == address


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ":7450",
        "a b:1",
        "host:",
        "host:0",
        "host:65536",
        "host:x",
        "::1",
        "http://host",
        "a:1:2",
    ],
)
def test_what_is_no_address_is_refused_in_words(text: str) -> None:
    with pytest.raises(NotationError, match="HOST:PORT"):
        parse_address(text)
