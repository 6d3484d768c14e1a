"""Who plays: names, and tokens that only their owners know."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from collections.abc import Iterable
from typing import Final

from spades import Reason, TableError
from spades_server.commands import Player

MAX_NAME: Final = 24
"""The longest name, in characters."""

MAX_PLAYERS: Final = 100_000


class Players:
    """The names that are taken. Tokens are kept as their SHA-256, so nobody can read them back."""

    def __init__(self) -> None:
        self._by_token: dict[bytes, Player] = {}
        self._names: set[str] = set()

    def __len__(self) -> int:
        return len(self._by_token)

    def restore(self, known: Iterable[tuple[Player, bytes]]) -> None:
        """Takes in the players of before, with the SHA-256 of their tokens."""
        for player, digest in known:
            self._names.add(_folded(player.name))
            self._by_token[digest] = player

    def register(self, name: str) -> tuple[Player, str]:
        """Takes a name and makes a token.

        :raises TableError: if the name cannot be used or is taken.
        """
        check_name(name)
        folded = _folded(name)
        if folded in self._names:
            raise TableError(f"The name {name!r} is taken: choose another.", Reason.NAME_TAKEN)
        if len(self._by_token) >= MAX_PLAYERS:
            raise TableError(
                f"This server knows {MAX_PLAYERS} players and takes no more.", Reason.TOO_MANY
            )
        token = secrets.token_urlsafe(32)
        player = Player(secrets.token_hex(8), name)
        self._names.add(folded)
        self._by_token[digest_of(token)] = player
        return player, token

    def find(self, token: str) -> Player:
        """Finds whose token it is.

        :raises TableError: if it is nobody's.
        """
        player = self._by_token.get(digest_of(token))
        if player is None:
            raise TableError(
                "The token is missing or unknown here: register a name first.",
                Reason.TOKEN_INVALID,
            )
        return player


def check_name(name: str) -> None:
    """Refuses a name that could not be shown literally.

    :raises TableError: saying what is wrong with it.
    """
    if not name or name != name.strip():
        raise TableError(
            "A name must not be empty, nor begin or end with a blank.", Reason.NAME_INVALID
        )
    if len(name) > MAX_NAME:
        raise TableError(
            f"A name has at most {MAX_NAME} characters; this one has {len(name)}.",
            Reason.NAME_INVALID,
        )
    # Control characters, line ends and the marks that turn text around spoil a screen.
    bad = [char for char in name if unicodedata.category(char) in _UNSHOWABLE]
    if bad:
        raise TableError(
            f"The name cannot hold the character U+{ord(bad[0]):04X}.", Reason.NAME_INVALID
        )


_UNSHOWABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def digest_of(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
