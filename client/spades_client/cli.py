"""The command `spades`: what can be typed, and nothing that takes time to import."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from spades_client.admin import admin_app
from spades_client.compete import compete_app
from spades_client.competitions import AtOnceOption, PartnerOption, add_commands
from spades_client.kept import ClockOption, TempoOption
from spades_client.options import (
    AuthorityOption,
    InsecureOption,
    NameOption,
    ServerOption,
    as_utf8,
    exclude_beside_entry,
)
from spades_client.serving import serve
from spades_proto.channel import DEFAULT_PORT
from spades_proto.software import VERSION

app = typer.Typer(
    name="spades",
    help="Spades for four: play against bots, host a table, join one, or run a bot of your own.",
    invoke_without_command=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
agent_app = typer.Typer(help="Programs that play.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(agent_app, name="agent")
app.add_typer(admin_app, name="admin")
add_commands(compete_app)
app.add_typer(compete_app, name="compete")
app.command(context_settings={"auto_envvar_prefix": "SPADES_SERVE"})(serve)
account_app = typer.Typer(
    help="Your own player on a server.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(account_app, name="account")

DEFAULT_SERVER = f"127.0.0.1:{DEFAULT_PORT}"

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


AutoOption = Annotated[
    str, typer.Option("--auto", help="A bot plays your own seat, and no input is read.")
]
RecordOption = Annotated[
    Path | None,
    typer.Option("--record", help="Append the record of each match to this file.", dir_okay=False),
]
PlainOption = Annotated[
    bool, typer.Option("--plain", help="One line for each event: for pipes and screen readers.")
]
AsciiOption = Annotated[
    bool, typer.Option("--ascii", help="Suits as letters, and frames without line drawing.")
]

NoHintsOption = Annotated[
    bool, typer.Option("--no-hints", help="A table without hints: clients give none at it.")
]


def _rules(rules: str, options: list[str] | None) -> str:
    return ",".join([rules, *(options or [])]).strip(",")


def _done(status: int) -> None:
    raise typer.Exit(status)


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

        _done(programs.run(programs.start()))
    typer.echo(context.get_help())


@app.command()
def play(
    rules: RulesOption = "classic",
    option: SetOption = None,
    level: Annotated[
        str,
        typer.Option(
            "--level", help="The bots: one level for all, or three for left, partner and right."
        ),
    ] = "gentle",
    name: NameOption = "",
    seed: Annotated[
        str, typer.Option("--seed", help="Choose the deals: a word, a number, 64 hex digits.")
    ] = "",
    auto: AutoOption = "",
    record: RecordOption = None,
    tempo: TempoOption = "",
    no_hints: NoHintsOption = False,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Play a match against three bots."""
    from spades_client import programs
    from spades_client.arguments import optional_tempo, three_levels

    levels = three_levels(level, "--level")
    tempo_ms = optional_tempo(tempo)
    options = programs.PlayerOptions(name, auto, record, tempo_ms, plain, ascii_wanted)
    playing = programs.play(_rules(rules, option), levels, seed, options, hints=not no_hints)
    _done(programs.run(playing))


