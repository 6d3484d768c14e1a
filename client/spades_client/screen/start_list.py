"""The list on the start screen: its lines, and what each of them does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from spades import SpadesError
from spades_client.discovery import Found
from spades_client.levels import DEFAULT_LEVEL, SEATS, about_level, parse_levels
from spades_client.recent import RecentTable
from spades_client.screen.choices import setting_choices, table_choices
from spades_client.settings import Settings


class Do(Enum):
    """What a line of the start screen does."""

    DEAL = "Deal the cards"
    RULES_NEXT = "rules"
    LEVEL_NEXT = "level"
    LEFT_NEXT = "the level to the left"
    PARTNER_NEXT = "the partner's level"
    RIGHT_NEXT = "the level to the right"
    FIND = "Find servers on this network"
    JOIN = "Join by a link, or by an address"
    OPEN = "Open a table of your own on a server"
    WATCH = "Watch a table"
    REPLAY = "Replay a record"
    READ = "Rules"
    SETTINGS = "Settings"
    NAME = "name"
    BACK = "Back"
    QUIT = "Quit"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that can be chosen."""

    text: str
    does: Do | RecentTable | Found | str
    """A string is the name of a setting."""
    about: str = ""
    """What is told below the lines while this one is chosen."""


SEAT_LEVELS: Final = (Do.LEFT_NEXT, Do.PARTNER_NEXT, Do.RIGHT_NEXT)
"""The lines for the levels of the three bots, in their order."""

QUESTIONS: Final = {
    Do.JOIN: "Link, or server and a table's code: ",
    Do.OPEN: "Server: ",
    Do.WATCH: "Server, and the table's code: ",
    Do.REPLAY: "File of records: ",
    Do.NAME: "Your name: ",
}
"""What is typed for a line that needs words."""


def start_lines(
    settings: Settings, recent: Sequence[RecentTable], found: Sequence[Found]
) -> list[Line]:
    """What one can do here, in order."""
    again = [
        Line(f"{'Watch' if one.watched else 'Back to'} {one.code} on {one.server}", one)
        for one in recent[:3]
    ]
    return [
        Line("Deal: a match against three bots", Do.DEAL),
        Line(f"  rules: {settings.rules}", Do.RULES_NEXT),
        *_level_lines(settings),
        *again,
        *(Line(f"Join {one.name} at {one.link.target}", one) for one in found),
        *(Line(one.value, one) for one in _PLAIN),
    ]


_PLAIN: Final = (
    Do.FIND,
    Do.JOIN,
    Do.OPEN,
    Do.WATCH,
    Do.REPLAY,
    Do.READ,
    Do.SETTINGS,
    Do.QUIT,
)
"""What stands there whatever was kept or found."""


def setting_lines(settings: Settings) -> list[Line]:
    """The settings, with their values."""
    changed = (*setting_choices(settings), *table_choices(settings))
    listed = [Line(one.text, str(one.takes)) for one in changed]
    name = settings.name or "the login name"
    return [*listed, Line(f"Name: {name}", Do.NAME), Line("Back", Do.BACK)]


def levels_of(settings: Settings) -> tuple[str, ...]:
    """The levels of the three bots."""
    try:
        return parse_levels(settings.level)
    except SpadesError:
        # What somebody wrote into the file by hand is not worth a failure here.
        return (DEFAULT_LEVEL,) * 3


def _level_lines(settings: Settings) -> list[Line]:
    """The level of all bots, and of each."""
    levels = levels_of(settings)
    alike = levels[0] if len(set(levels)) == 1 else "each as below"
    return [
        Line(f"  bots: {alike}", Do.LEVEL_NEXT, about_level(alike)),
        *(
            Line(f"    {seat}: {level}", does, about_level(level))
            for does, seat, level in zip(SEAT_LEVELS, SEATS, levels, strict=True)
        ),
    ]
