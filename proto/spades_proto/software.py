"""The version of this software, as a constant: looking it up costs more than starting the program."""

from __future__ import annotations

from typing import Final

VERSION: Final = "0.1.0"
SOFTWARE: Final = f"spades {VERSION}"
