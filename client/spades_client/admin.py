"""The command `spades admin`: what the host of a server does beside serving."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from spades_client.kept import DatabaseOption, DataOption, Kept, kept_in

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


HomeOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="The folder that the server was given as --data, or as --home beside a --database.",
        envvar="SPADES_DATA",
        file_okay=False,
    ),
]


def _folder(data: Path | None) -> Path:
    return Kept(data).folder


@admin_app.command()
def status(data: HomeOption = None) -> None:
    """Tell how the running server is doing, and by which links it is reached."""
    from spades_client import admin_calls, programs

    raise typer.Exit(programs.run(admin_calls.status(_folder(data))))


@admin_app.command()
def tables(data: HomeOption = None) -> None:
    """List all tables of the running server, private ones too."""
    from spades_client import admin_calls, programs

    raise typer.Exit(programs.run(admin_calls.tables(_folder(data))))


@admin_app.command()
def close(
    code: Annotated[str, typer.Argument(help="The table's code.")],
    sentence: Annotated[str, typer.Option("--say", help="What its players are told.")] = "",
    data: HomeOption = None,
) -> None:
    """Close a table; a match that is being played there is lost."""
    from spades_client import admin_calls, programs

    raise typer.Exit(programs.run(admin_calls.close_table(_folder(data), code, sentence)))


@admin_app.command()
def revoke(
    name: Annotated[str, typer.Argument(help="The player's name.")],
    data: HomeOption = None,
) -> None:
    """Make a player's token worthless and end its streams; the name stays taken."""
    from spades_client import admin_calls, programs

    raise typer.Exit(programs.run(admin_calls.revoke_token(_folder(data), name)))


@admin_app.command()
def stop(data: HomeOption = None) -> None:
    """Stop the running server in good order."""
    from spades_client import admin_calls, programs

    raise typer.Exit(programs.run(admin_calls.stop(_folder(data))))


def _told(sentence: str | None) -> None:
    if sentence is None:
        raise typer.Exit(1)
    typer.echo(sentence)
