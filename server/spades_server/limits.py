"""How often one may ask: a token bucket for each player, and for each address that has no player yet."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from spades import Reason, TableError

BURST: Final = 4.0
"""How many seconds' worth of requests may come at once."""

REMEMBERED: Final = 10_000
"""How many buckets are kept; one that is forgotten is full again, as it would be by then."""


class Limits:
    """Counts requests. The time comes from outside, in seconds."""

    def __init__(self, rate: float, clock: Callable[[], float]) -> None:
        """Lets everybody make ``rate`` requests a second on the average; 0: any number."""
        self._rate = rate
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What is left in each, and when that was so; the one that was used last stands last."""
        self.refused = 0
        """How many requests were refused."""

    def spend(self, who: str, cost: float = 1.0) -> None:
        """Counts a request, or one that is worth several.

        :raises TableError: if it is one too many, saying when the next is taken.
        """
        if not self._rate:
            return
        now, most = self._clock(), self._rate * BURST
        left, then = self._buckets.pop(who, (most, now))
        left = min(left + (now - then) * self._rate, most)
        enough = left >= cost
        self._buckets[who] = (left - cost if enough else left, now)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        if not enough:
            self.refused += 1
            wait_s = (cost - left) / self._rate
            raise TableError(
                f"That is more than {self._rate:g} requests a second: the next is taken in {wait_s:.1f} s.",
                Reason.RATE_LIMITED,
                retry_after_s=wait_s,
            )
