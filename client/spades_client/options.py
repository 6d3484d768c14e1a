"""Options that many commands share: which server, who one is there, which rules, and how it is shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def as_utf8(text: str) -> str:
    """Reads a word of the command line as UTF-8, whatever the locale takes it for."""
    return os.fsencode(text).decode(errors="replace")


NameOption = Annotated[
    str, typer.Option("--name", help="The name that others see.", callback=as_utf8)
]

ServerOption = Annotated[
    str,
    typer.Option(
        "--server",
        help="The server: a link, or an address whose port may be left out. Else the one on this machine,"
        " or the only one on the network.",
        metavar="LINK|HOST:PORT",
    ),
]

InsecureOption = Annotated[
    bool,
    typer.Option("--insecure", help="Speak without encryption: everybody on the way reads along."),
]

AuthorityOption = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        help="Certificates of authorities (PEM), in place of the system's.",
        exists=True,
        dir_okay=False,
        envvar="SPADES_CA",
    ),
]

RulesOption = Annotated[
    str,
    typer.Option(
        "--rules",
        help="A preset (classic, quick, larch, karty, jokers, nyc), and options that differ:"
        " quick,target=300.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", help="One rule option, as in -o target=300; may be repeated."),
]

PlainOption = Annotated[
    bool, typer.Option("--plain", help="One line for each event: for pipes and screen readers.")
]
AsciiOption = Annotated[
    bool, typer.Option("--ascii", help="Suits as letters, and frames without line drawing.")
]


def rules_text(rules: str, options: list[str] | None) -> str:
    """Joins a preset and the options that differ from it to one text of rules."""
    return ",".join([rules, *(options or [])]).strip(",")


def is_typed(context: typer.Context, name: str) -> bool:
    """Whether an option stands on the command line, and does not only have its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def exclude(context: typer.Context, first: str, second: str, why: str) -> None:
    """Refuses two options, by the names of their parameters, that contradict each other.

    :raises typer.BadParameter: if both are typed.
    """
    if is_typed(context, first) and is_typed(context, second):
        both = f"{_spelling(context, first)} and {_spelling(context, second)}"
        raise typer.BadParameter(f"{both} exclude each other: {why}.")


def exclude_lengths(context: typer.Context) -> None:
    """Refuses a number of games beside one of boards.

    :raises typer.BadParameter: if both are typed.
    """
    exclude(context, "games", "boards", "a match has so many games, or so many deals")


def exclude_beside_entry(context: typer.Context, entry: str) -> None:
    """Refuses what is about tables of one's own beside a competition, and the other way round.

    :raises typer.BadParameter: naming the option.
    """
    for_tables = ("table", "seat", "tables", "matches", "rules", "option", "against", "seed")
    for_entries = ("entry_name", "partner", "at_once")
    for name in for_tables if entry else for_entries:
        if not is_typed(context, name):
            continue
        option = _spelling(context, name)
        if entry:
            raise typer.BadParameter(
                f"{option} is for a table of one's own: --entry plays a competition."
            )
        raise typer.BadParameter(f"{option} is for a competition: name it with --entry.")


def require_server(context: typer.Context, server: str) -> None:
    """Refuses what is only about a server where none is named.

    :raises typer.BadParameter: naming the option.
    """
    for name in ("name", "insecure", "authority", "out"):
        if not server and is_typed(context, name):
            raise typer.BadParameter(
                f"{_spelling(context, name)} is for an event of a server: name the server with --server."
            )


def _spelling(context: typer.Context, name: str) -> str:
    """How an option is typed."""
    return next((one.opts[0] for one in context.command.params if one.name == name), name)
