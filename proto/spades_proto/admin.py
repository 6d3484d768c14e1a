"""Where the socket of whoever runs a server is."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SOCKET: Final = "admin.sock"


def admin_address(folder: Path) -> str:
    """The address, for gRPC, of the admin socket of a server with this data folder."""
    return f"unix:{folder.absolute() / SOCKET}"
