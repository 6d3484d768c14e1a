"""Why the house bots of a table did what they did, for the log, once the hand is over."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from spades import HandScored, MatchEnded, SeatView
from spades.actions import Action
from spades_agents import HOUSE_BOTS
from spades_agents.bots import Thinker
from spades_server.table_log import Entry

log: Final = logging.getLogger("spades.bots")


class Reasoning:
    """Keeps what the house bots of a hand saw and did, and logs their reasons when its cards are public.

    Only at the level `debug`, since the reasons are thought through once more for it. What is derived from a
    hand is part of the hand, so nothing is said before its end.
    """

    def __init__(self) -> None:
        self._deeds: list[tuple[str, SeatView, Action]] = []

    def note(self, bot: str, view: SeatView, action: Action) -> None:
        """Keeps one decision."""
        if log.isEnabledFor(logging.DEBUG):
            self._deeds.append((bot, view, action))

    def forget_last(self) -> None:
        """Drops the decision that was kept last: it came to nothing."""
        if self._deeds:
            self._deeds.pop()

    def tell(self, table: str, entries: Iterable[Entry]) -> None:
        """Logs all decisions of a hand that these entries end."""
        if not self._deeds:
            return
        if not any(isinstance(entry.event, HandScored | MatchEnded) for entry in entries):
            return
        deeds, self._deeds = self._deeds, []
        for bot, view, action in deeds:
            thinker = HOUSE_BOTS[bot]()
            if not isinstance(thinker, Thinker):
                continue
            for advice in thinker.advise(view):
                if advice.action == action:
                    log.debug(
                        "a house bot decided",
                        extra={
                            "table": table,
                            "hand": view.hand_number,
                            "seat": str(view.seat),
                            "bot": bot,
                            "action": str(action),
                            "reasons": "; ".join(advice.sentences),
                        },
                    )
