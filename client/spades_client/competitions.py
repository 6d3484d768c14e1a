"""The commands of `spades compete` that go to a server; `organising.py` and `entering.py` do it."""

from __future__ import annotations

from typing import Annotated

import typer

from spades_client.options import (
    AuthorityOption,
    InsecureOption,
    NameOption,
    ServerOption,
    as_utf8,
    exclude,
    exclude_lengths,
    is_typed,
)

CompetitionArgument = Annotated[
    str,
    typer.Argument(help="The id of the competition.", metavar="COMPETITION", show_default=False),
]
AtOnceOption = Annotated[
    int,
    typer.Option("--at-once", help="How many units the bot plays at once, at most.", min=1, max=64),
]
PartnerOption = Annotated[
    str,
    typer.Option(
        "--partner",
        help="The player in the other seat of the side, who enters with you as partner; without one"
        " you have both seats.",
        callback=as_utf8,
    ),
]
EntryOption = Annotated[str, typer.Option("--as", help="The name of the entry.", callback=as_utf8)]


def add_commands(app: typer.Typer) -> None:
    """Adds the commands to `spades compete`."""
    app.command("create")(create)
    app.command("list")(list_competitions)
    app.command("enter")(enter)
    app.command("start")(start)
    app.command("standings")(standings)
    app.command("watch")(watch)
    app.command("withdraw")(withdraw)
    app.command("call-off")(call_off)


def create(
    context: typer.Context,
    title: Annotated[
        str, typer.Argument(help="What it is called.", show_default=False, callback=as_utf8)
    ],
    kind: Annotated[
        str, typer.Option("--format", help="match, round-robin or gauntlet.")
    ] = "round-robin",
    games: Annotated[
        int, typer.Option("--games", help="Games of each match, two to a unit.", min=2, max=20_000)
    ] = 64,
    boards: Annotated[
        int,
        typer.Option(
            "--boards",
            help="In place of games: so many single deals, each played at two tables.",
            min=0,
            max=10_000,
        ),
    ] = 0,
    rules: Annotated[
        str, typer.Option("--rules", help="A preset, and options that differ: quick,target=300.")
    ] = "classic",
    clock: Annotated[
        str,
        typer.Option(
            "--clock",
            help="Seconds for a decision + in the bank of a seat for a game; 2 alone: no bank; or none.",
        ),
    ] = "2+60",
    strikes: Annotated[
        int, typer.Option("--strikes", help="So many faults forfeit a game.", min=1, max=1_000)
    ] = 3,
    strict: Annotated[bool, typer.Option("--strict", help="Any fault forfeits the game.")] = False,
    separate: Annotated[
        bool,
        typer.Option(
            "--separate-partners",
            help="Only pairs of two players, one for each seat of a side, and house bots may enter.",
        ),
    ] = False,
    controls: Annotated[
        int,
        typer.Option(
            "--controls", help="Units that each entry plays against itself first.", min=0, max=1_000
        ),
    ] = 1,
    challengers: Annotated[
        int,
        typer.Option(
            "--challengers", help="In a gauntlet: so many of the first meet all others.", min=1
        ),
    ] = 1,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Open a competition on a server, as its organiser."""
    exclude_lengths(context)
    exclude(context, "strikes", "strict", "the first fault forfeits a game, or one of more")
    if is_typed(context, "challengers") and kind != "gauntlet":
        raise typer.BadParameter(
            "--challengers is for a gauntlet: a match and a round-robin have none."
        )
    from spades_client import organising
    from spades_client.places import Place

    wish = organising.Wish(
        title, kind, games, boards, rules, clock, strikes, strict, separate, controls, challengers
    )
    raise typer.Exit(organising.create(Place(server, insecure, authority), name, wish))


def list_competitions(
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """List the competitions of a server, the newest first."""
    from spades_client import organising
    from spades_client.places import Place

    raise typer.Exit(organising.list_all(Place(server, insecure, authority), name))


def enter(
    competition: CompetitionArgument,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            help="House bots, as in sharp, which the organiser enters; without one, yourself.",
            metavar="[BOT]...",
            show_default=False,
        ),
    ] = None,
    entry: EntryOption = "",
    partner: PartnerOption = "",
    at_once: AtOnceOption = 8,
    token: Annotated[
        bool,
        typer.Option(
            "--show-token", help="Print the player's token alone, for a bot that connects itself."
        ),
    ] = False,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Enter house bots, or your player for a bot that connects itself.

    A bot of your own is entered and played by: spades agent run mybot.py --entry COMPETITION
    """
    from spades_client import entering
    from spades_client.places import Place

    wish = entering.EntryWish(competition, tuple(bots or ()), entry, partner, at_once, token)
    raise typer.Exit(entering.enter(Place(server, insecure, authority), name, wish))


def start(
    competition: CompetitionArgument,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Close the entries of a competition and begin to play."""
    from spades_client import organising
    from spades_client.places import Place

    raise typer.Exit(organising.start(Place(server, insecure, authority), name, competition))


def standings(
    competition: CompetitionArgument,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Tell who has entered a competition of a server, and how they stand."""
    from spades_client import organising
    from spades_client.places import Place

    raise typer.Exit(organising.standings(Place(server, insecure, authority), name, competition))


def watch(
    competition: CompetitionArgument,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Follow a competition of a server to its end."""
    from spades_client import organising
    from spades_client.places import Place

    raise typer.Exit(organising.watch(Place(server, insecure, authority), name, competition))


def withdraw(
    competition: CompetitionArgument,
    entry: EntryOption = "",
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Take an entry out: your own, or with --as as the organiser another."""
    from spades_client import organising
    from spades_client.places import Place

    place = Place(server, insecure, authority)
    raise typer.Exit(organising.withdraw(place, name, competition, entry))


def call_off(
    competition: CompetitionArgument,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Call a competition off that has not begun."""
    from spades_client import organising
    from spades_client.places import Place

    raise typer.Exit(organising.call_off(Place(server, insecure, authority), name, competition))
