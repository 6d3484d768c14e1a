"""The steps of a recorded match, as one viewer sees them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import spades
from spades import Event, Seat
from spades_client.archive import recorded_table
from spades_client.narrate import event_sentences
from spades_client.phrases import printable
from spades_client.state import ClientState
from spades_proto.verification import Verified


@dataclass(frozen=True, slots=True)
class Step:
    """The match after one event."""

    event: Event
    state: ClientState
    told: tuple[str, ...]


class Replay:
    """The events of a recorded match for one viewer, with the state after each."""

    def __init__(self, verified: Verified, viewer: Seat | None) -> None:
        self.viewer = viewer
        """``None``: all hands are open."""
        self._events = tuple(verified.match.log)
        self._table = recorded_table(verified)
        self._steps: list[Step] = []

    def __len__(self) -> int:
        return len(self._events)

    def step(self, number: int) -> Step:
        """The match after event ``number``, from 0; what came before is folded once."""
        while len(self._steps) <= number:
            event = self._events[len(self._steps)]
            seen = event if self.viewer is None else spades.redact(event, self.viewer)
            self._table = self._table.copy()
            self._table.apply(seen)
            told = event_sentences(seen, self._table, self.viewer)
            state = ClientState(self.viewer, 1, len(self._steps) + 1, self._table)
            self._steps.append(Step(seen, state, tuple(map(printable, told))))
        return self._steps[number]

    def place(self, wanted: Callable[[Event], bool], start: int, direction: int) -> int | None:
        """The number of the next event of a kind, or of the one before."""
        number = start + direction
        while 0 <= number < len(self._events):
            if wanted(self._events[number]):
                return number
            number += direction
        return None


def parse_jump(text: str) -> tuple[int, int] | None:
    """Reads where to jump: a hand, or a hand and a trick as in ``3`` or ``3.7``."""
    hand, _, trick = text.strip().partition(".")
    if hand.isascii() and hand.isdigit() and (not trick or (trick.isascii() and trick.isdigit())):
        return int(hand[:6]), int(trick[:3] or 0)
    return None
