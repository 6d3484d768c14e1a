"""The panels in which one of several lines is chosen."""

from __future__ import annotations

from dataclasses import dataclass

from spades import SEATS, Phase, Seat, Surrender
from spades_client.screen.effects import Order, SeatBots
from spades_client.screen.interface import Panel, Sight
from spades_client.settings import Settings
from spades_proto.table import Courtesy, TableStage


@dataclass(frozen=True, slots=True)
class BotsAt:
    """Goes on to choose a level for a seat, or with ``None`` for every free one."""

    seat: Seat | None


@dataclass(frozen=True, slots=True)
class Choice:
    """A line, and what choosing it does."""

    text: str
    takes: Panel | Order | Courtesy | Surrender | BotsAt | SeatBots | str | None = None
    """A panel to open, something to do, the name of a setting; ``None`` closes the panel."""
    about: str = ""
    """What is told below the lines while this one is chosen."""


def choices(panel: Panel, sight: Sight, settings: Settings) -> list[Choice]:
    """The lines of a panel that can be chosen; none where a panel only tells."""
    match panel:
        case Panel.MENU:
            return _menu(sight)
        case Panel.SETTINGS:
            return setting_choices(settings)
        case Panel.SAY:
            return [Choice(f"Say {one.value!r}", one) for one in Courtesy]
        case Panel.BOT_SEATS:
            return _bot_seats(sight)
        case Panel.BOT_LEVELS:
            return [Choice(level, SeatBots(level), about) for level, about in sight.levels]
        case Panel.SURRENDER:
            return [Choice("No, go on"), Choice("Yes, my side gives up", Surrender())]
        case Panel.LEAVE:
            return [Choice("Stay"), Choice(_leaving(sight), Order.LEAVE)]
        case _:
            return []


def _menu(sight: Sight) -> list[Choice]:
    listed = [Choice("Back to the table")]
    table = sight.state.table
    match = table.match if table else None
    if match is not None:
        listed += [
            Choice("Score sheet", Panel.SHEET),
            Choice("Earlier tricks", Panel.LAST_TRICK),
        ]
    listed += [
        Choice("This table", Panel.TABLE),
        Choice("Rules", Panel.RULES),
        Choice("Keys", Panel.HELP),
        Choice("Settings", Panel.SETTINGS),
    ]
    running = match is not None and match.phase is not Phase.MATCH_OVER
    if running and sight.state.seat is not None:
        listed.append(Choice("Give up", Panel.SURRENDER))
    return [*listed, Choice("Leave the table", Panel.LEAVE)]


def _bot_seats(sight: Sight) -> list[Choice]:
    free = [Choice(str(seat), BotsAt(seat)) for seat in free_seats(sight)]
    return [Choice("Every free seat", BotsAt(None)), *free]


def free_seats(sight: Sight) -> list[Seat]:
    """The seats that nobody has taken."""
    table = sight.state.table
    seats = table.seats if table is not None else ()
    return [seat for seat, one in zip(SEATS, seats, strict=False) if one.occupant is None]


def _leaving(sight: Sight) -> str:
    table = sight.state.table
    playing = table is not None and table.stage is TableStage.PLAYING
    if sight.state.seat is None or not playing:
        return "Leave the table"
    if sight.solo:
        return "Leave; the match ends"
    return "Leave; the seat stays yours"


def setting_choices(settings: Settings) -> list[Choice]:
    """The settings that a key changes, with their values."""
    pause = f"{settings.pause_ms / 1000:g} s" if settings.pause_ms else "none"
    return [
        Choice(f"Colours: {settings.colours}", "colours"),
        Choice(f"Suits: {'letters' if settings.letters else 'symbols'}", "letters"),
        Choice(f"One press plays a card: {_on(settings.one_press)}", "one_press"),
        Choice(f"Mouse: {_on(settings.mouse)}", "mouse"),
        Choice(f"Pause after a trick: {pause}", "pause_ms"),
    ]


def table_choices(settings: Settings) -> list[Choice]:
    """The settings of the tables that one opens, with their values."""
    return [
        Choice(f"Tempo of the bots at your tables: {settings.tempo}", "tempo"),
        Choice(f"Hints at your tables: {_on(settings.hints)}", "hints"),
    ]


def _on(value: bool) -> str:
    return "yes" if value else "no"
