"""`spades serve`: a server in the foreground."""

from __future__ import annotations

import ipaddress
import logging
import sys
from dataclasses import fields
from pathlib import Path
from typing import Final

import typer

from spades import SpadesError
from spades_agents import eventloop
from spades_agents.collector import settle
from spades_agents.trust import is_loopback
from spades_client.ending import to_the_end
from spades_proto.address import parse_address
from spades_proto.channel import DEFAULT_PORT
from spades_server.app import SpadesServer
from spades_server.config import ServerConfig
from spades_server.logs import configure
from spades_server.serving import serve as serve_until_stopped

log: Final = logging.getLogger("spades.server")

EVERYWHERE: Final = "0.0.0.0"  # noqa: S104  # asked for by --lan


def listening_address(address: str, *, lan: bool) -> str:
    """Where to listen: loopback unless the network is asked for, or an address of one's own."""
    if not address:
        return EVERYWHERE if lan else "127.0.0.1"
    try:
        return str(ipaddress.ip_address(address))
    except ValueError:
        raise typer.BadParameter(
            f"{address!r} is no IP address of this machine", param_hint="--address"
        ) from None


def require_consent(address: str, *, insecure: bool, force: bool) -> None:
    """Refuses to open an unencrypted server to the network by mistake."""
    if insecure and not force and not is_loopback(address):
        raise typer.BadParameter(
            "without encryption everybody on the network can read every card and take every token:"
            " leave it out, or add --force if that is meant",
            param_hint="--insecure",
        )


def require_pair(certificate: Path | None, key: Path | None) -> None:
    """Refuses a certificate without its key, and the reverse."""
    if (certificate is None) != (key is None):
        raise typer.BadParameter(
            "a certificate and its key belong together: give both",
            param_hint="--certificate" if key is None else "--key",
        )


def require_host(host: str) -> None:
    """Refuses a name that could not stand in a link."""
    if not host:
        return
    try:
        parse_address(f"{host}:1")
    except SpadesError:
        raise typer.BadParameter(
            f"{host!r} is no name of a machine, nor an address", param_hint="--host"
        ) from None


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
        for line in welcome(server):
            print(line, flush=True)
        if not config.secure and not is_loopback(config.address):
            sys.stderr.write(
                "Warning: nothing is encrypted. Whoever can listen to this network can read every"
                " card and take every token.\n"
            )
        if not is_loopback(config.address) and sys.stdout.isatty():
            # To be read by a telephone's camera, or from across the table.
            import segno  # noqa: PLC0415

            segno.make(str(server.links[0])).terminal(compact=True)

    log.info("settings", extra={"settings": shown_settings(config)})
    settle()
    eventloop.run(to_the_end(serve_until_stopped(config, ready)))


def welcome(server: SpadesServer) -> list[str]:
    """What the host is told when the server listens."""
    config = server.config
    lines: list[str] = []
    if is_loopback(config.address):
        lines.append(f"Spades is served on {config.address}:{server.port}, for this machine only.")
    else:
        lines.append(f"Spades is served on port {server.port} to the whole network.")
    for link in server.links:
        known = is_loopback(config.address) and server.port == DEFAULT_PORT
        lines.append(f"Join with: spades join {'' if known else link}".rstrip())
    if config.announce:
        lines.append("On this network, spades join and spades servers find it by themselves.")
    if kept := _shown(config):
        lines.append(f"Players, matches and records are kept in {kept}.")
    return lines


def shown_settings(config: ServerConfig) -> dict[str, object]:
    """All settings, for the log: no password is among them, nor where a key lies."""
    values = {one.name: getattr(config, one.name) for one in fields(config)}
    values["database"] = _shown(config) if config.database else ""
    values["key"] = config.key is not None
    return {
        name: value if isinstance(value, str | int | float | None) else str(value)
        for name, value in values.items()
    }


def _shown(config: ServerConfig) -> str:
    """Where the data is kept, without a password; empty for nowhere."""
    if not config.database:
        return "" if config.data is None else str(config.data)
    # A database takes a while to import, and this one is open already.
    from spades_server.storage.place import place_at  # noqa: PLC0415

    return place_at(config.database).shown
