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
    hand is part of the hand, so nothing is said before its end, and nothing at all of a hand whose deal its
    end does not open: other tables play it too (rules.md 5.4).
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
        ends = [
            entry.event for entry in entries if isinstance(entry.event, HandScored | MatchEnded)
        ]
        if not ends:
            return
        deeds, self._deeds = self._deeds, []
        if not any(map(_opens, ends)):
            return
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


def _opens(event: HandScored | MatchEnded) -> bool:
    """Whether an end shows what was dealt."""
    return (event.deal if isinstance(event, HandScored) else event.opening) is not None
