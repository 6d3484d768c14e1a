"""The commands for playing and watching; what they do is in `programs.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spades_client.kept import ClockOption, TempoOption
from spades_client.options import (
    AsciiOption,
    AuthorityOption,
    InsecureOption,
    NameOption,
    PlainOption,
    RulesOption,
    ServerOption,
    SetOption,
    rules_text,
)

AutoOption = Annotated[
    str, typer.Option("--auto", help="A bot plays your own seat, and no input is read.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option("--record", help="Append the record of each match to this file.", dir_okay=False),
]
NoHintsOption = Annotated[
    bool, typer.Option("--no-hints", help="A table without hints: clients give none at it.")
]


def add_commands(app: typer.Typer) -> None:
    """Adds the commands to `spades`."""
    app.command("play")(play)
    app.command("join")(join)
    app.command("watch")(watch)
    app.command("tables")(tables)
    app.command("servers")(servers)


def play(
    rules: RulesOption = "classic",
    option: SetOption = None,
    level: Annotated[
        str,
        typer.Option(
            "--level", help="The bots: one level for all, or three for left, partner and right."
        ),
    ] = "gentle",
    name: NameOption = "",
    seed: Annotated[
        str, typer.Option("--seed", help="Choose the deals: a word, a number, 64 hex digits.")
    ] = "",
    auto: AutoOption = "",
    record: RecordOption = None,
    tempo: TempoOption = "",
    no_hints: NoHintsOption = False,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Play a match against three bots."""
    from spades_client import programs
    from spades_client.arguments import optional_tempo, three_levels

    levels = three_levels(level, "--level")
    tempo_ms = optional_tempo(tempo)
    options = programs.PlayerOptions(name, auto, record, tempo_ms, plain, ascii_wanted)
    playing = programs.play(rules_text(rules, option), levels, seed, options, hints=not no_hints)
    raise typer.Exit(programs.run(playing))


def join(
    code: Annotated[
        str, typer.Argument(help="The table's code, or a whole link; may be left out.")
    ] = "",
    server: ServerOption = "",
    seat: Annotated[
        str, typer.Option("--seat", help="South, West, North or East; the first free one if not.")
    ] = "",
    new: Annotated[bool, typer.Option("--new", help="Open a table of your own.")] = False,
    rules: RulesOption = "",
    option: SetOption = None,
    name: NameOption = "",
    auto: AutoOption = "",
    record: RecordOption = None,
    tempo: TempoOption = "",
    clock: ClockOption = "",
    no_hints: NoHintsOption = False,
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Sit down at a table of a server.

    Without a code: the table that you left, or the only one with a free seat, or a new one. Rules, a clock
    and --no-hints open a new one.
    """
    from spades_client import programs
    from spades_client.arguments import optional_clock, optional_seat, optional_tempo
    from spades_client.places import Place

    tempo_ms = optional_tempo(tempo)
    options = programs.PlayerOptions(name, auto, record, tempo_ms, plain, ascii_wanted)
    wanted = programs.NewTable(
        rules_text(rules, option),
        tempo_ms,
        optional_clock(clock),
        new=new,
        hints=not no_hints,
        particular=no_hints,
    )
    place = Place(server, insecure, authority)
    raise typer.Exit(programs.run(programs.join(place, code, wanted, optional_seat(seat), options)))


def watch(
    code: Annotated[
        str, typer.Argument(help="The table's code, or a whole link; may be left out.")
    ] = "",
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Watch a table as a spectator, who sees public play only."""
    from spades_client import programs
    from spades_client.places import Place

    options = programs.PlayerOptions(name, plain=plain, ascii=ascii_wanted)
    raise typer.Exit(
        programs.run(programs.watch(Place(server, insecure, authority), code, options))
    )


def tables(
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """List the tables of a server."""
    from spades_client import programs
    from spades_client.places import Place

    raise typer.Exit(programs.run(programs.tables(Place(server, insecure, authority), name)))


def servers() -> None:
    """List the servers that are announced on this network."""
    from spades_client import programs

    raise typer.Exit(programs.run(programs.servers()))
