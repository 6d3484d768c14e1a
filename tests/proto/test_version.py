"""The version of the protocol: both ends compare it and say which of them is older."""

from __future__ import annotations

import pytest

from spades import Reason, TableError
from spades_proto.version import METADATA_KEY, PROTOCOL, check_protocol


@pytest.mark.parametrize("who", ["client", "server"])
def test_the_same_version_is_no_matter(who: str) -> None:
    check_protocol(PROTOCOL, who=who)


@pytest.mark.parametrize(
    ("who", "theirs", "older"),
    [
        ("client", PROTOCOL - 1, "client"),
        ("client", PROTOCOL + 1, "server"),
        ("server", PROTOCOL - 1, "server"),
        ("server", PROTOCOL + 1, "client"),
        ("client", -1, "client"),
        ("server", 2**31 - 1, "client"),
    ],
)
def test_another_version_is_refused_with_the_two_numbers_and_the_older_side(
    who: str, theirs: int, older: str
) -> None:
    with pytest.raises(TableError) as error:
        check_protocol(theirs, who=who)
    assert error.value.reason is Reason.VERSION_MISMATCH
    assert error.value.sentence == (
        f"The {who} speaks version {theirs} of the protocol and this side version {PROTOCOL}:"
        f" the {older} is the older one and must be updated."
    )


def test_the_metadata_key_is_one_that_grpc_takes() -> None:
    assert set(METADATA_KEY) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.")
    assert not METADATA_KEY.startswith("grpc-")
    assert not METADATA_KEY.endswith("-bin")
