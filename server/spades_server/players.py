"""Who plays: names, and tokens that only their owners know."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from spades import Reason, TableError
from spades_proto.records import STRUCK_NAME
from spades_server.commands import Player

MAX_NAME: Final = 24
"""The longest name, in characters."""

MAX_PLAYERS: Final = 100_000


@dataclass(frozen=True, slots=True)
class Account:
    """A player with what the server keeps beside the name."""

    player: Player
    digest: bytes
    """The SHA-256 of the token, so nobody can read that back."""
    since_us: int = 0
    """When the name was taken, in microseconds since the Unix epoch; 0: unknown."""


class Players:
    """The names that are taken, and whose each token is."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._by_token: dict[bytes, Account] = {}
        self._by_name: dict[str, Account] = {}

    def __len__(self) -> int:
        return len(self._by_token)

    def restore(self, known: Iterable[Account]) -> None:
        """Takes in the players of before."""
        for account in known:
            self._keep(account)

    def register(self, name: str) -> tuple[Account, str]:
        """Takes a name and makes a token.

        :raises TableError: if the name cannot be used or is taken.
        """
        check_name(name)
        if folded(name) in self._by_name:
            raise TableError(f"The name {name!r} is taken: choose another.", Reason.NAME_TAKEN)
        if len(self._by_token) >= MAX_PLAYERS:
            raise TableError(
                f"This server knows {MAX_PLAYERS} players and takes no more.", Reason.TOO_MANY
            )
        token = secrets.token_urlsafe(32)
        player = Player(secrets.token_hex(8), name)
        account = Account(player, digest_of(token), self._clock())
        self._keep(account)
        return account, token

    def replace_token(self, player: Player) -> tuple[Account, str]:
        """Makes a new token; the old one is nobody's from now on."""
        old = self._by_name[folded(player.name)]
        token = secrets.token_urlsafe(32)
        account = replace(old, digest=digest_of(token))
        del self._by_token[old.digest]
        self._keep(account)
        return account, token

    def delete(self, player: Player) -> None:
        """Frees the name; the token is nobody's from now on."""
        account = self._by_name.pop(folded(player.name))
        del self._by_token[account.digest]

    def find(self, token: str) -> Player:
        """Finds whose token it is.

        :raises TableError: if it is nobody's.
        """
        account = self._by_token.get(digest_of(token))
        if account is None:
            raise TableError(
                "The token is missing or unknown here: register a name first.",
                Reason.TOKEN_INVALID,
            )
        return account.player

    def named(self, name: str) -> Account:
        """Finds a player by name, in any case.

        :raises TableError: if there is none.
        """
        account = self._by_name.get(folded(name))
        if account is None:
            shown = name if len(name) <= MAX_NAME else name[:MAX_NAME] + "…"
            raise TableError(f"There is no player {shown!r} here.", Reason.PLAYER_NOT_FOUND)
        return account

    def _keep(self, account: Account) -> None:
        self._by_token[account.digest] = account
        self._by_name[folded(account.player.name)] = account


def check_name(name: str) -> None:
    """Refuses a name that could not be shown literally.

    :raises TableError: saying what is wrong with it.
    """
    check_shown("name", name, MAX_NAME)
    if folded(name) == folded(STRUCK_NAME):
        raise TableError(
            f"The name {name!r} stands for players who were deleted: choose another.",
            Reason.NAME_INVALID,
        )


def check_shown(noun: str, text: str, most: int) -> None:
    """Refuses a text that could not be shown literally.

    :raises TableError: saying what is wrong with it.
    """
    if not text or text != text.strip():
        raise TableError(
            f"A {noun} must not be empty, nor begin or end with a blank.", Reason.NAME_INVALID
        )
    if len(text) > most:
        raise TableError(
            f"A {noun} has at most {most} characters; this one has {len(text)}.",
            Reason.NAME_INVALID,
        )
    # Control characters, line ends and the marks that turn text around spoil a screen.
    bad = [char for char in text if unicodedata.category(char) in _UNSHOWABLE]
    if bad:
        raise TableError(
            f"The {noun} cannot hold the character U+{ord(bad[0]):04X}.", Reason.NAME_INVALID
        )


_UNSHOWABLE: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def folded(name: str) -> str:
    """What is the same of two names that would be taken for one."""
    return unicodedata.normalize("NFKC", name).casefold()


def digest_of(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
