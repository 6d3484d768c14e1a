"""Lists in pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spades import Reason, TableError

DEFAULT_PAGE: Final = 50
LARGEST_PAGE: Final = 100


def page_size(size: int) -> int:
    """How many entries a page has.

    :raises TableError: if the size is out of range.
    """
    if not 0 <= size <= LARGEST_PAGE:
        raise TableError(
            f"A page has 1 to {LARGEST_PAGE} entries; {size} were asked for.", Reason.INVALID_FIELD
        )
    return size or DEFAULT_PAGE


def page(keys: Sequence[str], size: int, token: str) -> tuple[Sequence[str], str]:
    """Cuts a page out of a list of different keys; the token is the last key of the page before.

    :raises TableError: if the size is out of range.
    """
    size = page_size(size)
    # A key that has gone meanwhile begins the list anew: nothing is left out without a word.
    start = keys.index(token) + 1 if token in keys else 0
    end = start + size
    found = keys[start:end]
    return found, found[-1] if found and end < len(keys) else ""
