"""The command `spades compete`: what can be typed; what it does is in `competing.py`."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

import typer

from spades_client.options import (
    AuthorityOption,
    InsecureOption,
    NameOption,
    ServerOption,
    exclude,
    exclude_lengths,
    require_server,
)

compete_app = typer.Typer(
    help="Competitions of bots: on the same deals with the sides changed.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

AGENT = (
    "A house bot, module:Class, path.py:Class or 'cmd:PROGRAM'; NAME=AGENT says what it is called."
)
FirstArgument = Annotated[str, typer.Argument(help=AGENT, metavar="A", show_default=False)]
SecondArgument = Annotated[str, typer.Argument(help=AGENT, metavar="B", show_default=False)]
AgentsArgument = Annotated[
    list[str], typer.Argument(help=f"Two or more. {AGENT}", metavar="AGENT...", show_default=False)
]
FolderArgument = Annotated[
    Path, typer.Argument(help="The folder of the event.", metavar="DIR", show_default=False)
]
EventArgument = Annotated[
    str,
    typer.Argument(
        help="The folder of the event, or with --server its id there.",
        metavar="DIR|COMPETITION",
        show_default=False,
    ),
]
GamesOption = Annotated[
    int,
    typer.Option("--games", help="Games of each match, two to a unit.", min=2, max=200_000),
]
BoardsOption = Annotated[
    int,
    typer.Option(
        "--boards",
        help="In place of games: so many single deals, each played at two tables.",
        min=0,
        max=100_000,
    ),
]
RulesOption = Annotated[
    str, typer.Option("--rules", help="A preset, and options that differ: quick,target=300.")
]
SeedOption = Annotated[
    str, typer.Option("--seed", help="Choose the deals: a word, a number, 64 hex digits.")
]
ClockOption = Annotated[
    str,
    typer.Option(
        "--clock",
        help="Seconds for a decision + in the bank of a seat for a game; 2 alone: no bank; or none.",
    ),
]
StrictOption = Annotated[
    bool, typer.Option("--strict", help="Any fault forfeits the game; else the third does.")
]
JobsOption = Annotated[
    int, typer.Option("--jobs", help="How many units are played at once.", min=1, max=1_000)
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", help="The folder to make; one under competitions/ if not.", file_okay=False
    ),
]
EqualOption = Annotated[
    float, typer.Option("--equal-within", help="A difference that counts as none.", min=0.0)
]


MOST = 1_000_000.0
"""The largest difference and the largest spread that units are reckoned for; the smallest is 1 / MOST."""

NEEDED = ("numpy", "scipy", "matplotlib", "jinja2")


def _check_installed() -> None:
    """Says what to install where the extra is missing, before anything needs it."""
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        them = "it" if len(lacking) == 1 else "them"
        typer.echo(
            f"Competitions need {', '.join(lacking)}: install {them} with"
            " pip install 'spades[arena]'.",
            err=True,
        )
        raise typer.Exit(1)


def _done(status: int) -> None:
    raise typer.Exit(status)


@compete_app.command()
def match(
    context: typer.Context,
    first: FirstArgument,
    second: SecondArgument,
    games: GamesOption = 128,
    boards: BoardsOption = 0,
    rules: RulesOption = "classic",
    seed: SeedOption = "",
    clock: ClockOption = "2+60",
    strict: StrictOption = False,
    equal: EqualOption = 0.0,
    jobs: JobsOption = 1,
    out: OutOption = None,
) -> None:
    """Play one agent against another, and say which is better and how sure that is."""
    exclude_lengths(context)
    _check_installed()
    from spades_client import competing

    wish = competing.Wish((first, second), games, boards, rules, seed, clock, strict, equal)
    _done(competing.match(wish, jobs, out))


@compete_app.command("test")
def sequential_test(
    context: typer.Context,
    first: FirstArgument,
    second: SecondArgument,
    low: Annotated[
        float,
        typer.Option(
            "--low", help="The lower difference, in points per deal or for --games in Elo."
        ),
    ] = 0.0,
    high: Annotated[float, typer.Option("--high", help="The upper difference.")] = 2.0,
    alpha: Annotated[
        float, typer.Option("--alpha", help="How often the upper one may be accepted wrongly.")
    ] = 0.05,
    beta: Annotated[
        float, typer.Option("--beta", help="How often the lower one may be accepted wrongly.")
    ] = 0.05,
    games: Annotated[
        int,
        typer.Option(
            "--games",
            help="Test pairs of games, so many games at most; the bounds are then normalized Elo.",
            min=0,
            max=200_000,
        ),
    ] = 0,
    boards: Annotated[
        int, typer.Option("--boards", help="At most so many deals.", min=1, max=100_000)
    ] = 20_000,
    rules: RulesOption = "classic",
    seed: SeedOption = "",
    clock: ClockOption = "2+60",
    strict: StrictOption = False,
    jobs: JobsOption = 1,
    out: OutOption = None,
) -> None:
    """Play until it is decided which of two differences is the true one, and no longer."""
    exclude_lengths(context)
    _check_installed()
    from spades_client import competing

    wish = competing.Wish(
        (first, second), games, 0 if games else boards, rules, seed, clock, strict
    )
    _done(competing.sequential_test(wish, (low, high, alpha, beta), jobs, out))


@compete_app.command("round-robin")
def round_robin(
    context: typer.Context,
    agents: AgentsArgument,
    games: GamesOption = 64,
    boards: BoardsOption = 0,
    rules: RulesOption = "classic",
    seed: SeedOption = "",
    clock: ClockOption = "2+60",
    strict: StrictOption = False,
    jobs: JobsOption = 1,
    out: OutOption = None,
) -> None:
    """Play everybody against everybody, all on the same deals."""
    exclude_lengths(context)
    _check_installed()
    from spades_client import competing

    wish = competing.Wish(tuple(agents), games, boards, rules, seed, clock, strict)
    _done(competing.round_robin(wish, jobs, out))


@compete_app.command()
def gauntlet(
    context: typer.Context,
    agents: AgentsArgument,
    challengers: Annotated[
        int, typer.Option("--challengers", help="So many of the first meet all others.", min=1)
    ] = 1,
    games: GamesOption = 64,
    boards: BoardsOption = 0,
    rules: RulesOption = "classic",
    seed: SeedOption = "",
    clock: ClockOption = "2+60",
    strict: StrictOption = False,
    jobs: JobsOption = 1,
    out: OutOption = None,
) -> None:
    """Play the first agent, or the first few, against all others."""
    exclude_lengths(context)
    _check_installed()
    from spades_client import competing

    wish = competing.Wish(tuple(agents), games, boards, rules, seed, clock, strict)
    _done(competing.gauntlet(wish, challengers, jobs, out))


@compete_app.command()
def run(
    spec: Annotated[
        Path,
        typer.Argument(
            help="A TOML file, or the event.json of an event with its --seed.",
            metavar="SPEC.toml",
            show_default=False,
        ),
    ],
    seed: SeedOption = "",
    jobs: JobsOption = 1,
    out: OutOption = None,
) -> None:
    """Play the event that a file describes."""
    _check_installed()
    from spades_client import competing

    _done(competing.run(spec, seed, jobs, out))


@compete_app.command()
def resume(folder: FolderArgument, jobs: JobsOption = 1) -> None:
    """Go on with an event that was broken off, wherever that was."""
    _check_installed()
    from spades_client import competing

    _done(competing.resume(folder, jobs))


@compete_app.command()
def status(
    context: typer.Context,
    event: EventArgument,
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Tell how far an event is, and its standings."""
    require_server(context, server)
    _check_installed()
    if server:
        from spades_client import organising
        from spades_client.places import Place

        _done(organising.status(Place(server, insecure, authority), name, event))
    from spades_client import event_status

    _done(event_status.status(Path(event)))


