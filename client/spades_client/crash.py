"""What is told and kept when the program itself is at fault."""

from __future__ import annotations

import sys
import traceback

from spades_client.identity import state_folder
from spades_client.phrases import printable
from spades_proto.software import SOFTWARE


def report(error: Exception) -> int:
    """Keeps the traceback in a file and names it; returns the exit status."""
    text = "".join(traceback.format_exception(error))
    path = state_folder() / "crash.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{SOFTWARE}, Python {sys.version}\n{text}\n")
        where = f"What happened is written to {path}."
    except OSError:
        where = "What happened could not be written down."
    sys.stderr.write(
        printable(f"Spades has failed: {type(error).__name__}: {error}. {where}") + "\n"
    )
    return 70
