"""Where a server keeps its data: the options that say so, for all commands that use it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from spades_client.options import is_typed
from spades_proto.tempo import TEMPOS

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The folder of the database: players, running matches and records outlive the"
        " server. The user's data folder unless it is named.",
        envvar="SPADES_DATA",
        file_okay=False,
    ),
]
DatabaseOption = Annotated[
    str,
    typer.Option(
        "--database",
        help="The URL of a database in place of a folder: postgresql+psycopg://USER@HOST/NAME.",
        envvar="SPADES_DATABASE",
    ),
]


ClockOption = Annotated[
    str,
    typer.Option(
        "--clock",
        help="Seconds for a decision and in each seat's bank for a match, as in 60+180; or none.",
        metavar="SECONDS+BANK",
    ),
]


TempoOption = Annotated[
    str,
    typer.Option(
        "--tempo",
        help=f"How long bots take for a card while people play: {', '.join(TEMPOS)}, or milliseconds.",
        metavar="NAME|MS",
    ),
]


class Kept(NamedTuple):
    """A folder, a database, or nowhere."""

    data: Path | None
    database: str = ""

    @property
    def folder(self) -> Path:
        """A folder for what is no data: the same, or the user's."""
        return self.data or _user_folder()


def kept_in(
    context: typer.Context, data: Path | None, database: str, *, memory: bool = False
) -> Kept:
    """Settles where the data is; what is typed counts before the environment.

    :raises typer.BadParameter: if that is more than one place.
    """
    given = {"data": data is not None, "database": bool(database), "memory": memory}
    names = [name for name, is_given in given.items() if is_given]
    names = [name for name in names if is_typed(context, name)] or names
    if len(names) > 1:
        shown = " and ".join(f"--{name}" for name in names)
        raise typer.BadParameter(f"{shown} exclude each other: the data is kept in one place")
    match names:
        case ["memory"]:
            return Kept(None)
        case ["database"]:
            return Kept(None, database)
        case ["data"]:
            return Kept(data)
        case _:
            return Kept(_user_folder())


def _user_folder() -> Path:
    # Only a server without a place of its own asks for the user's folders.
    import platformdirs  # noqa: PLC0415

    return platformdirs.user_data_path("spades") / "server"
