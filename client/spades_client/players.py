"""The commands about a player of a server; what they do is in `account.py`."""

from __future__ import annotations

from typing import Annotated

import typer

from spades_client.options import (
    AuthorityOption,
    InsecureOption,
    NameOption,
    ServerOption,
    as_utf8,
)

account_app = typer.Typer(
    help="Your own player on a server.", no_args_is_help=True, rich_markup_mode=None
)


def add_commands(app: typer.Typer) -> None:
    """Adds the commands to `spades`."""
    app.command("profile")(profile)
    app.command("history")(history)


def profile(
    player: Annotated[str, typer.Argument(help="Whose; your own if left out.")] = "",
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Tell the results and achievements of a player."""
    from spades_client import account, programs
    from spades_client.places import Place

    place = Place(server, insecure, authority)
    raise typer.Exit(programs.run(account.profile(place, name, as_utf8(player))))


def history(
    server: ServerOption = "",
    name: NameOption = "",
    most: Annotated[
        int, typer.Option("--most", help="How many matches at most.", min=1, max=100_000)
    ] = 20,
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """List your finished matches, the newest first."""
    from spades_client import account, programs
    from spades_client.places import Place

    place = Place(server, insecure, authority)
    raise typer.Exit(programs.run(account.history(place, name, most)))


@account_app.command("new-token")
def new_token(
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Get a new token: whoever has the old one is logged out."""
    from spades_client import account, programs
    from spades_client.places import Place

    raise typer.Exit(programs.run(account.new_token(Place(server, insecure, authority), name)))


@account_app.command("delete")
def delete(
    server: ServerOption = "",
    name: NameOption = "",
    yes: Annotated[
        str,
        typer.Option(
            "--yes", help="Do not ask: your name once more.", metavar="NAME", callback=as_utf8
        ),
    ] = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Delete your player: token, results and history; your name is struck from all records."""
    from spades_client import account, programs
    from spades_client.arguments import explained
    from spades_client.places import Place

    place = Place(server, insecure, authority)
    confirmed = yes or explained(lambda: account.confirmation(place, name))
    raise typer.Exit(
        1 if confirmed is None else programs.run(account.delete(place, name, confirmed))
    )
