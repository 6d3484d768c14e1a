"""What is told of an agent that failed: its kind, and a sentence that fits a line."""

from __future__ import annotations

import pytest

from spades_agents import Crashed, DidNotStart, Ended, GivenUp, Malformed
from spades_agents.failures import MOST_DETAIL, failure_of, shortened
from spades_proto.frames import Failure, FailureKind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Malformed("said"), FailureKind.MALFORMED),
        (Crashed("said"), FailureKind.CRASHED),
        (Ended("said"), FailureKind.ENDED),
        (GivenUp("said"), FailureKind.ENDED),
        (DidNotStart("said"), FailureKind.ENDED),
    ],
)
def test_a_failure_has_its_kind_and_what_the_program_wrote_beside_it_stays_at_home(
    error: Exception, kind: FailureKind
) -> None:
    assert failure_of(error) == Failure(kind, "said")
    secret = type(error)("said", "a password on standard error")
    assert failure_of(secret) == Failure(kind, "said")


def test_what_an_agents_code_raises_is_a_crash_with_its_name() -> None:
    error = ZeroDivisionError("by\nnothing")
    said = "It raised ZeroDivisionError: by nothing."
    assert failure_of(error) == Failure(FailureKind.CRASHED, said)
    assert failure_of(KeyError()).sentence == "It raised KeyError."


def test_a_message_is_cut_to_one_line_that_can_be_printed() -> None:
    assert shortened("once\x1b[2J upon\n\n a\ttime") == "once[2J upon a time"
    assert len(shortened("long " * 1_000)) == MOST_DETAIL
