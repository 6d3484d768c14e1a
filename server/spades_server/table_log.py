"""The log of a table: what is settled when it opens, and everything that has happened since."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final, NamedTuple

from spades import Rules
from spades_proto.table import AnyEvent, TableOpened, TableState
from spades_proto.tempo import NORMAL_MS
from spades_proto.timing import UNLIMITED, TimeControl
from spades_server.commands import Player

SECOND: Final = 1_000_000
"""All times are whole microseconds."""

REMEMBERED_EVENTS: Final = 256
"""How many events a reader can be behind and still resume without a snapshot."""


@dataclass(frozen=True, slots=True)
class TableConfig:
    """What is settled when a table is opened."""

    code: str
    rules: Rules
    private: bool = False
    many_seats: bool = False
    """Whether one player may hold several seats."""
    seed_chosen: bool = False
    seed: str = ""
    """The seed that was chosen, as it was typed; a secret until the match is over."""
    tempo_us: int = NORMAL_MS * 1_000
    """How long a house bot takes for a card while people play (rules.md 5.5)."""
    grace_us: int = 60 * SECOND
    """After how long an absent player's seat is played by a house bot, or before the match freed."""
    abandoned_us: int = 600 * SECOND
    """After how long a table without any player present is closed."""
    time_control: TimeControl = UNLIMITED
    """How much time a decision has while another player waits for it."""
    hints: bool = True
    """Whether clients may give hints."""
    stand_in: str = "gentle"
    """The house bot that plays for absent players."""


class Entry(NamedTuple):
    """An event of the table's log."""

    seq: int
    time_us: int
    event: AnyEvent


class TableLog:
    """The events of a table, numbered from 1 without a gap, and the state that they make."""

    def __init__(self, config: TableConfig, host: Player, now_us: int, epoch: int) -> None:
        self.config = config
        self.epoch = epoch
        self.state = TableState(
            TableOpened(
                config.code,
                host.name,
                config.rules,
                config.private,
                config.seed_chosen,
                config.time_control,
                config.hints,
                config.tempo_us // 1_000,
            )
        )
        self.seq = 0
        self.log: deque[Entry] = deque(maxlen=REMEMBERED_EVENTS)
        self._new: list[Entry] = []
        self._now_us = now_us

    @property
    def now_us(self) -> int:
        """The time of the last command, which never goes back."""
        return self._now_us

    def _take(self, event: AnyEvent) -> None:
        self.state.apply(event)
        self._log(event)

    def _log(self, event: AnyEvent) -> None:
        self.seq += 1
        entry = Entry(self.seq, self._now_us, event)
        self.log.append(entry)
        self._new.append(entry)
