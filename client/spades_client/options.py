"""Options that many commands share: which server, and who one is there."""

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
