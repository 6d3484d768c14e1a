"""What a check of a bot finds, clause by clause."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What became of a clause."""

    PASSED = "passed"
    FAILED = "failed"
    NOTED = "noted"
    """It is no fault, and worth knowing."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One clause and what became of it."""

    clause: str
    """A short name that stays the same from version to version."""
    demand: str
    """What is demanded, in plain words."""
    verdict: Verdict
    remark: str = ""
    """What was seen, where that says more than the verdict."""


class NotKept(Exception):
    """A bot did not do what a clause demands; the sentence says what it did."""


class Noted(Exception):
    """A clause does not hold, and need not."""