@compete_app.command()
def report(folder: FolderArgument) -> None:
    """Write the reports of an event as it stands."""
    _check_installed()
    from spades_client import competing

    _done(competing.report(folder))


@compete_app.command()
def verify(
    context: typer.Context,
    event: EventArgument,
    server: ServerOption = "",
    name: NameOption = "",
    out: OutOption = None,
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Come to everything again: seed, deals, records, results, tables; say where something differs.

    With --server an event of a server is downloaded first; --out keeps it, with its report.
    """
    require_server(context, server)
    _check_installed()
    if server:
        from spades_client import fetching
        from spades_client.places import Place

        _done(fetching.verify(Place(server, insecure, authority), name, event, out))
    from spades_client import event_status

    _done(event_status.verify(Path(event)))


@compete_app.command()
def power(
    context: typer.Context,
    effect: Annotated[
        float,
        typer.Argument(
            help="The true difference to find: points per deal on boards, the lead in points of a unit in"
            " games (0.1: 55 % of the points).",
            metavar="DIFFERENCE",
            show_default=False,
        ),
    ],
    games: Annotated[
        bool, typer.Option("--games", help="For pairs of games; else boards.")
    ] = False,
    spread: Annotated[
        float,
        typer.Option(
            "--sd", help="The spread of a unit; a usual one if not given.", min=0.0, max=MOST
        ),
    ] = 0.0,
    like: Annotated[
        Path | None,
        typer.Option("--from", help="Take the spread from this event.", file_okay=False),
    ] = None,
    power: Annotated[float, typer.Option("--power", help="How often it is to be found.")] = 0.9,
    alpha: Annotated[
        float, typer.Option("--alpha", help="How often one is found where there is none.")
    ] = 0.05,
) -> None:
    """Tell how many units it takes to find a difference."""
    if effect and not 1 / MOST <= abs(effect) <= MOST:
        raise typer.BadParameter(
            f"{effect:g} is out of range: a difference of {1 / MOST:f} to {MOST:,.0f} can be looked for."
        )
    exclude(context, "spread", "like", "the spread is given, or that of an event")
    exclude(context, "games", "like", "an event says itself what it plays")
    _check_installed()
    from spades_client import event_status

    _done(event_status.power(effect, spread, like, power, alpha, games=games))
