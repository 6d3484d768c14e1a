"""Who this person is on each server: names and tokens, kept between two starts of the client."""

from __future__ import annotations

import getpass
import hashlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import filelock
import platformdirs

from spades import Reason, SpadesError, TableError
from spades_agents import Server
from spades_client.files import write_private
from spades_client.settings import load_settings

_TOKEN: Final = re.compile(r"[\x21-\x7e]+")

TRIES: Final = 50
"""How many names are tried before one must be chosen by hand."""


def state_folder() -> Path:
    """Where identities are kept; ``SPADES_STATE`` names another place."""
    chosen = os.environ.get("SPADES_STATE")
    return Path(chosen) if chosen else platformdirs.user_state_path("spades")


def default_name() -> str:
    """The name of the person at this machine: from the settings, else the login name."""
    chosen = load_settings()[0].name.strip()
    if chosen:
        return chosen[:20]
    try:
        name = getpass.getuser().strip()
    except (OSError, KeyError):
        name = ""
    return name[:20] or "player"


@dataclass
class Identity:
    """A name on a server; while it is held, no other client of this machine uses it."""

    name: str
    token: str
    path: Path
    _lock: filelock.BaseFileLock = field(repr=False)

    def keep(self) -> None:
        """Writes the token where only this user can read it."""
        # Never half of it: a name whose token is lost stays taken.
        write_private(self.path, json.dumps({"name": self.name, "token": self.token}))

    def forget(self) -> None:
        """Deletes what is kept: the server does not know the player any more."""
        self.path.unlink(missing_ok=True)

    def release(self) -> None:
        """Lets another client of this machine use the name."""
        self._lock.release()


async def log_in(server: Server, name: str, suffix: str = "") -> Identity:
    """Takes the identity that was used on a server before, or makes one, and logs in with it.

    Without a name, a second client on one machine gets a second name, and ``suffix`` parts those who only
    look on from those who play. The connection's token is the identity's from now on.

    :raises SpadesError: if the server refuses the name, or another client of this machine uses it.
    """
    for candidate in _candidates(name, suffix):
        held = hold(server.recognised_by, candidate)
        if held is None:
            continue
        try:
            if await _known(server, held):
                return held
            held.name = await server.register(candidate)
        except SpadesError as error:
            held.release()
            if error.reason is Reason.NAME_TAKEN and not name:
                continue
            raise
        held.token = server.token
        held.keep()
        return held
    if name:
        raise TableError(f"{name} is playing from this machine already.", Reason.NAME_TAKEN)
    raise TableError("Choose a name with --name: the usual ones are in use.", Reason.NAME_TAKEN)


async def _known(server: Server, held: Identity) -> bool:
    """Whether the server still knows the token that was kept."""
    server.token = held.token
    if not held.token:
        return False
    try:
        held.name, _ = await server.me()
    except SpadesError as error:
        if error.reason is not Reason.TOKEN_INVALID:
            raise
        server.token = ""
        return False
    return True


def _candidates(name: str, suffix: str) -> list[str]:
    if name:
        return [name]
    base = default_name()[: 20 - len(suffix)] + suffix
    return [base, *(f"{base}-{number}" for number in range(2, TRIES))]


def recall(target: str, name: str) -> str:
    """The token that was used on a server before, also while another client of this machine uses it.

    :raises TableError: if there is none.
    """
    return _kept_token(_path(target, _used_name(target, name)))


def hold_known(target: str, name: str) -> Identity:
    """Holds the identity that was used on a server before.

    :raises TableError: if there is none, or another client of this machine uses it.
    """
    used = _used_name(target, name)
    held = hold(target, used)
    if held is None:
        raise TableError(
            f"{used} is playing from this machine: leave the table first.", Reason.NAME_TAKEN
        )
    return held


def _used_name(target: str, name: str) -> str:
    for candidate in _candidates(name, ""):
        if _kept_token(_path(target, candidate)):
            return candidate
    who = f"{name} has not played" if name else "You have not played"
    raise TableError(
        f"{who} on that server from this machine: name a player with --name, or join a table first.",
        Reason.PLAYER_NOT_FOUND,
    )


def hold(target: str, name: str) -> Identity | None:
    """Holds the identity of a name on a server, or ``None`` while another client of this machine does."""
    path = _path(target, name)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = filelock.FileLock(path.with_suffix(".lock"), blocking=False)
    try:
        lock.acquire()
    except filelock.Timeout:
        return None
    return Identity(name, _kept_token(path), path, lock)


def _path(target: str, name: str) -> Path:
    # This machine has several names, and one server on it is one server.
    host, colon, port = target.rpartition(":")
    place = f"127.0.0.1{colon}{port}" if host.lower() in ("localhost", "[::1]") else target
    digest = hashlib.sha256(f"{place}\n{name}".encode()).hexdigest()[:24]
    return state_folder() / "identities" / f"{digest}.json"


def _kept_token(path: Path) -> str:
    """Reads a token; a file that was cut short or spoilt is as good as none."""
    try:
        token = json.loads(path.read_bytes())["token"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    # Anything else could not even be sent.
    return token if isinstance(token, str) and _TOKEN.fullmatch(token) else ""
