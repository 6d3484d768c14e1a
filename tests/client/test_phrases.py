"""Words about seats, and what is said to whom."""

from __future__ import annotations

import pytest

from spades import Seat
from spades_client.phrases import join_command, to_you


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ("QS is not in South's hand.", "QS is not in your hand."),
        ("JS cannot be led: spades are not broken and South holds 3D.",
         "JS cannot be led: spades are not broken and you hold 3D."),
        ("South has no card to take back.", "You have no card to take back."),
        ("Blind nil is not possible: South has seen its cards.",
         "Blind nil is not possible: you have seen your cards."),
        ("South cannot act now: it is West's turn.", "You cannot act now: it is West's turn."),
        ("It is West's turn.", "It is West's turn."),
    ],
)  # fmt: skip
def test_a_refusal_speaks_to_the_one_who_hears_it(said: str, heard: str) -> None:
    assert to_you(said, Seat.SOUTH) == heard
    assert to_you(said, None) == said


def test_a_server_of_its_own_is_named_for_those_who_are_to_join() -> None:
    assert join_command("K7QF2", "127.0.0.1:7450") == "spades join K7QF2"
    assert join_command("K7QF2", "host:81") == "spades join K7QF2 --server host:81"
