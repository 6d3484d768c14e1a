"""The commands that read records; what they do is in `archive.py` and `export.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spades_client.options import AsciiOption, PlainOption


def add_commands(app: typer.Typer) -> None:
    """Adds the commands to `spades`."""
    app.command("verify")(verify)
    app.command("replay")(replay)
    app.command("export")(export)


def verify(
    file: Annotated[Path, typer.Argument(help="A file of records; - for standard input.")],
) -> None:
    """Recompute everything that the records of a file claim."""
    from spades_client import archive
    from spades_client.arguments import explained

    holds = explained(lambda: archive.verify_file(file))
    raise typer.Exit(0 if holds else 1)


def replay(
    file: Annotated[Path, typer.Argument(help="A file of records; - for standard input.")],
    seat: Annotated[
        str, typer.Option("--seat", help="Tell it as this seat saw it; else all hands are open.")
    ] = "",
    hand: Annotated[int, typer.Option("--hand", help="Only this hand.", min=0)] = 0,
    number: Annotated[int, typer.Option("--number", help="Which record of the file.", min=1)] = 1,
    hints: Annotated[
        bool,
        typer.Option("--hints", help="Tell before each decision what sharp would do, and why."),
    ] = False,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Step through a recorded match; in a pipe or with --plain it is told event by event.

    On the screen H says what sharp would do; --hints tells the whole match with that, event by event.
    """
    from spades_client import archive
    from spades_client.arguments import explained, optional_seat
    from spades_client.terminals import full_screen

    viewer = optional_seat(seat)
    if full_screen(plain=plain or hints):
        from spades_client import programs

        steps = programs.replay(file, viewer, hand, number, letters=ascii_wanted)
        raise typer.Exit(programs.run(steps))
    told = explained(lambda: archive.replay_file(file, viewer, hand, number, hints=hints))
    raise typer.Exit(0 if told else 1)


def export(
    records: Annotated[
        Path,
        typer.Argument(help="A file of records, or the folder of an event; - for standard input."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The file to write; standard output if not.", dir_okay=False),
    ] = None,
) -> None:
    """Write records hand by hand in PTN, the notation that Spades programs exchange."""
    from spades_client import export as exporting
    from spades_client.arguments import explained

    raise typer.Exit(0 if explained(lambda: exporting.export(records, out)) else 1)
