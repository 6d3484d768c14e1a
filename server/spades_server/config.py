"""The settings of a server."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from spades_proto.channel import DEFAULT_PORT
from spades_proto.tempo import NORMAL_MS
from spades_proto.timing import TimeControl

DEFAULT_TIME_CONTROL: Final = TimeControl(decision_ms=60_000, bank_ms=180_000)


MEMO_EVERY: Final = 128
"""After how many commands a table writes a memo: so many are done again after a restart. In a long match they
are more, since its memo is longer."""


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
    max_tables_per_player: int = 0
    """How many of them one player may have opened; 0: all."""
    max_streams: int = 10_000
    """How many feeds may be open at once."""
    rate: float = 0.0
    """How many requests a second one player may make, on the average; 0: any number."""
    metrics_port: int = 0
    """Where Prometheus finds figures, on loopback; 0: nowhere."""
    max_streams_per_player: int = 0
    """How many of them one player may have; 0: all."""
    tempo_ms: int = NORMAL_MS
    """How long house bots take for a card while people play."""
    time_control: TimeControl = DEFAULT_TIME_CONTROL
    """How much time a decision has at a table that says nothing of it."""
    hints: bool = True
    """Whether clients may give hints, at tables that do not have them off."""
    competitions: bool = True
    """Whether there are competitions."""
    grace_s: float = 60.0
    """After how long an absent player's seat is played by a house bot."""
    abandoned_s: float = 600.0
    """After how long a table without any player present is closed."""
    secure: bool = False
    """Whether to encrypt, and to prove by a certificate who one is."""
    certificate: Path | None = None
    """A certificate that an authority has signed (PEM), in place of one that the server makes for itself."""
    key: Path | None = None
    """The key of that certificate (PEM)."""
    host: str = ""
    """The name by which the server is reached, for its links; its addresses where it is empty."""
    name: str = ""
    """What the server is called where it is listed; the machine's name where it is empty."""
    announce: bool = False
    """Whether to announce it on the local network."""
    data: Path | None = None
    """The folder of the database; ``None`` keeps everything in memory unless :attr:`database` is given."""
    database: str = field(default="", repr=False)
    """The URL of a database in place of a folder; it may hold a password."""
    home: Path | None = None
    """The folder of the certificate and of the admin socket; ``None`` for a fresh one, and for none."""
    memo_every: int = MEMO_EVERY
    """After how many commands a memo takes the place of a table's older ones; 0 keeps all, for an audit."""
    power_safe: bool = False
    """Whether every commit waits for the disk, so that not even a power failure loses one."""
    stop_s: float = 4.0
    """How long running calls may take to end when the server stops."""
