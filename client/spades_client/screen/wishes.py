"""What can be wished for on the start screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spades_proto.tempo import NORMAL_MS


@dataclass(frozen=True, slots=True)
class OwnTable:
    """What the settings say of a table that one opens."""

    tempo_ms: int = NORMAL_MS
    hints: bool = True


@dataclass(frozen=True, slots=True)
class PlayBots:
    """A match against house bots."""

    rules: str
    levels: tuple[str, ...]
    """The bots to the left, across and to the right."""
    own: OwnTable = OwnTable()


@dataclass(frozen=True, slots=True)
class GoTo:
    """A table of a server: to sit down at, or to watch."""

    server: str
    code: str = ""
    new: bool = False
    watch: bool = False
    name: str = ""
    """The name to sit down with; the player's own where it is empty."""
    own: OwnTable = OwnTable()


@dataclass(frozen=True, slots=True)
class OpenRecord:
    """A record to replay."""

    path: Path


Wish = PlayBots | GoTo | OpenRecord
