"""The start of the command `spades`."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Runs the command line; a fault of the program itself is told in a sentence and kept in a file."""
    # gRPC's core writes to standard error past every logger; it must be told before it is imported.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from spades_client.cli import run

    try:
        run()
    except Exception as error:  # noqa: BLE001  # the outermost boundary: it reports and exits
        from spades_client.crash import report

        sys.exit(report(error))


if __name__ == "__main__":
    main()
