"""Join links, as they are written and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spades import NotationError
from spades_proto.link import Link, fingerprint_of, parse_link

FINGERPRINT = fingerprint_of(b"a certificate")


@given(
    host=st.sampled_from(["table.example", "192.168.1.5", "[fe80::1%eth0]", "[::1]"]),
    port=st.integers(1, 65_535),
    code=st.sampled_from(["", "K7QF2"]),
    fingerprint=st.sampled_from(["", FINGERPRINT]),
)
def test_what_is_written_is_read_again(host: str, port: int, code: str, fingerprint: str) -> None:
    link = Link(f"{host}:{port}", code, fingerprint)
    assert parse_link(str(link)) == link
    assert (link.host, link.port) == (host.strip("[]"), port)


def test_an_address_is_a_link_without_a_fingerprint() -> None:
    assert parse_link("table.example") == Link("table.example:7450")
    assert parse_link(" SPADES://table.example:1/k7qf2 ") == Link("table.example:1", "K7QF2")


def test_a_fingerprint_has_the_characters_that_no_shell_minds() -> None:
    assert len(FINGERPRINT) == 43
    assert FINGERPRINT.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize(
    "text",
    [
        "spades://",
        "spades://host:1/TABLE#short",
        f"spades://host:1/TABLE#{FINGERPRINT}x",
        f"spades://host:1/TA BLE#{FINGERPRINT}",
        "spades://host:99999/TABLE",
        f"spades://host:1/{'A' * 17}",
        "https://host:1",
    ],
)
def test_what_is_no_link_is_refused_in_words(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_link(text)
    assert "HOST:PORT" in caught.value.sentence