@app.command()
def join(
    code: Annotated[
        str, typer.Argument(help="The table's code, or a whole link; may be left out.")
    ] = "",
    server: ServerOption = "",
    seat: Annotated[
        str, typer.Option("--seat", help="South, West, North or East; the first free one if not.")
    ] = "",
    new: Annotated[bool, typer.Option("--new", help="Open a table of your own.")] = False,
    rules: RulesOption = "",
    option: SetOption = None,
    name: NameOption = "",
    auto: AutoOption = "",
    record: RecordOption = None,
    tempo: TempoOption = "",
    clock: ClockOption = "",
    no_hints: NoHintsOption = False,
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Sit down at a table of a server.

    Without a code: the table that you left, or the only one with a free seat, or a new one. Rules, a clock
    and --no-hints open a new one.
    """
    from spades_client import programs
    from spades_client.arguments import optional_clock, optional_seat, optional_tempo
    from spades_client.places import Place

    tempo_ms = optional_tempo(tempo)
    options = programs.PlayerOptions(name, auto, record, tempo_ms, plain, ascii_wanted)
    wanted = programs.NewTable(
        _rules(rules, option),
        tempo_ms,
        optional_clock(clock),
        new=new,
        hints=not no_hints,
        particular=no_hints,
    )
    place = Place(server, insecure, authority)
    _done(programs.run(programs.join(place, code, wanted, optional_seat(seat), options)))


@app.command()
def watch(
    code: Annotated[
        str, typer.Argument(help="The table's code, or a whole link; may be left out.")
    ] = "",
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Watch a table as a spectator, who sees public play only."""
    from spades_client import programs
    from spades_client.places import Place

    options = programs.PlayerOptions(name, plain=plain, ascii=ascii_wanted)
    _done(programs.run(programs.watch(Place(server, insecure, authority), code, options)))


@app.command()
def tables(
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """List the tables of a server."""
    from spades_client import programs
    from spades_client.places import Place

    _done(programs.run(programs.tables(Place(server, insecure, authority), name)))


@app.command()
def servers() -> None:
    """List the servers that are announced on this network."""
    from spades_client import programs

    _done(programs.run(programs.servers()))


@app.command()
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
    _done(programs.run(account.profile(place, name, as_utf8(player))))


@app.command()
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
    _done(programs.run(account.history(place, name, most)))


@account_app.command("new-token")
def account_new_token(
    server: ServerOption = "",
    name: NameOption = "",
    insecure: InsecureOption = False,
    authority: AuthorityOption = None,
) -> None:
    """Get a new token: whoever has the old one is logged out."""
    from spades_client import account, programs
    from spades_client.places import Place

    _done(programs.run(account.new_token(Place(server, insecure, authority), name)))


@account_app.command("delete")
def account_delete(
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
    _done(1 if confirmed is None else programs.run(account.delete(place, name, confirmed)))


@agent_app.command("run")
def agent_run(
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
        run = bots.EntryRun(spec, where, entry, entry_name, name, partner, at_once)
        _done(bots.run_entry(run))
    place, code = Place(server or DEFAULT_SERVER, insecure, authority).with_code(table)
    request = bots.BotRun(
        spec, place, code, seat, tables, matches, _rules(rules, option), against, name, seed
    )
    _done(bots.run_bot(request))


@agent_app.command("check")
def agent_check(
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

    _done(checking.check_bot(spec, limit, as_json=as_json))


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A file of records; - for standard input.")],
) -> None:
    """Recompute everything that the records of a file claim."""
    from spades_client import archive
    from spades_client.arguments import explained

    holds = explained(lambda: archive.verify_file(file))
    _done(0 if holds else 1)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(help="A file of records; - for standard input.")],
    seat: Annotated[
        str, typer.Option("--seat", help="Tell it as this seat saw it; else all hands are open.")
    ] = "",
    hand: Annotated[int, typer.Option("--hand", help="Only this hand.", min=0)] = 0,
    number: Annotated[int, typer.Option("--number", help="Which record of the file.", min=1)] = 1,
    hints: Annotated[
        bool,
        typer.Option("--hints", help="Tell before each decision what sharp would do, and why."),
    ] = False,
    plain: PlainOption = False,
    ascii_wanted: AsciiOption = False,
) -> None:
    """Step through a recorded match; in a pipe or with --plain it is told event by event.

    On the screen H says what sharp would do; --hints tells the whole match with that, event by event.
    """
    from spades_client import archive
    from spades_client.arguments import explained, optional_seat
    from spades_client.terminals import full_screen

    viewer = optional_seat(seat)
    if full_screen(plain=plain or hints):
        from spades_client import programs

        steps = programs.replay(file, viewer, hand, number, letters=ascii_wanted)
        _done(programs.run(steps))
    told = explained(lambda: archive.replay_file(file, viewer, hand, number, hints=hints))
    _done(0 if told else 1)


@app.command()
def export(
    records: Annotated[
        Path,
        typer.Argument(help="A file of records, or the folder of an event; - for standard input."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The file to write; standard output if not.", dir_okay=False),
    ] = None,
) -> None:
    """Write records hand by hand in PTN, the notation that Spades programs exchange."""
    from spades_client import export as exporting
    from spades_client.arguments import explained

    _done(0 if explained(lambda: exporting.export(records, out)) else 1)


def run() -> None:
    """Parses the command line and does what it says."""
    # Names are anybody's; a terminal that cannot show a letter shows a question mark.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")
    app()
