"""The command `spades serve`: its options, which a file and the environment can give as well."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from spades_client.kept import ClockOption, DatabaseOption, DataOption, TempoOption, kept_in
from spades_proto.channel import DEFAULT_PORT


def read_settings(context: typer.Context, path: Path | None) -> Path | None:
    """Takes the options that a TOML file gives; the command line and the environment count before it.

    :raises typer.BadParameter: if it cannot be read, or gives an option that there is none of.
    """
    if path is None:
        return None
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise typer.BadParameter(f"{path} cannot be read: {said}") from None
    options = {one.name for one in context.command.params if one.name} - {"config"}
    taken: dict[str, Any] = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name not in options:
            known = ", ".join(sorted(one.replace("_", "-") for one in options))
            raise typer.BadParameter(f"{path} sets {key}, which is no option: {known} are")
        if not isinstance(value, str | int | float | bool):
            raise typer.BadParameter(f"{path} sets {key} to what is neither text nor a number")
        taken[name] = value if isinstance(value, bool) else str(value)
    context.default_map = {**(context.default_map or {}), **taken}
    return path


def serve(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            help="A TOML file with any of these options, as in port = 7450.",
            is_eager=True,
            callback=read_settings,
            dir_okay=False,
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", help="The port; 0 for any free one.", min=0, max=65_535)
    ] = DEFAULT_PORT,
    lan: Annotated[
        bool,
        typer.Option("--lan", help="Listen to the network too, and announce the server there."),
    ] = False,
    address: Annotated[
        str, typer.Option("--address", help="Listen to this address of the machine only.")
    ] = "",
    host: Annotated[
        str, typer.Option("--host", help="The name by which others reach it, for the join link.")
    ] = "",
    name: Annotated[
        str, typer.Option("--name", help="What it is called where servers are listed.")
    ] = "",
    announce: Annotated[
        bool, typer.Option("--announce/--no-announce", help="With --lan: by mDNS.")
    ] = True,
    insecure: Annotated[
        bool, typer.Option("--insecure", help="Do not encrypt: for experiments on this machine.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="With --insecure: on the network too, where all can read."),
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            help="A certificate that an authority has signed (PEM), in place of one of the server's own.",
            dir_okay=False,
        ),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="The certificate's key (PEM).", dir_okay=False)
    ] = None,
    allow_seeds: Annotated[
        bool, typer.Option("--allow-seeds", help="Let players choose the deals.")
    ] = False,
    tempo: TempoOption = "normal",
    clock: ClockOption = "60+180",
    hints: Annotated[
        bool,
        typer.Option("--hints/--no-hints", help="Whether clients give hints at its tables."),
    ] = True,
    grace: Annotated[
        float,
        typer.Option(
            "--grace", help="After how many seconds a bot plays for an absent player.", min=0.0
        ),
    ] = 60.0,
    max_tables: Annotated[
        int, typer.Option("--max-tables", help="How many tables may be open.", min=1)
    ] = 1_000,
    max_tables_per_player: Annotated[
        int,
        typer.Option(
            "--max-tables-per-player", help="How many of them one player may have opened.", min=1
        ),
    ] = 100,
    max_streams: Annotated[
        int, typer.Option("--max-streams", help="How many streams may be open.", min=1)
    ] = 10_000,
    max_streams_per_player: Annotated[
        int,
        typer.Option(
            "--max-streams-per-player", help="How many of them one player may have.", min=1
        ),
    ] = 64,
    rate: Annotated[
        float,
        typer.Option(
            "--rate", help="Requests a second that one player may make, on the average.", min=0.1
        ),
    ] = 50.0,
    metrics: Annotated[
        int,
        typer.Option(
            "--metrics", help="A port for Prometheus on this machine; 0: none.", min=0, max=65_535
        ),
    ] = 0,
    data: DataOption = None,
    database: DatabaseOption = "",
    home: Annotated[
        Path | None,
        typer.Option(
            "--home",
            help="With --database: the folder of the certificate and of the admin socket.",
            file_okay=False,
        ),
    ] = None,
    memory: Annotated[
        bool, typer.Option("--memory", help="Keep everything in memory, and nothing afterwards.")
    ] = False,
    durability: Annotated[
        str,
        typer.Option(
            "--durability",
            help="process: nothing is lost when the server is killed; power: nor when the power fails.",
        ),
    ] = "process",
    memo_every: Annotated[
        int,
        typer.Option(
            "--memo-every",
            help="After how many commands of a table a memo replaces them; 0 keeps all, for an audit.",
            min=0,
        ),
    ] = 128,
    log_level: Annotated[
        str, typer.Option("--log-level", help="debug, info, warning, error.")
    ] = "info",
    json_logs: Annotated[bool, typer.Option("--json-logs", help="Log in JSON.")] = False,
) -> None:
    """Serve tables on this machine; on the network with --lan.

    Every option can be set by the environment, as in SPADES_SERVE_PORT, and by a file, --config.
    """
    del config
    from spades_client import hosting  # noqa: PLC0415  # the command line imports little
    from spades_client.arguments import optional_clock, optional_tempo  # noqa: PLC0415
    from spades_server.config import ServerConfig  # noqa: PLC0415

    listening = hosting.listening_address(address, lan=lan)
    hosting.require_consent(listening, insecure=insecure, force=force)
    hosting.require_durability(durability)
    hosting.require_host(host)
    hosting.require_pair(certificate, key)
    time_control = optional_clock(clock)
    assert time_control is not None, "there is a default"
    tempo_ms = optional_tempo(tempo)
    assert tempo_ms is not None, "there is a default"
    kept = kept_in(context, data, database, memory=memory)
    settings = ServerConfig(
        address=listening,
        port=port,
        allow_seeds=allow_seeds,
        max_tables=max_tables,
        max_tables_per_player=max_tables_per_player,
        max_streams=max_streams,
        max_streams_per_player=max_streams_per_player,
        rate=rate,
        metrics_port=metrics,
        tempo_ms=tempo_ms,
        time_control=time_control,
        hints=hints,
        grace_s=grace,
        secure=not insecure,
        certificate=certificate,
        key=key,
        host=host,
        name=name,
        announce=lan and announce,
        data=kept.data,
        database=kept.database,
        home=home or (kept.folder if kept.data or kept.database else None),
        memo_every=memo_every,
        power_safe=durability == "power",
    )
    raise typer.Exit(hosting.serve(settings, log_level, json_logs=json_logs))
