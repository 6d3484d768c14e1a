"""From a table to a screen and back: settings are read, the page is shown, its last words are said."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace

from spades import Seat, SpadesError
from spades_client.desk import DeskOptions
from spades_client.recent import load_recent
from spades_client.screen.looks import Glyphs, glyphs_for
from spades_client.screen.replay_page import ReplayPage
from spades_client.screen.start_page import StartPage
from spades_client.screen.table_page import TablePage
from spades_client.screen.terminal import show
from spades_client.screen.wishes import Wish
from spades_client.session import TableSession
from spades_client.settings import Settings, load_settings, save_settings
from spades_proto.verification import Verified


def glyphs_of(settings: Settings) -> Glyphs:
    """The characters for this terminal and these settings."""
    encoding = getattr(sys.stdout, "encoding", "") or ""
    return glyphs_for(os.environ, ascii_wanted=settings.letters, encoding=encoding)


def settled(*, ascii_wanted: bool) -> tuple[Settings, str]:
    """The settings that were kept, with what the command line says on top; and what is wrong with them."""
    settings, wrong = load_settings()
    return (replace(settings, letters=True) if ascii_wanted else settings), wrong


def keeper(*, ascii_wanted: bool) -> Callable[[Settings], str]:
    """Keeps settings, but not what only the command line asked for."""

    def keep(settings: Settings) -> str:
        if ascii_wanted:
            kept, _ = load_settings()
            settings = replace(settings, letters=kept.letters)
        return save_settings(settings)

    return keep


async def show_table(
    session: TableSession, options: DeskOptions, *, ascii_wanted: bool = False
) -> tuple[list[str], SpadesError | None]:
    """Plays at a table in full screen; returns the last words, and why it ended if that was unexpected."""
    settings, wrong = settled(ascii_wanted=ascii_wanted)
    page = TablePage(session, options, settings, glyphs_of, keeper(ascii_wanted=ascii_wanted))
    if wrong:
        page.tell(wrong)
    await show(page)
    return page.ending, page.failure


async def show_start(
    notice: str, row: int, *, ascii_wanted: bool = False
) -> tuple[Wish | None, int]:
    """Asks what to do, ``None`` to end; with the line that was chosen."""
    settings, wrong = settled(ascii_wanted=ascii_wanted)
    keep = keeper(ascii_wanted=ascii_wanted)
    page = StartPage(settings, glyphs_of, keep, load_recent(), notice or wrong, row)
    await show(page)
    return page.wish, page.row


async def show_replay(
    verified: Verified, viewer: Seat | None, hand: int, *, ascii_wanted: bool = False
) -> None:
    """Steps through a record."""
    settings, _ = settled(ascii_wanted=ascii_wanted)
    await show(ReplayPage(verified, viewer, settings, glyphs_of, hand))
