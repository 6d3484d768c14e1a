"""Why the server ends a stream, in its words."""

from __future__ import annotations

from typing import Final

from spades_proto.frames import Goodbye, GoodbyeReason

SLOW_CONSUMER: Final = Goodbye(
    GoodbyeReason.SLOW_CONSUMER,
    "The stream was not read fast enough; ask again for a snapshot.",
    retry_after_ms=1_000,
)
FLOODED: Final = Goodbye(
    GoodbyeReason.RATE_LIMITED,
    "Too much of what was sent had to be refused in too short a time.",
    retry_after_ms=2_000,
)
REPLACED: Final = Goodbye(
    GoodbyeReason.REPLACED, "A newer connection took this seat over; this one is not needed."
)
SEAT_LEFT: Final = Goodbye(
    GoodbyeReason.REPLACED, "The seat was given up; whoever takes it next is fed instead."
)
TOKEN_REPLACED: Final = Goodbye(
    GoodbyeReason.REPLACED, "The token was replaced; whoever has the new one goes on."
)
PLAYER_DELETED: Final = Goodbye(GoodbyeReason.REPLACED, "The player was deleted.")
DRAINING: Final = Goodbye(
    GoodbyeReason.DRAINING, "The server is stopping; come back in a while.", retry_after_ms=2_000
)
