"""`spades serve`: a server in the foreground."""

from __future__ import annotations

import sys

import typer

from spades import SpadesError
from spades_agents import eventloop
from spades_agents.collector import settle
from spades_client.ending import to_the_end
from spades_server.app import SpadesServer
from spades_server.app import serve as serve_until_stopped
from spades_server.config import ServerConfig
from spades_server.logs import configure


def require_consent(*, lan: bool, insecure: bool) -> None:
    """Refuses to open an unencrypted server to the network by mistake."""
    if lan and not insecure:
        raise typer.BadParameter(
            "nothing is encrypted yet: add --insecure if everybody on the network may read along",
            param_hint="--lan",
        )


def require_durability(durability: str) -> None:
    """Refuses a word that is none of the two."""
    if durability not in ("process", "power"):
        raise typer.BadParameter(
            f"{durability!r} is not known: process and power are", param_hint="--durability"
        )


def serve(config: ServerConfig, log_level: str, *, json_logs: bool) -> int:
    """Serves until a signal ends it; returns the exit status."""
    try:
        configure(log_level, json=json_logs)
    except KeyError:
        sys.stderr.write(f"{log_level!r} is no level: debug, info, warning and error are.\n")
        return 2
    try:
        _run(config)
    except SpadesError as error:
        sys.stderr.write(error.sentence + "\n")
        return 1
    return 0


def _run(config: ServerConfig) -> None:
    def ready(server: SpadesServer) -> None:
        if config.address == "127.0.0.1":
            where = f"127.0.0.1:{server.port}"
            print(f"Spades is served on {where}, for this machine only.", flush=True)
        else:
            where = f"THIS-MACHINE:{server.port}"
            sys.stderr.write(
                "Warning: nothing is encrypted. Whoever can listen to this network can read every"
                " card and take every token.\n"
            )
            print(f"Spades is served on port {server.port} to the whole network.", flush=True)
        print(f"Join with: spades join --server {where}", flush=True)
        if kept := _shown(config):
            print(f"Players, matches and records are kept in {kept}.", flush=True)

    settle()
    eventloop.run(to_the_end(serve_until_stopped(config, ready)))


def _shown(config: ServerConfig) -> str:
    """Where the data is kept, without a password; empty for nowhere."""
    if not config.database:
        return "" if config.data is None else str(config.data)
    # A database takes a while to import, and this one is open already.
    from spades_server.storage.place import place_at  # noqa: PLC0415

    return place_at(config.database).shown
