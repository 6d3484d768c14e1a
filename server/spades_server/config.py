"""The settings of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from spades_proto.channel import DEFAULT_PORT


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """What a host can choose."""

    address: str = "127.0.0.1"
    """Where to listen; loopback unless the host asked for the LAN."""
    port: int = DEFAULT_PORT
    """0 for any free one."""
    allow_seeds: bool = False
    """Whether a table may be created with a chosen seed."""
    max_tables: int = 1_000
    max_streams: int = 10_000
    """How many feeds may be open at once."""
    tempo_ms: int = 700
    """How long house bots take for a card while people play."""
    grace_s: float = 60.0
    """After how long an absent player's seat is played by a house bot."""
    abandoned_s: float = 600.0
    """After how long a table without any player present is closed."""
    data: Path | None = None
    """The folder of the database; ``None`` keeps everything in memory unless :attr:`database` is given."""
    database: str = field(default="", repr=False)
    """The URL of a database in place of a folder; it may hold a password."""
    power_safe: bool = False
    """Whether every commit waits for the disk, so that not even a power failure loses one."""
    stop_s: float = 4.0
    """How long running calls may take to end when the server stops."""
