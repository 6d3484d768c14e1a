"""The command `spades admin`: what the host of a server does beside serving."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spades_client.kept import DatabaseOption, DataOption, kept_in

admin_app = typer.Typer(
    help="What the host of a server does.", no_args_is_help=True, rich_markup_mode=None
)


@admin_app.command()
def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file to write.", dir_okay=False)],
    data: DataOption = None,
    database: DatabaseOption = "",
) -> None:
    """Write everything that a server keeps into one file; the server may be running."""
    kept = kept_in(context, data, database)
    from spades_client.arguments import explained
    from spades_server.config import ServerConfig
    from spades_server.storage.backup import back_up
    from spades_server.storage.place import place_of

    def program() -> str:
        place = place_of(ServerConfig(data=kept.data, database=kept.database))
        return f"{back_up(place, file)} of {place.shown} are backed up in {file}."

    _told(explained(program))


@admin_app.command()
def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="The file of a backup.", dir_okay=False)],
    data: DataOption = None,
    database: DatabaseOption = "",
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace the tables, players and records that are there."),
    ] = False,
) -> None:
    """Put back what a backup holds, into the same kind of database or the other; no server may be running."""
    kept = kept_in(context, data, database)
    from spades_client.arguments import explained
    from spades_server.config import ServerConfig
    from spades_server.storage.place import place_of
    from spades_server.storage.restoration import restore as put_back

    def program() -> str:
        place = place_of(ServerConfig(data=kept.data, database=kept.database))
        return f"{put_back(file, place, force=force)} of {file} are restored to {place.shown}."

    _told(explained(program))


def _told(sentence: str | None) -> None:
    if sentence is None:
        raise typer.Exit(1)
    typer.echo(sentence)
