"""The command `spades agent`: a bot on a server, and a check of one."""

from __future__ import annotations

from typing import Annotated

import typer

from spades_client.competitions import AtOnceOption, PartnerOption
from spades_client.options import (
    AuthorityOption,
    InsecureOption,
    NameOption,
    RulesOption,
    ServerOption,
    SetOption,
    exclude_beside_entry,
    rules_text,
)
from spades_proto.channel import DEFAULT_PORT

agent_app = typer.Typer(help="Programs that play.", no_args_is_help=True, rich_markup_mode=None)

DEFAULT_SERVER = f"127.0.0.1:{DEFAULT_PORT}"


@agent_app.command("run")
def run(
    context: typer.Context,
    spec: Annotated[
        str,
        typer.Argument(
            help="name, module:Class, path.py:Class or 'cmd:PROGRAM'.", show_default=False
        ),
    ],
    server: ServerOption = "",
    table: Annotated[
        str, typer.Option("--table", help="Sit down at this table; else open one with bots.")
    ] = "",
    seat: Annotated[str, typer.Option("--seat", help="South, West, North or East.")] = "",
    tables: Annotated[  # the option's name
        int, typer.Option("--tables", help="How many tables to open.", min=1, max=1_000)
    ] = 1,
    matches: Annotated[
        int, typer.Option("--matches", help="How many matches to play at each.", min=1)
    ] = 1,
    rules: RulesOption = "",
    option: SetOption = None,
    against: Annotated[
        str, typer.Option("--against", help="The house bots at a table of one's own.")
    ] = "gentle",
    name: NameOption = "",
    seed: Annotated[str, typer.Option("--seed", help="Where the server allows it.")] = "",
    entry: Annotated[
        str,
        typer.Option(
            "--entry",
            help="Enter this competition of the server, and play all its tables to the end.",
            metavar="COMPETITION",
        ),
    ] = "",
    entry_name: Annotated[
        str, typer.Option("--as", help="The name of the entry; the player's unless it is given.")
    ] = "",
    partner: PartnerOption = "",
    at_once: AtOnceOption = 8,
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Connect a bot to a server and let it play."""
    from spades_client import bots
    from spades_client.places import Place

    exclude_beside_entry(context, entry)
    if entry:
        where = Place(server or DEFAULT_SERVER, insecure, authority)
        entering = bots.EntryRun(spec, where, entry, entry_name, name, partner, at_once)
        raise typer.Exit(bots.run_entry(entering))
    place, code = Place(server or DEFAULT_SERVER, insecure, authority).with_code(table)
    request = bots.BotRun(
        spec, place, code, seat, tables, matches, rules_text(rules, option), against, name, seed
    )
    raise typer.Exit(bots.run_bot(request))


@agent_app.command("check")
def check(
    spec: Annotated[
        str,
        typer.Argument(
            help="A bot as for `agent run`; or 'net:PROGRAM {link}', which plays at a table by itself.",
            show_default=False,
        ),
    ],
    limit: Annotated[
        float, typer.Option("--limit", help="Seconds for a decision.", min=0.01, max=3_600)
    ] = 2.0,
    as_json: Annotated[bool, typer.Option("--json", help="Write the findings as JSON.")] = False,
) -> None:
    """Check a bot: the corners of the rules, its time, lines that misbehave, a match against itself.

    The exit status is 0 if every clause is kept.
    """
    from spades_client import checking

    raise typer.Exit(checking.check_bot(spec, limit, as_json=as_json))
