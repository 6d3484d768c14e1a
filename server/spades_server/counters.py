"""What the tables of a server have done since it was started."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Counters:
    """Sums over all tables; they only grow."""

    commands: int = 0
    """What tables were given to do."""
    refusals: int = 0
    """What of that they refused."""
    events: int = 0
    """What was written and published."""
    matches: int = 0
    """What was played to its end."""
    bot_failures: int = 0
    """How often a house bot failed or played wrong."""
