"""The command `spades`: what can be typed, and nothing that takes time to import."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from spades_client import competitions, players, records, tables
from spades_client.admin import admin_app
from spades_client.agent import agent_app
from spades_client.compete import compete_app
from spades_client.serving import serve
from spades_proto.software import VERSION

app = typer.Typer(
    name="spades",
    help="Spades for four: play against bots, host a table, join one, or run a bot of your own.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command(context_settings={"auto_envvar_prefix": "SPADES_SERVE"})(serve)
tables.add_commands(app)
players.add_commands(app)
records.add_commands(app)
app.add_typer(agent_app, name="agent")
app.add_typer(admin_app, name="admin")
competitions.add_commands(compete_app)
app.add_typer(compete_app, name="compete")
app.add_typer(players.account_app, name="account")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spades {VERSION}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Spades for four: play against bots, host a table, join one, or run a bot of your own.

    Alone, on a terminal, it opens the start screen.
    """
    del version
    if context.invoked_subcommand is not None:
        return
    from spades_client.terminals import full_screen

    if full_screen(plain=False):
        from spades_client import programs

        raise typer.Exit(programs.run(programs.start()))
    typer.echo(context.get_help())


def run() -> None:
    """Parses the command line and does what it says."""
    # Names are anybody's; a terminal that cannot show a letter shows a question mark.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    app()
