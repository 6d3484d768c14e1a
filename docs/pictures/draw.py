"""Draws the pictures of the README: screens of a match that is always the same, as SVG.

Run it from the repository's root: `python docs/pictures/draw.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Final

from prompt_toolkit.styles import Attrs, Style

import spades
from spades import Match, Seat, SeatView, SeededDeals, parse_rules, parse_seed
from spades_agents import HOUSE_BOTS, advise
from spades_agents.agent import decide
from spades_client.adviser import hint_of
from spades_client.asks import Ask
from spades_client.narrate import event_sentences
from spades_client.screen.canvas import Row, Size, width
from spades_client.screen.drawing import draw
from spades_client.screen.interface import Interface, Panel, Sight
from spades_client.screen.looks import UNICODE
from spades_client.screen.themes import THEMES
from spades_client.settings import Settings
from spades_client.state import ClientState
from spades_proto.frames import DecisionRequest
from spades_proto.table import Occupant, OccupantKind, SeatStatus, TableOpened, TableState

HERE: Final = Path(__file__).parent
CELL: Final = (9.6, 20.0)
"""The width and the height of a cell, in pixels."""
PAPER: Final = "#10281d"
INK: Final = "#dfe3de"
NAMES: Final = ("Ann", "West", "Björn", "East")


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: after how many events, how large, and what is open."""

    name: str
    events: int
    size: Size
    panel: Panel | None = None
    hinted: bool = False
    """Whether a hint was asked for."""


def played() -> Match:
    """A match of four gentle players, the same every time."""
    match = Match(parse_rules("quick"), SeededDeals(parse_seed("a picture")))
    agent = HOUSE_BOTS["gentle"]()
    while match.outcome is None:
        if match.turn is None:
            match.deal_next()
            continue
        seat = match.turn
        match.act(seat, decide(agent, spades.view(match, seat, bytes([seat]) * 32)))
    return match


def seen(match: Match, events: int) -> Sight:
    """What Ann at South knows after so many events."""
    table = TableState(TableOpened("K7QF2", "Ann", match.rules, private=False, seed_chosen=False))
    table.seats = tuple(
        SeatStatus(
            Occupant(OccupantKind.HOUSE_BOT, "gentle")
            if name in ("West", "East")
            else Occupant(OccupantKind.PERSON, name)
        )
        for name in NAMES
    )
    log: list[str] = []
    for event in match.log[:events]:
        shown = spades.redact(event, Seat.SOUTH)
        table.apply(shown)
        log += event_sentences(shown, table, Seat.SOUTH)
    assert table.match is not None
    view = SeatView(table.match, Seat.SOUTH)
    decision = view.decision
    request = None
    if decision is not None:
        request = DecisionRequest(
            events, decision.kind, decision.number, view.legal_bids, view.legal_plays
        )
    state = ClientState(Seat.SOUTH, 1, events, table, request)
    waits = table.match.phase is spades.Phase.HAND_OVER
    ask = Ask.DECISION if request else (Ask.NEXT_HAND if waits else Ask.NOTHING)
    return Sight(state, ask, is_host=True, log=tuple(log))


def svg(rows: list[Row], size: Size, theme: str) -> str:
    """Rows of styled text as a picture."""
    style = Style.from_dict(dict(THEMES[theme]))
    wide, high = CELL
    across, down = size.columns * wide + 20, size.rows * high + 20
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across:g} {down:g}"'
            f' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="16">'
        ),
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
    ]
    for number, row in enumerate(rows):
        column = 0
        for text, classes, _ in row:
            names = " ".join(f"class:{name}" for name in classes.split())
            attrs = style.get_attrs_for_style_str(names)
            parts += _run(text, attrs, 10 + column * wide, 10 + number * high)
            column += width(text)
    return "\n".join([*parts, "</svg>\n"])


def _run(text: str, attrs: Attrs, left: float, top: float) -> list[str]:
    wide, high = CELL
    ink, paper = (
        f"#{attrs.color}" if attrs.color else INK,
        f"#{attrs.bgcolor}" if attrs.bgcolor else "",
    )
    if attrs.reverse:
        ink, paper = paper or PAPER, ink
    long = width(text) * wide
    parts: list[str] = []
    if paper:
        parts.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{long:.1f}" height="{high:.1f}" fill="{paper}"/>'
        )
    if text.strip():
        weight = ' font-weight="bold"' if attrs.bold else ""
        parts.append(
            f'<text x="{left:.1f}" y="{top + 15:.1f}" fill="{ink}"{weight} xml:space="preserve"'
            f' textLength="{long:.1f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )
    return parts


def pictured(match: Match, picture: Picture) -> Sight:
    """What is to be seen on a picture."""
    sight = seen(match, picture.events)
    view = sight.state.view
    if not picture.hinted or view is None:
        return sight
    return replace(sight, hint=hint_of(advise(view)))


def pictures(match: Match) -> list[Picture]:
    """The pictures of the README."""
    log = match.log
    turns = [
        number
        for number in range(1, len(log) + 1)
        if (sight := seen(match, number)).ask is Ask.DECISION and sight.state.phase is not None
    ]
    bidding = turns[0]
    playing = next(
        number
        for number in turns
        if (view := seen(match, number).state.view)
        and len(view.tricks) >= 3
        and len(view.trick) == 2
    )
    scored = next(
        number for number, event in enumerate(log, 1) if isinstance(event, spades.HandScored)
    )
    return [
        Picture("bidding", bidding, Size(80, 24)),
        Picture("playing", playing, Size(80, 24)),
        Picture("hint", playing, Size(80, 24), hinted=True),
        Picture("wide", playing, Size(112, 33)),
        Picture("score-card", scored, Size(80, 24)),
        Picture("small", playing, Size(40, 12)),
        Picture("help", playing, Size(80, 24), Panel.HELP),
    ]


def main() -> None:
    """Writes all pictures beside this file."""
    match = played()
    settings = Settings()
    for picture in pictures(match):
        rows = draw(
            pictured(match, picture),
            Interface(panel=picture.panel),
            settings,
            UNICODE,
            picture.size,
        )
        path = HERE / f"{picture.name}.svg"
        path.write_text(svg(rows, picture.size, settings.colours), encoding="utf-8")


if __name__ == "__main__":
    main()
